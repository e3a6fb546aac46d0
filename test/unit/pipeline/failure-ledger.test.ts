import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CacheDatabase, openCacheDatabase } from '../../../src/cache/database.ts';
import type { SelectedArticle } from '../../../src/fetch/selection.ts';
import type { ArticleRequest } from '../../../src/model/article.ts';
import {
  type FailureLedger,
  type LedgerOptions,
  openFailureLedger,
} from '../../../src/pipeline/failures/failure-ledger.ts';
import { CONVERT_DEFAULTS } from '../../../src/transform/convert-options.ts';

let dir: string;
let database: CacheDatabase;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'btg2gltf-ledger-'));
  database = await openCacheDatabase(dir);
});
afterEach(async () => {
  database.close();
  await rm(dir, { recursive: true, force: true });
});

const POLICY = { quarantineAfterNights: 3, retryEveryNights: 7 };
const LOST = { code: 'BLOCK_MISSING', message: 'no such block' };
const day = (n: number, hour = 2) => Date.UTC(2026, 0, n, hour);
const open = (n: number, other: Partial<LedgerOptions> = {}): FailureLedger =>
  openFailureLedger(database.failures, {
    ...{ outputDir: '/out', policy: POLICY, convert: CONVERT_DEFAULTS, now: day(n) },
    ...other,
  });
const request = (number: string): ArticleRequest => ({
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: number,
  finalarticlenumber: '',
  reinitstring: '',
  metareinitstring: '',
});
const selected = (number: string, ...alike: string[]): SelectedArticle => ({
  request: request(number),
  why: ['list'],
  ...(alike.length > 0 && { alike: alike.map(request) }),
});
/** A whole night: what is tried of these articles, where those that are named fail. */
const night = (
  n: number,
  articles: string[],
  failing: string[],
  other?: Partial<LedgerOptions>,
) => {
  const ledger = open(n, other);
  const { due } = ledger.due(articles.map((number) => selected(number)));
  const tried = due.map((article) => article.request.basearticlenumber);
  for (const number of tried) {
    ledger.record(request(number), failing.includes(number) ? LOST : undefined);
  }
  ledger.save(true);
  return tried;
};

describe('what keeps failing', () => {
  test('is counted by attempts and by nights, from the first one on', () => {
    night(1, ['A', 'B'], ['A']);
    night(1, ['A', 'B'], ['A'], { now: day(1, 5) });
    night(2, ['A', 'B'], ['A']);
    expect(open(2).rowOf(request('A'))).toEqual({
      ...{ attempts: 3, nights: 2, quarantined: false },
      ...{ firstSeen: '2026-01-01T02:00:00.000Z', lastSeen: '2026-01-02T02:00:00.000Z' },
    });
    expect(open(2).rowOf(request('B'))).toBeUndefined();
  });

  test('is tried every night at first, then every week', () => {
    const nights = Array.from({ length: 21 }, (_, n) => n + 1);
    const tried = nights.filter((n) => night(n, ['A', 'B'], ['A']).includes('A'));
    expect(tried).toEqual([1, 2, 3, 10, 17]);
  });

  test('does not wait for a day to come since it was seen before the clock was set back', () => {
    for (const n of [301, 302, 303]) night(n, ['A', 'B'], ['A']);
    expect(night(1, ['A', 'B'], ['A'])).toEqual(['A', 'B']);
    expect(night(2, ['A', 'B'], ['A'])).toEqual(['B']);
  });

  test('tells in quarantine when it is tried again, with the failure that it had', () => {
    for (const n of [1, 2, 3]) night(n, ['A', 'B'], ['A']);
    const ledger = open(4);
    const { due, quarantined } = ledger.due([selected('A'), selected('B')]);
    expect(due).toEqual([selected('B')]);
    expect(quarantined).toEqual([{ request: request('A'), error: LOST }]);
    expect(ledger.rowOf(request('A'))).toMatchObject({
      ...{ attempts: 3, nights: 3, quarantined: true, retryOn: '2026-01-10' },
    });
  });

  test('leaves the ledger when it succeeds, and begins anew after that', () => {
    for (const n of [1, 2, 3]) night(n, ['A'], ['A']);
    expect(night(10, ['A'], [])).toEqual(['A']);
    expect(open(10).rowOf(request('A'))).toBeUndefined();
    night(11, ['A'], ['A']);
    expect(open(11).rowOf(request('A'))).toMatchObject({ attempts: 1, nights: 1 });
  });

  test('says how it fails now, not how it failed at first', () => {
    night(1, ['A'], ['A']);
    const ledger = open(2);
    ledger.record(request('A'), { code: 'HTTP_STATUS', message: 'status 500' });
    ledger.save(true);
    const [record] = database.failures.all('/out');
    expect(record).toMatchObject({ code: 'HTTP_STATUS', message: 'status 500', nights: 2 });
  });

  test('is tried at once when the options of the conversion have changed', () => {
    for (const n of [1, 2, 3]) night(n, ['A'], ['A']);
    const convert = { ...CONVERT_DEFAULTS, allowMissingParts: true };
    expect(night(4, ['A'], ['A'])).toEqual([]);
    expect(night(4, ['A'], ['A'], { convert })).toEqual(['A']);
    expect(night(5, ['A'], ['A'], { convert })).toEqual([]);
  });

  test('is tried at once by whoever asks for everything', () => {
    for (const n of [1, 2, 3]) night(n, ['A'], ['A']);
    expect(open(4).due([selected('A')], true)).toEqual({ due: [selected('A')], quarantined: [] });
  });

  test('belongs to one output folder', () => {
    for (const n of [1, 2, 3]) night(n, ['A'], ['A']);
    expect(night(4, ['A'], [], { outputDir: '/other' })).toEqual(['A']);
    expect(open(4).rowOf(request('A'))).toBeDefined();
  });
});

describe('quarantine is for single articles', () => {
  const many = Array.from({ length: 300 }, (_, n) => `M${n}`);

  test('where a tenth of a selection would be in it, all are tried', () => {
    for (const n of [1, 2, 3]) night(n, many, many.slice(0, 31));
    expect(night(4, many, [])).toEqual(many);
  });

  test('below that they stay in it', () => {
    for (const n of [1, 2, 3]) night(n, many, many.slice(0, 30));
    expect(night(4, many, [])).toHaveLength(270);
  });

  test('where all are tried, none is told to be in it', () => {
    const ill = many.slice(0, 31);
    for (const n of [1, 2]) night(n, many, ill);
    const rowOnNight = (n: number, failing: string[], other?: Partial<LedgerOptions>) => {
      const ledger = open(n, other);
      ledger.due(many.map((number) => selected(number)));
      for (const number of many)
        ledger.record(request(number), failing.includes(number) ? LOST : undefined);
      ledger.save(true);
      return ledger.rowOf(request('M0'));
    };
    expect(rowOnNight(3, ill)).toMatchObject({ nights: 3, quarantined: false });
    expect(rowOnNight(3, ill)).not.toHaveProperty('retryOn');
    // Once fewer than that fail, those few wait.
    expect(rowOnNight(4, ill.slice(1, 3))).toBeUndefined();
    expect(open(5).rowOf(request('M1'))).toMatchObject({ quarantined: true });
    // A run over a part knows from the manifest how many there are.
    night(6, many, ill);
    const part = open(6, { published: 1000 });
    part.due([selected('M1')], true);
    expect(part.rowOf(request('M1'))).toMatchObject({ quarantined: true });
  });

  test('a few always may be in it, however small the selection is', () => {
    const few = many.slice(0, 25);
    for (const n of [1, 2, 3]) night(n, few, few);
    expect(night(4, few, [])).toEqual([]);
  });
});

describe('spellings of one article', () => {
  test('fail each alone: what is due keeps the others', () => {
    for (const n of [1, 2, 3]) {
      const ledger = open(n);
      ledger.record(request('A'), LOST);
      ledger.record(request('A3'), LOST);
      ledger.save(true);
    }
    const article = selected('A', 'A2', 'A3', 'A4');
    const { due, quarantined } = open(4).due([article]);
    expect(due).toEqual([selected('A2', 'A4')]);
    expect(quarantined.map((one) => one.request)).toEqual([request('A'), request('A3')]);
    expect(open(4).failing([article, selected('B')])).toEqual([selected('A', 'A3')]);
  });

  test('manufacturer and program count without regard to case', () => {
    night(1, ['A'], ['A']);
    expect(open(2).rowOf({ ...request('A'), manufacturer: 'acme' })).toMatchObject({ nights: 1 });
  });
});

describe('--failed', () => {
  test('works on a planning of which a child failed that is an asset of its own', () => {
    const ledger = open(1);
    ledger.record(request('ROOT'));
    ledger.record(request('CHILD'), LOST, request('ROOT'));
    ledger.save(true);
    const all = [selected('A'), selected('ROOT')];
    expect(open(2).failing(all)).toEqual([selected('ROOT')]);
  });

  test('works on what a manifest calls failed, where the cache that knew it is gone', () => {
    const all = [selected('A'), selected('B')];
    expect(open(1).failing(all)).toEqual([]);
    expect(open(1).failing(all, [request('B')])).toEqual([selected('B')]);
  });
});

describe('what a night did not meet', () => {
  test('is forgotten when the night was complete: nobody selects it any more', () => {
    night(1, ['A', 'B'], ['A', 'B']);
    night(2, ['B'], ['B']);
    expect(database.failures.all('/out')).toHaveLength(1);
  });

  test('stays after a night over a part, and so does what is in quarantine', () => {
    for (const n of [1, 2, 3]) night(n, ['A', 'B'], ['A', 'B']);
    night(4, ['A', 'B'], []);
    expect(database.failures.all('/out')).toHaveLength(2);
    const part = open(10);
    part.record(request('A'));
    part.save(false);
    expect(database.failures.all('/out')).toMatchObject([{ nights: 3 }]);
  });

  test('nothing is kept of a night that did not get to its end', () => {
    open(1).record(request('A'), LOST);
    expect(database.failures.all('/out')).toEqual([]);
  });
});

test('a child is not forgotten while its planning fails, which alone tells of it', () => {
  const first = open(1);
  first.record(request('ROOT'));
  first.record(request('CHILD'), LOST, request('ROOT'));
  first.save(true);
  const second = open(2);
  second.record(request('ROOT'), LOST);
  second.save(true);
  expect(open(3).rowOf(request('CHILD'))).toMatchObject({ nights: 1 });
  const third = open(3);
  third.record(request('ROOT'));
  third.save(true);
  expect(open(4).rowOf(request('CHILD'))).toBeUndefined();
});

test('what could not even be selected is counted by its name', () => {
  const what = 'permanentid P-17';
  for (const n of [1, 2]) {
    const ledger = open(n);
    ledger.record({ what }, { code: 'PERMANENT_ID_NOT_RESOLVABLE', message: 'unknown' });
    ledger.save(true);
  }
  expect(open(2).rowOf({ what })).toMatchObject({ attempts: 2, nights: 2 });
  open(3).save(true);
  expect(open(3).rowOf({ what })).toBeUndefined();
});
