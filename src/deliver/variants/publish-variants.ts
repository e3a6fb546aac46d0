/** The delivery of variants: one file per article for all finishes of a shape. */

import { articleLabel, configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import type { CatalogueLine } from '../../run/lists/manifest-line.ts';
import type { Run } from '../../run/open/open-run.ts';
import { openCatalogue } from '../../run/output/manifest.ts';
import type { Master } from '../../run/publishing/masters.ts';
import { sha256Hex } from '../../support/files.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import {
  beside,
  type Delivery,
  mastersByArticle,
  type Outcome,
  type Subject,
} from '../making/delivery.ts';
import type { Opening } from '../making/kind.ts';
import type { Spend, StoredContent } from '../making/maker.ts';
import { VARIANTS } from '../making/names.ts';
import type { ReadByPlace } from '../making/threads.ts';
import {
  VARIANTS_VERSION,
  type VariantGroup,
  type VariantSource,
  type Variants,
} from './variants.ts';

/** Articles that are worked on at the same time, each in a thread: a file may need much memory. */
const MOST_AT_ONCE = 2;

/** Name for people; the paths of files differ by the names of configurations. */
const FILE = 'variants.glb';
/** Form of the entries of files; increase it when {@link StoredContent} changes. */
const STORED = 'file 2';

/**
 * Opens the delivery of an output folder: one file for all finishes of a shape.
 *
 * An article with one configuration is left out, and so is an article that only carts select: the planning of one
 * customer. A configuration without another finish has no file, which would equal its master.
 *
 * @param accepted - Codes of failures that the pipeline file accepts.
 */
export function openVariants(
  accepted: readonly string[],
  { run, again, readMaster, threads, contents }: Opening,
): Delivery {
  let catalogue: PackedMap<CatalogueLine> | undefined;
  const describe = ({ id }: Master): Description => ({
    number: id.finalarticlenumber || id.basearticlenumber,
    properties: catalogue?.get(configurationKey(id))?.properties ?? [],
  });
  const sourcesOf = (masters: readonly Master[]) =>
    masters.map((master): VariantSource => ({ ...describe(master), sha256: master.sha256 }));
  const files = new VariantFiles({ derived: run.sources.derived, contents, threads, again });
  return {
    name: VARIANTS,
    kind: 'profiles',
    atOnce: Math.min(MOST_AT_ONCE, Math.floor(threads.atOnce / 2)),
    accepted,
    again,
    async subjectsOf(masters) {
      catalogue = await openCatalogue(run.options.pipeline.outputDir);
      return subjectsOf(masters, describe);
    },
    taskOf({ masters, source }) {
      const sources = sourcesOf(masters);
      const given: Given = { source, sources };
      const glbs = masters.map(({ sha256, bytes }) => ({ sha256, bytes }));
      return { kind: 'profiles', delivery: VARIANTS, masters: glbs, given };
    },
    async prepare({ masters, given }, sourceOf, spend = () => {}) {
      const making = {
        ...{ ...(given as Given), spend, weight: weightOf(masters) },
        readMaster: (place: number) => sourceOf(masters[place]!).read(),
      };
      for (const group of (await files.groups(making)).groups) await files.of(group, making);
    },
    async make({ masters: article, source }, { keep, spend }) {
      const making = {
        ...{ source, sources: sourcesOf(article), spend, weight: weightOf(article) },
        readMaster: (place: number) => {
          run.environment.signal.throwIfAborted();
          return readMaster(article[place]!);
        },
      };
      const { groups, splitBy } = await files.groups(making);
      const outcomes: Outcome[] = article.map(() => ({
        files: [],
        ...(groups.length > 1 && { splitBy: splitBy.map(({ text, name }) => text || name) }),
      }));
      for (const group of groups) {
        const stored = await files.of(group, making);
        if (stored === undefined) continue;
        const path = beside(article[group.variants[0]!.sources[0]!]!, VARIANTS);
        const file = await keep({ ...stored, name: FILE, path, facts: {} });
        const variants = group.variants.length;
        for (const { name: variant, sources: same } of group.variants)
          for (const at of same) outcomes[at]!.files = [{ ...file, facts: { variant, variants } }];
      }
      return outcomes;
    },
  };
}

/** What its task needs besides the GLBs. */
interface Given {
  /** As {@link Subject.source}. */
  source: Digest;
  sources: VariantSource[];
}

interface Making extends Given {
  weight: number;
  spend: Spend;
  readMaster: ReadByPlace;
}

interface VariantTools extends Pick<Opening, 'contents' | 'threads' | 'again'> {
  derived: Run['sources']['derived'];
}

/** Finds and makes what is not made yet. */
class VariantFiles {
  readonly #tools: VariantTools;

  constructor(tools: VariantTools) {
    this.#tools = tools;
  }

  groups(making: Making): Promise<Variants> {
    const find = () => this.#call<Variants>(making, 'group', making.sources);
    return this.#once(`groups ${making.source}`, find);
  }

  /** The file of a group; none if it would equal its master. */
  async of(group: VariantGroup, making: Making): Promise<StoredContent | undefined> {
    if (group.variants.length === 1) return undefined;
    const { contents } = this.#tools;
    const { sources } = making;
    const shown = group.variants.map(({ name, sources: [at] }) => [name, sources[at!]!.sha256]);
    const key = `${STORED} ${sha256Hex(JSON.stringify(shown))}`;
    const make = async () =>
      contents.put(await this.#call<Uint8Array>(making, 'combine', group), FILE);
    return this.#once(key, make, (known) => contents.has(known, FILE));
  }

  async #once<T>(
    key: string,
    make: () => Promise<T>,
    isThere: (known: T) => Promise<boolean> = async () => true,
  ): Promise<T> {
    const { derived, again } = this.#tools;
    const name = `${VARIANTS} ${VARIANTS_VERSION} ${key}`;
    const entry = again ? undefined : await derived.get(name);
    const known = entry && (JSON.parse(new TextDecoder().decode(entry)) as T);
    if (known !== undefined && (await isThere(known))) return known;
    const made = await make();
    await derived.put(name, new TextEncoder().encode(JSON.stringify(made)));
    return made;
  }

  async #call<R>({ weight, spend, readMaster }: Making, name: string, given: unknown): Promise<R> {
    const call = { delivery: VARIANTS, name, given: [given], weight, readMaster };
    const { result, ms } = await this.#tools.threads.call<R>(call);
    spend(ms);
    return result;
  }
}

function weightOf(masters: readonly { bytes: number }[]): number {
  return masters.reduce((sum, { bytes }) => sum + bytes, 0);
}

type Description = Pick<VariantSource, 'number' | 'properties'>;

function* subjectsOf(
  masters: readonly Master[],
  describe: (master: Master) => Description,
): Iterable<Subject> {
  for (const article of mastersByArticle(masters)) {
    if (article.length === 1) continue;
    const decisive = article.map((master) => [master.sha256, master.glb, describe(master)]);
    const source = sha256Hex(JSON.stringify([VARIANTS_VERSION, decisive]));
    yield { label: articleLabel(article[0].id), masters: article, source };
  }
}
