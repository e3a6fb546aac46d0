/** Distributed runs of the built program: a queue on a real PostgreSQL, workers, and what everything took. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunReport } from '../../src/run/report/run-report.ts';
import { startPostgres } from '../helpers/postgres.ts';
import { descendantsOf, processorSeconds } from '../helpers/process-memory.ts';
import type { RunFigures } from './capacity.ts';
import type { Measured } from './process.ts';
import { startWorkers, type WorkerStart, type WorkerUse } from './workers.ts';
import type { BenchPipeline } from './workspace.ts';

/** What the server of the queue took. */
type QueueFigures = Pick<RunFigures, 'queuedJobs' | 'queueBytes' | 'queueCpuSeconds'>;

/** The server of a queue. */
export interface BenchQueue {
  /** The variables of a coordinator and its workers. */
  readonly env: Readonly<Record<string, string>>;
  /** Begins to look at the queue; the function that is returned ends it. */
  watch(): () => Promise<QueueFigures>;
}

/** Runs some work with a PostgreSQL of its own. */
export async function withQueue(work: (queue: BenchQueue) => Promise<void>): Promise<void> {
  const server = await startPostgres();
  const postmaster = descendantsOf(process.pid).find(isPostgres)!;
  const { PostgresConnection } = await import('bullmq');
  const connection = new PostgresConnection({ connectionString: server.url, max: 1 });
  connection.on('error', () => {});
  try {
    await work({
      env: { BTG2GLTF_QUEUE_URL: server.url },
      watch: () => watchQueue(connection.pool, postmaster),
    });
  } finally {
    await connection.close();
    await server.close();
  }
}

/** The first of its processes: the others are its children. */
function isPostgres(pid: number): boolean {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
}

/** Seldom enough to cost nothing beside the queue itself. */
const LOOK_MS = 250;
const STATE = `
  SELECT (SELECT count(*)::int FROM job) AS jobs, sum(pg_total_relation_size(oid))::int AS bytes
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`;

interface Pool {
  query(sql: string): Promise<{ rows: Record<string, number>[] }>;
}

function watchQueue(pool: Pool, postmaster: number): () => Promise<QueueFigures> {
  const begunSeconds = processorSeconds(postmaster);
  const peaks = { queuedJobs: 0, queueBytes: 0 };
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      const { rows } = await pool.query(STATE);
      peaks.queuedJobs = Math.max(peaks.queuedJobs, rows[0]!.jobs!);
      peaks.queueBytes = Math.max(peaks.queueBytes, rows[0]!.bytes!);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  return async () => {
    isWatching = false;
    await watching;
    return { ...peaks, queueCpuSeconds: processorSeconds(postmaster) - begunSeconds };
  };
}

/** What a distributed run took, as a whole and in its parts. */
export interface DistributedRun {
  coordinator: Measured;
  workers: WorkerUse[];
  queue: QueueFigures;
  report: RunReport;
}

/** Runs a pipeline with workers that are ready before it begins; only the run itself is timed. */
export async function runDistributed(
  pipeline: BenchPipeline,
  queue: BenchQueue,
  workers: WorkerStart,
  env: Readonly<Record<string, string>>,
): Promise<DistributedRun> {
  const started = await startWorkers(pipeline.file, workers, env);
  const endWatch = queue.watch();
  const coordinator = await pipeline.run('run', '--executor', 'bullmq');
  const [used, watched, text] = await Promise.all([
    started.stop(),
    endWatch(),
    readFile(join(pipeline.outputDir, 'runs', 'latest', 'report.json'), 'utf8'),
  ]);
  return { coordinator, workers: used, queue: watched, report: JSON.parse(text) };
}

/** Operations whose answers several configurations share. */
const OF_PARTS = ['getBlock', 'getMaterial'];

/** The figures of a run for the capacity model. @param parts - Distinct blocks and images of the range. */
export function figuresOf(
  { coordinator, workers, queue, report }: DistributedRun,
  parts: number,
): RunFigures {
  const { sent, bytesReceived, byOperation } = report.requests;
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  return {
    configurations: report.configurations.selected,
    parts,
    chunks: sum(report.workers!.map(({ chunks }) => chunks)),
    workers: workers.length,
    seconds: coordinator.seconds,
    workerCpuSeconds: sum(workers.map(({ cpuSeconds }) => cpuSeconds)),
    coordinatorCpuSeconds: coordinator.cpuSeconds,
    coordinatorPeakMib: coordinator.peakMib,
    workerPeakMib: Math.max(...workers.map(({ peakMib }) => peakMib)),
    requests: sent,
    partRequests: sum(OF_PARTS.map((name) => byOperation[name] ?? 0)),
    receivedBytes: bytesReceived,
    ...queue,
  };
}
