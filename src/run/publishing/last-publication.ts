/** A publication compared with the last one that was reported: `changes.jsonl`, and `published.jsonl` for the next. */
import { join } from 'node:path';
import { configurationId, configurationKey, ID_FIELDS } from '../../model/configuration-id.ts';
import {
  exists,
  readTextIfExists,
  replaceFile,
  sha256Hex,
  statIfExists,
  temporaryFolder,
} from '../../support/files.ts';
import { PackedMap } from '../../support/packed-map.ts';
import type { CatalogueLine, ManifestLine, Part } from '../lists/manifest-line.ts';
import { languagesOf } from '../open/connect.ts';
import type { Run } from '../open/open-run.ts';
import type { RunOutput } from '../open/output.ts';
import { assignPaths, objectKey } from '../output/article-path.ts';
import {
  type Change,
  type ChangeLine,
  catalogueDigests,
  changesBetween,
  type PublishedLine,
  type UrlOf,
} from '../output/changes.ts';
import {
  CHANGES_FILE,
  DELIVERIES_FILE,
  type DeliveryLines,
  deliveryLines,
  PUBLISHED_FILE,
  type PublishedFile,
} from '../output/delivered-files.ts';
import {
  CATALOGUE_FILE,
  catalogueFiles,
  MANIFEST_FILE,
  manifestLines,
  openCatalogue,
  openLines,
  writeLines,
} from '../output/manifest.ts';
import { eachList } from '../output/publication.ts';
import { type PublishedAsset, publishedAsset } from '../output/publish.ts';
import { newCatalogues, type ReadResults } from './lines.ts';

/** What became of each configuration that differs from the last publication. */
export type Changes = ReadonlyMap<string, Readonly<{ change: Change; what: readonly Part[] }>>;

/**
 * The comparison of a run with the last publication that a run has reported. The manifest is no basis: a run that was
 * killed may have replaced it, and has reported nothing. @see D-996
 */
export class LastPublication {
  readonly #run: Run;
  /** Returns the address of a published file; undefined if they have none. */
  readonly urlOf: UrlOf | undefined;
  readonly #compared: ReturnType<typeof comparedLists>;
  #reading: ReturnType<typeof lastPublished> | undefined;

  constructor(run: Run, urlOf?: UrlOf) {
    this.#run = run;
    this.urlOf = urlOf;
    this.#compared = comparedLists(run.options.pipeline);
  }

  /** Keeps what is published now for the comparison, before a run replaces it that may be killed. */
  async begin(): Promise<void> {
    if (await this.isSame()) return;
    const { lines, isOld } = await this.#last();
    if (isOld) await this.#write(PUBLISHED_FILE, lines);
  }

  async lines(): Promise<PackedMap<PublishedLine>> {
    return (await this.#last()).lines;
  }

  /** Whether all is still as it was when the last publication was reported, which is found out without reading it. */
  isSame(): Promise<boolean> {
    return this.#compared.areCurrent();
  }

  /** Finds what a run would have changed that has published nothing. */
  async changesBy(lines: PackedMap<ManifestLine>, read: ReadResults): Promise<Changes> {
    const now = await unpublishedLines(this.#run, lines, read);
    return summarised(await this.#changesTo(now));
  }

  /** Writes the list of changes. @param now - Undefined if all is as it was. */
  async writeChanges(now: PackedMap<PublishedLine> | undefined): Promise<Changes> {
    const changes = now === undefined ? new PackedMap<ChangeLine>() : await this.#changesTo(now);
    await this.#write(CHANGES_FILE, changes);
    return summarised(changes);
  }

  /** Makes what is published now the basis of the next comparison: what is cut off before is compared again. */
  async commit(now: PackedMap<PublishedLine>): Promise<void> {
    await this.#write(PUBLISHED_FILE, now);
    await this.#compared.note();
  }

  #last() {
    this.#reading ??= lastPublished(this.#run);
    return this.#reading;
  }

  async #changesTo(now: PackedMap<PublishedLine>): Promise<PackedMap<ChangeLine>> {
    const changes = new PackedMap<ChangeLine>(this.#run.output.spool);
    for (const change of changesBetween(await this.lines(), now, this.urlOf))
      changes.set(configurationKey(change), change);
    return changes;
  }

  #write<T>(file: string, lines: PackedMap<T>): Promise<void> {
    return writeLines(eachList(this.#run.options.pipeline.outputDir), file, lines);
  }
}

/** Keys are those of the lines; equal values are one object, since 50,000 may be new. */
function summarised(changes: PackedMap<ChangeLine>): Changes {
  const values = new Map<string, { change: Change; what: Part[] }>();
  const summary = new Map<string, { change: Change; what: Part[] }>();
  for (const key of changes.keys()) {
    const { change, what } = changes.get(key)!;
    const name = `${change} ${what}`;
    const value = values.get(name) ?? { change, what };
    values.set(name, value);
    summary.set(key, value);
  }
  return summary;
}

/**
 * What is published now, the catalogues by language, the first one first, and the configurations that only carts select.
 *
 * @param deliveries - What is delivered, where the list does not have it yet.
 */
export async function publishedNow(
  { options, output }: Pick<Run, 'options' | 'output'>,
  deliveries?: DeliveryLines,
) {
  const { outputDir, service } = options.pipeline;
  const { spool } = output;
  const open = (file: string) => openCatalogue(outputDir, { spool }, file);
  const languages = languagesOf(service);
  const catalogues = await Promise.all(catalogueFiles(languages).map(open));
  const onlyCarts = new Set<string>();
  const lines = await publishedLines(manifestLines(outputDir), catalogues, {
    outputDir,
    deliveries,
    spool,
    assetOf(line, key) {
      if (line.onlyCarts) onlyCarts.add(key);
      return publishedAsset(line);
    },
  });
  const byLanguage = new Map(catalogues.map((catalogue, at) => [languages[at]!, catalogue]));
  return { lines, catalogues: byLanguage, onlyCarts };
}

/** What would be published: GLBs have no path before that. */
async function unpublishedLines(
  run: Run,
  lines: PackedMap<ManifestLine>,
  read: ReadResults,
): Promise<PackedMap<PublishedLine>> {
  const { outputDir } = run.options.pipeline;
  const { published, spool } = run.output;
  const paths = new Map(assignPaths(lines.keys()));
  const catalogues = newCatalogues(run, lines, read).map((one) => one.lines);
  return publishedLines(lines.values(), catalogues, {
    outputDir,
    spool,
    assetOf(line, key) {
      const sha256 = line.sha256 ?? line.lastGood?.sha256;
      if (sha256 === undefined) return undefined;
      return { sha256, glb: published === undefined ? paths.get(key)! : objectKey(sha256) };
    },
  });
}

/** The files and texts of each configuration that has one of both. */
async function publishedLines(
  manifest: AsyncIterable<ManifestLine> | Iterable<ManifestLine>,
  catalogues: readonly Pick<PackedMap<CatalogueLine>, 'get'>[],
  from: Pick<Run['options']['pipeline'], 'outputDir'> &
    Pick<RunOutput, 'spool'> & {
      assetOf(line: ManifestLine, key: string): PublishedAsset | undefined;
      deliveries?: DeliveryLines | undefined;
    },
): Promise<PackedMap<PublishedLine>> {
  const delivered = new Map<string, PublishedFile[]>();
  for await (const { delivery, files, ...id } of from.deliveries?.values() ??
    deliveryLines(from.outputDir)) {
    const key = configurationKey(id);
    const own = files.map(({ path, sha256 }) => ({ delivery, path, sha256 }));
    delivered.set(key, [...(delivered.get(key) ?? []), ...own]);
  }
  const byDelivery = (a: PublishedFile, b: PublishedFile) => (a.delivery < b.delivery ? -1 : 1);
  const published = new PackedMap<PublishedLine>(from.spool);
  for await (const line of manifest) {
    const key = configurationKey(line);
    const asset = from.assetOf(line, key);
    const entries = catalogues.flatMap((catalogue) => catalogue.get(key) ?? []);
    if (asset === undefined && entries.length === 0) continue;
    const master = asset && { delivery: 'articles', path: asset.glb, sha256: asset.sha256 };
    const made = delivered.get(key)?.sort(byDelivery) ?? [];
    const files = master === undefined ? [] : [master, ...made];
    published.set(key, { ...configurationId(line), files, ...catalogueDigests(entries) });
  }
  return published;
}

/** A line that cannot be read counts as new: it is reported once more, and never too seldom. */
const PUBLISHED_FORM = { texts: ID_FIELDS, lists: ['files'] };

/** Reads what was published last; what a list lacks that `isOld` is taken from what was published before this run. */
async function lastPublished({ options, output }: Run) {
  const { outputDir } = options.pipeline;
  const { previous, spool } = output;
  const path = join(outputDir, PUBLISHED_FILE);
  const isMissing = !(await exists(path));
  let isOld = isMissing;
  const lines = await openLines<PublishedLine>(path, PUBLISHED_FORM, {
    spool,
    onLine({ text }) {
      isOld ||= text === undefined;
    },
    onDamaged() {},
  });
  if (!isOld) return { lines, isOld };
  const from = { outputDir, spool, assetOf: publishedAsset };
  const before = await publishedLines(previous.lines.values(), previous.catalogues, from);
  for (const key of before.keys()) {
    const [line, known] = [before.get(key)!, lines.get(key)];
    if (known !== undefined) lines.set(key, { ...line, files: known.files });
    // Such a list has only what has files.
    else if (isMissing || line.files.length === 0) lines.set(key, line);
  }
  return { lines, isOld };
}

/** The compared files as they were at the last commit, noted in the cache: a run without changes need not read them. */
function comparedLists({ outputDir, cacheDir, service }: Run['options']['pipeline']) {
  const name = sha256Hex(`published ${outputDir}`).slice(0, 16);
  const path = join(cacheDir, 'selections', `${name}.published`);
  const facts = async (): Promise<string> => {
    const catalogues = [CATALOGUE_FILE, ...catalogueFiles(languagesOf(service))];
    const lists = [MANIFEST_FILE, ...new Set(catalogues), DELIVERIES_FILE, PUBLISHED_FILE];
    const found = lists.map(async (list) => {
      const known = await statIfExists(join(outputDir, list));
      return [list, known?.identity, known?.bytes, known?.modifiedMs];
    });
    return JSON.stringify(await Promise.all(found));
  };
  return {
    areCurrent: async () => (await readTextIfExists(path)) === (await facts()),
    async note(): Promise<void> {
      const tmpDir = temporaryFolder(cacheDir);
      // Without it, the next run reads the lists.
      await replaceFile(path, await facts(), { tmpDir, access: 'private', durable: false });
    },
  };
}
