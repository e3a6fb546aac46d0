/** The capacity model of deliveries: calibrated by small runs of workers, checked by larger ones, printed for ranges. */
import { startS3Server } from '../helpers/s3-server.ts';
import {
  type Capacity,
  type Check,
  type Conditions,
  calibrateDelivery,
  checkDelivery,
  checkDeliveryStore,
  type DeliveryCapacity,
  type DeliveryFigures,
  type Drivers,
  predictDelivery,
  secondsForAll,
  workersForAll,
} from './capacity.ts';
import { countedRange, ownFolders, withConverted, withService } from './counted.ts';
import { amount, hours } from './details.ts';
import { type DistributedRun, runDistributed } from './distributed.ts';
import type { GroupInput } from './results.ts';
import { ALL } from './workspace.ts';

const WORKERS = 3;
/** Memory of a browser beside its worker, as `--memory` counts it, MiB. */
const BROWSER_MIB = 640;

/**
 * What is delivered, in the sizes that calibrate the model and in those that check it. The heap of a coordinator grows
 * fast in small ranges and hardly in large ones, so a small range does not predict its memory. All GLBs of a range of 20
 * are equal, and have one picture.
 */
const DELIVERED = {
  profiles: {
    deliver: { profiles: ['web', 'ar-android', 'ar-ios'] },
    sizes: { calibration: [1_000, 10_000], checks: [2_000, 20_000], stores: [60, 200, 500] },
    quick: { calibration: [60, 240], checks: [120], stores: [20, 60, 100] },
  },
  pictures: {
    deliver: { pictures: { cameras: ['hero', 'front'], width: 400, height: 300 } },
    sizes: { calibration: [60, 240], checks: [500], stores: [60, 120, 200] },
    quick: { calibration: [10, 30], checks: [20], stores: [10, 20, 30] },
  },
} as const;

type DeliveredKind = keyof typeof DELIVERED;

interface Sizes {
  calibration: readonly [number, number];
  checks: readonly number[];
  /** With an object store: two to calibrate, one to check. */
  stores: readonly [number, number, number];
}

/** Calibrates and checks both kinds, and predicts ranges. @returns The checks that failed. */
export async function deliveriesAtScale(
  { results, isQuick }: GroupInput,
  convert: Capacity,
  ranges: { sizes: readonly number[]; driversOf(size: number): Omit<Drivers, 'workers'> },
  conditions: Conditions & { withinSeconds: number },
): Promise<Check[]> {
  const wrong: Check[] = [];
  const capacities: Record<string, DeliveryCapacity> = {};
  for (const kind of Object.keys(DELIVERED) as DeliveredKind[]) {
    const sizes: Sizes = DELIVERED[kind][isQuick ? 'quick' : 'sizes'];
    const [small, large] = sizes.calibration;
    const capacity = calibrateDelivery([
      { ...(await measure(kind, small)), store: await measureStore(kind, sizes.stores[0]) },
      { ...(await measure(kind, large)), store: await measureStore(kind, sizes.stores[1]) },
    ]);
    capacities[kind] = capacity;
    const add = (
      row: 'check small' | 'check large' | 'check store',
      size: number,
      checks: Check[],
    ) => {
      wrong.push(...checks.filter(({ isMet }) => !isMet));
      const detail = `${amount(size)} configurations; ${checks.map(inWords).join('; ')}`;
      results.add('scale', `${kind} ${row}`, { value: 1 + checks[0]!.deviation, detail });
      console.log(`${kind}: ${detail}`);
    };
    for (const [index, size] of sizes.checks.entries()) {
      const run = await measure(kind, size);
      const checks = checkDelivery(predictDelivery(capacity, run), run);
      add(index === 0 ? 'check small' : 'check large', size, checks);
    }
    const store = await measureStore(kind, sizes.stores[2]);
    const drivers = { ...store, workers: WORKERS };
    add(
      'check store',
      store.configurations,
      checkDeliveryStore(predictDelivery(capacity, drivers), store),
    );
  }
  for (const size of ranges.sizes)
    predictRow(results, size, convert, capacities, ranges.driversOf(size), conditions);
  return wrong;
}

function predictRow(
  results: GroupInput['results'],
  size: number,
  convert: Capacity,
  capacities: Readonly<Record<string, DeliveryCapacity>>,
  drivers: Omit<Drivers, 'workers'>,
  conditions: Conditions & { withinSeconds: number },
): void {
  const all = Object.values(capacities);
  const { withinSeconds } = conditions;
  const needed = workersForAll(convert, all, drivers, conditions, withinSeconds);
  const by = (workers: number) => secondsForAll(convert, all, { ...drivers, workers }, conditions);
  const kinds = Object.entries(capacities).map(([kind, capacity]) => {
    const one = predictDelivery(capacity, { ...drivers, workers: 1 });
    const gib = (one.storedBytes / 2 ** 30).toPrecision(2);
    const memory = one.workerMib + (kind === 'pictures' ? BROWSER_MIB : 0);
    return `${kind}: ${hours(one.workerCpuSeconds)} of processors, worker ${amount(Math.round(memory))} MiB, coordinator ${hours(one.coordinatorCpuSeconds)}, ${amount(Math.round(one.calls.puts))} PUT and LIST, ${amount(Math.round(one.calls.gets))} GET and HEAD, ${gib} GiB`;
  });
  const detail = [
    needed === undefined
      ? 'no number of workers makes it in a night of 8 h'
      : `within a night of 8 h by ${amount(needed)} workers`,
    [1, 3, 10, 100].map((count) => `${hours(by(count))} by ${count}`).join(', '),
    ...kinds,
  ].join('; ');
  results.add('scale', `delivered ${size}`, { value: by(WORKERS) / 3600, detail });
}

function inWords({ figure, predicted, measured, deviation, tolerance, isMet }: Check): string {
  const number = (value: number) =>
    value >= 100 ? amount(Math.round(value)) : value.toPrecision(3);
  const percent = `${deviation >= 0 ? '+' : ''}${(100 * deviation).toFixed(1)} %`;
  return `${figure} ${number(predicted)} → ${number(measured)} (${percent}, tolerance ${100 * tolerance} %${isMet ? '' : ', NOT MET'})`;
}

/** A run that makes all files of one kind, and has nothing to convert. */
async function measure(kind: DeliveredKind, configurations: number): Promise<DeliveryFigures> {
  let figures: DeliveryFigures | undefined;
  await withConverted(
    countedRange(configurations),
    DELIVERED[kind].deliver,
    async ({ distributed }) => {
      const { prepare, run } = distributed({ count: WORKERS });
      await prepare();
      figures = figuresOf(await run(), configurations);
    },
  );
  console.log(`measured ${kind} of ${amount(configurations)}: ${JSON.stringify(figures)}`);
  return figures!;
}

function figuresOf(
  { coordinator, workers, report }: DistributedRun,
  configurations: number,
): DeliveryFigures {
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  return {
    ...{ configurations, workers: workers.length },
    tasks: sum(report.workers!.map(({ made = 0 }) => made)),
    seconds: coordinator.seconds,
    workerCpuSeconds: sum(workers.map(({ cpuSeconds }) => cpuSeconds)),
    coordinatorCpuSeconds: coordinator.cpuSeconds,
    coordinatorPeakMib: coordinator.peakMib,
    workerPeakMib: Math.max(...workers.map(({ peakMib }) => peakMib)),
  };
}

/** What deliveries add to an object store, in which their range is converted already. */
async function measureStore(
  kind: DeliveredKind,
  configurations: number,
): Promise<NonNullable<DeliveryFigures['store']>> {
  const s3 = await startS3Server();
  let figures: DeliveryFigures['store'];
  try {
    await withService(
      countedRange(configurations).range,
      0,
      async ({ workspace, queue, ...of }) => {
        const env = { ...of.env, ...s3.env };
        const store = { url: `s3://${s3.bucket}` };
        const start = { count: WORKERS, optionsOf: ownFolders(workspace) };
        const open = (content: object) =>
          workspace.pipeline('stored', { env }, { ...ALL, store, ...content });
        const run = async (content: object) => {
          const pipeline = await open(content);
          s3.seen.length = 0;
          await runDistributed(pipeline, queue, start, env);
          const sizes = [...s3.objects.values()].map(({ content: { length } }) => length);
          const isList = (url: string) => /[?&]list-type=/.test(url);
          const puts = s3.seen.filter(({ method, url }) => /PUT|POST/.test(method) || isList(url));
          const gets = s3.seen.filter(({ method, url }) => /GET|HEAD/.test(method) && !isList(url));
          return {
            ...{ puts: puts.length, gets: gets.length, objects: sizes.length },
            bytes: sizes.reduce((all, one) => all + one, 0),
          };
        };
        await run({});
        const before = await run({});
        const { puts, gets, objects, bytes } = await run({ deliver: DELIVERED[kind].deliver });
        figures = {
          ...{ configurations, objects: objects - before.objects, bytes: bytes - before.bytes },
          calls: { puts: puts - before.puts, gets: gets - before.gets },
        };
      },
    );
  } finally {
    await s3.close();
  }
  console.log(`measured ${kind} in a store: ${JSON.stringify(figures)}`);
  return figures!;
}
