import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bounds } from '../../../../src/model/asset.ts';
import { configurationKey } from '../../../../src/model/configuration-id.ts';
import { assessGates } from '../../../../src/run/failures/gates.ts';
import type { PictureDifference } from '../../../../src/run/file/gate-table.ts';
import {
  GATE_ROWS,
  GATE_TABLE,
  type Gate,
  gatesSchema,
} from '../../../../src/run/file/gate-table.ts';
import type { ManifestLine } from '../../../../src/run/lists/manifest-line.ts';
import { PackedMap } from '../../../../src/support/packed-map.ts';
import { Spool } from '../../../../src/support/spool.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { samples } from '../../../helpers/samples.ts';

const GATE_DEFAULTS = Object.fromEntries(GATE_ROWS.map(([gate, row]) => [gate, row.defaults]));
const SEED = { seed: 20_260_106, numRuns: samples(100) };
const DESK: Bounds = { min: [0, 0, 0], max: [1.6, 0.75, 0.8] };

let objects = 0;
/** A line of its own content: figures are compared where the content differs. */
const line = (number: number, figures: Partial<ManifestLine> = {}): ManifestLine => ({
  ...{
    ...acme(`D${number}`),
    convertdate: '',
    source: '',
    losses: [],
    warnings: [],
    requested: [],
  },
  ...{ status: 'converted', glb: `articles/${number}.glb`, sha256: String(objects++) },
  ...{ bytes: 10_000, triangles: 1200, drawCalls: 3, materials: 2, textures: 4 },
  boundsMetres: DESK,
  ...figures,
});
const range = (size: number, figures?: (n: number) => Partial<ManifestLine>) =>
  Array.from({ length: size }, (_, n) => line(n, figures?.(n)));
const spool = new Spool();
const byKey = (lines: ManifestLine[]) => {
  const packed = new PackedMap<ManifestLine>(spool);
  for (const one of lines) packed.set(configurationKey(one), one);
  return packed;
};
const countChange = (triangles: number, now: number) =>
  GATE_TABLE.triangles.comparison.change({ triangles }, { triangles: now });
const boundsChange = (boundsMetres: Bounds, now: Bounds) =>
  GATE_TABLE.bounds.comparison.change({ boundsMetres }, { boundsMetres: now });
const judge = (before: ManifestLine[], now: ManifestLine[], gates: unknown = {}) =>
  assessGates(byKey(before), byKey(now), gatesSchema.parse(gates));
const NOTHING = { refused: false, findings: [] };

describe('the default gates', () => {
  test('find nothing in a first run, nor in an unchanged one', () => {
    const silent = { ...NOTHING, count: 0, byGate: {}, removedFrom: 0.1 };
    expect(judge([], range(200))).toEqual(silent);
    expect(judge(range(200), range(200))).toEqual(silent);
  });

  test('count a line that shares its bytes with the one before without looking at it', () => {
    const before = byKey(range(200));
    const now = byKey([]);
    for (const key of [...before.keys()].slice(80)) now.share(key, before);
    expect(assessGates(before, now, gatesSchema.parse({})).findings[0]).toMatchObject({
      ...{ action: 'refuse', before: 200, now: 120 },
    });
  });

  test('find nothing in an ordinary update: a series gone, one new, one with other geometry', () => {
    const before = range(200);
    const now = range(220, (n) => (n < 18 ? { triangles: 5000, bytes: 60_000 } : {})).slice(18);
    const redone = now.map((one, n) => (n < 18 ? { ...one, boundsMetres: box(1) } : one));
    expect(judge(before, redone)).toMatchObject(NOTHING);
  });

  test('refuse when half the range is gone, in one sentence', () => {
    const GONE = { gate: 'articlesGone', action: 'refuse' };
    const assessment = judge(range(1000), range(1000).slice(512));
    expect(assessment).toMatchObject({
      refused: true,
      count: 513,
      byGate: { articlesGone: { warn: 0, refuse: 512 } },
    });
    const message = '512 of 1,000 configurations are gone (51 %, refused from 40 %)';
    expect(assessment.findings.slice(0, 2)).toEqual([
      { ...GONE, article: '*', before: 1000, now: 488, message },
      { ...GONE, article: 'ACME/DESK/D0', before: 1, now: 0, message: 'no longer selected' },
    ]);
    expect(assessment.findings).toHaveLength(21);
  });

  test('name each series of which nothing is left, whatever its share', () => {
    const others = range(200);
    const small = [0, 1, 2].map((n) => line(n, { program: 'LAMP' }));
    const found = judge([...others, ...small], others);
    expect(found).toMatchObject({ refused: false, count: 1 });
    expect(found.findings).toEqual([
      {
        ...{ gate: 'articlesGone', action: 'warn', article: 'ACME/LAMP/*', before: 3, now: 0 },
        message: 'all 3 configurations of the series ACME/LAMP are gone',
      },
    ]);
    expect(judge([...others, ...small], [...others, small[2]!]).findings).toEqual([]);
    // What was never published is no loss.
    const failing = small.map(({ glb: _, sha256: __, ...one }) => one as ManifestLine);
    expect(judge([...others, ...failing], others).findings).toEqual([]);
    // An article whose configuration has another name now is not gone.
    const requested = [acme('D0', { program: 'LAMP' })];
    const named = (finalarticlenumber: string) =>
      line(0, { program: 'LAMP', finalarticlenumber, requested });
    expect(judge([...others, named('A')], [...others, named('B')]).findings).toEqual([]);
  });

  test('warn when a tenth is gone', () => {
    expect(judge(range(200), range(200).slice(20))).toMatchObject({
      refused: false,
      byGate: { articlesGone: { warn: 20, refuse: 0 } },
    });
  });

  test('refuse when geometry collapses', () => {
    const collapsed = { triangles: 12, boundsMetres: box(0.001) };
    const { refused, byGate, findings } = judge(
      range(200),
      range(200, (n) => (n % 2 ? collapsed : {})),
    );
    expect([refused, Object.keys(byGate)]).toEqual([true, ['triangles', 'bounds']]);
    const example = findings.find(({ article }) => article === 'ACME/DESK/D1');
    expect(example).toMatchObject({ message: '1,200 triangles before, 12 triangles now' });
  });

  test('refuse when the textures of half the range are lost', () => {
    const bare = range(200, (n) => (n % 2 ? { textures: 0 } : {}));
    expect(judge(range(200), bare)).toMatchObject({
      refused: true,
      byGate: { textures: { refuse: 100 } },
    });
  });

  test('only warn of bytes and materials, which many harmless changes move', () => {
    const other = range(200, () => ({ bytes: 100_000, materials: 9 }));
    const { refused, byGate } = judge(range(200), other);
    expect(refused).toBe(false);
    expect(byGate).toEqual({
      materials: { warn: 200, refuse: 0 },
      bytes: { warn: 200, refuse: 0 },
    });
  });

  test('find nothing in a handful of configurations', () => {
    expect(judge(range(12), range(12).slice(9))).toMatchObject(NOTHING);
  });
});

describe('each manufacturer is a range of its own', () => {
  const other = (size: number) => range(size, () => ({ manufacturer: 'LUMO' }));

  test('so that one that vanishes among many is found', () => {
    const { refused, findings } = judge([...range(1000), ...other(100)], range(1000));
    expect(refused).toBe(true);
    expect(findings[0]).toMatchObject({
      article: 'LUMO/*',
      message: '100 of 100 configurations of LUMO are gone (100 %, refused from 40 %)',
    });
  });

  test('but a small one does not stop the run of all others', () => {
    const found = judge([...range(1000), ...other(99)], range(1000));
    expect(found).toMatchObject({ refused: false, findings: [{ article: 'LUMO/DESK/*' }] });
  });

  test('and a finding of the whole range covers its parts', () => {
    const { findings } = judge([...range(200), ...other(200)], []);
    const ranges = findings.map(({ article }) => article).filter((one) => one.endsWith('*'));
    // Series are named all the same.
    expect(ranges).toEqual(['*', 'ACME/DESK/*', 'LUMO/DESK/*']);
  });
});

describe('what counts as published before', () => {
  test('what fails is not gone, and its figures are not zero', () => {
    const failed = range(100, () => ({ status: 'failed' as const })).map(withoutFigures);
    expect(judge(range(100), failed)).toMatchObject(NOTHING);
  });

  test('what failed in the previous run is compared with its last good GLB', () => {
    const failed = range(100).map(withLastGood);
    expect(judge(failed, range(100))).toMatchObject(NOTHING);
    const collapsed = range(100, () => ({ triangles: 1 }));
    expect(judge(failed, collapsed)).toMatchObject({
      refused: true,
      byGate: { triangles: { refuse: 100 } },
    });
    expect(judge(failed, [])).toMatchObject({ byGate: { articlesGone: { refuse: 100 } } });
  });

  test('an article whose configuration is spelled otherwise is not gone, but compared', () => {
    const spelled = (reinitstring: string, figures: Partial<ManifestLine> = {}) =>
      range(100).map((one) => {
        const requested = [acme(one.basearticlenumber)];
        return { ...one, reinitstring, requested, ...figures };
      });
    expect(judge(spelled('A=1::'), spelled('A=1:B=2::'))).toMatchObject({ findings: [] });
    expect(judge(spelled('A=1::'), spelled('A=1:B=2::', { triangles: 1 }))).toMatchObject({
      byGate: { triangles: { warn: 0, refuse: 100 } },
    });
  });

  test('what was never published is no loss', () => {
    const failed = range(100).map(withoutFigures);
    expect(judge(failed, [])).toMatchObject(NOTHING);
  });
});

describe('thresholds', () => {
  test('a configured gate replaces its defaults; the others keep theirs', () => {
    const gates = gatesSchema.parse({ articlesGone: { refuse: '5%' }, textures: {} });
    expect(gates).toEqual({
      ...GATE_DEFAULTS,
      articlesGone: { refuse: 0.05, atLeast: 1 },
      textures: { change: GATE_TABLE.textures.defaults.change, atLeast: 1 },
    });
  });

  test('apply from the first configuration on if they are configured', () => {
    const gates = { articlesGone: { refuse: '25%' } };
    expect(judge(range(4), range(3), gates)).toMatchObject({ refused: true });
  });

  test('an empty gate is off', () => {
    expect(judge(range(100), [], { articlesGone: {} })).toMatchObject({ findings: [] });
  });

  test('exactly the threshold is enough, one less is not, for every share and size', () => {
    const percent = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(percent, fc.integer({ min: 1, max: 4 }), (whole, hundreds) => {
        const size = hundreds * 100;
        const gone = whole * hundreds;
        const gates = { articlesGone: { refuse: `${whole}%` } };
        const before = range(size);
        expect(judge(before, before.slice(gone), gates).refused).toBe(true);
        expect(judge(before, before.slice(gone - 1), gates).refused).toBe(false);
      }),
      { ...SEED, numRuns: samples(30) },
    );
  });

  test('a stricter one never accepts what a laxer one refuses', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const triangles = fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(share, share, share, share, triangles, (a, b, c, d, counts) => {
        const [strict, lax] = [Math.min(a, b), Math.max(a, b)];
        const [finer, coarser] = [Math.min(c, d), Math.max(c, d)];
        const now = range(counts.length, (n) => ({ triangles: counts[n]! }));
        const refused = (change: number, refuse: number) =>
          judge(range(counts.length), now, { triangles: { change, refuse } }).refused;
        if (refused(coarser, lax)) expect(refused(finer, strict)).toBe(true);
      }),
      SEED,
    );
  });

  test('the assessment does not depend on the order of the configurations', () => {
    const size = 60;
    const before = range(size);
    const now = range(size, (n) => ({ triangles: (n * 97) % 1500, textures: n % 5 })).slice(9);
    const order = fc.shuffledSubarray(before, { minLength: size });
    const expected = judge(before, now);
    const after = byKey(now);
    fc.assert(
      fc.property(order, (shuffled) => {
        expect(assessGates(byKey(shuffled), after, gatesSchema.parse({}))).toEqual(expected);
      }),
      SEED,
    );
  });
});

describe('how much a configuration differs', () => {
  test('half and double are the same, nothing and something are all', () => {
    expect([countChange(100, 50), countChange(50, 100)]).toEqual([0.5, 0.5]);
    expect([countChange(0, 7), countChange(7, 0), countChange(0, 0)]).toEqual([1, 1, 0]);
  });

  const beyond = GATE_TABLE.bounds.defaults.change;
  test.each<[string, Bounds, boolean]>([
    ['a wider desk', { min: [0, 0, 0], max: [1.8, 0.75, 0.8] }, false],
    ['millimetres for metres', { min: [0, 0, 0], max: [1600, 750, 800] }, true],
    ['a flattened one', { min: [0, 0, 0], max: [1.6, 0.01, 0.8] }, true],
    ['one turned about the long side', { min: [0, 0, -0.75], max: [1.6, 0.8, 0] }, true],
    ['one moved by a metre', { min: [1, 0, 0], max: [2.6, 0.75, 0.8] }, true],
    ['one moved by 0.1 mm', { min: [1e-4, 0, 0], max: [1.6001, 0.75, 0.8] }, false],
  ])('%s', (_, now, counts) => {
    expect(boundsChange(DESK, now) >= beyond).toBe(counts);
  });

  test('what is flat may be flat in another way', () => {
    const rug = (thickness: number): Bounds => ({ min: [0, 0, 0], max: [2, thickness, 3] });
    expect(boundsChange(rug(0), rug(0.0009))).toBe(0);
    expect(boundsChange(rug(0), rug(0))).toBe(0);
  });

  test('it is from 0 to 1, and the same in both directions', () => {
    const number = fc.double({ min: -1000, max: 1000, noNaN: true });
    const box = fc.tuple(number, number, number, number, number, number).map((n): Bounds => {
      const sides = [0, 1, 2].map((axis) => [n[axis]!, n[axis + 3]!].sort((a, b) => a - b));
      return {
        min: sides.map(([low]) => low) as never,
        max: sides.map(([, high]) => high) as never,
      };
    });
    fc.assert(
      fc.property(box, box, (a, b) => {
        const change = boundsChange(a, b);
        expect(change).toBeGreaterThanOrEqual(0);
        expect(change).toBeLessThanOrEqual(1);
        expect(boundsChange(b, a)).toBe(change);
        expect(boundsChange(a, a)).toBe(0);
      }),
      SEED,
    );
  });
});

describe('the gates of pictures', () => {
  const before = range(100);
  const now = range(100).map((one, n) => (n < 40 ? one : before[n]!));
  const assess = (difference: PictureDifference | undefined, gates: unknown = {}) => {
    const asked: string[] = [];
    const thresholds = gatesSchema.parse(gates);
    const found = assessGates(byKey(before), byKey(now), thresholds, new Set(), (was, is) => {
      asked.push(`${was} ${is}`);
      return difference;
    });
    return { ...found, asked };
  };

  test('compare what has another GLB, and nothing else', () => {
    const pairs = now.slice(0, 40).map(({ sha256 }, n) => `${before[n]!.sha256} ${sha256}`);
    expect(assess({ tone: 0.02, edges: 0.1 })).toMatchObject({ findings: [], asked: pairs });
  });

  test('refuse where two fifths have another tone, and only warn of edges', () => {
    const { refused, byGate, findings } = assess({ tone: 0.3, edges: 0.5 });
    expect(refused).toBe(true);
    expect(byGate).toEqual({
      pictureTone: { warn: 0, refuse: 40 },
      pictureEdges: { warn: 40, refuse: 0 },
    });
    expect(findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        '40 of 100 configurations look different in tone (40 %, refused from 40 %)',
        'the tone of its picture differs by 30 %',
        'its picture differs visibly over 50 %',
      ]),
    );
  });

  test('take a picture that could not be compared for none that differs', () => {
    expect(assess(undefined)).toMatchObject(NOTHING);
  });

  test('have thresholds of their own', () => {
    const gates = { pictureTone: { change: '1%', warn: '40%' }, pictureEdges: {} };
    expect(assess({ tone: 0.02, edges: 1 }, gates).byGate).toEqual({
      pictureTone: { warn: 40, refuse: 0 },
    });
  });
});

test('every gate of the report has thresholds', () => {
  const figures: Gate[] = ['articlesGone', 'triangles', 'bounds', 'materials', 'bytes', 'textures'];
  const gates: Gate[] = [...figures, 'pictureTone', 'pictureEdges'];
  expect(Object.keys(gatesSchema.parse({}))).toEqual(gates);
});

function box(size: number): Bounds {
  return { min: [0, 0, 0], max: [size, size, size] };
}

function withLastGood(from: ManifestLine): ManifestLine {
  const { glb, sha256, triangles, boundsMetres } = from as Required<ManifestLine>;
  const lastGood = { glb, sha256, triangles, boundsMetres };
  return { ...withoutFigures(from), status: 'failed', lastGood };
}

function withoutFigures(from: ManifestLine): ManifestLine {
  const { glb, sha256, bytes, triangles, drawCalls, materials, textures, boundsMetres, ...rest } =
    from;
  return rest;
}
