/** Cache data that several machines exchange through a store: responses and derived data one by one, snapshots by series. */
import type { Built } from '../model/asset.ts';
import type { Digest } from '../model/snapshot.ts';
import type { SharedResponses } from '../source/cache/cached-responses.ts';
import type { SharedDerivedData } from '../source/cache/content-store.ts';
import type { CacheDatabase } from '../source/cache/database.ts';
import { sha256Hex } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Opens the responses in a store. */
export function openSharedResponses(store: ObjectStore): SharedResponses {
  const keyOf = ({ service, operation, request }: Parameters<SharedResponses['get']>[0]) =>
    keyIn('responses', JSON.stringify([service, operation, request]));
  return {
    async get(key) {
      const found = await store.get(keyOf(key));
      return found && { response: parse(found.content), etag: found.etag };
    },
    async put(response, etag) {
      await store.replace(keyOf(response), encode(JSON.stringify(response)), etag);
    },
  };
}

/** Opens computed data of all machines, such as decoded meshes, in a store. */
export function openSharedDerivedData(store: ObjectStore): SharedDerivedData {
  return {
    async get(key) {
      const found = await store.get(keyIn('derived', key));
      return found && parse(found.content);
    },
    async put(key, content) {
      await store.putIfAbsent(keyIn('derived', key), encode(JSON.stringify(content)));
    },
  };
}

/** The key for a name of any length. */
function keyIn(folder: string, name: string): string {
  // The text is shorter than a digest: a key with a whole digest determines its content.
  const digits = sha256Hex(name).slice(0, 40);
  return `${folder}/${digits.slice(0, 2)}/${digits}.json`;
}

/** The snapshots of some requests, and GLBs by the digest of their sources. */
interface SnapshotPart {
  snapshots: NonNullable<ReturnType<CacheDatabase['snapshots']['row']>>[];
  builds: { source: Digest; built: Built }[];
}

const PARTS_AT_ONCE = 8;

/** The snapshots in a store: a series has the parts into which its requests were divided when they were written. */
export class SharedSnapshots {
  readonly #store: ObjectStore;
  readonly #database: CacheDatabase;
  readonly #service: string;
  readonly #loaded = new Map<string, Promise<void>>();

  /** @param service - Name of the service in the database. */
  constructor(store: ObjectStore, database: CacheDatabase, service: string) {
    this.#store = store;
    this.#database = database;
    this.#service = service;
  }

  /** Loads the snapshots of a series into the database, once. */
  load(series: string): Promise<void> {
    const loading =
      this.#loaded.get(series) ??
      this.#load(series).catch((error: unknown) => {
        this.#loaded.delete(series);
        throw error;
      });
    this.#loaded.set(series, loading);
    return loading;
  }

  /**
   * Stores the snapshots of some requests of a series.
   *
   * @param part - Number of the part in the series.
   * @param sources - Digests of the sources of the GLBs that were built.
   */
  async put(
    series: string,
    part: number,
    requests: readonly string[],
    sources: Iterable<Digest>,
  ): Promise<void> {
    const { builds: built, snapshots: cached } = this.#database;
    const snapshots = requests.flatMap((request) => cached.row(this.#service, request) ?? []);
    const builds = [...new Set(sources)].sort().flatMap((source) => {
      const one = built.get(source);
      return one === undefined ? [] : { source, built: one };
    });
    const key = `${this.#folderOf(series)}${part}.json`;
    const before = await this.#store.head(key);
    await this.#store.replace(key, encode(JSON.stringify({ snapshots, builds })), before?.etag);
  }

  async #load(series: string): Promise<void> {
    const keys: string[] = [];
    for await (const { key } of this.#store.list(this.#folderOf(series))) keys.push(key);
    await inParallel(keys, PARTS_AT_ONCE, async (key) => {
      const found = await this.#store.get(key);
      if (found === undefined) return;
      const { snapshots, builds } = parse<SnapshotPart>(found.content);
      for (const snapshot of snapshots) this.#database.snapshots.putRow(snapshot);
      for (const { source, built } of builds)
        if (this.#database.builds.get(source) === undefined)
          this.#database.builds.put(source, built);
    });
  }

  #folderOf(series: string): string {
    const name = JSON.stringify([this.#service, series]);
    return `snapshots/${sha256Hex(name).slice(0, 32)}/`;
  }
}

/** Data that no service returns again: the failures of an output folder, and permanent identifiers. */
interface DurableState {
  failures: ReturnType<CacheDatabase['failures']['all']>;
  permanentIds: ReturnType<CacheDatabase['permanentIds']['all']>;
}

const STATE_KEY = 'state.json';

/**
 * Loads the durable tables of a store into the database, where they replace the failures.
 *
 * @param service - The owner of the permanent identifiers.
 * @returns A function that stores the current tables if anything has changed.
 */
export async function loadDurableState(
  store: ObjectStore,
  database: CacheDatabase,
  { output, service }: { output: string; service: string },
): Promise<() => Promise<void>> {
  const found = await store.get(STATE_KEY);
  if (found !== undefined) {
    const { failures, permanentIds } = parse<DurableState>(found.content);
    const gone = database.failures.all(output).map(({ request }) => request);
    database.failures.update(output, { failed: failures, gone });
    for (const { id, article } of permanentIds) database.permanentIds.put(service, id, article);
  }
  const current = (): string => {
    const failures = database.failures.all(output);
    const state: DurableState = { failures, permanentIds: database.permanentIds.all(service) };
    return JSON.stringify(state);
  };
  const before = found === undefined ? undefined : current();
  return async () => {
    const now = current();
    if (now !== before) await store.replace(STATE_KEY, encode(now), found?.etag);
  };
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = <T>(content: Uint8Array): T => JSON.parse(new TextDecoder().decode(content)) as T;
