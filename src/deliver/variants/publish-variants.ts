/** The delivery of variants: of each article one file for all finishes of a shape. */

import { articleKey, articleLabel, configurationKey } from '../../model/configuration-id.ts';
import type { Run } from '../../run/open/open-run.ts';
import { openCatalogue } from '../../run/output/manifest.ts';
import { beside, type Master, readMaster } from '../../run/publishing/masters.ts';
import { sha256Hex } from '../../support/files.ts';
import { groupBy } from '../../support/group-by.ts';
import type { Delivery, Outcome, Subject } from '../making/delivery.ts';
import { VARIANTS } from '../making/names.ts';
import {
  combineVariants,
  groupVariants,
  VARIANTS_VERSION,
  type VariantSource,
  type Variants,
} from './variants.ts';

/** For people; the paths of files differ by the names of configurations. */
const FILE = 'variants.glb';

/**
 * Opens the delivery of an output folder.
 *
 * An article with one configuration is left out, and so is what only carts select, which is the planning of one
 * customer. A configuration without another finish has no file: that would be its master.
 */
export async function openVariants(run: Run, masters: readonly Master[]): Promise<Delivery> {
  const { options, environment } = run;
  const { outputDir } = options.pipeline;
  const catalogue = await openCatalogue(outputDir);
  const { derived } = run.sources;
  /** What the cache has of a key, else what is made now. */
  const once = async (key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> => {
    const name = `${VARIANTS} ${VARIANTS_VERSION} ${key}`;
    const known = options.force ? undefined : await derived.get(name);
    if (known !== undefined) return known;
    const made = await make();
    await derived.put(name, made);
    return made;
  };
  const describe = ({ id }: Master) => {
    const number = id.finalarticlenumber || id.basearticlenumber;
    return { number, properties: catalogue.get(configurationKey(id))?.properties ?? [] };
  };
  const sourceOf = (master: Master): VariantSource => ({
    ...describe(master),
    sha256: master.sha256,
    read() {
      environment.signal.throwIfAborted();
      return readMaster(run, master);
    },
  });
  const subjectOf = (article: Subject['masters']): Subject => {
    const decisive = article.map((master) => [master.sha256, master.glb, describe(master)]);
    const source = sha256Hex(JSON.stringify([VARIANTS_VERSION, decisive]));
    return { label: articleLabel(article[0].id), masters: article, source };
  };
  return {
    name: VARIANTS,
    // Each may need much memory, and all share one thread.
    atOnce: 1,
    subjects: articlesOf(masters, subjectOf),
    async make({ masters: article, source }, keep) {
      const sources = article.map(sourceOf);
      const grouped = await once(`groups ${source}`, async () =>
        new TextEncoder().encode(JSON.stringify(await groupVariants(sources))),
      );
      const { groups, splitBy } = JSON.parse(new TextDecoder().decode(grouped)) as Variants;
      const outcomes: Outcome[] = article.map(() => ({
        files: [],
        ...(groups.length > 1 && { splitBy: splitBy.map(({ text, name }) => text || name) }),
      }));
      for (const group of groups) {
        if (group.variants.length === 1) continue;
        const shown = group.variants.map(({ name, sources: [at] }) => [name, sources[at!]!.sha256]);
        const key = `file ${sha256Hex(JSON.stringify(shown))}`;
        const bytes = await once(key, () => combineVariants(sources, group));
        const first = article[group.variants[0]!.sources[0]!]!;
        const path = beside(first, VARIANTS);
        const file = await keep({ name: FILE, path, bytes, facts: {} });
        const variants = group.variants.length;
        for (const { name: variant, sources: same } of group.variants)
          for (const at of same) outcomes[at]!.files = [{ ...file, facts: { variant, variants } }];
      }
      return outcomes;
    },
  };
}

/** The masters of each article with several, the default configuration first. */
function* articlesOf(
  masters: readonly Master[],
  subjectOf: (article: Subject['masters']) => Subject,
): Iterable<Subject> {
  const shown = masters.filter(({ isOnlyOfCarts }) => !isOnlyOfCarts);
  for (const article of groupBy(shown, ({ id }) => articleKey(id)).values()) {
    const [first, ...others] = article.toSorted((a, b) => {
      return Number(b.isDefault) - Number(a.isDefault);
    });
    if (others.length > 0) yield subjectOf([first!, ...others]);
  }
}
