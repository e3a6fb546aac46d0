/** Where the results of a run go, and what was published there before it. */

import type { ArticleRequest } from '../../model/article.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import {
  type ContentStore,
  type FileStoreOptions,
  openFileStore,
} from '../../source/cache/content-store.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import { PackedMap } from '../../support/packed-map.ts';
import type { Spool } from '../../support/spool.ts';
import type { CatalogueLine, ListedRequest, ManifestLine } from '../lists/manifest-line.ts';
import { catalogueFiles, openCatalogue, openManifest } from '../output/manifest.ts';
import { FolderChecks, type ObjectChecks, objectFiles } from '../output/output-folder.ts';
import { type PublishedAsset, publishedAsset } from '../output/publish.ts';
import { languagesOf } from './connect.ts';
import type { RunOptions } from './run-options.ts';
import type { SharedOutput, SharedStore } from './shared-store.ts';
import type { RunContext } from './sources.ts';

/** How an open run uses its output. */
export interface OutputAccess {
  publishes: boolean;
  /** Whether failures and permanent identifiers are taken from the store into the database. */
  loadsState: boolean;
  /** Published GLBs that are not there, if others have found that out. */
  missing?: ReadonlySet<Digest>;
}

/** A published file that something else has changed or removed, of a configuration. */
export interface Damage {
  problem: string;
  /** The GLB of the configuration; undefined if only the link to it was damaged. */
  object?: Digest;
}

/** Where the results of a run go: the output folder, and the store that several machines share. */
export interface RunOutput {
  /** Published GLBs, by content. */
  readonly objects: ContentStore;
  /** Where they are: a child process opens the store itself. */
  readonly objectFiles: FileStoreOptions;
  /** Folders of those that this run has stored, until publishing syncs them. */
  readonly unsynced: Set<string>;
  /** Folder of manifest, catalogues and the list of deliveries. */
  readonly listsDir: string;
  /** Lines and results that do not fit into memory. */
  readonly spool: Spool;
  /** The store that several machines share, and the output in it. */
  readonly shared: SharedStore | undefined;
  readonly published: SharedOutput | undefined;
  readonly checks: ObjectChecks;
  /** What the run found damaged or missing, by configuration. */
  readonly damages: Map<string, Damage>;
  readonly previous: PreviousOutput;
  /** Whether an intact GLB of this size is in the store. */
  hasObject(object: Digest, size: number | undefined): Promise<boolean>;
}

const LOGGED_LINES = 20;

/** Opens the output of a run, and reads what is published there. @throws `STORE_DAMAGED`, and the codes of the store. */
export async function openRunOutput(
  { options, environment: { log } }: Pick<RunContext<RunOptions>, 'options' | 'environment'>,
  { database, spool, shared }: Pick<RunOutput, 'spool' | 'shared'> & { database: CacheDatabase },
  { publishes, loadsState, missing }: OutputAccess,
): Promise<RunOutput> {
  const { pipeline, repair = false } = options;
  const { outputDir } = pipeline;
  // A line that cannot be read is treated as missing, so that its configuration is built anew.
  let leftOut = 0;
  const onDamaged = (where: string, problem: string) => {
    if (leftOut++ < LOGGED_LINES)
      log.warn('a line is left out, since it cannot be read', { where, problem });
  };
  // Only who publishes lists the store: what the manifest says is there but for what a coordinator has missed.
  const sizes = (object: Digest) =>
    missing?.has(object) ? undefined : previous.objects.get(object);
  const access = { publishes, repair: publishes && repair, loadsState };
  const published = await shared?.openOutput(pipeline, database, {
    ...access,
    sizes: publishes ? undefined : sizes,
  });
  const checks = published?.checks ?? new FolderChecks(outputDir, database, repair);
  const listsDir = published?.dir ?? outputDir;
  const watch = { spool, ...(repair && { onDamaged }) };
  const previous = await readPrevious(listsDir, languagesOf(pipeline.service), watch);
  if (leftOut > LOGGED_LINES)
    log.warn('lines are left out, since they cannot be read', { leftOut });
  const unsynced = new Set<string>();
  return {
    objects: openFileStore({ ...objectFiles(outputDir), unsynced }),
    objectFiles: objectFiles(outputDir),
    unsynced,
    listsDir,
    spool,
    shared,
    published,
    checks,
    damages: new Map(),
    previous,
    async hasObject(object, size) {
      const { problem, bytes } = await checks.check(object);
      return problem === undefined && bytes === size;
    },
  };
}

/** What a run without changes needs of a line. */
type SettledLine = Pick<ManifestLine, 'source' | 'bytes' | 'triangles' | 'losses'> &
  Pick<ListedRequest, 'answers'> &
  PublishedAsset;

/** What the output folder published before the run. */
export interface PreviousOutput {
  readonly lines: PackedMap<ManifestLine>;
  /** Lines that stay as they are if their only request is fresh. */
  readonly settled: PackedMap<SettledLine>;
  /** Whether a line stays as it is if this is its only request. */
  isSettled(key: string, request: ArticleRequest): boolean;
  /** The GLBs that these lines publish, with their sizes. */
  readonly objects: ReadonlyMap<Digest, number | undefined>;
  /** Keys of the lines that only carts selected. */
  readonly carts: ReadonlySet<string>;
  readonly catalogues: readonly PackedMap<CatalogueLine>[];
  /** The category of each line that has one. */
  readonly categories: ReadonlyMap<string, string>;
  /** Whether each catalogue has a line with all of today's fields. */
  isCatalogued(key: string): boolean;
  /** Returns the key of the configuration that a request resolved to. */
  keyOfRequest(request: ArticleRequest): string | undefined;
}

async function readPrevious(
  dir: string,
  languages: readonly [first: string, ...others: string[]],
  watch: { spool: Spool; onDamaged?: (where: string, problem: string) => void },
): Promise<PreviousOutput> {
  const keys = new Map<string, string>();
  const objects = new Map<Digest, number | undefined>();
  const carts = new Set<string>();
  // In memory: each is read three times.
  const settled = new PackedMap<SettledLine>();
  const onLine = (line: ManifestLine, key: string) => {
    const { status, source, bytes, triangles, losses, warnings, requested } = line;
    if (line.onlyCarts) carts.add(key);
    for (const request of requested) keys.set(configurationKey(request), key);
    const asset = publishedAsset(line);
    if (asset !== undefined) objects.set(asset.sha256, bytes ?? line.lastGood?.bytes);
    const isPlain = requested.length === 1 && warnings.length === 0 && !line.onlyCarts;
    if (status !== 'unchanged' || !isPlain || asset === undefined) return;
    const { answers } = requested[0]!;
    if (bytes !== undefined && triangles !== undefined)
      settled.set(key, { source, answers, bytes, triangles, losses, ...asset });
  };
  const outdated = new Set<string>();
  const categories = new Map<string, string>();
  const onEntry = ({ missing, category }: Partial<CatalogueLine>, key: string) => {
    if (missing === undefined) outdated.add(key);
    if (category) categories.set(key, category);
  };
  const open = (file: string) => openCatalogue(dir, { onLine: onEntry, ...watch }, file);
  const catalogues = await Promise.all(catalogueFiles(languages).map(open));
  return {
    lines: await openManifest(dir, { onLine, ...watch }),
    settled,
    isSettled: (key, request) => settled.has(key) && keys.get(configurationKey(request)) === key,
    objects,
    carts,
    catalogues,
    categories,
    isCatalogued: (key) => !outdated.has(key) && catalogues.every((of) => of.has(key)),
    keyOfRequest: (request) => keys.get(configurationKey(request)),
  };
}
