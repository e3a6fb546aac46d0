import { describe, expect, test } from 'vitest';
import { RunMetrics } from '../../../../src/run/open/metrics.ts';
import type { ServiceDrift } from '../../../../src/source/service/service-config.ts';

const price = (found: string): ServiceDrift => ({
  ...{ operation: 'getArticle', field: 'article.ocd.price', expected: 'a finite number', found },
});

describe('what a worker measured', () => {
  const at = (status: number | undefined, operation = 'getArticle') => ({
    ...{ operation, status, bytes: 100, attempt: 1, ms: 5 },
  });

  test('is handed over once, and then counted from zero', () => {
    const metrics = new RunMetrics(() => 0);
    metrics.requests.count(at(200));
    metrics.requests.count(at(undefined));
    metrics.requests.count(at(200, 'getSessionToken'));
    metrics.drift.count(price('nothing'));
    expect(metrics.take()).toEqual({
      stageMs: {},
      requests: {
        ...{ sent: 3, bytesReceived: 300 },
        byOperation: { getArticle: 2, getSessionToken: 1 },
        byStatus: { '200': 2, none: 1 },
      },
      timed: { attempts: 2, ms: 10 },
      drift: [{ ...price('nothing'), count: 1 }],
    });
    expect(metrics.take()).toMatchObject({ requests: { sent: 0 }, timed: { ms: 0 }, drift: [] });
  });

  test('has the time of a stage in parts, also of one that is not over', async () => {
    let now = 0;
    const metrics = new RunMetrics(() => now);
    let end = () => {};
    const work = metrics.stopwatch.during('fetch', () => new Promise<void>((done) => (end = done)));
    now = 30;
    expect(metrics.take().stageMs).toEqual({ fetch: 30 });
    now = 50;
    end();
    await work;
    expect(metrics.take().stageMs).toEqual({ fetch: 20 });
    expect(metrics.take().stageMs).toEqual({});
  });

  test('added to a run is as if the run had measured all of it, in whatever order', () => {
    const events = [at(200), at(404), at(200, 'getBlock'), at(undefined)];
    const drifts = ['string "9"', 'nothing', 'string "10"'].map(price);
    const all = new RunMetrics(() => 0);
    for (const event of events) all.requests.count(event);
    for (const drift of drifts) all.drift.count(drift);
    const workers = [0, 1].map((worker) => {
      const metrics = new RunMetrics(() => 0);
      for (const one of events.filter((_, i) => i % 2 === worker)) metrics.requests.count(one);
      for (const one of drifts.filter((_, i) => i % 2 === worker)) metrics.drift.count(one);
      return metrics.take();
    });
    for (const parts of [workers, workers.toReversed()]) {
      const sum = new RunMetrics(() => 0);
      for (const part of parts) sum.add(part);
      expect(sum.requests.totals()).toEqual(all.requests.totals());
      expect(sum.requests.meanMs()).toBe(5);
      expect(sum.drift.rows()).toEqual(all.drift.rows());
    }
  });
});

describe('drift is counted by field', () => {
  const rowsOf = (mismatches: ServiceDrift[]) => {
    const { drift } = new RunMetrics(() => 0);
    for (const one of mismatches) drift.count(one);
    return drift.rows();
  };

  test('values of one type are one row, in whatever order they arrive', () => {
    const rows = ['string "9,50"', 'string "12,50"', 'an array of 2'].map(price);
    for (const some of [rows, rows.toReversed()])
      expect(rowsOf(some)).toEqual([
        { ...price('an array of 2'), count: 1 },
        { ...price('string "12,50"'), count: 2 },
      ]);
  });

  test('elements of a list are one field', () => {
    const fields = [0, 7, 123].map((place) => `nodes[${place}].ressources[0].restype`);
    const rows = rowsOf(fields.map((field) => ({ ...price('nothing'), field })));
    expect(rows).toMatchObject([{ field: 'nodes[].ressources[].restype', count: 3 }]);
  });

  test('equal ones in a row count each, and so does one after another field', () => {
    const none = price('nothing');
    const rows = rowsOf([none, none, { ...none, field: 'article.ocd.name' }, none]);
    expect(rows.map(({ field, count }) => [field, count])).toEqual([
      ['article.ocd.name', 1],
      ['article.ocd.price', 3],
    ]);
  });

  test('without a mismatch there are no rows', () => {
    expect(rowsOf([])).toEqual([]);
  });
});
