import fc from 'fast-check';
import Libsql from 'libsql';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Decision } from '../../../../src/model/asset.ts';
import type { CacheDatabase } from '../../../../src/source/cache/database.ts';
import { cachePerTest } from '../../../helpers/cache-per-test.ts';
import { samples } from '../../../helpers/samples.ts';

const HOUR = 3_600_000;
const NIGHT = Date.parse('2024-06-01T02:00:00Z');
/** A greater id than any process has. */
const DEAD = 2 ** 30;

const { at, open } = cachePerTest();
let state: CacheDatabase;
beforeEach(async () => {
  state = await open();
});

const run = (startedAt: number, pid = DEAD, more = {}) => ({
  service: 's',
  output: '/out',
  startedAt,
  pid,
  ...more,
});

it('an output is in use while a run that has it runs, in the same cache', () => {
  state.runs.begin(run(NIGHT));
  expect(state.runs.isInUse('/out', NIGHT)).toBe(false);
  state.runs.begin(run(NIGHT, process.pid));
  expect(state.runs.isInUse('/out', NIGHT)).toBe(true);
  expect(state.runs.isInUse('/other', NIGHT)).toBe(false);
});

describe('runs', () => {
  it('reuse responses since their own start if none was interrupted', () => {
    expect(state.runs.begin(run(NIGHT)).interruptedSince).toBe(NIGHT);
  });

  it('reuse responses since the start of the first run that they continue', () => {
    state.runs.begin(run(NIGHT));
    state.runs.begin(run(NIGHT + HOUR));
    const third = state.runs.begin(run(NIGHT + 2 * HOUR, process.pid));
    expect(third.interruptedSince).toBe(NIGHT);
    state.runs.finish(third.id);
    expect(state.runs.begin(run(NIGHT + 3 * HOUR)).interruptedSince).toBe(NIGHT + 3 * HOUR);
  });

  it('leave those that they continue to be continued, where they worked on a part', () => {
    state.runs.begin(run(NIGHT));
    const part = state.runs.begin(run(NIGHT + HOUR, process.pid));
    state.runs.finish(part.id, true);
    expect(state.runs.oldestRunning(NIGHT + 2 * HOUR)).toBeUndefined();
    expect(state.runs.begin(run(NIGHT + 2 * HOUR)).interruptedSince).toBe(NIGHT);
  });

  it('reuse responses until now, or later if the clock was set back', () => {
    expect(state.runs.begin(run(NIGHT))).toMatchObject({
      interruptedSince: NIGHT,
      interruptedUntil: NIGHT,
    });
    expect(state.runs.begin(run(NIGHT - HOUR))).toMatchObject({
      interruptedSince: NIGHT - HOUR,
      interruptedUntil: NIGHT,
    });
  });

  it('continue no run of another service or output, nor one that is still running', () => {
    state.runs.begin(run(NIGHT, DEAD, { service: 't' }));
    state.runs.begin(run(NIGHT, DEAD, { output: '/other' }));
    state.runs.begin(run(NIGHT, process.ppid));
    state.runs.begin(run(NIGHT, process.pid));
    expect(state.runs.begin(run(NIGHT + HOUR)).interruptedSince).toBe(NIGHT + HOUR);
  });

  it('continue one of their own process that was given up, as a process id that returned', async () => {
    state.runs.begin(run(NIGHT, process.pid));
    state.close();
    state = await open();
    expect(state.runs.oldestRunning(NIGHT + HOUR)).toBeUndefined();
    expect(state.runs.begin(run(NIGHT + HOUR, process.pid)).interruptedSince).toBe(NIGHT);
  });

  it('the oldest running one is found, the current one excepted', () => {
    state.runs.begin(run(NIGHT - HOUR));
    const first = state.runs.begin(run(NIGHT, process.pid));
    const second = state.runs.begin(run(NIGHT + 1, process.pid, { output: '/other' }));
    expect(state.runs.oldestRunning(NIGHT + HOUR)).toBe(NIGHT);
    expect(state.runs.oldestRunning(NIGHT + HOUR, first.id)).toBe(NIGHT + 1);
    state.runs.finish(second.id);
    expect(state.runs.oldestRunning(NIGHT + HOUR, first.id)).toBeUndefined();
  });

  it('never reuse responses until the next nightly run, whatever was interrupted when', () => {
    const ago = fc.integer({ min: 0, max: 60 * HOUR });
    fc.assert(
      fc.property(fc.uniqueArray(ago, { maxLength: 5 }), (agos) => {
        for (const before of agos.toSorted((a, b) => b - a)) state.runs.begin(run(NIGHT - before));
        const { id, interruptedSince } = state.runs.begin(run(NIGHT, process.pid));
        const continued = agos.filter((before) => before > 0 && before < 20 * HOUR);
        expect(interruptedSince).toBe(NIGHT - Math.max(0, ...continued));
        state.runs.finish(id);
      }),
      { seed: 6, numRuns: samples(50) },
    );
  });

  it('know the last refused one until a whole one is published, for its service and output', () => {
    const begin = (more = {}) => state.runs.begin(run(NIGHT + HOUR, DEAD, more));
    expect(begin().refusedAt).toBeUndefined();
    state.runs.refuse(state.runs.begin(run(NIGHT)).id);
    expect(begin({ output: '/other' }).refusedAt).toBeUndefined();
    const part = begin();
    expect(part.refusedAt).toBe(NIGHT);
    state.runs.finish(part.id, true);
    const whole = begin();
    expect(whole.refusedAt).toBe(NIGHT);
    state.runs.finish(whole.id);
    expect(begin().refusedAt).toBeUndefined();
  });
});

describe('what is in work', () => {
  const inWork = (of: CacheDatabase) => of.work.begin('/out').map(({ request }) => request);

  it('is no longer there in the next turn after it is finished, or with what starts before', async () => {
    const other = await open();
    await Promise.all(['a', 'b', 'c'].map((request) => state.work.start('/out', request)));
    expect(inWork(other)).toEqual(['a', 'b', 'c']);
    state.work.finish('/out', 'a');
    await state.work.start('/out', 'd');
    expect(inWork(other)).toEqual(['b', 'c', 'd']);
    state.work.finish('/out', 'b');
    await new Promise(setImmediate);
    expect(inWork(other)).toEqual(['c', 'd']);
    state.work.finish('/out', 'c');
    expect(inWork(state)).toEqual(['d']);
    state.work.finish('/out', 'd');
    state.close();
    expect(inWork(other)).toEqual([]);
  });

  it('is not begun where it cannot be noted', async () => {
    const other = new Libsql(at('state.db'));
    other.exec('ALTER TABLE durable_work RENAME TO hidden');
    const starts = ['a', 'b'].map((request) => state.work.start('/out', request));
    const rejected = { status: 'rejected', reason: { code: 'STATE_INVALID' } };
    expect(await Promise.allSettled(starts)).toMatchObject([rejected, rejected]);
    other.exec('ALTER TABLE hidden RENAME TO durable_work');
    other.close();
    await state.work.start('/out', 'c');
    expect(inWork(state)).toEqual(['c']);
  });
});

describe('decisions', () => {
  const NEW: Decision = { tier: 'built', why: ['it is not in the manifest of before'] };
  const KEPT: Decision = { tier: 'kept', why: [] };
  const put = (output: string, run: string, decision: Decision, ...keys: string[]) =>
    state.decisions.putAll(
      output,
      run,
      keys.map((key) => [key, decision]),
    );

  it('have the last one, with its run and its reasons', () => {
    put('out', 'first', NEW, 'a');
    expect(state.decisions.get('out', 'a')).toEqual({ run: 'first', ...NEW });
    put('out', 'second', KEPT, 'a');
    expect(state.decisions.get('out', 'a')).toEqual({ run: 'second', ...KEPT });
  });

  it('have of a repeated `kept` the id of the first run', () => {
    for (const run of ['first', 'second']) put('out', run, KEPT, 'a');
    expect(state.decisions.get('out', 'a')?.run).toBe('first');
  });

  it('about removed configurations are deleted, in their output folder only', () => {
    for (const output of ['one', 'other']) put(output, 'run', KEPT, 'a', 'b');
    state.decisions.keepOnly('one', new Set(['b']));
    expect(state.decisions.get('one', 'a')).toBeUndefined();
    expect(state.decisions.get('one', 'b')).toBeDefined();
    expect(state.decisions.get('other', 'a')).toBeDefined();
  });
});
