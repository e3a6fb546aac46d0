/** Distributed runs: a service, folders, a store and processes of one test, on a queue that several tests share. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { loadPipeline } from '../../src/pipeline/pipeline-file.ts';
import { pipelineStore } from '../../src/pipeline/shared-store.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import type { ObjectStore } from '../../src/store/object-store.ts';
import { type Child, type Ended, environmentOf, startChild } from './child.ts';
import { writePipeline } from './command.ts';
import { type CountedSize, countedRange, holdBlocks } from './counted-range.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { givenS3 } from './given-s3.ts';
import { publishedFiles } from './output-folder.ts';
import { startS3Server } from './s3-server.ts';
import { temporaryFolder } from './temporary.ts';

/**
 * Where machines share data and results: the folders of one machine without `store:`, or what `store:` names; `given S3`
 * is that of {@link givenS3}.
 */
export type SharedPlace = 'folders' | 'folder store' | 'S3' | 'given S3';

/** For a condition that comes by itself, milliseconds. */
export const LIMIT_MS = process.env.BTG2GLTF_TEST_LONG === '1' ? 600_000 : 120_000;

const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

/** Waits until a check passes. */
export const until = (check: () => unknown): Promise<void> =>
  vi.waitFor(
    async () => {
      await check();
    },
    { timeout: LIMIT_MS, interval: 20 },
  );

interface StageOptions {
  /** Address of the queue. */
  queue: string;
  size: CountedSize;
  /** @defaultValue `folders` */
  place?: SharedPlace;
  /** Of the section `service:`. */
  service?: Record<string, unknown>;
  /** Whether requests to the service go through a proxy. */
  hasProxy?: boolean;
  /** Further sections of the pipeline file. */
  pipeline?: Record<string, unknown>;
}

/** What one test uses; it ends with the test. */
export type DistributedStage = Awaited<ReturnType<typeof openDistributedStage>>;

/**
 * Opens a stage.
 *
 * @example
 * ```ts
 * const stage = await openDistributedStage(context, { queue: postgres.url, size: { articles: 160, … }, place: 'S3' });
 * const workers = [stage.worker('a'), stage.worker('b')];
 * await stage.succeeds(stage.run());
 * expect(await stage.published()).toEqual(await stage.publishedHere());
 * ```
 */
export async function openDistributedStage(
  { onTestFinished }: { onTestFinished(close: () => Promise<void>): void },
  { queue, size, place = 'folders', service = {}, pipeline = {}, hasProxy = false }: StageOptions,
) {
  const folder = await temporaryFolder();
  const range = countedRange(size);
  const emulator = await startEmulator({ range });
  const s3 = place === 'S3' ? await startS3Server() : undefined;
  const given = place === 'given S3' ? givenS3() : undefined;
  const proxy = hasProxy ? await startFaultProxy(emulator) : undefined;
  const env: Record<string, string> = {
    ...(proxy?.env ?? environmentOf(emulator)),
    ...s3?.env,
    ...given?.env,
    BTG2GLTF_QUEUE_URL: queue,
  };
  const url = {
    folders: undefined,
    'folder store': 'store',
    S3: `s3://${s3?.bucket}/nightly`,
    'given S3': given?.url,
  }[place];
  const stores = url && { store: { url } };
  const content = { name: folder, service: { ...SERVICE, ...service }, ...stores, ...pipeline };
  const file = await writePipeline(folder, content);
  const children: Child[] = [];
  onTestFinished(async () => {
    // One that is stopped ends too.
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
    if (given !== undefined) await empty(await openStore());
    await Promise.all([emulator.close(), s3?.close(), proxy?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const start = (words: string[], variables: Record<string, string> = {}): Child => {
    const child = startChild(words, { ...env, ...variables });
    children.push(child);
    return child;
  };
  /** Words that give a machine folders of its own, where machines share a store. */
  const onMachine = (name: string): string[] =>
    place === 'folders'
      ? []
      : ['--output', join(folder, name, 'out'), '--cache', join(folder, name, 'cache')];
  const openStore = async (path = file): Promise<ObjectStore> =>
    pipelineStore(await loadPipeline(path, env), { env, now: Date.now, random: Math.random });
  const succeeds = async (child: Child): Promise<Ended> => {
    const ended = await child.ended;
    expect(ended, ended.stderr).toMatchObject({ exit: 0 });
    return ended;
  };
  /** Writes a pipeline that differs from that of the run. */
  const otherFile = async (name: string, changes: Record<string, unknown>): Promise<string> => {
    await mkdir(join(folder, name), { recursive: true });
    return writePipeline(join(folder, name), { ...content, ...changes });
  };

  return {
    ...{
      folder,
      file,
      range,
      emulator,
      s3,
      proxy,
      env,
      children,
      start,
      succeeds,
      openStore,
      otherFile,
    },
    worker: (name = 'worker', variables?: Record<string, string>, pipeline = file) =>
      start(['worker', pipeline, ...onMachine(name)], variables),
    run: (name = 'coordinator', ...options: string[]) =>
      start(['run', file, '--executor', 'bullmq', ...onMachine(name), ...options]),
    /** Has the service hold back every block after so many requests, until it is released. */
    holdBlocks: (after: number) => holdBlocks(range, after),
    reportOf: async (name = 'coordinator'): Promise<RunReport> => {
      const output = place === 'folders' && name !== 'here' ? 'out' : `${name}/out`;
      const path = join(folder, output, 'runs/latest/report.json');
      return JSON.parse(await readFile(path, 'utf8'));
    },
    /** The digest of each file or object that a run has published, by its path. */
    published: async () =>
      place === 'folders' ? publishedFiles(join(folder, 'out')) : contentsOf(await openStore()),
    /** The same of a run in one process, which publishes elsewhere. */
    async publishedHere(): Promise<Map<string, string>> {
      const [out, cache] = [join(folder, 'here/out'), join(folder, 'here/cache')];
      const isStored = place !== 'folders';
      const own = await otherFile('here', isStored ? { store: { url: 'store' } } : {});
      await succeeds(start(['run', own, '--output', out, '--cache', cache]));
      return isStored ? contentsOf(await openStore(own)) : publishedFiles(out);
    },
  };
}

async function empty(store: ObjectStore): Promise<void> {
  const removed: Promise<void>[] = [];
  for await (const { key } of store.list('')) removed.push(store.delete(key));
  await Promise.all(removed);
}

const PUBLISHED = /^(?:manifest|catalogue)[^/]*\.jsonl$|^objects\//;

async function contentsOf(store: ObjectStore): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const { key } of store.list('')) {
    if (!PUBLISHED.test(key)) continue;
    const { content } = (await store.get(key))!;
    digests.set(key, createHash('sha256').update(content).digest('hex'));
  }
  return digests;
}
