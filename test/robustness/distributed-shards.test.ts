/** Shards: programs that are told their number divide a run without a queue, and publish what one process does. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { openChunkObjects } from '../../src/pipeline/chunks.ts';
import { loadPipeline } from '../../src/pipeline/pipeline-file.ts';
import { pipelineStore } from '../../src/pipeline/shared-store.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import { type Child, environmentOf, startChild } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange, holdBlocks } from '../helpers/counted-range.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';
import { startS3Server } from '../helpers/s3-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const SHARDS = IS_LONG ? 3 : 2;
const ARTICLES = IS_LONG ? 2000 : 180;
const SIZE = {
  articles: ARTICLES,
  blocks: 40,
  images: 10,
  manufacturers: 3,
  articlesPerSeries: 60,
};
const LIMIT_MS = IS_LONG ? 300_000 : 60_000;
const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

let range: CountedRange;
let emulator: Emulator;
let folder: string;
let file: string;
let env: Record<string, string>;
const children: Child[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  range = countedRange(SIZE);
  emulator = await startEmulator({ range });
  env = environmentOf(emulator);
  file = await writePipeline(folder, { service: SERVICE });
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.splice(0).map(({ ended }) => ended));
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

function start(words: string[], variables = {}): Child {
  const child = startChild(words, { ...env, ...variables });
  children.push(child);
  return child;
}

const shard = (number: number, ...options: string[]): Child =>
  start(['run', file, '--shard', `${number}/${SHARDS}`, ...options]);

/** The words of a shard on a machine with folders of its own. */
const onMachine = (name: string, number: number, count = SHARDS) => [
  ...['run', file, '--shard', `${number}/${count}`],
  ...['--output', join(folder, name, 'out'), '--cache', join(folder, name, 'cache')],
];

/** Runs the same in one process. */
async function runHere(): Promise<string> {
  const plain = await writePipeline(folder, { service: SERVICE });
  const here = ['--output', join(folder, 'here'), '--cache', join(folder, 'own')];
  expect(await command(['run', plain, ...here], { env })).toMatchObject({ exit: 0 });
  return join(folder, 'here');
}

const reportOf = async (output: string): Promise<RunReport> =>
  JSON.parse(await readFile(join(folder, output, 'runs/latest/report.json'), 'utf8'));

describe('what cannot be right is refused in a sentence', () => {
  test.each([
    [['--shard', '3/2'], '--shard: expected one of 2 shards, received 3/2'],
    [['--executor', 'shard'], '--executor shard: expected --shard i/N, received none'],
    [
      ['--executor', 'bullmq', '--shard', '1/2'],
      '--shard 1/2: expected --executor shard or none, received bullmq',
    ],
  ])('%j', async (options, sentence) => {
    const { exit, stderr } = await command(['run', file, ...options], { env });
    expect(exit).toBe(2);
    expect(stderr).toContain(sentence);
  });

  // Each look at the clock takes so many seconds.
  test.each([
    [70, 'shard 2/3: expected the run to be completed, but it has ended: login: expected …'],
    [4000, 'shard 2/3: expected the first shard within 60 minutes, received no sign of it'],
  ])('a first shard that does not start again after a failure: %i s', async (seconds, sentence) => {
    const clock = { env, now: Date.now, random: Math.random };
    const store = await pipelineStore(await loadPipeline(file, env), clock);
    const failure = { code: 'LOGIN_REFUSED', message: 'login: expected …' } as const;
    await openChunkObjects(store, 'r').end(failure);
    let looks = 0;
    const at = () => Date.now() + 1000 * seconds * looks++;
    const { exit, stderr } = await command(['run', file, '--shard', '2/3'], { env, at });
    expect(exit).toBe(3);
    expect(stderr).toContain(sentence);
  });

  test('what a shard was to do that is started again after the run is done', async () => {
    const clock = { env, now: Date.now, random: Math.random };
    const store = await pipelineStore(await loadPipeline(file, env), clock);
    await openChunkObjects(store, 'r').complete();
    let looks = 0;
    const at = () => Date.now() + 70_000 * looks++;
    const { exit, stderr } = await command(['run', file, '--shard', '2/3'], { env, at });
    expect(exit).toBe(0);
    expect(stderr).toContain('the run was complete already');
  });

  describe('by a shard that meets another run', () => {
    let timer: NodeJS.Timeout;
    let describeRun: (what: object) => Promise<unknown>;
    beforeEach(async () => {
      const clock = { env, now: Date.now, random: Math.random };
      const store = await pipelineStore(await loadPipeline(file, env), clock);
      describeRun = (what) =>
        openChunkObjects(store, 'r').describe({
          ...{ startedAt: Date.now(), digest: '0', missing: [] },
          ...what,
        });
      // Its coordinator lives.
      let renewals = 0;
      let etag: string | undefined;
      const renew = async () => {
        const lock = Buffer.from(JSON.stringify({ run: 'r', renewals: renewals++ }));
        etag = await store.replace('lock.json', lock, etag);
      };
      await renew();
      timer = setInterval(renew, 100);
    });
    afterEach(() => clearInterval(timer));

    test('of other options', async () => {
      await describeRun({ shards: 3 });
      const { exit, stderr } = await command(['run', file, '--shard', '2/3'], { env });
      expect(exit).toBe(2);
      expect(stderr).toContain('shard 2/3: expected version and options of the run in progress');
    });

    // The sentence names the shard that the scheduler's variables say.
    test('of another number of shards, as each scheduler says it', async () => {
      await describeRun({ shards: 2 });
      const programs: [string[], Record<string, string>][] = [
        [['--shard', '2/3'], {}],
        [['--shard', '3'], { JOB_COMPLETION_INDEX: '1' }],
        [
          ['--executor', 'shard'],
          { AWS_BATCH_JOB_ARRAY_INDEX: '1', AWS_BATCH_JOB_ARRAY_SIZE: '3' },
        ],
        [
          ['--executor', 'shard'],
          {
            ...{ SLURM_ARRAY_TASK_ID: '5', SLURM_ARRAY_TASK_COUNT: '3' },
            ...{ SLURM_ARRAY_TASK_MIN: '1', SLURM_ARRAY_TASK_STEP: '4' },
          },
        ],
      ];
      const all = programs.map(([options, variables]) =>
        command(['run', file, ...options], { env: { ...env, ...variables } }),
      );
      for (const { exit, stderr } of await Promise.all(all)) {
        expect(exit).toBe(2);
        expect(stderr).toContain(
          'shard 2/3: expected the number of shards of the run in progress, which has 2 shards, received 3',
        );
      }
    });
  });
});

describe('shards that share output and cache', () => {
  test(
    'one coordinates: a second one is refused; all end when the run is cancelled',
    async () => {
      const blocks = holdBlocks(range, 0);
      const run = (number: number) =>
        command(['run', file, '--shard', `${number}/${SHARDS}`], { env });
      const [first, second] = [run(1), run(2)];
      await vi.waitFor(() => expect(blocks.count()).toBeGreaterThan(4), LIMIT_MS);
      const other = await run(1);
      expect(other, other.stderr).toMatchObject({ exit: 3 });
      expect(other.stderr).toContain('another run uses this folder');
      expect(await command(['cancel', file], { env })).toMatchObject({ exit: 0 });
      const [coordinator, shard] = await Promise.all([first, second]);
      expect(coordinator, coordinator.stderr).toMatchObject({ exit: 130 });
      expect(coordinator.stderr).toContain('cancelled from another process');
      expect(shard, shard.stderr).toMatchObject({ exit: 3 });
      expect(shard.stderr).toContain('shard 2/');
      blocks.release();
      // The next run is another one.
      const again = await command(['run', file], { env });
      expect(again, again.stderr).toMatchObject({ exit: 0 });
      expect((await command(['cancel', file], { env })).stdout).toContain('no run');
    },
    LIMIT_MS,
  );

  test(
    'one that is early waits, and ends if the first one fails before there is a run',
    async () => {
      const run = (number: number, variables = {}) =>
        command(['run', file, '--shard', `${number}/${SHARDS}`], { env: { ...env, ...variables } });
      const early = run(2);
      const wrong = await run(1, { BTG2GLTF_PASSWORD: 'not-the-password' });
      expect(wrong, wrong.stderr).toMatchObject({ exit: 3 });
      const { exit, stderr } = await early;
      expect({ exit, stderr }).toMatchObject({ exit: 3 });
      expect(stderr).toMatch(/shard 2\/\d: .* it has ended: login: /);
      expect(stderr).not.toContain('not-the-password');
    },
    LIMIT_MS,
  );

  test.runIf(IS_LONG)(
    'publish what one process does, although one is killed',
    async () => {
      const others = Array.from({ length: SHARDS - 1 }, (_, index) => shard(index + 2));
      const first = shard(1);
      await vi.waitFor(() => expect(range.count('btg')).toBeGreaterThan(ARTICLES / 3), LIMIT_MS);
      others[0]!.kill('SIGKILL');
      others.push(shard(2));
      const ended = await Promise.all([first, ...others.slice(1)].map((child) => child.ended));
      for (const one of ended) expect(one, one.stderr).toMatchObject({ exit: 0 });
      const here = await runHere();
      expect(await publishedFiles(join(folder, 'out'))).toEqual(await publishedFiles(here));
      expect(await damagesOf(join(folder, 'out'))).toEqual([]);
      const { workers } = await reportOf('out');
      expect(workers!.map(({ name }) => name)).toEqual(
        Array.from({ length: SHARDS }, (_, index) => `shard ${index + 1}/${SHARDS}`),
      );
      expect(workers!.reduce((sum, worker) => sum + worker.configurations, 0)).toBe(ARTICLES);
      expect(workers!.every(({ configurations }) => configurations > 0)).toBe(true);
    },
    LIMIT_MS,
  );
});

test('a run that was refused is not continued, since what failed may be possible by now', async () => {
  const one = ['run', file, '--shard', '1/1'];
  for (const name of range.articleAt(0).blocks) range.missing.add(name);
  expect(await command([...one, '--max-failures', '0'], { env })).toMatchObject({ exit: 4 });
  const { exit, stderr } = await command(one, { env });
  expect({ exit, isContinued: stderr.includes('continues a run') }).toEqual({
    exit: 1,
    isContinued: false,
  });
});

describe('a configuration that kills its process', () => {
  // Which shard has the configuration is known of the short range only.
  test.skipIf(IS_LONG)(
    'fails alone, although its shard is started again each time',
    async () => {
      const { partsList } = range;
      // Manufacturers take turns in the range, and shards in what is sorted by manufacturer.
      const { number: victim } = range.articleAt(0);
      let killed = shard(1);
      const kill = () => {
        killed.kill('SIGKILL');
        throw new Error('nobody waits for the answer');
      };
      Object.assign(range, {
        partsList: (query: Parameters<typeof partsList>[0]) =>
          JSON.stringify(query).includes(victim) ? kill() : partsList(query),
      });
      const other = shard(2);
      let kills = 0;
      let first = await killed.ended;
      for (; first.signal === 'SIGKILL'; first = await killed.ended) {
        kills++;
        killed = shard(1);
      }
      const second = await other.ended;
      expect(first, first.stderr).toMatchObject({ exit: 1 });
      expect(second, second.stderr).toMatchObject({ exit: 0 });
      // The chunk twice, and of it the configuration twice.
      expect(kills).toBe(4);
      const { configurations, failures } = await reportOf('out');
      expect(configurations).toMatchObject({ selected: ARTICLES, failed: 1 });
      expect(failures).toMatchObject([{ basearticlenumber: victim, code: 'KILLED_THE_RUN' }]);
    },
    LIMIT_MS,
  );
});

describe('shards with an S3 store and a cache of each machine', () => {
  test.runIf(IS_LONG)(
    'a coordinator that was killed continues on another machine, and does nothing again',
    async () => {
      const s3 = await startS3Server();
      env = { ...env, ...s3.env };
      file = await writePipeline(folder, {
        service: SERVICE,
        store: { url: `s3://${s3.bucket}/nightly` },
      });
      const others = Array.from({ length: SHARDS - 1 }, (_, index) =>
        start(onMachine(`m${index + 2}`, index + 2)),
      );
      const blocks = holdBlocks(range, SIZE.blocks);
      const first = start(onMachine('m1', 1));
      const objects = (part: string) =>
        [...s3.objects.keys()].filter((key) => key.includes(`nightly/work/`) && key.includes(part));
      await vi.waitFor(() => expect(objects('/results/').length).toBeGreaterThan(0), {
        timeout: LIMIT_MS,
        interval: 5,
      });
      first.kill('SIGKILL');
      await first.ended;
      const [run] = objects('run.json')[0]!.slice('nightly/work/'.length).split('/');
      const done = objects('/results/').flatMap((key) => {
        const list = key.replace('/results/', '/chunks/').replace(/(\d+)-\d+-\d+\.json/, '$1.json');
        return JSON.parse(String(s3.objects.get(list)!.content)) as {
          article: { request: { basearticlenumber: string } };
        }[];
      });
      blocks.release();
      const again = start(onMachine('m9', 1));
      for (const { ended } of [again, ...others]) {
        const one = await ended;
        expect(one, one.stderr).toMatchObject({ exit: 0 });
      }
      expect((await reportOf('m9/out')).run).toBe(run);
      const numbers = done.map(({ article }) => article.request.basearticlenumber);
      expect(numbers.length).toBeGreaterThan(0);
      expect(numbers.filter((number) => range.asked.get(`btg ${number}`) !== 1)).toEqual([]);
      expect(objects('')).toEqual([`nightly/work/${run}/steering/complete.json`]);
      const manifest = String(s3.objects.get('nightly/manifest.jsonl')!.content);
      await s3.close();
      const local = await readFile(join(await runHere(), 'manifest.jsonl'), 'utf8');
      // Where there are no links, the path of a GLB is that of the object.
      const comparable = (text: string) => text.replaceAll(/"glb":"[^"]*"/g, '"glb":""');
      expect(comparable(manifest)).toBe(comparable(local));
    },
    LIMIT_MS,
  );
});
