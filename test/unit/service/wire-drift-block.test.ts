import { describe, expect, it } from 'vitest';
import type { Drift } from '../../../src/service/wire-drift.ts';
import { findBlockDrift } from '../../../src/service/wire-drift-block.ts';

const WHOLE = {
  N: 'A::B::C',
  P: [0, 0, 0],
  R: [0, 0, 0],
  V: [0, 0, 0, 1, 0, 0, 0, 1, 0],
  T: [],
  A: [{ F: [0, 1, 2], TI: [], C: true }],
};

function driftOf(change: Record<string, unknown>): string[] {
  const found: Drift[] = [];
  const body = new TextEncoder().encode(JSON.stringify({ ...WHOLE, ...change }));
  findBlockDrift(body, (drift) => found.push(drift));
  return found.map(({ field, expected, found: came }) => `${field}: ${expected}, ${came}`);
}

describe('findBlockDrift', () => {
  it('finds nothing in a block as the specification has it', () => {
    expect(driftOf({})).toEqual([]);
    expect(driftOf({ A: [{ F: [0, 1, 2], TI: [] }] })).toEqual([]);
  });

  it.each([
    [{ V: [null, 0, 0] }, 'block.V[]: a list of numbers, nothing'],
    [{ V: [[0, 0, 0]] }, 'block.V[]: a list of numbers, an array of 3'],
    [{ T: ['0.5', 0] }, 'block.T[]: a list of numbers, string "0.5"'],
    [{ P: null }, 'block.P: a list of numbers, nothing'],
    [{ N: 7, V: [[0, 0, 0]] }, 'block.N: a text, number "7"'],
    [{ A: [{ F: [0, 1, 2], TI: [], C: 'false' }] }, 'block.A[].C: true or false, string "false"'],
  ])('tells of %j', (change, drift) => {
    expect(driftOf(change)).toContain(drift);
  });
});
