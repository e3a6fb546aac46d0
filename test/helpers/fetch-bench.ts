import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/emulator.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import type { ArticleRequest } from '../../src/model/article.ts';
import type { ArticleSnapshot } from '../../src/model/snapshot.ts';
import { type ContentStore, openFileStore } from '../../src/source/cache/content-store.ts';
import { type CacheDatabase, openCacheDatabase } from '../../src/source/cache/database.ts';
import {
  createFetcher,
  type Fetcher,
  type FetcherOptions,
} from '../../src/source/fetch/fetch-article.ts';
import { createClient, type ServiceClient } from '../../src/source/service/client.ts';
import type { OperationName, Values } from '../../src/source/service/operations.ts';
import type { ServiceConfig } from '../../src/source/service/service-config.ts';
import { temporaryFolder } from './temporary.ts';

/** A service on loopback, a cache on disk, and fetchers on any day. */
export interface FetchBench {
  readonly emulator: Emulator;
  readonly dir: string;
  readonly store: ContentStore;
  readonly database: CacheDatabase;
  client(config?: Partial<ServiceConfig>): ServiceClient;
  /** A fetcher of a run that begins on a day; unless it gets a client, it shares one with others, and so its login. */
  fetcher(day?: string, options?: Partial<FetcherOptions>): Fetcher;
  /** Requests answered since the last call, by operation; logins left out. */
  requests(): Record<string, number>;
  close(): Promise<void>;
}

/** Opens a bench that is closed when the test ends, if not before. */
export async function openFetchBench(
  range: EmulatedRange,
  options: Pick<EmulatorOptions, 'validators' | 'now'> = {},
): Promise<FetchBench> {
  const dir = await temporaryFolder();
  const emulator = await startEmulator({ range, ...options });
  const store = openFileStore({
    dir: join(dir, 'objects'),
    tmpDir: join(dir, '.tmp'),
    repair: true,
  });
  const database = await openCacheDatabase(dir);
  const clients: ServiceClient[] = [];
  let before = new Map<string, number>();

  const client = (config: Partial<ServiceConfig> = {}): ServiceClient => {
    const { authUrl, baseUrl, username, password, appKey } = emulator;
    const credentials = { username, password, appKey };
    const tools = { now: Date.now, random: () => 0.5, retries: 1, backoffMs: 1, concurrency: 16 };
    const made = createClient({ authUrl, baseUrl, credentials, id: 'bench', ...tools, ...config });
    clients.push(made);
    return made;
  };
  let shared: ServiceClient | undefined;
  const sharedClient = () => {
    shared ??= client();
    return shared;
  };
  let closed: Promise<void> | undefined;
  const end = async () => {
    await Promise.all(clients.map((made) => made.close()));
    await emulator.close();
    database.close();
    await rm(dir, { recursive: true, force: true });
  };
  const close = () => (closed ??= end());
  onTestFinished(close);
  return {
    emulator,
    dir,
    store,
    database,
    client,
    close,
    fetcher: (day = '2024-06-01', { client: own = sharedClient(), ...options } = {}) => {
      const now = Date.parse(`${day}T02:00:00Z`);
      return createFetcher({ client: own, store, database, now, ...options });
    },
    requests: () => {
      const now = new Map([...emulator.counts].filter(([name]) => !/key|token|logout/.test(name)));
      const since = [...now].map(([name, n]): [string, number] => [
        name,
        n - (before.get(name) ?? 0),
      ]);
      before = now;
      return Object.fromEntries(since.filter(([, n]) => n > 0).sort());
    },
  };
}

/** A snapshot without what it took to get it. */
export function contentOf({ requested: _, ...snapshot }: ArticleSnapshot): ArticleSnapshot {
  return snapshot;
}

/** A request for an article of the small range. */
export function acme(
  basearticlenumber: string,
  more: Partial<ArticleRequest> = {},
): ArticleRequest {
  const ids = { manufacturer: 'ACME', program: 'DESK', basearticlenumber };
  return { ...ids, finalarticlenumber: '', reinitstring: '', metareinitstring: '', ...more };
}

/** A client whose calls of one operation fail, where `fail` returns an error for the values. */
export function failingClient(
  client: ServiceClient,
  operation: OperationName,
  fail: (values: Values) => Error | undefined,
): ServiceClient {
  const call: ServiceClient['call'] = (name, values, options) => {
    const error = name === operation ? fail(values) : undefined;
    return error === undefined ? client.call(name, values, options) : Promise.reject(error);
  };
  return { ...client, call };
}
