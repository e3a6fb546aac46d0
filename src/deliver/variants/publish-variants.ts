/** The delivery of variants: one file per article for all finishes of a shape. */

import { articleKey, articleLabel, configurationKey } from '../../model/configuration-id.ts';
import type { DeliveredFile } from '../../run/lists/delivered-files.ts';
import type { CatalogueLine } from '../../run/lists/manifest-line.ts';
import type { Run } from '../../run/open/open-run.ts';
import { openCatalogue } from '../../run/output/manifest.ts';
import { beside, type Master, readMaster } from '../../run/publishing/masters.ts';
import { sha256Hex } from '../../support/files.ts';
import { groupBy } from '../../support/group-by.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import type { Delivery, Outcome, Placed, Subject } from '../making/delivery.ts';
import { VARIANTS } from '../making/names.ts';
import {
  combineVariants,
  groupVariants,
  VARIANTS_VERSION,
  type VariantSource,
  type Variants,
} from './variants.ts';

/** Name for people; the paths of files differ by the names of configurations. */
const FILE = 'variants.glb';

/** Opens the delivery of an output folder. @param accepted - Codes of failures that the pipeline file accepts. */
export async function openVariants(
  run: Run,
  masters: readonly Master[],
  accepted: readonly string[],
): Promise<Delivery> {
  const catalogue = await openCatalogue(run.options.pipeline.outputDir);
  return new VariantsDelivery(run, catalogue, masters, accepted);
}

/**
 * Makes one file for all finishes of a shape.
 *
 * An article with one configuration is left out, and so is an article that only carts select: the planning of one
 * customer. A configuration without another finish has no file, which would equal its master.
 */
class VariantsDelivery implements Delivery {
  readonly name = VARIANTS;
  // Each file may need much memory, and all files share one thread.
  readonly atOnce = 1;
  readonly accepted: readonly string[];
  readonly subjects: Iterable<Subject>;
  readonly #run: Run;
  readonly #catalogue: PackedMap<CatalogueLine>;

  constructor(
    run: Run,
    catalogue: PackedMap<CatalogueLine>,
    masters: readonly Master[],
    accepted: readonly string[],
  ) {
    this.accepted = accepted;
    this.#run = run;
    this.#catalogue = catalogue;
    this.subjects = this.#subjectsOf(masters);
  }

  async make(
    { masters: article, source }: Subject,
    keep: (file: Placed) => Promise<DeliveredFile>,
  ): Promise<Outcome[]> {
    const sources = article.map((master) => this.#sourceOf(master));
    const grouped = await this.#once(`groups ${source}`, async () =>
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
      const bytes = await this.#once(key, () => combineVariants(sources, group));
      const first = article[group.variants[0]!.sources[0]!]!;
      const path = beside(first, VARIANTS);
      const file = await keep({ name: FILE, path, bytes, facts: {} });
      const variants = group.variants.length;
      for (const { name: variant, sources: same } of group.variants)
        for (const at of same) outcomes[at]!.files = [{ ...file, facts: { variant, variants } }];
    }
    return outcomes;
  }

  *#subjectsOf(masters: readonly Master[]): Iterable<Subject> {
    for (const article of articlesOf(masters)) {
      const decisive = article.map((master) => {
        return [master.sha256, master.glb, this.#describe(master)];
      });
      const source = sha256Hex(JSON.stringify([VARIANTS_VERSION, decisive]));
      yield { label: articleLabel(article[0].id), masters: article, source };
    }
  }

  #sourceOf(master: Master): VariantSource {
    const read = () => {
      this.#run.environment.signal.throwIfAborted();
      return readMaster(this.#run, master);
    };
    return { ...this.#describe(master), sha256: master.sha256, read };
  }

  #describe({ id }: Master): Pick<VariantSource, 'number' | 'properties'> {
    const number = id.finalarticlenumber || id.basearticlenumber;
    return { number, properties: this.#catalogue.get(configurationKey(id))?.properties ?? [] };
  }

  /** Returns the cached content of a key, or makes it. */
  async #once(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const { options, sources } = this.#run;
    const name = `${VARIANTS} ${VARIANTS_VERSION} ${key}`;
    const known = options.force ? undefined : await sources.derived.get(name);
    if (known !== undefined) return known;
    const made = await make();
    await sources.derived.put(name, made);
    return made;
  }
}

/** The masters of each article that has several, the default configuration first. */
function* articlesOf(masters: readonly Master[]): Iterable<Subject['masters']> {
  const shown = masters.filter(({ isOnlyOfCarts }) => !isOnlyOfCarts);
  for (const article of groupBy(shown, ({ id }) => articleKey(id)).values()) {
    const [first, ...others] = article.toSorted((a, b) => {
      return Number(b.isDefault) - Number(a.isDefault);
    });
    if (others.length > 0) yield [first!, ...others];
  }
}
