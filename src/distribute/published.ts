/** The published files of a pipeline with `store:`: checked, read and pruned in the store, with its lists in the cache. */
import { LRUCache } from 'lru-cache';
import { DELIVERIES } from '../deliver/hooks.ts';
import { configurationLabel } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { objectKey } from '../run/output/article-path.ts';
import { LAST_GOOD_FILE, readDeliveries } from '../run/output/delivered-files.ts';
import {
  publishedObjects,
  RUN_ID,
  RUNS_FOLDER,
  requireManifest,
} from '../run/output/output-folder.ts';
import { expectNoPublication } from '../run/output/publication.ts';
import { type Published, publishedIn } from '../run/output/published.ts';
import { ListChecks } from '../run/output/verify.ts';
import { CONTINUED_WITHIN_MS } from '../source/cache/durable-tables.ts';
import { ConverterError } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import { findUnfinishedRun } from './chunk-objects.ts';
import { pipelineStore } from './pipeline-store.ts';
import type { ObjectStore } from './store/object-store.ts';
import { lockStore } from './store-lock.ts';
import {
  copyLists,
  isOfWholeRange,
  listsFolder,
  OBJECTS,
  problemOfObject,
  readDelivered,
  UNSETTLED,
} from './stored-output.ts';

const AT_ONCE = 8;
/** Bytes of GLBs that a server keeps in memory for its answers. */
const MOST_BYTES_IN_MEMORY = 64 * 1024 * 1024;
/** Time before the lists are requested again, milliseconds. */
const FRESH_MS = 2_000;
/** A younger object may belong to a run that has not published yet, milliseconds. */
const YOUNG_MS = 24 * 60 * 60 * 1000;
/** The folder of a delivery, never one of the store itself: an edited list must not remove objects from those. */
const DELIVERED =
  /^(?!(?:bodies|derived|leases|objects|probes|responses|runs|snapshots|work)\/)[a-z][\w-]*\//;

/**
 * Opens the published files of a pipeline, wherever they are.
 *
 * @throws {@link ConverterError} as `pipelineStore`.
 */
export async function openPublished(
  pipeline: Pipeline,
  environment: Pick<RunEnvironment, 'env' | 'now' | 'random' | 'signal'>,
): Promise<Published> {
  if (pipeline.store === undefined)
    return publishedIn(pipeline.outputDir, environment.now, DELIVERIES.folders);
  return new PublishedStore(await pipelineStore(pipeline, environment), pipeline, environment);
}

/** The published files in the store of a pipeline. Nothing is written to the output folder. */
class PublishedStore implements Published {
  readonly name: string;
  readonly dir: string;
  readonly #store: ObjectStore;
  readonly #pipeline: Pipeline;
  readonly #environment: Pick<RunEnvironment, 'now' | 'signal'>;
  readonly #kept = new LRUCache<string, Uint8Array>({ maxSize: MOST_BYTES_IN_MEMORY });
  #copiedAtMs: number | undefined;
  #copying: Promise<void> | undefined;
  /** Aborts when another run has taken the lock. */
  #lost: AbortSignal | undefined;

  constructor(
    store: ObjectStore,
    pipeline: Pipeline,
    environment: Pick<RunEnvironment, 'now' | 'signal'>,
  ) {
    this.name = store.name;
    this.dir = listsFolder(pipeline);
    this.#store = store;
    this.#pipeline = pipeline;
    this.#environment = environment;
  }

  refresh(): Promise<void> {
    this.#copying ??= this.#copyIfOld().finally(() => {
      this.#copying = undefined;
    });
    return this.#copying;
  }

  async requireManifest(): Promise<void> {
    await this.#copyIfOld();
    await requireManifest(this.dir, this.name);
  }

  async find(path: string): Promise<Uint8Array | undefined> {
    const before = this.#kept.get(path);
    if (before !== undefined) return before;
    const content = (await this.#store.get(path))?.content;
    // Only objects are kept, since other files can be replaced.
    const isFixed = path.startsWith(OBJECTS) && content !== undefined && content.length > 0;
    if (isFixed) this.#kept.set(path, content, { size: content.length });
    return content;
  }

  async read({ path, sha256 }: { path: string; sha256: Digest }): Promise<Uint8Array> {
    const content = await this.find(path);
    if (content !== undefined && sha256Hex(content) === sha256) return content;
    const received = content === undefined ? 'nothing' : 'another';
    const message = `${this.name}/${path}: expected the content ${sha256}, received ${received}`;
    throw new ConverterError('STORE_DAMAGED', message);
  }

  verify(signal = this.#environment.signal): ReturnType<Published['verify']> {
    return verifyStore(this.#store, this.dir, signal);
  }

  async lock(): Promise<() => Promise<void>> {
    const { now, signal } = this.#environment;
    const lock = await lockStore(this.#store, { now, signal });
    this.#lost = lock.lost;
    return lock.release;
  }

  async planPrune(keepRuns?: number) {
    await this.#copy();
    const { now } = this.#environment;
    const plan = await planStorePrune(this.#store, this.dir, (atMs) => now() - atMs < YOUNG_MS);
    if (keepRuns !== undefined) plan.runs = await oldStoreRuns(this.#store, keepRuns);
    return plan;
  }

  async prune(plan: RemovedKeys): Promise<void> {
    const { now, signal } = this.#environment;
    await expectNoPublication(this.dir, this.name);
    await expectNoUnfinishedRun(this.#store, now());
    await removeFromStore(this.#store, plan, () => {
      for (const ending of [signal, this.#lost]) ending?.throwIfAborted();
    });
  }

  async #copyIfOld(): Promise<void> {
    const { now } = this.#environment;
    const ageMs = this.#copiedAtMs === undefined ? FRESH_MS : now() - this.#copiedAtMs;
    if (ageMs >= FRESH_MS || ageMs < 0) await this.#copy();
  }

  async #copy(): Promise<void> {
    await copyLists(this.#store, this.#pipeline, this.dir);
    this.#copiedAtMs = this.#environment.now();
  }
}

/** A file to be checked: a GLB has its digest as its object, and configurations that share it. */
interface Checked {
  sha256: Digest;
  /** Whether a publication that was interrupted may have replaced or removed the file. */
  isUnsettled?: boolean;
  object?: { object: Digest; sharedBy: string[] };
}

async function verifyStore(store: ObjectStore, dir: string, signal: AbortSignal) {
  const lists = new ListChecks(dir);
  const { problems, incomplete } = lists;
  const checked = new Map<string, Checked>();
  for (const [object, sharedBy] of await lists.objects((_, line) => configurationLabel(line)))
    checked.set(objectKey(object), { sha256: object, object: { object, sharedBy } });
  for (const [path, file] of await deliveredFiles(store, dir)) checked.set(path, file);
  await lists.checkOthers();
  // Errors name the store, because the copies are those of the store.
  for (const one of [...problems, ...incomplete])
    one.path = one.path.replace(dir, () => store.name);
  const found = new Map<string, string>();
  await inParallel(checked, AT_ONCE, async ([key, { sha256 }]) => {
    signal.throwIfAborted();
    const problem = await problemOfObject(store, key, sha256);
    if (problem !== undefined) found.set(key, problem);
  });
  for (const [key, { object, isUnsettled }] of checked) {
    const problem = found.get(key);
    const path = `${store.name}/${key}`;
    if (problem !== undefined && isUnsettled) incomplete.push({ path, problem: CUT_OFF });
    else if (problem !== undefined) problems.push({ path, problem, ...object });
  }
  return { objects: checked.size, problems, incomplete };
}

const CUT_OFF = 'is being replaced or removed';

/** Each file of a delivery by its key; for feeds and the gallery, the files that were stored last. */
async function deliveredFiles(store: ObjectStore, dir: string): Promise<Map<string, Checked>> {
  const { files: stored } = await readDelivered(store);
  const lists = [await readDeliveries(dir, LAST_GOOD_FILE), await readDeliveries(dir)];
  const ofLists = lists
    .flatMap((list) => [...list.values()])
    .flatMap(({ files }) => files.map(({ path, sha256 }) => [path, sha256] as const));
  const ofAll = Object.entries(stored).filter(([path]) => isOfWholeRange(path));
  return new Map(
    [...ofAll, ...ofLists].map(([path, sha256]) => [
      path,
      { sha256, isUnsettled: stored[path] === UNSETTLED },
    ]),
  );
}

/**
 * Finds objects that nothing refers to.
 *
 * @param dir - Folder with copies of the lists.
 * @param isYoung - Whether an object of this time may belong to a run that has not published yet: it is only counted.
 */
export async function planStorePrune(
  store: ObjectStore,
  dir: string,
  isYoung: (modifiedAtMs: number) => boolean,
) {
  const published = await publishedObjects(dir, () => '');
  const delivered = await deliveredFiles(store, dir);
  const kept = new Set([...[...published.keys()].map(objectKey), ...delivered.keys()]);
  const folders = [...delivered.keys()].flatMap((path) => DELIVERED.exec(path)?.[0] ?? []);
  const plan = { objects: [] as string[], runs: [] as string[], bytes: 0, young: 0 };
  for (const prefix of new Set([OBJECTS, ...folders.sort()])) {
    for await (const { key, bytes, modifiedAt } of store.list(prefix)) {
      if (kept.has(key)) continue;
      if (isYoung(modifiedAt)) plan.young++;
      else {
        plan.objects.push(key);
        plan.bytes += bytes;
      }
    }
  }
  return plan;
}

interface RemovedKeys {
  objects: string[];
  /** Folders of reports. */
  runs: string[];
}

/** Removes objects and reports. @param check - Throws when the removal must end. */
export async function removeFromStore(
  store: ObjectStore,
  { objects, runs }: RemovedKeys,
  check: () => void,
): Promise<void> {
  const reports: string[] = [];
  for (const run of runs) for await (const { key } of store.list(`${run}/`)) reports.push(key);
  await inParallel([...objects, ...reports], AT_ONCE, async (key) => {
    check();
    await store.delete(key);
  });
}

/** The folders of reports except the last ones. */
export async function oldStoreRuns(store: ObjectStore, keepRuns: number): Promise<string[]> {
  const writtenAt = new Map<string, number>();
  for await (const { key, modifiedAt } of store.list(`${RUNS_FOLDER}/`)) {
    const [, run = ''] = key.split('/');
    if (RUN_ID.test(run)) writtenAt.set(run, Math.max(modifiedAt, writtenAt.get(run) ?? 0));
  }
  const latest = [...writtenAt].sort(([, a], [, b]) => a - b).at(-1)?.[0];
  const old = [...writtenAt.keys()].sort().slice(0, -keepRuns);
  // The last run is not the one with the latest id if the clock was set back.
  return old.filter((run) => run !== latest).map((run) => `${RUNS_FOLDER}/${run}`);
}

/** A run that will be continued may rely on objects that existed before it. @throws `OUTPUT_LOCKED` */
async function expectNoUnfinishedRun(store: ObjectStore, nowMs: number): Promise<void> {
  const unfinished = await findUnfinishedRun(store);
  if (unfinished === undefined) return;
  if (nowMs - unfinished.description.startedAt > CONTINUED_WITHIN_MS) return;
  const message = `${store.name}: expected no unfinished run, but run ${unfinished.id} can be continued`;
  const help = 'run the pipeline to its end, or end that run with btg2gltf cancel';
  throw new ConverterError('OUTPUT_LOCKED', message, { help });
}
