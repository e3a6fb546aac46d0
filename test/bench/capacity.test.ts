/** The arithmetic of the capacity model. */
import { describe, expect, test } from 'vitest';
import {
  calibrate,
  calibrateDelivery,
  checkDelivery,
  checkDeliveryStore,
  checkRun,
  checkStore,
  type DeliveryFigures,
  predict,
  predictDelivery,
  type RunFigures,
  type StoreFigures,
  secondsForAll,
  workersFor,
  workersForAll,
} from './capacity.ts';

/** A run that takes 10 s once and 5 ms of processors for each configuration, and so on: round numbers. */
function runOf(configurations: number): RunFigures {
  const parts = configurations / 10;
  return {
    ...{ configurations, parts, chunks: configurations / 50, workers: 3 },
    seconds: 2 + configurations / 200,
    workerCpuSeconds: 3 + configurations / 200,
    coordinatorCpuSeconds: 1 + configurations / 1000,
    queueCpuSeconds: configurations / 5000,
    coordinatorPeakMib: 100 + configurations / 100,
    workerPeakMib: 170,
    requests: 7 + 2 * configurations + 2 * parts,
    partRequests: 2 * parts,
    receivedBytes: 1000 * configurations,
    queuedJobs: 12,
    queueBytes: 600_000,
  };
}

function storeOf(configurations: number): StoreFigures {
  const chunks = configurations / 50;
  return {
    ...{ configurations, parts: configurations / 10, chunks, workers: 3 },
    calls: {
      puts: 20 + 5 * configurations + 3 * chunks,
      gets: 10 + 2 * configurations + 4 * chunks,
    },
    chunkCalls: { puts: 3 * chunks, gets: 4 * chunks },
    objects: 8 + 5 * configurations,
    bytes: 10_000 * configurations,
  };
}

/** Deliveries that take 2 s once and 30 ms of workers for each configuration. */
function deliveriesOf(configurations: number): DeliveryFigures {
  return {
    ...{ configurations, workers: 3, tasks: 3 * configurations },
    seconds: 2 + configurations / 100,
    workerCpuSeconds: 2 + 0.03 * configurations,
    coordinatorCpuSeconds: 1 + configurations / 1000,
    coordinatorPeakMib: 100 + configurations / 100,
    workerPeakMib: 300,
    store: {
      configurations,
      calls: { puts: 10 + 6 * configurations, gets: 20 + 9 * configurations },
      objects: 5 + 6 * configurations,
      bytes: 30_000 * configurations,
    },
  };
}

const DELIVERY = calibrateDelivery([deliveriesOf(200), deliveriesOf(800)]);

const CAPACITY = calibrate([runOf(1000), runOf(4000)], [storeOf(200), storeOf(600)]);
const SERVICE = { latencySeconds: 0.02, concurrency: 16 };
const MILLION = { configurations: 1_000_000, parts: 18_000, chunks: 5_000 };

describe('deliveries in a capacity model', () => {
  test('are predicted exactly where costs are straight', () => {
    for (const size of [500, 20_000]) {
      const run = deliveriesOf(size);
      const predicted = predictDelivery(DELIVERY, run);
      const checks = [
        ...checkDelivery(predicted, run),
        ...checkDeliveryStore(predicted, run.store!),
      ];
      for (const { figure, deviation } of checks)
        expect(Math.abs(deviation), figure).toBeLessThan(1e-9);
    }
  });

  test('are divided among workers, down to what the coordinator does alone', () => {
    const by = (workers: number) =>
      predictDelivery(DELIVERY, { configurations: 100_000, workers }).seconds;
    expect(by(1) / by(2)).toBeCloseTo(2);
    expect(by(1_000)).toBeCloseTo(101);
  });

  test('need as many workers as bring conversion and deliveries into the time', () => {
    const needed = workersForAll(CAPACITY, [DELIVERY, DELIVERY], MILLION, SERVICE, 24 * 3600)!;
    const seconds = (workers: number) =>
      secondsForAll(CAPACITY, [DELIVERY, DELIVERY], { ...MILLION, workers }, SERVICE);
    expect(seconds(needed)).toBeLessThanOrEqual(24 * 3600);
    expect(seconds(needed - 1)).toBeGreaterThan(24 * 3600);
    expect(workersForAll(CAPACITY, [DELIVERY], MILLION, SERVICE, 60)).toBeUndefined();
  });
});

describe('a capacity model', () => {
  test('predicts a run between those that calibrate it, and one beyond, exactly where costs are straight', () => {
    for (const size of [2000, 20_000]) {
      const prediction = predict(CAPACITY, runOf(size), SERVICE);
      const checks = [
        ...checkRun(prediction, runOf(size)),
        ...checkStore(prediction, storeOf(size)),
      ];
      for (const { figure, deviation } of checks)
        expect(Math.abs(deviation), figure).toBeLessThan(1e-9);
    }
  });

  test('counts shared parts, chunks and configurations each by their own number', () => {
    const drivers = { ...MILLION, workers: 10 };
    const { requests, calls, objects, receivedBytes } = predict(CAPACITY, drivers, SERVICE);
    expect(requests).toBeCloseTo(7 + 2_000_000 + 2 * 18_000);
    expect(calls.puts).toBeCloseTo(20 + 5_000_000 + 3 * 5_000);
    expect(calls.gets).toBeCloseTo(10 + 2_000_000 + 4 * 5_000);
    expect(objects).toBeCloseTo(5_000_008);
    expect(receivedBytes).toBeCloseTo(1e9);
  });

  test('is as fast as its workers until the service is slower', () => {
    const secondsOf = (workers: number, more = {}) =>
      predict(CAPACITY, { ...MILLION, workers }, { ...SERVICE, ...more }).seconds;
    const coordinator = 1 + 1_000;
    // A worker computes in 80 % of its time.
    expect(secondsOf(1)).toBeCloseTo(coordinator + 5_003 / 0.8);
    const serviceSeconds = (2_036_007 * 0.02) / 16;
    expect(secondsOf(100)).toBeCloseTo(coordinator + serviceSeconds);
    expect(secondsOf(100, { requestsPerSecond: 100 })).toBeCloseTo(coordinator + 20_360.07);
  });

  test('keeps the queue as short for ten million configurations as for thousands', () => {
    const jobsOf = (configurations: number) =>
      predict(CAPACITY, { ...MILLION, configurations, workers: 3 }, SERVICE).queuedJobs;
    expect(jobsOf(10_000_000)).toBe(jobsOf(4_000));
    expect(jobsOf(4_000)).toBe(12);
  });

  test('finds the workers for a night, or that none suffice', () => {
    const night = 8 * 3600;
    expect(workersFor(CAPACITY, MILLION, SERVICE, night)).toBe(1);
    expect(workersFor(CAPACITY, MILLION, SERVICE, 4_000)).toBe(3);
    expect(workersFor(CAPACITY, MILLION, SERVICE, 3_000)).toBeUndefined();
    const slow = { ...SERVICE, requestsPerSecond: 50 };
    expect(workersFor(CAPACITY, MILLION, slow, night)).toBeUndefined();
  });

  test('says by how much a run deviates, and whether that is too much', () => {
    const prediction = predict(CAPACITY, runOf(2000), SERVICE);
    const run = { ...runOf(2000), requests: 1.2 * prediction.requests };
    const [check] = checkRun(prediction, run).filter(({ figure }) => figure === 'requests');
    expect(check).toMatchObject({ tolerance: 0.05, isMet: false });
    expect(check!.deviation).toBeCloseTo(0.2);
  });
});
