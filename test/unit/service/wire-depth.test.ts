import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTooDeep, MAX_JSON_DEPTH } from '../../../src/service/wire-depth.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Levels of a value, counted the slow way. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('isTooDeep', () => {
  it('draws the line after the last level that is allowed', () => {
    const nested = (levels: number) => utf8(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
    expect(isTooDeep(nested(MAX_JSON_DEPTH))).toBe(false);
    expect(isTooDeep(nested(MAX_JSON_DEPTH + 1))).toBe(true);
  });

  it('needs no end to see it', () => {
    expect(isTooDeep(utf8('{"a":['.repeat(MAX_JSON_DEPTH)))).toBe(true);
  });

  it('counts levels, not brackets', () => {
    expect(isTooDeep(utf8(`[${'[],{},'.repeat(100)}1]`), 2)).toBe(false);
    expect(isTooDeep(utf8('[["[[[[\\"[[[["],"\\\\",{"{{{":"}"}]'), 2)).toBe(false);
    expect(isTooDeep(utf8('[["]]]]",[1]]]'), 2)).toBe(true);
  });

  it('agrees with a count of the parsed value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, limit) => {
        // Padded, for a short text is not looked at.
        const bytes = utf8(`${JSON.stringify(value)}        `);
        expect(isTooDeep(bytes, limit)).toBe(depthOf(value) > limit);
      }),
      { seed: 6 },
    );
  });
});
