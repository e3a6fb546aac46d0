/** Chunks of a run on a queue: each done, whatever happens to workers, coordinators and the server. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChunkJob,
  type ChunkQueue,
  CONVERT,
  type WorkerShare,
} from '../../src/distribute/queue/chunk-queue.ts';
import { type Beat, openControl } from '../../src/distribute/queue/control.ts';
import { openChunkQueue } from '../../src/distribute/queue/coordinator.ts';
import {
  openQueueConnections,
  parseQueueUrl,
  queueName,
} from '../../src/distribute/queue/server.ts';
import { ConverterError } from '../../src/support/errors.ts';
import { SILENT } from '../../src/support/log.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import {
  type QueueProcess,
  startProxy,
  startQueueProcess,
  startQueueWorker,
} from '../helpers/queue-processes.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { GIVE_UP_MS, until } from '../helpers/until.ts';

const REDIS_URL = process.env.BTG2GLTF_TEST_REDIS_URL;
const ALL: WorkerShare = { index: 0, count: 1 };
const HALF = ({ count }: WorkerShare) => count === 2;

type Server = Pick<QueueServerUnderTest, 'url' | 'close'>;
const SERVERS: [string, () => Promise<Server>][] = [
  ['PostgreSQL', startPostgres],
  ...(REDIS_URL === undefined
    ? []
    : [['Redis', async () => ({ url: REDIS_URL, close: async () => {} })] as never]),
];

/** Of what the jobs are: workers share the limits of the service for conversions, and for nothing else. */
const KINDS = IS_LONG ? [CONVERT, 'profiles'] : [CONVERT];

/** More than are on the queue at a time. */
const JOBS = IS_LONG ? 40 : 6;

const label = ({ chunk, from, to }: ChunkJob) => `${chunk}.${from}.${to}`;
const labels = (jobs: ChunkJob[]) => jobs.map(label).sort();

/** Processes of a pipeline of their own. */
async function openStage(url: string, kind: string) {
  const folder = await temporaryFolder();
  const pipeline = `test: ${randomBytes(4).toString('hex')}`;
  const options = { convert: 'c1', service: 's1' };
  const common = { url, pipeline, digest: 'd1', options, version: '1.2.3' };
  const opened: QueueProcess[] = [];
  const added = (child: QueueProcess) => {
    opened.push(child);
    return child;
  };
  const own = { ...common, folder, kind };
  const start = (options: Record<string, unknown>) =>
    added(startQueueProcess({ ...own, ...options }));
  const { signal } = new AbortController();
  const openQueue = (run: string, options: Record<string, unknown> = {}) =>
    openChunkQueue({
      ...common,
      log: SILENT,
      signal,
      now: Date.now,
      run,
      kinds: [kind],
      ...options,
    });
  return {
    common,
    openQueue,
    worker: (options: Record<string, unknown> = {}) => start({ role: 'worker', ...options }),
    /** A worker in this process, which takes half the time to start. */
    workerHere: (options: Record<string, unknown> = {}) =>
      added(startQueueWorker({ ...own, ...options })),
    coordinator: (options: Record<string, unknown>) => start({ role: 'coordinator', ...options }),
    /** Executes a run to its end. */
    execute: async (run: string, jobs: Iterable<ChunkJob>, options = {}) => {
      const done: string[] = [];
      const lost: string[] = [];
      const queue = await openQueue(run, options);
      const onDone = async (job: ChunkJob) => void done.push(label(job));
      const onLost = async (job: ChunkJob, error?: ConverterError) =>
        void lost.push(`${label(job)}: ${error?.code ?? 'killed'}`);
      await queue.execute(kind, jobs, { onDone, onLost }).finally(() => queue.close());
      return { done: done.sort(), lost };
    },
    places: async (run: string) =>
      (await readdir(folder)).filter((name) => name.startsWith(`${run}.`)),
    go: () => writeFileSync(`${folder}/go`, ''),
    /** Removes what earlier runs have left: one is held again. */
    begin: async () => {
      for (const name of await readdir(folder)) await rm(join(folder, name));
    },
    close: async () => {
      for (const child of opened) child.kill('SIGKILL');
      await Promise.all(opened.map(({ ended }) => ended));
    },
  };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** Waits until the workers of a run are in these states, in any order. */
async function inStates(queue: ChunkQueue, ...states: string[]): Promise<void> {
  const now = () => queue.workers().map(({ state }) => state as string);
  await until(() => expect(now().sort()).toEqual(states));
}

const nothing = async () => {};
const count = (processes: QueueProcess[], field: string) =>
  processes.flatMap(({ lines }) => lines.filter((line) => field in line)).length;

const SUITES = SERVERS.flatMap(([name, start]) => KINDS.map((kind) => ({ name, start, kind })));

describe.each(SUITES)('$name, $kind', ({ start, kind }) => {
  let server: Server;
  const chunks = (run: string, count: number, places: number): ChunkJob[] =>
    Array.from({ length: count }, (_, chunk) => ({ run, kind, chunk, from: 0, to: places }));
  const sharesLimits = kind === CONVERT;
  const stages: Stage[] = [];
  const stage = async () => {
    const opened = await openStage(server.url, kind);
    stages.push(opened);
    return opened;
  };
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    await Promise.all(stages.map((opened) => opened.close()));
    await server.close();
  });

  describe.concurrent('two workers', () => {
    let two: Stage;
    let first: QueueProcess;
    let second: QueueProcess;
    beforeAll(async () => {
      two = await stage();
      [first, second] = [
        two.worker({ holds: { killed: 0 } }),
        two.worker({ holds: { killed: 0 } }),
      ];
    });

    it.runIf(sharesLimits).sequential('divide the limits, and pause together', async () => {
      const shares = await Promise.all([first, second].map((child) => child.line('share', HALF)));
      expect(shares.map(({ share }) => (share as WorkerShare).index).sort()).toEqual([0, 1]);
      // A message is published once: one is lost with a connection that fails just then.
      await until(() => {
        first.kill('SIGUSR2');
        expect(count([second], 'pause')).toBeGreaterThan(0);
      });
      await second.line('pause', 1_234);
      expect(count([first], 'pause')).toBe(0);
    });

    it.sequential('do each job once, of which a few are on the queue at a time', async () => {
      let taken = 0;
      let most = 0;
      const queue = await two.openQueue('r1');
      const done: string[] = [];
      function* counted() {
        for (const job of chunks('r1', JOBS, 2)) {
          most = Math.max(most, ++taken - done.length);
          yield job;
        }
      }
      const onDone = async (job: ChunkJob) => void done.push(label(job));
      await queue.execute(kind, counted(), { onDone, onLost: nothing });
      expect(done.sort()).toEqual(labels(chunks('r1', JOBS, 2)));
      expect(await two.places('r1')).toHaveLength(2 * JOBS);
      // One job in work and one waiting for each.
      expect(most).toBeLessThanOrEqual(4);
      await inStates(queue, 'idle', 'idle');
      await queue.close();
      expect(count([first, second], 'works')).toBe(JOBS);
      expect(count([first, second], 'warn')).toBe(0);
    });

    it.sequential('are one after a kill, and the other does its job and has its share', async () => {
      const queue = await two.openQueue('killed');
      const done: string[] = [];
      const onDone = async (job: ChunkJob) => void done.push(label(job));
      const execution = queue.execute(kind, chunks('killed', 1, 3), {
        ...{ onDone, onLost: nothing },
      });
      const doomed = await Promise.race(
        [first, second].map((child) => child.line('works', 'killed.0.0.3').then(() => child)),
      );
      const other = doomed === first ? second : first;
      const shares = count([other], 'share');
      await until(() => expect(queue.workers()).toHaveLength(2));
      doomed.kill('SIGKILL');
      two.go();
      await execution;
      expect(done).toEqual(['0.0.3']);
      expect(await two.places('killed')).toHaveLength(3);
      await inStates(queue, 'idle', 'lost');
      const received = other.lines.filter((line) => 'share' in line).slice(shares);
      expect(received).toEqual(sharesLimits ? [{ share: ALL }] : []);
      await queue.close();
    });
  });

  describe.concurrent('a worker', () => {
    let one: Stage;
    let only: QueueProcess;
    let proxy: Awaited<ReturnType<typeof startProxy>>;
    beforeAll(async () => {
      one = await stage();
      proxy = await startProxy(server.url);
      const places = { failing: 'halved.1.2', interrupted: 'interrupted.0.1', fatal: 'fatal.0.0' };
      const holds = { held: 0, growing: 3 };
      only = one.workerHere({ url: proxy.url, mostWorkers: 1, holds, ...places });
    });
    afterAll(() => proxy.close());

    it.sequential('that begins while the server is away works when it is back', async () => {
      await only.line('opened');
      proxy.cut();
      // It holds its requests, longer after than it takes its first job.
      await only.line('pause');
      proxy.restore();
      const { done } = await one.execute('late', chunks('late', 2, 2));
      expect(done).toEqual(['0.0.2', '1.0.2']);
    });

    it.sequential('whose job fails gets the halves, until one place remains and is lost', async () => {
      const { done, lost } = await one.execute('halved', chunks('halved', 2, 4));
      expect(done).toEqual(['0.0.4', '1.0.2', '1.3.4']);
      expect(lost).toEqual(['1.2.3: RESPONSE_INVALID']);
      expect(await one.places('halved')).toHaveLength(7);
    });

    it.sequential('ends the run with an error that ends a run', async () => {
      const full = { code: 'DISK_FULL', message: 'the disk is full' };
      await expect(one.execute('fatal', chunks('fatal', 3, 1))).rejects.toMatchObject(full);
    });

    it.sequential('tries a job again whose work was interrupted', async () => {
      const { done } = await one.execute('interrupted', chunks('interrupted', 1, 2));
      expect(done).toEqual(['0.0.2']);
      const works = only.lines.filter(({ works: name }) => name === 'interrupted.0.0.2');
      expect(works).toHaveLength(2);
    });

    it.sequential('goes on with its job when another coordinator has taken the run', async () => {
      const controller = new AbortController();
      const taken = one.execute('held', chunks('held', 1, 2), { signal: controller.signal });
      await only.line('works', 'held.0.0.2');
      controller.abort(new ConverterError('OUTPUT_LOCKED', 'another run has the lock'));
      await expect(taken).rejects.toMatchObject({ code: 'OUTPUT_LOCKED' });
      one.go();
      expect(await one.execute('held', chunks('held', 1, 2))).toMatchObject({ done: ['0.0.2'] });
      expect(only.lines.filter((line) => 'aborted' in line)).toEqual([]);
      await one.begin();
    });

    it.sequential('drops its job when the run is cancelled, of which nothing is left', async () => {
      const controller = new AbortController();
      const cancelled = one.execute('held', chunks('held', 5, 1), { signal: controller.signal });
      await only.line('works', 'held.0.0.1');
      controller.abort();
      await expect(cancelled).rejects.toMatchObject({ code: 'INTERRUPTED' });
      await only.line('aborted', 0);
      const works = only.lines.filter(({ works: name }) => String(name).startsWith('held.'));
      expect(works).toEqual([{ works: 'held.0.0.2' }, { works: 'held.0.0.1' }]);
    });

    it.sequential('gets jobs that are made meanwhile, and drops them when the queue is closed', async () => {
      only.lines.length = 0;
      const queue = await one.openQueue('growing');
      const jobs = chunks('growing', 2, 1);
      const done: string[] = [];
      const onDone = async (job: ChunkJob) => {
        done.push(label(job));
        // Of the last jobs, one is held, and one waits.
        if (done.length === 2) jobs.push(...chunks('growing', 5, 1).slice(3));
      };
      async function* growing(): AsyncGenerator<ChunkJob | undefined> {
        for (;;) yield jobs.shift();
      }
      const execution = queue.execute(kind, growing(), { onDone, onLost: nothing });
      await only.line('works', (name: string) => /^growing\.[34]\./.test(name));
      const ended = expect(execution).rejects.toMatchObject({ code: 'INTERRUPTED' });
      await queue.close();
      await ended;
      await only.line('aborted');
      expect(done.sort()).toEqual(['0.0.1', '1.0.1']);
    });

    it.sequential('continues the run of a coordinator that was killed, which let no other in', async () => {
      only.lines.length = 0;
      const jobs = chunks('held', JOBS, 2);
      const first = one.coordinator({ run: 'held', jobs, lastDone: '3.0.2' });
      await only.line('works');
      // Its worker is none of one with other options, which waits for an answer until it has one.
      const others = { digest: 'd2', options: { convert: 'c2' }, answerMs: GIVE_UP_MS };
      const locked = { code: 'OUTPUT_LOCKED' };
      await expect(one.execute('r2', jobs, others)).rejects.toMatchObject(locked);
      one.go();
      await first.line('done', '3.0.2');
      first.kill('SIGKILL');
      await first.ended;
      // Those that have ended, but were not reported, are reported now.
      const { done } = await one.execute('held', jobs.slice(3));
      expect(done).toEqual(labels(jobs.slice(3)));
      expect(await one.places('held')).toHaveLength(2 * JOBS);
    });

    it.sequential('loses nothing when connections break', async () => {
      await one.begin();
      only.lines.length = 0;
      const jobs = chunks('held', 3, 2);
      const execution = one.execute('held', jobs, { url: proxy.url });
      await only.line('works');
      proxy.cut();
      proxy.restore();
      one.go();
      expect((await execution).done).toEqual(labels(jobs));
      expect(await one.places('held')).toHaveLength(6);
    });

    it.runIf(sharesLimits).sequential(
      'gets no job beyond the most, until a place is free: the other gives its job back when it is stopped',
      async () => {
        await one.begin();
        const second = one.workerHere({ mostWorkers: 1 });
        // The limits hold meanwhile: the first has less before the second has any.
        await second.line('share', { index: 1, count: 2 });
        await only.line('share', HALF);
        expect((await one.execute('r0', chunks('r0', JOBS, 1))).done).toHaveLength(JOBS);
        expect(count([second], 'works')).toBe(0);
        only.lines.length = 0;
        const execution = one.execute('held', chunks('held', 3, 1));
        await only.line('works', 'held.0.0.1');
        only.kill('SIGTERM');
        expect(await only.ended).toBe(0);
        expect((await execution).done).toEqual(labels(chunks('held', 3, 1)));
        expect(await second.line('share', ALL)).toBeDefined();
        expect(count([second], 'works')).toBe(3);
      },
    );
  });

  it.concurrent('refuses workers of another version or other options, and knows it if they cannot say so', async () => {
    const { common, openQueue } = await stage();
    const queue = await openQueue('r1');
    const told = new Map<string, string>();
    const joined = async (name: string, own: Partial<Beat>) => {
      const classes = await openQueueConnections(parseQueueUrl(server.url), () => {});
      const control = openControl(classes, common.pipeline, {
        beat: () => ({
          ...{ ...common, kind: 'beat', role: 'worker', name, state: 'joining' },
          ...{ since: 0, slots: {}, needs: [], ended: 0, ...own },
        }),
        onMessage: (message) => {
          if (message.kind === 'refuse' && message.to === name) told.set(name, message.message);
        },
        ...{ onCutOff: nothing, onOutage: nothing, onError: nothing },
      });
      return () => control.close().then(() => classes.close());
    };
    const workers = [
      joined('older', { digest: 'd3', version: '1.0.0' }),
      joined('other', { digest: 'd2', options: { convert: 'c1', service: 's2' } }),
    ];
    await until(() => told.size === 2);
    expect(told.get('older')).toContain(
      'expected version 1.2.3 of the coordinator, received 1.0.0',
    );
    const other = 'expected the options of the coordinator, received others: service';
    expect(told.get('other')).toContain(other);
    expect(queue.workers()).toEqual([
      { name: 'older', state: 'refused', kinds: [] },
      { name: 'other', state: 'refused', kinds: [] },
    ]);
    await queue.close();
    for (const worker of workers) await (await worker)();
  });

  it.concurrent('drops what is no job or message of ours, and says so', async () => {
    const { common, openQueue, workerHere } = await stage();
    const warnings: string[] = [];
    const log = { ...SILENT, warn: (message: string) => void warnings.push(message) };
    const others = [null, 'text', { run: 'r1' }, { run: 'r1', kind, chunk: 0, from: 3, to: 3 }];
    const add = async () => {
      for (const data of others) await foreign.add('chunk', data as never);
    };
    // It makes the tables.
    const queue = await openQueue('r1', { log });
    const classes = await openQueueConnections(parseQueueUrl(server.url), () => {});
    const foreign = classes.openQueue(queueName(common.pipeline, { ...common, kind }));
    await add();
    const done: string[] = [];
    const jobs = chunks('r1', 3, 2);
    const onDone = async (job: ChunkJob) => void done.push(label(job));
    const execution = queue.execute(kind, jobs, { onDone, onLost: nothing });
    await add();
    workerHere();
    await execution;
    await queue.close();
    expect(done.sort()).toEqual(labels(jobs));
    const none = 'a job on the queue is none of btg2gltf, and is removed';
    expect(warnings.filter((message) => message === none).length).toBeGreaterThanOrEqual(
      others.length,
    );
    await classes.close();
  });

  it.concurrent('ends with its run, also while it waits for more jobs', async () => {
    const { coordinator } = await stage();
    const closed = coordinator({ run: 'r1', closesIdle: true, answerMs: 1 });
    // A timer that is left keeps the process.
    expect(await closed.line('left')).toEqual({ left: [] });
    expect(await closed.ended).toBe(0);
    expect(closed.lines).toContainEqual({ code: 'INTERRUPTED' });
  });

  describe.runIf(IS_LONG)('at length', () => {
    it.concurrent('leaves growing jobs to the run where no worker does their kind', async () => {
      const { openQueue, worker } = await stage();
      await worker({ kind: 'another' }).line('opened');
      const queue = await openQueue('r1');
      const jobs = chunks('r1', 3, 1);
      async function* growing(): AsyncGenerator<ChunkJob | undefined> {
        for (;;) yield jobs.shift();
      }
      const handlers = { onDone: nothing, onLost: nothing };
      expect(await queue.execute(kind, growing(), handlers)).toBe(false);
      await queue.close();
    });

    it.concurrent('ends when it is cancelled while the server is away', async () => {
      const { openQueue, worker } = await stage();
      const proxy = await startProxy(server.url);
      const controller = new AbortController();
      const queue = await openQueue('r1', { url: proxy.url, signal: controller.signal });
      const execution = queue.execute(kind, chunks('r1', 5, 1), {
        ...{ onDone: nothing, onLost: nothing },
      });
      await worker({ holds: { r1: 0 } }).line('works');
      proxy.cut();
      controller.abort();
      await expect(execution).rejects.toMatchObject({ code: 'INTERRUPTED' });
      await queue.close();
    });

    it.concurrent('does no job twice whose thread is blocked for 12 s', async () => {
      const { worker, execute } = await stage();
      const workers = [worker({ busyMs: 12_000 }), worker({ busyMs: 12_000 })];
      const isThere = (child: QueueProcess) =>
        sharesLimits ? child.line('share', HALF) : child.line('opened');
      await Promise.all(workers.map(isThere));
      expect((await execute('r1', chunks('r1', 1, 1))).done).toEqual(['0.0.1']);
      expect(count(workers, 'works')).toBe(1);
    });

    it.concurrent('drops a job that another has done while the process was stopped', async () => {
      const { worker, execute } = await stage();
      const frozen = worker({ holds: { r1: 0 } });
      const execution = execute('r1', chunks('r1', 1, 1));
      await frozen.line('works');
      frozen.kill('SIGSTOP');
      worker();
      expect((await execution).done).toEqual(['0.0.1']);
      frozen.kill('SIGCONT');
      await frozen.line('aborted', 0);
      expect((await execute('r2', chunks('r2', 5, 1))).done).toEqual(labels(chunks('r2', 5, 1)));
      frozen.kill('SIGTERM');
      expect(await frozen.ended).toBe(0);
    });

    it.concurrent('halves a job that kills its workers until one place remains and is lost', async () => {
      const { worker, execute, places, close } = await stage();
      let isDone = false;
      const replaced = async () => {
        while (!isDone) await worker({ deadly: 'r1.0.2' }).ended;
      };
      const workers = Promise.all([replaced(), replaced()]);
      const { done, lost } = await execute('r1', chunks('r1', 2, 4));
      isDone = true;
      expect(done).toEqual(['0.0.2', '0.3.4', '1.0.4']);
      expect(lost).toEqual(['0.2.3: killed']);
      expect(await places('r1')).toHaveLength(7);
      await close();
      await workers;
    });
  });
});

it.runIf(IS_LONG)('PostgreSQL may be killed, and started again with its data', async () => {
  const server = await startPostgres();
  const { worker, coordinator, places, go, close } = await openStage(server.url, CONVERT);
  const jobs = Array.from({ length: 60 }, (_, chunk): ChunkJob => {
    return { run: 'r1', kind: CONVERT, chunk, from: 0, to: 2 };
  });
  const workers = [0, 1, 2].map(() => worker({ holds: { r1: 30 } }));
  const run = coordinator({ run: 'r1', jobs });
  await run.line('done', '5.0.2');
  await server.kill();
  // They send no request meanwhile: each may have been lost for the others.
  await Promise.all(workers.map((child) => child.line('pause', 2_000)));
  await server.start();
  go();
  await run.line('finished');
  const done = run.lines.filter((line) => 'done' in line).map((line) => line.done);
  expect(done.sort()).toEqual(labels(jobs));
  expect(await places('r1')).toHaveLength(120);
  await close();
  await server.close();
});
