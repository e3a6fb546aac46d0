/**
 * Runs on several workers: their throughput against a local run, what the queue costs, and the capacity model, which is
 * calibrated and checked here.
 */
import { chunkLength } from '../../src/distribute/chunks.ts';
import { startS3Server } from '../helpers/s3-server.ts';
import {
  type Capacity,
  type Check,
  calibrate,
  checkRun,
  checkStore,
  type Drivers,
  predict,
  type RunFigures,
  type StoreFigures,
  workersFor,
} from './capacity.ts';
import { ownFolders, rangeOf, withService } from './counted.ts';
import { deliveriesAtScale } from './delivery-scale.ts';
import { amount, hours, inMs } from './details.ts';
import { figuresOf, runDistributed } from './distributed.ts';
import { type Measured, median } from './process.ts';
import type { GroupInput } from './results.ts';
import { ALL, CONNECTIONS } from './workspace.ts';

const WORKERS = 3;
const LATENCY_MS = 20;

/** Throughput of three workers, and what the queue adds to each configuration. */
export async function workers(input: GroupInput): Promise<void> {
  for (const configurations of input.isQuick ? [500] : [2_000, 8_000])
    await throughput(input, configurations);
  await overhead(input);
}

/** Each worker has to warm up, as the one process of a local run has: the longer a run, the less that counts. */
async function throughput({ results, isQuick }: GroupInput, configurations: number): Promise<void> {
  const runs = await inTurns(configurations, LATENCY_MS, isQuick ? 1 : 3, 'cold');
  const ratios = runs.map(({ local, distributed }) => local.seconds / distributed.seconds);
  const cpu = median(runs.map((run) => run.distributedCpuSeconds / run.local.cpuSeconds));
  const detail = [
    `${amount(configurations)} configurations, ${WORKERS} workers; ${pairsOf(runs)}`,
    `from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}, ${cpu.toFixed(2)}× the processor time`,
  ].join('; ');
  results.add('workers', isQuick ? 'throughput 2000' : `throughput ${configurations}`, {
    value: median(ratios),
    detail,
  });
}

/** With nothing to convert, only the way of a configuration through store and queue remains. */
async function overhead({ results, isQuick }: GroupInput): Promise<void> {
  const configurations = isQuick ? 2_000 : 20_000;
  const runs = await inTurns(configurations, 0, isQuick ? 1 : 5, 'unchanged');
  const added = runs.map(
    ({ local, distributed }) => ((distributed.seconds - local.seconds) * 1000) / configurations,
  );
  const cpu = median(
    runs.map((run) => ((run.distributedCpuSeconds - run.local.cpuSeconds) * 1000) / configurations),
  );
  const detail = `unchanged run, ${amount(configurations)} configurations, ${WORKERS} workers; ${pairsOf(runs)}; processors ${cpu.toFixed(2)} ms`;
  results.add('workers', 'overhead', { value: median(added), detail });
}

interface Pair {
  local: Measured;
  distributed: Measured;
  /** Of coordinator and workers. */
  distributedCpuSeconds: number;
}

function pairsOf(pairs: readonly Pair[]): string {
  const times = (of: (pair: Pair) => number) => inMs(median(pairs.map(of)));
  return `local ${times(({ local }) => local.seconds)}, workers ${times(({ distributed }) => distributed.seconds)}, ${pairs.length} pairs`;
}

/** Local and distributed runs of two equal pipelines in turns. */
async function inTurns(
  configurations: number,
  latencyMs: number,
  pairs: number,
  kind: 'cold' | 'unchanged',
): Promise<Pair[]> {
  const runs: Pair[] = [];
  const looks = kind === 'unchanged' ? { looks: 300 } : {};
  const counted = { ...rangeOf(configurations).counted, ...looks };
  await withService({ counted }, latencyMs, async ({ workspace, queue, env }) => {
    const local = await workspace.pipeline('local', { env }, ALL);
    const distributed = await workspace.pipeline('distributed', { env }, ALL);
    if (kind === 'unchanged') for (const one of [local, distributed]) await one.run('run');
    for (let pair = 0; pair < pairs; pair++) {
      if (kind === 'cold') await local.clear();
      const here = await local.run('run');
      if (kind === 'cold') await distributed.clear();
      const { coordinator, workers } = await runDistributed(
        distributed,
        queue,
        { count: WORKERS },
        env,
      );
      const cpu = workers.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, coordinator.cpuSeconds);
      runs.push({ local: here, distributed: coordinator, distributedCpuSeconds: cpu });
    }
  });
  return runs;
}

/** Sizes of the runs: the model is calibrated by the first two, and checked by the others. */
const SIZES = { calibration: [2_000, 8_000], checks: [2_000, 20_000] } as const;
const QUICK_SIZES = { calibration: [250, 1_000], checks: [500, 2_000] } as const;
/** The same of runs with an object store, of which calls and objects are counted. */
const STORE_SIZES = { calibration: [200, 600], checks: [1_500] } as const;
const PREDICTED = [10_000, 100_000, 1_000_000, 10_000_000] as const;
/** Of the platform that the model is for. */
const MOST_PARTS = 18_000;
const NIGHT_SECONDS = 8 * 3600;
const CONDITIONS = { latencySeconds: LATENCY_MS / 1000, concurrency: CONNECTIONS };

/**
 * The capacity model: measures, prints what larger runs take, and checks two sizes.
 *
 * @throws Error if a figure is farther from its prediction than its tolerance.
 */
export async function scale({ results, isQuick, isFull }: GroupInput): Promise<void> {
  const sizes = isQuick ? QUICK_SIZES : SIZES;
  const [small, large] = [await measure(sizes.calibration[0]), await measure(sizes.calibration[1])];
  const stores = [
    await measureStore(STORE_SIZES.calibration[0]),
    await measureStore(STORE_SIZES.calibration[1]),
  ] as const;
  const capacity = calibrate([small, large], stores);
  const wrong: Check[] = [];
  const add = (row: string, configurations: number, where: string, checks: Check[]) => {
    wrong.push(...shown(configurations, where, checks));
    const detail = checks.map(inWords).join('; ');
    results.add('scale', row, { value: 1 + checks[0]!.deviation, detail });
  };
  for (const [index, configurations] of sizes.checks.entries()) {
    const run = await measure(configurations);
    const checks = checkRun(predict(capacity, run, CONDITIONS), run);
    add(index === 0 ? 'check small' : 'check large', configurations, 'through the queue', checks);
  }
  for (const configurations of STORE_SIZES.checks) {
    const run = await measureStore(configurations);
    const checks = checkStore(predict(capacity, run, CONDITIONS), run);
    add('check store', configurations, 'with an object store', checks);
  }
  for (const configurations of PREDICTED) predictRow(results, capacity, configurations);
  const ranges = { sizes: PREDICTED, driversOf };
  const night = { ...CONDITIONS, withinSeconds: NIGHT_SECONDS };
  wrong.push(...(await deliveriesAtScale({ results, isQuick, isFull }, capacity, ranges, night)));
  if (wrong.length === 0) return;
  throw new Error(`capacity model: ${wrong.length} figures are beyond their tolerance`);
}

function driversOf(configurations: number): Omit<Drivers, 'workers'> {
  const parts = Math.min(rangeOf(configurations).parts, MOST_PARTS);
  return { configurations, parts, chunks: Math.ceil(configurations / chunkLength(configurations)) };
}

function predictRow(
  results: GroupInput['results'],
  capacity: Capacity,
  configurations: number,
): void {
  const drivers = driversOf(configurations);
  const needed = workersFor(capacity, drivers, CONDITIONS, NIGHT_SECONDS);
  const count = needed ?? WORKERS;
  const of = (workers: number) => predict(capacity, { ...drivers, workers }, CONDITIONS);
  const run = of(count);
  const gib = (bytes: number) => (bytes / 2 ** 30).toPrecision(2);
  const detail = [
    needed === undefined
      ? 'the service alone takes longer than a night of 8 h'
      : `within a night of 8 h by ${needed === 1 ? '1 worker' : `${needed} workers`}`,
    ...[1, 10].map((count) => `${hours(of(count).seconds)} by ${count}`),
    `${hours(run.workerCpuSeconds)} of processors, ${run.secondsPerChunk.toFixed(2)} s a chunk`,
    `coordinator ${hours(run.coordinatorCpuSeconds)}, ${amount(Math.round(run.coordinatorMib))} MiB`,
    `${amount(Math.round(run.requests))} requests in at least ${hours(run.serviceSeconds)}, ${gib(run.receivedBytes)} GiB`,
    `${amount(Math.round(run.objects))} objects, ${gib(run.storedBytes)} GiB`,
    `${amount(Math.round(run.calls.puts))} PUT and LIST, ${amount(Math.round(run.calls.gets))} GET and HEAD`,
    `queue ${amount(run.chunks)} jobs, at most ${Math.ceil(run.queuedJobs)} at once, ${(run.queueBytes / 1024).toFixed(0)} KiB, ${run.queueCpuSeconds.toFixed(0)} s of processors`,
  ].join('; ');
  const value = of(WORKERS).seconds / 3600;
  results.add('scale', `predicted ${configurations}`, { value, detail });
}

/** Prints checks, and returns those that failed. */
function shown(configurations: number, where: string, checks: readonly Check[]): Check[] {
  console.log(`${amount(configurations)} configurations ${where}, measured against predicted:`);
  for (const check of checks) console.log(`  ${inWords(check)}${check.isMet ? '' : ' NOT MET'}`);
  return checks.filter(({ isMet }) => !isMet);
}

function inWords({ figure, predicted, measured, deviation, tolerance }: Check): string {
  const number = (value: number) =>
    value >= 100 ? amount(Math.round(value)) : value.toPrecision(3);
  const percent = `${deviation >= 0 ? '+' : ''}${(100 * deviation).toFixed(1)} %`;
  return `${figure} ${number(predicted)} → ${number(measured)} (${percent}, tolerance ${100 * tolerance} %)`;
}

/** A cold run with workers that share output and cache. */
async function measure(configurations: number): Promise<RunFigures> {
  const { parts, counted } = rangeOf(configurations);
  let figures: RunFigures | undefined;
  await withService({ counted }, LATENCY_MS, async ({ workspace, queue, env }) => {
    const pipeline = await workspace.pipeline('scale', { env }, ALL);
    figures = figuresOf(await runDistributed(pipeline, queue, { count: WORKERS }, env), parts);
  });
  console.log(`measured ${amount(configurations)}: ${JSON.stringify(figures)}`);
  return figures!;
}

/** A cold run with an object store, in which each worker has a cache of its own as on a machine of its own. */
async function measureStore(configurations: number): Promise<StoreFigures> {
  const { parts, counted } = rangeOf(configurations);
  let figures: StoreFigures | undefined;
  const s3 = await startS3Server();
  try {
    await withService({ counted }, 0, async ({ workspace, queue, env: shared }) => {
      const env = { ...shared, ...s3.env };
      const store = { url: `s3://${s3.bucket}` };
      const pipeline = await workspace.pipeline('stored', { env }, { ...ALL, store });
      const start = { count: WORKERS, optionsOf: ownFolders(workspace) };
      const run = await runDistributed(pipeline, queue, start, env);
      const { chunks, workers } = figuresOf(run, parts);
      const contents = [...s3.objects.values()].map(({ content }) => content.length);
      figures = {
        ...{ configurations, parts, chunks, workers },
        calls: callsOf(s3.seen),
        chunkCalls: callsOf(s3.seen.filter(({ url }) => OF_CHUNKS.test(url))),
        objects: contents.length,
        bytes: contents.reduce((sum, bytes) => sum + bytes, 0),
      };
    });
  } finally {
    await s3.close();
  }
  console.log(
    `measured ${amount(configurations)} with an object store: ${JSON.stringify(figures)}`,
  );
  return figures!;
}

/** Objects of which each chunk has one. */
const OF_CHUNKS = /\/(?:work\/[^/]+\/(?:chunks|results)|snapshots)\//;

function callsOf(seen: readonly { method: string; url: string }[]): StoreFigures['calls'] {
  const isList = ({ url }: { url: string }) => /[?&]list-type=/.test(url);
  const puts = seen.filter((one) => one.method === 'PUT' || one.method === 'POST' || isList(one));
  const gets = seen.filter((one) => ['GET', 'HEAD'].includes(one.method) && !isList(one));
  return { puts: puts.length, gets: gets.length };
}
