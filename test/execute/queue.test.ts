/** Chunks of a run on a queue: each done, whatever happens to workers, coordinators and the server. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openChunkQueue } from '../../src/execute/bullmq-coordinator.ts';
import type { ChunkJob, ChunkQueue, WorkerShare } from '../../src/execute/chunk-queue.ts';
import { SILENT } from '../../src/support/log.ts';
import { temporaryFolder } from '../helpers/command.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { type QueueProcess, startProxy, startQueueProcess } from '../helpers/queue-processes.ts';

const REDIS_URL = process.env.BTG2GLTF_TEST_REDIS_URL;

const IS_LONG = process.env.BTG2GLTF_TEST_LONG !== undefined;
const LIMIT = { timeout: 20_000 };
const ALL: WorkerShare = { index: 0, count: 1 };
const HALF = ({ count }: WorkerShare) => count === 2;

/** Each place of these chunks is done once: a file. */
function chunks(run: string, count: number, places: number): ChunkJob[] {
  return Array.from({ length: count }, (_, chunk) => ({ run, chunk, from: 0, to: places }));
}

/** Waits until the workers of a run are in these states, in any order. */
async function inStates(queue: ChunkQueue, ...states: string[]): Promise<void> {
  const now = () => queue.workers().map(({ state }) => state as string);
  await vi.waitFor(() => expect(now().sort()).toEqual(states), LIMIT);
}

const SERVERS: [string, () => Promise<Pick<QueueServerUnderTest, 'url' | 'close'>>][] = [
  ['PostgreSQL', startPostgres],
  ...(REDIS_URL === undefined
    ? []
    : [['Redis', async () => ({ url: REDIS_URL, close: async () => {} })] as never]),
];

describe.each(SERVERS)('%s', (_name, start) => {
  let server: Pick<QueueServerUnderTest, 'url' | 'close'>;
  const opened: QueueProcess[] = [];

  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    for (const child of opened) child.kill('SIGKILL');
    await Promise.all(opened.map(({ ended }) => ended));
    await server.close();
  });

  /** Processes of a pipeline of their own. */
  async function stage(given: { url?: string } = {}) {
    const folder = await temporaryFolder();
    const common = {
      url: given.url ?? server.url,
      pipeline: `test: ${randomBytes(4).toString('hex')}`,
      run: 'r1',
      digest: 'd1',
      version: '1.2.3',
    };
    const startProcess = (options: Record<string, unknown>) => {
      const child = startQueueProcess({ ...common, folder, ...options });
      opened.push(child);
      return child;
    };
    const controller = new AbortController();
    const done: string[] = [];
    const lost: string[] = [];
    const label = ({ chunk, from, to }: ChunkJob) => `${chunk}.${from}.${to}`;
    return {
      folder,
      done,
      lost,
      controller,
      worker: (options: Record<string, unknown> = {}) =>
        startProcess({ role: 'worker', ...options }),
      coordinator: (options: Record<string, unknown>) =>
        startProcess({ role: 'coordinator', ...options }),
      openQueue: (url = common.url) =>
        openChunkQueue({
          ...{ ...common, url, log: SILENT, signal: controller.signal, now: Date.now },
        }),
      onDone: async (job: ChunkJob) => void done.push(label(job)),
      onLost: async (job: ChunkJob) => void lost.push(label(job)),
      places: async () => (await readdir(folder)).filter((name) => name.startsWith('r')).sort(),
      go: () => writeFileSync(`${folder}/go`, ''),
    };
  }

  it.concurrent('has each job done once, a few on the queue at a time', async () => {
    const { worker, openQueue, onDone, onLost, done, places } = await stage();
    const workers = [worker(), worker()];
    await Promise.all(workers.map((child) => child.line('opened')));
    const queue = await openQueue();
    let taken = 0;
    let most = 0;
    function* counted() {
      for (const job of chunks('r1', 40, 2)) {
        most = Math.max(most, ++taken - done.length);
        yield job;
      }
    }
    await queue.execute(counted(), onDone, onLost);
    expect(done.toSorted()).toEqual(
      chunks('r1', 40, 2)
        .map(({ chunk }) => `${chunk}.0.2`)
        .sort(),
    );
    expect(await places()).toHaveLength(80);
    // Two workers: one job in work and one waiting for each.
    expect(most).toBeLessThanOrEqual(4);
    await inStates(queue, 'idle', 'idle');
    expect(queue.workers().reduce((sum, { chunks: n }) => sum + n, 0)).toBe(40);
    await queue.close();
    expect(workers.flatMap(({ lines }) => lines.filter((line) => 'warn' in line))).toEqual([]);
  });

  it.concurrent('divides the limits among those that live, and pauses all', async () => {
    const { worker } = await stage();
    const first = worker();
    await first.line('share', ALL);
    const second = worker();
    const shares = await Promise.all([first, second].map((child) => child.line('share', HALF)));
    expect(shares.map(({ share }) => (share as WorkerShare).index).sort()).toEqual([0, 1]);
    first.kill('SIGUSR2');
    await second.line('pause', 1_234);
    expect(first.lines.filter((line) => 'pause' in line)).toEqual([]);
    first.lines.length = 0;
    second.kill('SIGTERM');
    await second.line('ended', true);
    expect(await second.ended).toBe(0);
    await first.line('share', ALL);
  });

  it.concurrent('refuses workers of another version or other options', async () => {
    const { worker, openQueue, onDone, onLost } = await stage();
    const other = worker({ digest: 'd2' });
    const older = worker({ digest: 'd3', version: '1.0.0' });
    const fitting = worker();
    const queue = await openQueue();
    await queue.execute(chunks('r1', 2, 1), onDone, onLost);
    for (const [child, text] of [
      [other, 'expected the options of the coordinator, received others'],
      [older, 'expected version 1.2.3 of the coordinator, received 1.0.0'],
    ] as const) {
      const { message } = await child.line('code', 'WORKER_REFUSED');
      expect(message).toContain(text);
      expect(await child.ended).toBe(1);
    }
    expect(fitting.lines.some((line) => 'works' in line)).toBe(true);
    await inStates(queue, 'idle', 'refused', 'refused');
    await queue.close();
  });

  it.concurrent('has the job of a killed worker done by another', async () => {
    const { worker, openQueue, onDone, onLost, done, places } = await stage();
    const doomed = worker({ hold: true });
    await doomed.line('opened');
    const queue = await openQueue();
    const execution = queue.execute(chunks('r1', 1, 3), onDone, onLost);
    await doomed.line('works');
    const other = worker();
    await other.line('share');
    doomed.kill('SIGKILL');
    await execution;
    expect(done).toEqual(['0.0.3']);
    expect(await places()).toHaveLength(3);
    await inStates(queue, 'idle', 'lost');
    await queue.close();
  });

  it.concurrent('halves a job that fails until one place remains, which is lost', async () => {
    const { worker, openQueue, onDone, onLost, done, lost, places } = await stage();
    worker({ failing: '1.2' });
    const queue = await openQueue();
    await queue.execute(chunks('r1', 2, 4), onDone, onLost);
    expect(done.toSorted()).toEqual(['0.0.4', '1.0.2', '1.3.4']);
    expect(lost).toEqual(['1.2.3']);
    expect(await places()).toHaveLength(7);
    await queue.close();
  });

  it.concurrent('ends with an error of a worker that ends the run', async () => {
    const { worker, openQueue, onDone, onLost } = await stage();
    worker({ fatal: '0.0' });
    const queue = await openQueue();
    await expect(queue.execute(chunks('r1', 1, 1), onDone, onLost)).rejects.toMatchObject({
      code: 'DISK_FULL',
      message: 'the disk is full',
    });
    await queue.close();
  });

  it.concurrent('cancels: workers drop their jobs, and nothing is left', async () => {
    const { worker, openQueue, onDone, onLost, controller, go, places } = await stage();
    const held = worker({ hold: true });
    const queue = await openQueue();
    const execution = queue.execute(chunks('r1', 5, 1), onDone, onLost);
    await held.line('works');
    controller.abort();
    await expect(execution).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await held.line('aborted', 0);
    await queue.close();
    go();
    await delay(500);
    expect(await places()).toEqual([]);
  });

  it.concurrent('gives the job of a stopped worker to another', async () => {
    const { worker, openQueue, onDone, onLost, done } = await stage();
    const stopping = worker({ hold: true });
    const queue = await openQueue();
    const execution = queue.execute(chunks('r1', 1, 1), onDone, onLost);
    await stopping.line('works');
    stopping.kill('SIGTERM');
    await stopping.line('ended', true);
    worker();
    await execution;
    expect(done).toEqual(['0.0.1']);
    await queue.close();
  });

  it.concurrent('continues the run of a killed coordinator, and lets no second one in', async () => {
    const { worker, coordinator, openQueue, onDone, onLost, done, places, go } = await stage();
    const jobs = chunks('r1', 20, 2);
    const held = worker({ hold: true });
    const first = coordinator({ jobs });
    await held.line('works');
    await coordinator({ jobs }).line('code', 'OUTPUT_LOCKED');
    go();
    await first.line('done', '3.0.2');
    first.kill('SIGKILL');
    await first.ended;
    const queue = await openQueue();
    await queue.execute(jobs.slice(3), onDone, onLost);
    expect(new Set(done)).toEqual(new Set(jobs.slice(3).map(({ chunk }) => `${chunk}.0.2`)));
    expect(new Set(done).size).toBe(done.length);
    expect(await places()).toHaveLength(40);
    await queue.close();
  });

  it.concurrent('does no work twice when connections break and the thread that works is busy', async () => {
    const { worker, coordinator, places } = await stage();
    const proxy = await startProxy(server.url);
    const jobs = chunks('r1', 12, 2);
    const workers = [
      worker({ url: proxy.url, busyMs: 300 }),
      worker({ url: proxy.url, busyMs: 300 }),
    ];
    const run = coordinator({ url: proxy.url, jobs });
    await run.line('done');
    await proxy.cut();
    await delay(1_000);
    await proxy.restore();
    await run.line('finished');
    expect(await places()).toHaveLength(24);
    const done = run.lines.filter((line) => 'done' in line).map((line) => line.done);
    expect(done.toSorted()).toEqual(jobs.map(({ chunk }) => `${chunk}.0.2`).toSorted());
    for (const child of workers) child.kill('SIGTERM');
    await Promise.all(workers.map((child) => child.line('ended')));
    await proxy.close();
  });

  describe.runIf(IS_LONG)('at length', () => {
    it.concurrent('ends when it is cancelled while the server is away', async () => {
      const { openQueue, onDone, onLost, controller } = await stage();
      const proxy = await startProxy(server.url);
      const queue = await openQueue(proxy.url);
      const execution = queue.execute(chunks('r1', 5, 1), onDone, onLost);
      await delay(500);
      await proxy.cut();
      controller.abort();
      await expect(execution).rejects.toMatchObject({ code: 'INTERRUPTED' });
      await queue.close();
    });

    it.concurrent('renews the lock of a job whose thread is blocked for 12 s', async () => {
      const { worker, openQueue, onDone, onLost, done } = await stage();
      const workers = [worker({ busyMs: 12_000 }), worker({ busyMs: 12_000 })];
      await Promise.all(workers.map((child) => child.line('share', HALF)));
      const queue = await openQueue();
      await queue.execute(chunks('r1', 1, 1), onDone, onLost);
      expect(done).toEqual(['0.0.1']);
      expect(workers.flatMap(({ lines }) => lines.filter((line) => 'works' in line))).toHaveLength(
        1,
      );
      await queue.close();
    });

    it.concurrent('halves a job that kills its workers until one place remains, which is lost', async () => {
      const { worker, openQueue, onDone, onLost, done, lost, places } = await stage();
      let isDone = false;
      const replaced = async () => {
        while (!isDone) await worker({ deadly: '0.2' }).ended;
      };
      const workers = Promise.all([replaced(), replaced()]);
      const queue = await openQueue();
      await queue.execute(chunks('r1', 2, 4), onDone, onLost);
      isDone = true;
      expect(done.toSorted()).toEqual(['0.0.2', '0.3.4', '1.0.4']);
      expect(lost).toEqual(['0.2.3']);
      expect(await places()).toHaveLength(7);
      await queue.close();
      for (const child of opened) child.kill('SIGKILL');
      await workers;
    }, 120_000);
  });
});

it.runIf(IS_LONG)(
  'goes on when PostgreSQL is killed and started again with its data',
  async () => {
    const server = await startPostgres();
    const folder = await temporaryFolder();
    const common = { url: server.url, pipeline: 'p', run: 'r1', digest: 'd1', version: '1' };
    const jobs = chunks('r1', 60, 2);
    const children = ['worker', 'worker', 'worker'].map((role) =>
      startQueueProcess({ ...common, role, folder, busyMs: 200 }),
    );
    const run = startQueueProcess({ ...common, role: 'coordinator', folder, jobs });
    await run.line('done', '5.0.2');
    await server.kill();
    await delay(8_000);
    await server.start();
    await run.line('finished');
    const done = run.lines.filter((line) => 'done' in line).map((line) => line.done);
    expect(done.toSorted()).toEqual(jobs.map(({ chunk }) => `${chunk}.0.2`).toSorted());
    expect(await readdir(folder)).toHaveLength(120);
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
    await server.close();
  },
  120_000,
);
