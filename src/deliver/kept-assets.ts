/** What was made on demand: in the cache, partly in memory, and with a store for all machines. */

import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { conversionText } from '../convert/transform/convert-options.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { openCache, type SharedSources, type Sources } from '../run/open/sources.ts';
import { openDerivedData } from '../source/cache/content-store.ts';
import { evictUnused } from '../source/cache/eviction.ts';
import { sha256Hex } from '../support/files.ts';
import { recent } from '../support/recent.ts';
import { programVersion } from '../support/version.ts';
import type { MadeAsset } from './asset-session.ts';
import { FileContents } from './making/file-contents.ts';

/** A file that was made. */
export interface KeptAsset extends MadeAsset {
  /** When the service was asked what the request means, milliseconds since 1970. */
  resolvedAtMs: number;
}

/** What a request led to; its content is in the cache. */
type Known = Omit<KeptAsset, 'bytes'>;

/** Files that are kept in memory. */
const MOST_BYTES_IN_MEMORY = 64 * 1024 * 1024;
/** Requests whose result is kept in memory; each has some 500 bytes. */
const MOST_KNOWN = 10_000;
/** Number of new files, and their part of the limit of the cache, after which it is reduced to the limit. */
const EVICT_EVERY = 100;
const EVICT_SHARE = 0.05;
/** How often it is seen whether another machine has made a file, milliseconds: less often with each look, up to a second. */
const LOOK_EVERY_MS = 100;
const LOOK_AT_LEAST_MS = 1000;

interface Cache extends Pick<Sources, 'database' | 'bodies'> {
  /** Waits until other machines have the bodies, if there are any. */
  flush: (() => Promise<void>) | undefined;
}

/**
 * Files that were made on demand, by their requests. This index is part of what is derived from the answers of the service, and
 * is evicted like the files.
 */
export class KeptAssets {
  readonly #cache: Cache;
  readonly #shared: SharedSources | undefined;
  readonly #environment: RunEnvironment;
  readonly #maxCacheBytes: number;
  /** Names all that decides what is made, beside the request. */
  readonly #owner: Digest;
  readonly #known = recent<Known>(MOST_KNOWN);
  readonly #bytes = new LRUCache<Digest, Uint8Array>({ maxSize: MOST_BYTES_IN_MEMORY });
  #made = { files: 0, bytes: 0 };

  private constructor(
    cache: Cache,
    shared: SharedSources | undefined,
    pipeline: Pipeline,
    environment: RunEnvironment,
  ) {
    const { service, articles, convert, deliver, assets, cacheMaxBytes } = pipeline;
    const conversion = conversionText(convert);
    const decisive = [programVersion(), service, articles, conversion, deliver, assets];
    this.#owner = sha256Hex(JSON.stringify(decisive));
    this.#cache = cache;
    this.#shared = shared;
    this.#environment = environment;
    this.#maxCacheBytes = cacheMaxBytes;
  }

  /** Opens those of a pipeline. @param shared - Its store. */
  static async open(
    pipeline: Pipeline,
    environment: RunEnvironment,
    shared: SharedSources | undefined,
  ): Promise<KeptAssets> {
    const { database, bodies: own } = await openCache(pipeline.cacheDir);
    const bodies = shared?.bodies(own);
    const flush = bodies && (() => bodies.flush());
    return new KeptAssets(
      { database, bodies: bodies ?? own, flush },
      shared,
      pipeline,
      environment,
    );
  }

  /** Finds what a request led to; undefined if that is gone. */
  async find(name: string): Promise<KeptAsset | undefined> {
    const known = this.#known.get(name) ?? (await this.#read<Known>(this.#keyOf(name)));
    const bytes = known && (await this.#contentOf(known));
    if (bytes === undefined) return undefined;
    this.#known.set(name, known!);
    return { ...known!, bytes };
  }

  /**
   * Makes what is not there, and keeps it; of several machines with a store, one makes it, and the others wait for it.
   *
   * @param isGood - Whether what is there need not be made.
   */
  async makeOnce<A extends KeptAsset>(
    name: string,
    isGood: (known: KeptAsset) => boolean,
    make: () => Promise<A>,
  ): Promise<A | KeptAsset> {
    const turn = await this.#turn(name, isGood);
    if ('sha256' in turn) return turn;
    try {
      const made = await make();
      const { key, name: file, mimeType, sha256, bytes, resolvedAtMs } = made;
      await this.#put(name, { key, name: file, mimeType, sha256, resolvedAtMs }, bytes);
      return made;
    } finally {
      await turn.end?.();
    }
  }

  /** Finds a file by its digest: only what was made on demand, and no answer of the service. */
  async object(
    sha256: Digest,
    form: string,
  ): Promise<Pick<KeptAsset, 'bytes' | 'mimeType'> | undefined> {
    const known = await this.#read<Pick<Known, 'mimeType'>>(objectName(sha256, form));
    const bytes = known && (await this.#contentOf({ sha256, name: `object.${form}` }));
    return bytes && { bytes, mimeType: known!.mimeType };
  }

  close(): void {
    this.#cache.database.close();
  }

  #keyOf(name: string): string {
    return `asset ${this.#owner} ${name}`;
  }

  /** The turn of this machine, or what another one has made meanwhile. */
  async #turn(
    name: string,
    isGood: (known: KeptAsset) => boolean,
  ): Promise<KeptAsset | { end?: () => Promise<void> }> {
    if (this.#shared === undefined) return {};
    const { signal } = this.#environment;
    for (let waits = 1; ; waits++) {
      const end = await this.#shared.lease(this.#keyOf(name));
      const known = await this.find(name);
      if (known !== undefined && isGood(known)) {
        await end?.();
        return known;
      }
      if (end !== undefined) return { end };
      await sleep(Math.min(waits * LOOK_EVERY_MS, LOOK_AT_LEAST_MS), undefined, { signal });
    }
  }

  async #put(name: string, known: Known, bytes: Uint8Array): Promise<void> {
    const { sha256 } = known;
    const form = known.name.slice(known.name.lastIndexOf('.') + 1);
    this.#known.set(name, known);
    this.#remember(sha256, bytes);
    // The others were stored when they were made; a GLB by its path, which no other machine has.
    if (form === 'json' || form === 'swatch' || this.#shared !== undefined)
      await this.#contents().put(bytes, known.name);
    await this.#write(objectName(sha256, form), { mimeType: known.mimeType });
    await this.#write(this.#keyOf(name), known);
    await this.#cache.flush?.();
    this.#made.files++;
    this.#made.bytes += bytes.length;
    const isMuch = this.#made.bytes > this.#maxCacheBytes * EVICT_SHARE;
    if (isMuch || this.#made.files >= EVICT_EVERY) await this.#evict();
  }

  async #contentOf({ sha256, name }: Pick<Known, 'sha256' | 'name'>) {
    const inMemory = this.#bytes.get(sha256);
    if (inMemory !== undefined) return inMemory;
    const bytes = await this.#contents().read({ sha256, bytes: 0 }, name);
    if (bytes !== undefined) this.#remember(sha256, bytes);
    return bytes;
  }

  #remember(sha256: Digest, bytes: Uint8Array): void {
    this.#bytes.set(sha256, bytes, { size: 1 + bytes.length });
  }

  /** As of now, since what is used is evicted last. */
  #derived() {
    const { bodies, database } = this.#cache;
    const now = this.#environment.now();
    return openDerivedData(bodies, database.contents, now, this.#shared?.derived);
  }

  #contents(): FileContents {
    return new FileContents(this.#derived());
  }

  async #read<T>(key: string): Promise<T | undefined> {
    const stored = await this.#derived().get(key);
    return stored && (JSON.parse(new TextDecoder().decode(stored)) as T);
  }

  #write(key: string, value: object): Promise<void> {
    return this.#derived().put(key, new TextEncoder().encode(JSON.stringify(value)));
  }

  async #evict(): Promise<void> {
    const { bodies: store, database } = this.#cache;
    this.#made = { files: 0, bytes: 0 };
    const [now, maxBytes] = [this.#environment.now(), this.#maxCacheBytes];
    await evictUnused({ store, database, now, maxBytes, evictsDerived: true });
  }
}

const objectName = (sha256: Digest, form: string) => `asset object ${sha256} ${form}`;
