/**
 * The capacity model: what a run of any size takes, from what two small runs took. Pure arithmetic: a figure grows with
 * the one driver that causes it, from what the run costs once.
 */

/** What a figure grows with. */
export interface Drivers {
  configurations: number;
  /** Distinct blocks and images. */
  parts: number;
  chunks: number;
  workers: number;
}

/** Calls to a store by the units in which providers bill; removing is free. */
interface StoreCalls {
  /** Writes and lists, which providers bill at a higher price. */
  puts: number;
  /** Reads and questions whether an object is there. */
  gets: number;
}

/** What one distributed run took. */
export interface RunFigures extends Drivers {
  /** From the start of the coordinator to its end. */
  seconds: number;
  /** Processor time of all workers, without their start. */
  workerCpuSeconds: number;
  coordinatorCpuSeconds: number;
  /** Of the server of the queue. */
  queueCpuSeconds: number;
  coordinatorPeakMib: number;
  workerPeakMib: number;
  requests: number;
  /** Of these, for blocks and images. */
  partRequests: number;
  receivedBytes: number;
  /** Jobs on the queue at one moment, at most. */
  queuedJobs: number;
  /** What the tables of the queue took at its largest moment. */
  queueBytes: number;
}

/** What one run took in an object store, empty before. */
export interface StoreFigures extends Drivers {
  calls: StoreCalls;
  /** Of these, for what coordinator and workers exchange by chunk. */
  chunkCalls: StoreCalls;
  /** Objects that stay. */
  objects: number;
  bytes: number;
}

/** A straight line: what is there once, and what each adds. */
interface Line {
  once: number;
  each: number;
}

/** What {@link calibrate} found. */
export type Capacity = ReturnType<typeof calibrate>;

/** What a service allows. */
export interface Conditions {
  latencySeconds: number;
  /** Requests at the same time, of all workers together. */
  concurrency: number;
  /** Undefined if the service has no limit. */
  requestsPerSecond?: number;
}

/** Part of its time in which a worker with a processor of its own computes; in the rest it waits for others. */
const BUSY = 0.8;

/** What a run is predicted to take. */
type Prediction = ReturnType<typeof predict>;

/** The line through two points, which falls nowhere; level if they are above one another. */
function lineThrough(small: number, smallValue: number, large: number, largeValue: number): Line {
  const each = large === small ? 0 : Math.max(0, (largeValue - smallValue) / (large - small));
  return { once: Math.max(0, largeValue - each * large), each };
}

function byConfigurations<Run extends Drivers>(
  [small, large]: readonly [Run, Run],
  of: (run: Run) => number,
): Line {
  return lineThrough(small.configurations, of(small), large.configurations, of(large));
}

/**
 * Finds what runs cost once and for each configuration.
 *
 * @param runs - Two runs with the same workers, of different sizes, the smaller first.
 * @param stores - The same, with an object store.
 */
export function calibrate(
  runs: readonly [RunFigures, RunFigures],
  stores: readonly [StoreFigures, StoreFigures],
) {
  const [small, large] = runs;
  const [, largeStore] = stores;
  const line = (of: (run: RunFigures) => number) => byConfigurations(runs, of);
  const storeLine = (of: (run: StoreFigures) => number) => byConfigurations(stores, of);
  const own = line((run) => run.requests - run.partRequests);
  return {
    // By configurations; `seconds` are those of the same workers on this machine.
    workerCpuSeconds: line((run) => run.workerCpuSeconds),
    seconds: line((run) => run.seconds),
    coordinatorCpuSeconds: line((run) => run.coordinatorCpuSeconds),
    receivedBytes: line((run) => run.receivedBytes),
    coordinatorMib: line((run) => run.coordinatorPeakMib),
    // Each configuration alone, and each part.
    requests: { once: own.once, configuration: own.each, part: large.partRequests / large.parts },
    workerMib: Math.max(small.workerPeakMib, large.workerPeakMib),
    // By workers: back-pressure keeps the queue short.
    queuedJobs: Math.max(small.queuedJobs, large.queuedJobs) / large.workers,
    queueBytes: lineThrough(
      ...([small.queuedJobs, small.queueBytes, large.queuedJobs, large.queueBytes] as const),
    ),
    queueCpuSeconds: large.queueCpuSeconds / large.chunks,
    // By configurations; those for chunks apart.
    store: {
      puts: storeLine((run) => run.calls.puts - run.chunkCalls.puts),
      gets: storeLine((run) => run.calls.gets - run.chunkCalls.gets),
      chunkPuts: largeStore.chunkCalls.puts / largeStore.chunks,
      chunkGets: largeStore.chunkCalls.gets / largeStore.chunks,
      objects: storeLine((run) => run.objects),
      bytes: storeLine((run) => run.bytes),
    },
  };
}

const at = ({ once, each }: Line, count: number): number => once + each * count;

/** Predicts a run. */
export function predict(capacity: Capacity, drivers: Drivers, conditions: Conditions) {
  const { configurations, parts, chunks, workers } = drivers;
  const { store } = capacity;
  const of = (line: Line) => at(line, configurations);
  const { once, configuration, part } = capacity.requests;
  const requests = once + configuration * configurations + part * parts;
  const workerCpuSeconds = of(capacity.workerCpuSeconds);
  const coordinatorCpuSeconds = of(capacity.coordinatorCpuSeconds);
  const serviceSeconds = serviceTime(requests, conditions);
  const chunkSeconds = Math.max(workerCpuSeconds / workers / BUSY, serviceSeconds);
  return {
    ...drivers,
    // With a processor for each worker; `secondsHere` with the workers of the calibration.
    seconds: chunkSeconds + coordinatorCpuSeconds,
    secondsHere: of(capacity.seconds),
    ...{ serviceSeconds, workerCpuSeconds, coordinatorCpuSeconds },
    queueCpuSeconds: capacity.queueCpuSeconds * chunks,
    secondsPerChunk: workerCpuSeconds / chunks,
    requests,
    receivedBytes: of(capacity.receivedBytes),
    coordinatorMib: of(capacity.coordinatorMib),
    workerMib: capacity.workerMib,
    queuedJobs: capacity.queuedJobs * workers,
    queueBytes: at(capacity.queueBytes, capacity.queuedJobs * workers),
    objects: of(store.objects),
    storedBytes: of(store.bytes),
    calls: {
      puts: of(store.puts) + store.chunkPuts * chunks,
      gets: of(store.gets) + store.chunkGets * chunks,
    },
  };
}

/** Requests one after the other on each connection, or as many a second as the service allows. */
function serviceTime(
  requests: number,
  { latencySeconds, concurrency, requestsPerSecond = Number.POSITIVE_INFINITY }: Conditions,
): number {
  return Math.max((requests * latencySeconds) / concurrency, requests / requestsPerSecond);
}

/**
 * The workers that do a run within some time, a processor each.
 *
 * @returns Undefined if no number of them does, since the service or the coordinator takes longer.
 */
export function workersFor(
  capacity: Capacity,
  drivers: Omit<Drivers, 'workers'>,
  conditions: Conditions,
  withinSeconds: number,
): number | undefined {
  const { workerCpuSeconds, coordinatorCpuSeconds, serviceSeconds } = predict(
    capacity,
    { ...drivers, workers: 1 },
    conditions,
  );
  const leftSeconds = withinSeconds - coordinatorCpuSeconds;
  if (leftSeconds <= 0 || serviceSeconds > leftSeconds) return undefined;
  return Math.max(1, Math.ceil(workerCpuSeconds / leftSeconds / BUSY));
}

/** What deliveries of one kind took in one distributed run, which had nothing to convert. */
export interface DeliveryFigures {
  configurations: number;
  workers: number;
  /** Files of a GLB for one delivery, made by workers. */
  tasks: number;
  /** Of the whole run. */
  seconds: number;
  workerCpuSeconds: number;
  coordinatorCpuSeconds: number;
  coordinatorPeakMib: number;
  /** Of a worker with its browser. */
  workerPeakMib: number;
  /** Calls to an object store, objects and bytes that the deliveries added; of a run with a store. */
  store?: { configurations: number; calls: StoreCalls; objects: number; bytes: number };
}

/** What {@link calibrateDelivery} found. */
export type DeliveryCapacity = ReturnType<typeof calibrateDelivery>;

/** Finds what deliveries of one kind cost once and for each configuration. @param runs - The smaller first. */
export function calibrateDelivery(runs: readonly [DeliveryFigures, DeliveryFigures]) {
  const [small, large] = runs;
  const line = (of: (run: DeliveryFigures) => number) =>
    lineThrough(small.configurations, of(small), large.configurations, of(large));
  const storeLine = (of: (store: NonNullable<DeliveryFigures['store']>) => number) =>
    small.store && large.store
      ? lineThrough(
          ...([small.store.configurations, of(small.store)] as const),
          ...([large.store.configurations, of(large.store)] as const),
        )
      : { once: 0, each: 0 };
  return {
    tasks: line(({ tasks }) => tasks),
    seconds: line(({ seconds }) => seconds),
    workerCpuSeconds: line((run) => run.workerCpuSeconds),
    coordinatorCpuSeconds: line((run) => run.coordinatorCpuSeconds),
    coordinatorMib: line((run) => run.coordinatorPeakMib),
    workerMib: Math.max(small.workerPeakMib, large.workerPeakMib),
    puts: storeLine(({ calls }) => calls.puts),
    gets: storeLine(({ calls }) => calls.gets),
    objects: storeLine(({ objects }) => objects),
    bytes: storeLine(({ bytes }) => bytes),
  };
}

/** Predicts deliveries of one kind, after the conversion. @param workers - With a processor each. */
export function predictDelivery(
  capacity: DeliveryCapacity,
  { configurations, workers }: Pick<Drivers, 'configurations' | 'workers'>,
) {
  const of = (line: Line) => at(line, configurations);
  const workerCpuSeconds = of(capacity.workerCpuSeconds);
  const coordinatorCpuSeconds = of(capacity.coordinatorCpuSeconds);
  return {
    ...{ workerCpuSeconds, coordinatorCpuSeconds, workerMib: capacity.workerMib },
    // The coordinator publishes while workers make files.
    seconds: Math.max(workerCpuSeconds / workers / BUSY, coordinatorCpuSeconds),
    secondsHere: of(capacity.seconds),
    tasks: of(capacity.tasks),
    coordinatorMib: of(capacity.coordinatorMib),
    calls: { puts: of(capacity.puts), gets: of(capacity.gets) },
    objects: of(capacity.objects),
    storedBytes: of(capacity.bytes),
  };
}

const DELIVERY_TOLERANCES = {
  secondsHere: 0.35,
  workerCpuSeconds: 0.35,
  coordinatorCpuSeconds: 0.35,
  coordinatorMib: 0.35,
  tasks: 0.05,
} as const;

/** Compares what deliveries took with what was predicted. */
export function checkDelivery(
  prediction: ReturnType<typeof predictDelivery>,
  run: DeliveryFigures,
): Check[] {
  const { seconds: secondsHere, coordinatorPeakMib: coordinatorMib } = run;
  const measured = { ...run, secondsHere, coordinatorMib };
  return Object.entries(DELIVERY_TOLERANCES).map(([figure, tolerance]) => {
    const name = figure as keyof typeof DELIVERY_TOLERANCES;
    return checkOf(figure, prediction[name], measured[name], tolerance);
  });
}

/** Compares what deliveries took of an object store with what was predicted. */
export function checkDeliveryStore(
  { calls, objects }: ReturnType<typeof predictDelivery>,
  store: NonNullable<DeliveryFigures['store']>,
): Check[] {
  return [
    checkOf('puts', calls.puts, store.calls.puts, COUNT_TOLERANCE),
    checkOf('gets', calls.gets, store.calls.gets, COUNT_TOLERANCE),
    checkOf('objects', objects, store.objects, COUNT_TOLERANCE),
  ];
}

const COUNT_TOLERANCE = 0.05;

/**
 * The workers that convert a range and make its deliveries within some time, a processor each.
 *
 * @returns Undefined if no number of them does.
 */
export function workersForAll(
  convert: Capacity,
  deliveries: readonly DeliveryCapacity[],
  drivers: Omit<Drivers, 'workers'>,
  conditions: Conditions,
  withinSeconds: number,
): number | undefined {
  const secondsBy = (workers: number) =>
    secondsForAll(convert, deliveries, { ...drivers, workers }, conditions);
  let most = 1;
  while (secondsBy(most) > withinSeconds) {
    most *= 2;
    if (most > MOST_WORKERS) return undefined;
  }
  let least = Math.floor(most / 2);
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (secondsBy(middle) > withinSeconds) least = middle;
    else most = middle;
  }
  return most;
}

const MOST_WORKERS = 2 ** 20;

/** How long a run takes that converts, and then makes what deliveries want: at worst, since both overlap. */
export function secondsForAll(
  convert: Capacity,
  deliveries: readonly DeliveryCapacity[],
  drivers: Drivers,
  conditions: Conditions,
): number {
  const made = deliveries.map((one) => predictDelivery(one, drivers).seconds);
  return made.reduce((sum, one) => sum + one, predict(convert, drivers, conditions).seconds);
}

/** A figure that was predicted and measured. */
export interface Check {
  figure: string;
  predicted: number;
  measured: number;
  /** Of measured from predicted: 0.1 is a tenth more. */
  deviation: number;
  /** Largest deviation, either way. */
  tolerance: number;
  isMet: boolean;
}

/** How far figures may be from their prediction: counts by little, times and memory by what machines vary. */
const TOLERANCES = {
  secondsHere: 0.35,
  workerCpuSeconds: 0.3,
  coordinatorCpuSeconds: 0.3,
  requests: 0.05,
  receivedBytes: 0.05,
  coordinatorMib: 0.35,
  queuedJobs: 0.5,
} as const satisfies Partial<Record<keyof Prediction, number>>;

/** Compares what a run took with what was predicted. */
export function checkRun(prediction: Prediction, run: RunFigures): Check[] {
  const { seconds: secondsHere, coordinatorPeakMib: coordinatorMib } = run;
  const measured = { ...run, secondsHere, coordinatorMib };
  return Object.entries(TOLERANCES).map(([figure, tolerance]) => {
    const name = figure as keyof typeof TOLERANCES;
    return checkOf(figure, prediction[name], measured[name], tolerance);
  });
}

const STORE_TOLERANCE = 0.1;

/** Compares what a run took of an object store with what was predicted. */
export function checkStore(prediction: Prediction, run: StoreFigures): Check[] {
  const { calls, objects, storedBytes } = prediction;
  return [
    checkOf('puts', calls.puts, run.calls.puts, STORE_TOLERANCE),
    checkOf('gets', calls.gets, run.calls.gets, STORE_TOLERANCE),
    checkOf('objects', objects, run.objects, STORE_TOLERANCE),
    checkOf('storedBytes', storedBytes, run.bytes, STORE_TOLERANCE),
  ];
}

function checkOf(figure: string, predicted: number, measured: number, tolerance: number): Check {
  const deviation = measured / predicted - 1;
  const isMet = Math.abs(deviation) <= tolerance;
  return { figure, predicted, measured, deviation, tolerance, isMet };
}
