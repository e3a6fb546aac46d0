/** A run in a store is continued, refused or cancelled from any machine, each with folders of its own. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import { type Child, environmentOf, startChild } from '../helpers/child.ts';
import { writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const SIZE = { articles: 180, blocks: 40, images: 10, manufacturers: 3, articlesPerSeries: 60 };
const LIMIT_MS = 120_000;
const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
const WORK = 'nightly/work/';

/** The words of a coordinator, and of who works for it; whether that is of one run only. */
const EXECUTORS = {
  bullmq: { run: ['--executor', 'bullmq'], helper: 'worker', options: [], isOfOneRun: false },
  shard: { run: ['--shard', '1/2'], helper: 'run', options: ['--shard', '2/2'], isOfOneRun: true },
} as const;

let queue: QueueServerUnderTest | undefined;
let s3: S3Server;
let range: CountedRange;
let emulator: Emulator;
let folder: string;
let file: string;
let env: Record<string, string>;
let release: () => void;
const children: Child[] = [];

beforeAll(async () => {
  if (IS_LONG) queue = await startPostgres();
});
afterAll(() => queue?.close());
beforeEach(async () => {
  folder = await temporaryFolder();
  range = countedRange(SIZE);
  emulator = await startEmulator({ range });
  s3 = await startS3Server();
  env = { ...environmentOf(emulator), ...s3.env, BTG2GLTF_QUEUE_URL: queue!.url };
  const store = { url: `s3://${s3.bucket}/nightly` };
  file = await writePipeline(folder, { name: folder, service: SERVICE, store });
});
afterEach(async () => {
  release();
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.splice(0).map(({ ended }) => ended));
  await Promise.all([emulator.close(), s3.close()]);
  await rm(folder, { recursive: true, force: true });
});

/** Starts a command on a machine with folders of its own. */
function on(machine: string, command: string, ...options: string[]): Child {
  const folders = ['--output', join(folder, machine, 'out'), '--cache', join(folder, machine, 'c')];
  const child = startChild([command, file, ...folders, ...options], env);
  children.push(child);
  return child;
}

/** Has the service answer for some articles only, until it is released. */
function holdArticles(isHeld: (number: string) => boolean): void {
  const { material } = range;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  Object.assign(range, {
    material: async (manufacturer: string, image: string) => {
      if (isHeld(manufacturer)) await held;
      return material(manufacturer, image);
    },
  });
}

const keys = (part: string) => [...s3.objects.keys()].filter((key) => key.includes(part));
const runIn = () => keys('/run.json')[0]!.slice(WORK.length).split('/')[0];
const reportOf = async (machine: string): Promise<RunReport> =>
  JSON.parse(await readFile(join(folder, machine, 'out/runs/latest/report.json'), 'utf8'));
const until = (condition: () => unknown) =>
  vi.waitFor(() => expect(condition()).toBeTruthy(), { timeout: LIMIT_MS, interval: 5 });

describe.runIf(IS_LONG).each(['bullmq', 'shard'] as const)('a run by %s', (name) => {
  const { run, helper, options, isOfOneRun } = EXECUTORS[name];

  test(
    'whose coordinator was killed is continued by another machine, and by no second one',
    async () => {
      holdArticles((manufacturer) => manufacturer === 'N03');
      const worker = on('worker', helper, ...options);
      const killed = on('m1', 'run', ...run);
      await until(() => keys('/results/').length > 0);
      killed.kill('SIGKILL');
      await killed.ended;
      const id = runIn();
      const done = keys('/results/').flatMap((key) => {
        const list = key.replace('/results/', '/chunks/').replace(/(\d+)-\d+-\d+\.json/, '$1.json');
        return JSON.parse(String(s3.objects.get(list)!.content)) as {
          article: { request: { basearticlenumber: string } };
        }[];
      });
      const next = on('m2', 'run', ...run);
      // It has the lock when the killed run's is replaced.
      await until(() =>
        String(s3.objects.get('nightly/lock.json')!.content).includes(`"pid":${next.pid}`),
      );
      const second = await on('m3', 'run', ...run).ended;
      expect(second, second.stderr).toMatchObject({ exit: 3 });
      expect(second.stderr).toContain(
        `expected no other run, but run ${id} of process ${next.pid} on`,
      );
      release();
      const ended = await next.ended;
      expect(ended, ended.stderr).toMatchObject({ exit: 0 });
      worker.kill('SIGTERM');
      expect(await worker.ended).toMatchObject({ exit: 0 });
      const report = await reportOf('m2');
      expect([report.run, report.configurations.converted]).toEqual([id, SIZE.articles]);
      const numbers = done.map(({ article }) => article.request.basearticlenumber);
      expect(numbers.length).toBeGreaterThan(0);
      expect(numbers.filter((number) => range.asked.get(`btg ${number}`) !== 1)).toEqual([]);
      const left = isOfOneRun ? [`${WORK}${id}/steering/complete.json`] : [];
      expect(keys(WORK)).toEqual(left);
    },
    LIMIT_MS,
  );

  test(
    'ends when another machine cancels it, publishes nothing, and the next one is another',
    async () => {
      holdArticles((manufacturer) => manufacturer === 'N03');
      const worker = on('worker', helper, ...options);
      const coordinator = on('m1', 'run', ...run);
      await until(() => keys('/results/').length > 0);
      const id = runIn();
      expect(await on('m2', 'cancel').ended).toMatchObject({
        exit: 0,
        stdout: `cancelled: ${id}\n`,
      });
      const cancelled = await coordinator.ended;
      expect(cancelled, cancelled.stderr).toMatchObject({ exit: 130 });
      expect(cancelled.stderr).toContain('cancelled from another process');
      expect(keys('nightly/manifest')).toEqual([]);
      if (isOfOneRun) {
        const one = await worker.ended;
        expect(one, one.stderr).toMatchObject({ exit: 3 });
        expect(one.stderr).toContain(
          'shard 2/2: expected the run to be completed, but it has ended: someone has cancelled it',
        );
      }
      release();
      const helpers = isOfOneRun ? [on('worker', helper, ...options)] : [worker];
      const next = await on('m3', 'run', ...run).ended;
      expect(next, next.stderr).toMatchObject({ exit: 0 });
      const report = await reportOf('m3');
      expect(report.run).not.toBe(id);
      expect(report.configurations.converted).toBe(SIZE.articles);
      for (const one of helpers) {
        one.kill('SIGTERM');
        expect(await one.ended).toMatchObject({ exit: 0 });
      }
      expect((await on('m2', 'cancel').ended).stdout).toContain('no run');
    },
    LIMIT_MS,
  );
});
