/** Workers of one machine: one login, one port and one budget for all, whatever happens to a process. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import { SERVICE_DEFAULTS } from '../../src/service/service-config.ts';
import { type Child, environmentOf, runChild, startChild } from '../helpers/child.ts';
import { writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { filesBelow, publishedFiles } from '../helpers/output-folder.ts';
import { freePort, type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const LIMIT_MS = 120_000;
const GRACE_MS = 30_000;
const WORKERS = 3;
const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

let queue: QueueServerUnderTest;
let range: CountedRange;
let emulator: Emulator;
let folder: string;
let file: string;
let env: Record<string, string>;
let port: number;
/** Parts of the tokens of the emulator. */
let tokenParts: string[];
const children: Child[] = [];

beforeAll(async () => {
  queue = await startPostgres();
});
afterAll(() => queue.close());
beforeEach(async () => {
  [folder, port] = await Promise.all([temporaryFolder(), freePort()]);
  range = countedRange({ articles: 250, blocks: 20, images: 5, articlesPerSeries: 50 });
  tokenParts = [];
  let parts = 0;
  const random = (bytes: number) => {
    const part = Buffer.alloc(bytes, `secret ${++parts} `);
    tokenParts.push(part.toString('base64url'));
    return part;
  };
  emulator = await startEmulator({ range, random });
  // The first are those of its login.
  tokenParts.length = 0;
  env = { ...environmentOf(emulator), BTG2GLTF_QUEUE_URL: queue.url };
  file = await writePipeline(folder, { name: folder, service: SERVICE });
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.splice(0).map(({ ended }) => ended));
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

function start(...words: string[]): Child {
  const child = startChild(words, env);
  children.push(child);
  return child;
}

const until = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: LIMIT_MS, interval: 20 });

/** The values of a metric, by the number of the worker. */
async function metric(name: string): Promise<number[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const pattern = new RegExp(`^btg2gltf_worker_${name}\\{.*?worker="(\\d)".*\\} (\\S+)$`, 'gm');
  const values: number[] = [];
  for (const [, worker, value] of (await response.text()).matchAll(pattern))
    values[Number(worker) - 1] = Number(value);
  return values;
}

const startWorkers = (count: number): Child =>
  start('worker', file, '--workers', String(count), '--port', String(port));

/** The processes that a process has started. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Which of some texts any file below a folder contains. */
async function foundIn(dir: string, texts: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of await filesBelow(dir)) {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    for (const text of texts) if (bytes.includes(text)) found.add(text);
  }
  return [...found];
}

test('three workers of a machine log in once, hold the limits together, and renew the token once', {
  timeout: LIMIT_MS,
}, async () => {
  const parent = startWorkers(WORKERS);
  const here = ['--output', join(folder, 'here'), '--cache', join(folder, 'own')];
  expect(await runChild(['run', file, ...here], env)).toMatchObject({ exit: 0 });
  const expected = [3, 3, 2].map((requests) => requests / SERVICE_DEFAULTS.concurrency);
  await until(async () => expect((await metric('share')).sort()).toEqual(expected.sort()));
  const logins = () => emulator.counts.get('getsessiontoken');
  // That of the run in one process: workers need none before they have work.
  expect(logins()).toBe(1);
  let inFlight = 0;
  let most = 0;
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { block } = range;
  range.block = async (name) => {
    most = Math.max(most, ++inFlight);
    await isOpen;
    inFlight--;
    return block(name);
  };
  const run = start('run', file, '--executor', 'bullmq');
  // No worker has as many permits: all three work.
  await until(() => expect(inFlight).toBe(SERVICE_DEFAULTS.concurrency));
  // One of this run, one of the workers.
  expect(logins()).toBe(3);
  const environments = await Promise.all(
    (await childrenOf(parent.pid)).flatMap((pid) =>
      ['environ', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
    ),
  );
  expect(environments).toHaveLength(2 * WORKERS);
  for (const text of environments)
    expect(tokenParts.filter((part) => text.includes(part))).toEqual([]);
  emulator.expireTokens();
  open();
  const { exit, stderr } = await run.ended;
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  expect(most).toBe(SERVICE_DEFAULTS.concurrency);
  expect(logins()).toBe(4);
  expect(Math.min(...(await metric('configurations_total')))).toBeGreaterThan(0);
  const { workers } = JSON.parse(
    await readFile(join(folder, 'out/runs/latest/report.json'), 'utf8'),
  ) as RunReport;
  expect(workers!.filter(({ chunks }) => chunks > 0)).toHaveLength(WORKERS);

  parent.kill('SIGTERM');
  const ended = await parent.ended;
  expect(ended, ended.stderr).toMatchObject({ exit: 0 });
  expect(emulator.openSessions()).toBe(0);
  for (const { name } of workers!) expect(ended.stderr).toContain(`"worker":"${name}"`);
  expect(tokenParts.length).toBeGreaterThan(4);
  const secrets = [...tokenParts, emulator.password, emulator.appKey];
  expect(secrets.filter((secret) => ended.stderr.includes(secret))).toEqual([]);
  // The names of workers can be found in both.
  const known = workers![0]!.name;
  expect(await foundIn(folder, [...secrets, known])).toEqual([known]);
  expect(await foundIn(queue.data, [...secrets, known])).toEqual([known]);
  expect(await publishedFiles(join(folder, 'out'))).toEqual(
    await publishedFiles(join(folder, 'here')),
  );
});

test('a killed worker is replaced, and without their parent all end', {
  timeout: LIMIT_MS,
}, async () => {
  const parent = startWorkers(2);
  await until(async () => expect(await metric('ready')).toEqual([1, 1]));
  const first = await childrenOf(parent.pid);
  process.kill(first[0]!, 'SIGKILL');
  await until(async () => expect(await childrenOf(parent.pid)).toEqual([first[1]]));
  await until(async () => expect(await childrenOf(parent.pid)).toHaveLength(2));
  await until(async () => expect(await metric('ready')).toEqual([1, 1]));
  const second = await childrenOf(parent.pid);
  expect(second).toContain(first[1]);
  parent.kill('SIGKILL');
  await parent.ended;
  const killedAt = Date.now();
  await until(() => expect(second.filter(lives)).toEqual([]));
  expect(Date.now() - killedAt).toBeLessThan(GRACE_MS);
});

test.runIf(IS_LONG)(
  'SIGTERM ends all workers within 30 s although neither service nor queue answer any more',
  { timeout: LIMIT_MS },
  async () => {
    const parent = startWorkers(2);
    await until(async () => expect(await metric('ready')).toEqual([1, 1]));
    const pids = await childrenOf(parent.pid);
    range.block = () => new Promise(() => {});
    start('run', file, '--executor', 'bullmq');
    await until(() => expect(emulator.counts.get('block')).toBeGreaterThan(0));
    await queue.kill();
    const stoppedAt = Date.now();
    parent.kill('SIGTERM');
    const { exit, stderr } = await parent.ended;
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
    expect(Date.now() - stoppedAt).toBeLessThan(GRACE_MS);
    expect(pids.filter(lives)).toEqual([]);
    await queue.start();
  },
);

test.runIf(IS_LONG)(
  'a refused login is tried once for all workers: another one could lock the account',
  { timeout: LIMIT_MS },
  async () => {
    const { BTG2GLTF_PASSWORD, ...others } = env;
    env = { ...others, BTG2GLTF_PASSWORD: 'wrong' };
    startWorkers(WORKERS);
    await until(async () => expect(await metric('share')).toHaveLength(WORKERS));
    env = { ...others, BTG2GLTF_PASSWORD: BTG2GLTF_PASSWORD! };
    const { exit, stderr } = await start('run', file, '--executor', 'bullmq').ended;
    expect(exit).toBe(3);
    expect(stderr).toContain('LOGIN_REFUSED');
    expect(emulator.counts.get('getsessiontoken')).toBe(2);
  },
);
