/** Distributed runs: a service, folders, a store and processes of one test, on a queue that several tests share; what is asked of them. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadPipeline } from '../../src/deliver/pipeline.ts';
import { pipelineStore } from '../../src/distribute/pipeline-store.ts';
import type { ObjectStore } from '../../src/distribute/store/object-store.ts';
import { startEmulator } from '../../src/emulator/emulator.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import type { RunReport } from '../../src/run/report/run-report.ts';
import { ConverterError } from '../../src/support/errors.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { type Child, type Ended, environmentOf, startChild } from './child.ts';
import { type CommandResult, command, writePipeline } from './command.ts';
import { type CountedSize, countedRange } from './counted-range.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { givenS3 } from './given-s3.ts';
import { bytesBelow, publishedFiles } from './output-folder.ts';
import { startS3Server } from './s3-server.ts';
import { temporaryFolder } from './temporary.ts';
import { until } from './until.ts';

/**
 * Where machines share data and results: the folders of one machine without `store:`, or what `store:` names; `given S3`
 * is that of {@link givenS3}.
 */
export type SharedPlace = 'folders' | 'folder store' | 'S3' | 'given S3';

const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

/** Of the keys in the S3 of a stage. */
const PREFIX = 'nightly/';

/** How a stage is set up. */
export interface StageOptions {
  /** Address of the queue. */
  queue: string;
  size: CountedSize;
  /** What is served. @defaultValue a range of that size */
  served?: EmulatedRange;
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
 * await ready(stage.worker('a'));
 * succeeded(await stage.run());
 * expect(await stage.published()).toEqual(await publishedHere(size, true));
 * ```
 */
export async function openDistributedStage(
  { onTestFinished }: { onTestFinished(close: () => Promise<void>): void },
  given: StageOptions,
) {
  const { queue, size, place = 'folders', service = {}, pipeline = {}, hasProxy = false } = given;
  const folder = await temporaryFolder();
  const range = countedRange(size);
  const emulator = await startEmulator({ range: given.served ?? range });
  const s3 = place === 'S3' ? await startS3Server() : undefined;
  const otherS3 = place === 'given S3' ? givenS3() : undefined;
  const proxy = hasProxy ? await startFaultProxy(emulator) : undefined;
  const env: Record<string, string> = {
    ...(proxy?.env ?? environmentOf(emulator)),
    ...s3?.env,
    ...otherS3?.env,
    BTG2GLTF_QUEUE_URL: queue,
    // A test that takes pictures names its browser: all others start none, not even for its version.
    BTG2GLTF_BROWSER: 'none',
  };
  const url = {
    folders: undefined,
    'folder store': 'store',
    S3: `s3://${s3?.bucket}/${PREFIX.slice(0, -1)}`,
    'given S3': otherS3?.url,
  }[place];
  const stores = url && { store: { url } };
  const content = { name: folder, service: { ...SERVICE, ...service }, ...stores, ...pipeline };
  const file = await writePipeline(folder, content);
  const children: Child[] = [];
  const runs: Promise<CommandResult>[] = [];
  const controller = new AbortController();
  onTestFinished(async () => {
    controller.abort(new ConverterError('INTERRUPTED', 'the test is over'));
    // One that is stopped ends too.
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([...runs, ...children.map(({ ended }) => ended)]);
    if (otherS3 !== undefined) await empty(await openStore());
    await Promise.all([emulator.close(), s3?.close(), proxy?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const start = (words: string[], own: Record<string, string> = {}): Child => {
    const child = startChild(words, { ...env, ...own });
    children.push(child);
    return child;
  };
  /** Words that give a machine folders of its own, where machines share a store. */
  const onMachine = (name: string): string[] =>
    place === 'folders'
      ? []
      : ['--output', join(folder, name, 'out'), '--cache', join(folder, name, 'cache')];
  let opened: Promise<ObjectStore> | undefined;
  const openStore = (): Promise<ObjectStore> => {
    const clock = { env, now: Date.now, random: Math.random };
    opened ??= loadPipeline(file, env).then((pipeline) => pipelineStore(pipeline, clock));
    return opened;
  };
  /** Writes a pipeline that differs from that of the run. */
  const otherFile = async (name: string, changes: Record<string, unknown>): Promise<string> => {
    await mkdir(join(folder, name), { recursive: true });
    return writePipeline(join(folder, name), { ...content, ...changes });
  };

  const coordinator = (name: string, options: string[]) => [
    ...['run', file, '--executor', 'bullmq', ...onMachine(name), ...options],
  ];

  return {
    ...{ place, folder, file, range, emulator, s3, proxy, env, children, otherFile },
    worker: (name = 'worker', ...options: string[]) =>
      start(['worker', file, ...onMachine(name), ...options]),
    /** Starts a worker that has some other variables. */
    workerWith: (own: Record<string, string>, name: string, ...options: string[]) =>
      start(['worker', file, ...onMachine(name), ...options], own),
    /** Starts a worker of another pipeline file. */
    workerOf: (other: string) => start(['worker', other]),
    /** Coordinates a run in this process. */
    run(name = 'coordinator', ...options: string[]): Promise<CommandResult> {
      const { signal } = controller;
      const ended = command(coordinator(name, options), { env, signal });
      runs.push(ended);
      return ended;
    },
    /** Coordinates a run in a process that can be killed. */
    runApart: (name: string, ...options: string[]) => start(coordinator(name, options)),
    reportOf: async (name = 'coordinator'): Promise<RunReport> => {
      const output = place === 'folders' ? 'out' : `${name}/out`;
      const path = join(folder, output, 'runs/latest/report.json');
      return JSON.parse(await readFile(path, 'utf8'));
    },
    /** Keys of the store that contain a text. */
    keys: async (part: string): Promise<string[]> => {
      // A test asks again and again: that costs no request where the server is here.
      const found = [...(s3?.objects.keys() ?? [])].map((key) => key.slice(PREFIX.length)).sort();
      if (s3 === undefined)
        for await (const { key } of (await openStore()).list('')) found.push(key);
      return found.filter((key) => key.includes(part));
    },
    /** The text of an object of the store. */
    read: async (key: string): Promise<string | undefined> => {
      if (s3 !== undefined) return s3.objects.get(PREFIX + key)?.content.toString();
      const object = await (await openStore()).get(key);
      return object && new TextDecoder().decode(object.content);
    },
    /** The digest of each file or object that a run has published, by its path. */
    published: async () =>
      place === 'folders' ? publishedFiles(join(folder, 'out')) : contentsOf(await openStore()),
  };
}

/** What a run in one process publishes of a range: into a store, or a folder, there with the given deliveries. */
export async function publishedHere(
  size: CountedSize,
  isStored: boolean,
  pipeline: StageOptions['pipeline'] = {},
): Promise<Map<string, string>> {
  const folder = await temporaryFolder();
  const emulator = await startEmulator({ range: countedRange(size) });
  const env = environmentOf(emulator);
  const own = isStored ? { store: { url: 'store' } } : pipeline;
  const file = await writePipeline(folder, { service: SERVICE, ...own });
  succeeded(await command(['run', file], { env }));
  await emulator.close();
  const clock = { env, now: Date.now, random: Math.random };
  return isStored
    ? contentsOf(await pipelineStore(await loadPipeline(file, env), clock))
    : publishedFiles(join(folder, 'out'));
}

/** Checks that a command has ended with 0. */
export function succeeded(ended: Pick<Ended, 'exit' | 'stderr'>): void {
  expect(ended, ended.stderr).toMatchObject({ exit: 0 });
}

/** Waits until a process has printed a text, and returns all that it has; fails if it ends before. */
export async function printed(child: Child, text: string): Promise<string> {
  const check = () => expect(child.printed.stderr).toContain(text);
  await Promise.race([until(check), child.ended.then(check)]);
  return child.printed.stderr;
}

/** Waits until a worker is connected; returns the address of its status server, if it has one. */
export async function ready(worker: Child): Promise<string | undefined> {
  const text = await printed(worker, 'worker is ready');
  return /"url":"(http:[^"]+)\/metrics"/.exec(text)?.[1];
}

/**
 * Where a secret is left: in what processes have printed, in files, in a bucket, or in other texts.
 *
 * @param environments - Of processes: they have the credentials, but no token.
 */
export async function leaksOf(
  { emulator, env, s3, proxy, folder, children }: DistributedStage,
  others: Record<string, string>,
  environments: Record<string, string> = {},
): Promise<string[]> {
  const seen = proxy!.seen.flatMap((url) => /[?&]token=([^&]+)/.exec(url)?.[1] ?? []);
  expect(seen).not.toEqual([]);
  const tokens = spellingsOf([...new Set(seen)]);
  const secrets = spellingsOf([
    ...[emulator.password, emulator.appKey, new URL(env.BTG2GLTF_QUEUE_URL!).password],
    ...[env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN],
  ]);
  const found: string[] = [];
  const look = (name: string, text: string | Buffer, forbidden: string[]) => {
    for (const one of forbidden) if (text.includes(one)) found.push(`${name}: ${one}`);
  };
  const all = [...tokens, ...secrets];
  for (const [name, text] of Object.entries(environments)) look(`environ ${name}`, text, tokens);
  for (const [name, text] of Object.entries(others)) look(name, text, all);
  for (const { pid, printed } of children)
    look(`process ${pid}`, printed.stdout + printed.stderr, all);
  for (const [key, { content, headers }] of s3?.objects ?? []) {
    look(key, content, all);
    look(key, JSON.stringify([key, headers]), all);
  }
  for (const [path, bytes] of await bytesBelow(folder)) look(path, bytes, all);
  return found;
}

/** Each secret as texts may have it. */
function spellingsOf(secrets: (string | undefined)[]): string[] {
  const spellings = secrets.flatMap((secret) => {
    if (secret === undefined) return [];
    const one = decodeURIComponent(secret);
    return [secret, one, encodeURIComponent(one), JSON.stringify(one).slice(1, -1)];
  });
  return [...new Set(spellings)];
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
    digests.set(key, sha256Hex(content));
  }
  return digests;
}
