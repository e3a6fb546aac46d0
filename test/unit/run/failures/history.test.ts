import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONVERT_DEFAULTS } from '../../../../src/convert/transform/convert-options.ts';
import { parsePipeline } from '../../../../src/deliver/pipeline.ts';
import { FailureHistory } from '../../../../src/run/failures/history.ts';
import { type CacheDatabase, openCacheDatabase } from '../../../../src/source/cache/database.ts';
import type { SelectedArticle } from '../../../../src/source/fetch/selection.ts';
import { acme as request } from '../../../helpers/fetch-bench.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

let folder: string;
let database: CacheDatabase;
/** Each test has its own in the database. */
let outputDir: string;
let tests = 0;
beforeAll(async () => {
  folder = await temporaryFolder();
  database = await openCacheDatabase(folder);
});
beforeEach(() => {
  outputDir = `/out/${++tests}`;
});
afterAll(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

const POLICY = { quarantineAfterNights: 3, retryEveryNights: 7, quarantineAfterKills: 2 };
const PIPELINE = parsePipeline(
  'name: x\nservice: { emulator: true }\narticles: [{ list: a.csv }]\noutput: { dir: out }',
  'x.yaml',
  {},
);
const LOST = { code: 'BLOCK_MISSING', message: 'no such block' };
const REFUSED = { code: 'HTTP_STATUS', message: 'status 500' };
const day = (n: number, hour = 2) => Date.UTC(2026, 0, n, hour);
type Options = Partial<ConstructorParameters<typeof FailureHistory>[1]>;
const open = (n: number, other: Options = {}) =>
  new FailureHistory(database.failures, {
    ...{ ...PIPELINE, outputDir, failures: POLICY, now: day(n) },
    ...other,
  });
const selected = (number: string, ...alike: string[]): SelectedArticle => ({
  request: request(number),
  why: ['list'],
  ...(alike.length > 0 && { alike: alike.map((one) => request(one)) }),
});
type History = ReturnType<typeof open>;
/** A complete run on a day; returns its history. */
const record = (n: number, work: (history: History) => void, other?: Options) => {
  const history = open(n, other);
  work(history);
  history.save(true);
  return history;
};
/** The same: returns which articles are tried, of which the named ones fail. */
const runOn = (n: number, articles: string[], failing: string[], other?: Options) => {
  const history = open(n, other);
  const tried = history.split(articles.map((number) => selected(number))).tried;
  const numbers = tried.map((article) => article.request.basearticlenumber);
  for (const number of numbers)
    history.record(request(number), failing.includes(number) ? LOST : undefined);
  history.save(true);
  return numbers;
};
/** The catalogue says that all data was converted on a day. */
const convertedOn = (state: string): Options => ({
  ownersOf: () => ['ACME'],
  dates: () => ({ stateOf: () => state }),
});
/** A planning of which a child fails that is an asset of its own. */
const recordPlanning = (history: History) => {
  history.record(request('ROOT'));
  history.record(request('CHILD'), LOST, request('ROOT'));
};
/** Three runs, after which what has failed in each is in quarantine. */
const quarantine = (articles: string[], failing = articles) => {
  for (const n of [1, 2, 3]) runOn(n, articles, failing);
};

describe('what keeps failing', () => {
  test('is counted by attempts and by days', () => {
    runOn(1, ['A', 'B'], ['A']);
    runOn(1, ['A', 'B'], ['A'], { now: day(1, 5) });
    runOn(2, ['A', 'B'], ['A']);
    expect(open(2).historyOf(request('A'))).toEqual({
      ...{ attempts: 3, nights: 2, quarantined: false },
      ...{ firstSeen: '2026-01-01T02:00:00.000Z', lastSeen: '2026-01-02T02:00:00.000Z' },
    });
    expect(open(2).historyOf(request('B'))).toBeUndefined();
  });

  test('is tried every day at first, then every week', () => {
    const nights = Array.from({ length: 21 }, (_, n) => n + 1);
    const tried = nights.filter((n) => runOn(n, ['A', 'B'], ['A']).includes('A'));
    expect(tried).toEqual([1, 2, 3, 10, 17]);
  });

  test('is tried although its last failure is in the future, since the clock was set back', () => {
    for (const n of [301, 302, 303]) runOn(n, ['A', 'B'], ['A']);
    expect(runOn(1, ['A', 'B'], ['A'])).toEqual(['A', 'B']);
    expect(runOn(2, ['A', 'B'], ['A'])).toEqual(['B']);
  });

  test('has in quarantine its last failure and the day of the next attempt', () => {
    quarantine(['A', 'B'], ['A']);
    const history = open(4);
    const { tried, lookedAt } = history.split([selected('A'), selected('B')]);
    expect(tried).toEqual([selected('B')]);
    const quarantined = { ...LOST, isOfFetch: false };
    expect(lookedAt).toEqual([{ ...selected('A'), quarantined }]);
    expect(history.historyOf(request('A'))).toMatchObject({
      ...{ attempts: 3, nights: 3, quarantined: true, retryOn: '2026-01-10' },
    });
  });

  test('is deleted from the history when it succeeds', () => {
    quarantine(['A']);
    expect(runOn(10, ['A'], [])).toEqual(['A']);
    expect(open(10).historyOf(request('A'))).toBeUndefined();
    runOn(11, ['A'], ['A']);
    expect(open(11).historyOf(request('A'))).toMatchObject({ attempts: 1, nights: 1 });
  });

  test('is stored with its last error', () => {
    runOn(1, ['A'], ['A']);
    record(2, (history) => history.record(request('A'), REFUSED));
    expect(database.failures.all(outputDir)).toMatchObject([{ ...REFUSED, nights: 2 }]);
  });

  test('is tried when the order of overrides changes, not when options are only written in another order', () => {
    quarantine(['A']);
    const overrides = { '*': { metallic: 0 }, '*CHROME*': { metallic: 1 } };
    expect(runOn(4, ['A'], ['A'], { convert: { ...CONVERT_DEFAULTS, overrides } })).toEqual(['A']);
    const rewritten = Object.entries({ ...CONVERT_DEFAULTS, overrides }).reverse();
    const convert = Object.fromEntries(rewritten) as never;
    expect(runOn(5, ['A'], ['A'], { convert })).toEqual([]);
    const swapped = { '*CHROME*': { metallic: 1 }, '*': { metallic: 0 } };
    const swappedOptions = { ...CONVERT_DEFAULTS, overrides: swapped };
    expect(runOn(6, ['A'], ['A'], { convert: swappedOptions })).toEqual(['A']);
  });

  const { service, limits, convert } = PIPELINE;
  test.each([
    ['SCENE_TOO_LARGE', { convert: { ...convert, maxTriangles: 20_000_000 } }],
    ['SCENE_TOO_LARGE', { convert: { ...convert, maxSceneBytes: 2 ** 33 } }],
    ['SCENE_TOO_LARGE', { convert: { ...convert, maxNodes: 300_000 } }],
    ['RESPONSE_TOO_LARGE', { service: { ...service, maxJsonValues: 1_000_000 } }],
    ['RESPONSE_TOO_LARGE', { service: { ...service, maxResponseBytes: 2 ** 28 } }],
    ['HTTP_TIMEOUT', { service: { ...service, timeoutMs: 120_000 } }],
    ['OUT_OF_MEMORY', { limits: { ...limits, conversionHeapMb: 4096 } }],
    ['ARTICLE_TIMEOUT', { limits: { ...limits, articleTimeoutMs: 1_800_000 } }],
  ])('by the limit of %s is tried when this limit changes, and nothing else is', (code, raised) => {
    for (const n of [1, 2, 3])
      record(n, (history) => {
        history.record(request('A'), { code, message: 'too much' });
        history.record(request('B'), LOST);
      });
    const isWaiting = (other: Options) =>
      ['A', 'B'].map((number) => open(4, other).isWaiting(request(number)));
    expect(isWaiting({})).toEqual([true, true]);
    expect(isWaiting({ limits: { ...limits, maxTextCharacters: 500 } })).toEqual([true, true]);
    expect(isWaiting(raised)).toEqual([false, true]);
  });

  test('is tried when the convert options change', () => {
    quarantine(['A']);
    const convert = { ...CONVERT_DEFAULTS, allowMissingParts: true };
    expect(runOn(4, ['A'], ['A'])).toEqual([]);
    expect(runOn(4, ['A'], ['A'], { convert })).toEqual(['A']);
    expect(runOn(5, ['A'], ['A'], { convert })).toEqual([]);
  });

  test('is tried if all are requested explicitly', () => {
    quarantine(['A']);
    const all = { tried: [selected('A')], lookedAt: [], quarantined: [] };
    expect(open(4).split([selected('A')], true)).toEqual(all);
  });

  test('belongs to one output folder', () => {
    quarantine(['A']);
    expect(runOn(4, ['A'], [], { outputDir: '/other' })).toEqual(['A']);
    expect(open(4).historyOf(request('A'))).toBeDefined();
  });
});

describe('quarantine is for single articles', () => {
  const many = Array.from({ length: 300 }, (_, n) => `M${n}`);

  test('if more than a tenth of a selection would be in it, all are tried', () => {
    quarantine(many, many.slice(0, 31));
    expect(runOn(4, many, [])).toEqual(many);
  });

  test('below that they remain in it', () => {
    quarantine(many, many.slice(0, 30));
    expect(runOn(4, many, [])).toHaveLength(270);
  });

  test('if all are tried, none is reported as quarantined', () => {
    const ill = many.slice(0, 31);
    for (const n of [1, 2]) runOn(n, many, ill);
    const historyOnDay = (n: number, failing: string[]) =>
      record(n, (history) => {
        history.split(many.map((number) => selected(number)));
        for (const number of many)
          history.record(request(number), failing.includes(number) ? LOST : undefined);
      }).historyOf(request('M0'));
    expect(historyOnDay(3, ill)).toMatchObject({ nights: 3, quarantined: false });
    expect(historyOnDay(3, ill)).not.toHaveProperty('retryOn');
    // Once fewer fail, those are quarantined.
    expect(historyOnDay(4, ill.slice(1, 3))).toBeUndefined();
    expect(open(5).historyOf(request('M1'))).toMatchObject({ quarantined: true });
    // A partial run takes the number of all configurations from the manifest.
    runOn(6, many, ill);
    const part = open(6, { published: 1000 });
    part.split([selected('M1')], true);
    expect(part.historyOf(request('M1'))).toMatchObject({ quarantined: true });
  });

  test('a few may be in it, however small the selection is', () => {
    const few = many.slice(0, 25);
    quarantine(few);
    expect(runOn(4, few, [])).toEqual([]);
  });
});

describe('what waits in quarantine is looked at each day', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `M${n}`);
  const counts = (n: number, articles: string[], other?: Options) => {
    const split = open(n, other).split(articles.map((number) => selected(number)));
    return { lookedAt: split.lookedAt.length, quarantined: split.quarantined.length };
  };

  test.each([
    [25, 19, true],
    [25, 20, false],
    [2_200, 21, true],
    [2_200, 22, false],
  ])('of %i, %i are few: %s', (selection, failing, areFew) => {
    const articles = many(selection);
    // All others are new on the fourth day.
    quarantine(articles.slice(0, failing));
    const [lookedAt, quarantined] = areFew ? [failing, 0] : [0, failing];
    expect(counts(4, articles)).toEqual({ lookedAt, quarantined });
  });

  test.each(['KILLED_THE_RUN', 'OUT_OF_MEMORY', 'ARTICLE_TIMEOUT'])(
    'unless it failed with %s: then a new conversion date is no reason either',
    (code) => {
      for (const n of [1, 2, 3])
        record(
          n,
          (history) => history.record(request('A'), { code, message: 'too much' }),
          convertedOn('2025-12-31'),
        );
      const isWaiting = (n: number) => open(n, convertedOn('2026-01-04')).isWaiting(request('A'));
      expect(counts(4, ['A'], convertedOn('2026-01-04'))).toEqual({ lookedAt: 0, quarantined: 1 });
      expect([isWaiting(9), isWaiting(10)]).toEqual([true, false]);
    },
  );

  test('unless only carts select it', () => {
    const cart = { ...selected('A'), onlyCarts: true } as const;
    for (const n of [1, 2, 3])
      record(n, (history) => history.record(request('A'), LOST), convertedOn('2025-12-31'));
    const { lookedAt, quarantined } = open(4, convertedOn('2026-01-04')).split([cart]);
    expect([lookedAt.length, quarantined.length]).toEqual([0, 1]);
  });

  test.each([
    ['HTTP_STATUS', {}, true],
    ['ARTICLE_NOT_FOUND', {}, true],
    ['BLOCK_MISSING', {}, false],
    ['BLOCK_INVALID', {}, false],
    ['BLOCK_INVALID', { isComplete: () => false }, true],
  ])('and it is known whether fetching had failed: %s %o', (code, other, isOfFetch) => {
    for (const n of [1, 2, 3])
      record(n, (history) => history.record(request('A'), { code, message: 'no' }));
    const { lookedAt } = open(4, other).split([selected('A')]);
    expect(lookedAt).toMatchObject([{ quarantined: { code, isOfFetch } }]);
  });
});

describe('a new conversion date', () => {
  const articles = ['A', 'B'];
  const fail = (n: number, other: Options) => runOn(n, articles, ['A'], other);

  test('means a new attempt, once', () => {
    for (const n of [1, 2, 3]) fail(n, convertedOn('2025-12-31'));
    expect(fail(4, convertedOn('2025-12-31'))).toEqual(['B']);
    expect(fail(5, convertedOn('2026-01-04'))).toEqual(articles);
    expect(fail(6, convertedOn('2026-01-04'))).toEqual(['B']);
  });

  test('is that of any manufacturer whose data it needs', () => {
    const ofParts = (state: string): Options => ({
      ownersOf: () => ['ACME', 'PARTS'],
      dates: () => ({ stateOf: (owner) => (owner === 'PARTS' ? state : '2025-12-31') }),
    });
    for (const n of [1, 2, 3]) fail(n, ofParts('2025-12-31'));
    expect(fail(4, ofParts('2026-01-03'))).toEqual(articles);
  });

  test('is not known where the catalogue has none, or an earlier version stored the failure', () => {
    for (const n of [1, 2, 3]) fail(n, convertedOn('2025-12-31'));
    expect(fail(4, convertedOn(''))).toEqual(['B']);
    expect(fail(5, {})).toEqual(['B']);
    const [row] = database.failures.all(outputDir);
    const { dates: _, ...earlier } = row!;
    database.failures.update(outputDir, { failed: [earlier as typeof row & {}], gone: [] });
    expect(fail(6, convertedOn('2026-01-05'))).toEqual(['B']);
  });
});

describe('requests of one configuration', () => {
  test('fail separately: the others are tried', () => {
    for (const n of [1, 2, 3])
      record(n, (history) => {
        for (const number of ['A', 'A3']) history.record(request(number), LOST);
      });
    const article = selected('A', 'A2', 'A3', 'A4');
    const { tried, lookedAt } = open(4).split([article]);
    expect(tried).toEqual([selected('A2', 'A4')]);
    expect(lookedAt.map((one) => one.request)).toEqual([request('A'), request('A3')]);
    expect(open(4).failedBefore([article, selected('B')])).toEqual([selected('A', 'A3')]);
  });

  test('are the same regardless of the case of manufacturer and program', () => {
    runOn(1, ['A'], ['A']);
    expect(open(2).historyOf({ ...request('A'), manufacturer: 'acme' })).toMatchObject({
      nights: 1,
    });
  });
});

describe('--failed', () => {
  test('selects a planning if a child failed', () => {
    record(1, recordPlanning);
    const all = [selected('A'), selected('ROOT')];
    expect(open(2).failedBefore(all)).toEqual([selected('ROOT')]);
  });

  test('selects what failed according to the manifest, if the cache is lost', () => {
    const all = [selected('A'), selected('B')];
    expect(open(1).failedBefore(all)).toEqual([]);
    expect(open(1).failedBefore(all, [request('B')])).toEqual([selected('B')]);
  });
});

describe('what a run did not meet', () => {
  test('is deleted after a complete run: it is no longer selected', () => {
    runOn(1, ['A', 'B'], ['A', 'B']);
    runOn(2, ['B'], ['B']);
    expect(database.failures.all(outputDir)).toHaveLength(1);
  });

  test('is retained after a partial run, and so is what is quarantined', () => {
    quarantine(['A', 'B']);
    runOn(4, ['A', 'B'], []);
    expect(database.failures.all(outputDir)).toHaveLength(2);
    const part = open(10);
    part.record(request('A'));
    part.save(false);
    expect(database.failures.all(outputDir)).toMatchObject([{ nights: 3 }]);
  });

  test('nothing is stored of a run that is not saved', () => {
    open(1).record(request('A'), LOST);
    expect(database.failures.all(outputDir)).toEqual([]);
  });
});

test('a child is retained while its planning fails, since only the planning lists it', () => {
  record(1, recordPlanning);
  record(2, (history) => history.record(request('ROOT'), LOST));
  expect(open(3).historyOf(request('CHILD'))).toMatchObject({ nights: 1 });
  record(3, (history) => history.record(request('ROOT')));
  expect(open(4).historyOf(request('CHILD'))).toBeUndefined();
});

test('what could not be selected is counted by its name', () => {
  const what = 'permanentid P-17';
  const error = { code: 'PERMANENT_ID_NOT_RESOLVABLE', message: 'unknown' };
  for (const n of [1, 2]) record(n, (history) => history.record({ what }, error));
  expect(open(2).historyOf({ what })).toMatchObject({ attempts: 2, nights: 2 });
  open(3).save(true);
  expect(open(3).historyOf({ what })).toBeUndefined();
});

describe('the halves of a run', () => {
  const tryOnce = (command: 'fetch' | 'build', n: number, error?: typeof LOST) => {
    record(n, (history) => history.record(request('A'), error), { command });
    return database.failures.all(outputDir);
  };

  test('a fetch that succeeds does not end a failure of the conversion', () => {
    runOn(1, ['A'], ['A']);
    expect(tryOnce('fetch', 2)).toMatchObject([{ attempts: 1, nights: 1 }]);
    expect(tryOnce('build', 2, LOST)).toMatchObject([{ attempts: 2, nights: 2 }]);
    expect(tryOnce('build', 3)).toEqual([]);
  });

  test('a build of an earlier snapshot neither ends nor counts a failure of fetching', () => {
    tryOnce('fetch', 1, REFUSED);
    for (const error of [undefined, LOST])
      expect(tryOnce('build', 2, error)).toMatchObject([{ ...REFUSED, attempts: 1, nights: 1 }]);
    expect(tryOnce('fetch', 3)).toEqual([]);
  });

  test('a failure of fetching is quarantined, unless options change', () => {
    for (const n of [1, 2, 3]) tryOnce('fetch', n, REFUSED);
    expect(runOn(4, ['A'], [])).toEqual([]);
    const convert = { ...CONVERT_DEFAULTS, allowMissingParts: true };
    expect(runOn(4, ['A'], [], { convert })).toEqual(['A']);
  });
});
