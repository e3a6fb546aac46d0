import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputsDigest } from '../../../src/fetch/inputs-digest.ts';
import type { Fetched } from '../../../src/model/snapshot.ts';

type Inputs = Parameters<typeof inputsDigest>[0];

const INPUTS: Inputs = {
  partsList: 'aa',
  blocks: new Map<string, Fetched>([
    ['A::B::LEG', { digest: 'bb', bytes: 1 }],
    ['A::B::TOP', { missing: { code: 'BLOCK_MISSING', message: 'm' } }],
  ]),
  images: new Map<string, Fetched>([['OAK', { digest: 'cc', bytes: 2 }]]),
  warnings: [{ code: 'BLOCK_UNLISTED', message: 'm' }],
};

const of = (change: Partial<Inputs> = {}) => inputsDigest({ ...INPUTS, ...change });

describe('inputsDigest', () => {
  it('depends on no order of names, and on what is said about the article alone', () => {
    expect(of({ blocks: new Map([...INPUTS.blocks].reverse()) })).toBe(of());
    const reported = { code: 'ARTICLE_REPORTED', message: 'dump' };
    expect(of({ warnings: [reported, ...INPUTS.warnings] })).toBe(of());
  });

  it.each<[string, Partial<Inputs>]>([
    ['parts list', { partsList: 'ab' }],
    ['block', { blocks: new Map([['A::B::LEG', { digest: 'bc', bytes: 1 }]]) }],
    ['image', { images: new Map() }],
    ['warning', { warnings: [] }],
  ])('shows another %s', (_, change) => {
    expect(of(change)).not.toBe(of());
  });

  it('counts what is missing by its code: its arrival shows, another sentence does not', () => {
    const top = (fetched: Fetched) =>
      of({ blocks: new Map([...INPUTS.blocks, ['A::B::TOP', fetched]]) });
    expect(top({ missing: { code: 'BLOCK_MISSING', message: 'other' } })).toBe(of());
    expect(top({ missing: { code: 'HTTP_TIMEOUT', message: 'm' } })).not.toBe(of());
    expect(top({ digest: 'dd', bytes: 1 })).not.toBe(of());
  });

  it('tells any two sets of bodies apart, and takes equal ones for equal', () => {
    const bodies = fc.dictionary(fc.string(), fc.string());
    const blocksOf = (names: Record<string, string>) =>
      new Map(Object.entries(names).map(([name, digest]) => [name, { digest, bytes: 1 }]));
    fc.assert(
      fc.property(bodies, bodies, (a, b) => {
        const equal =
          JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
        expect(of({ blocks: blocksOf(a) }) === of({ blocks: blocksOf(b) })).toBe(equal);
        expect(of({ images: blocksOf(a), blocks: new Map() })).toBe(
          of({ images: new Map([...blocksOf(a)].reverse()), blocks: new Map() }),
        );
      }),
      { seed: 6, numRuns: 200 },
    );
  });
});
