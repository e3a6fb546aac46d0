import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compressed, compressedIntegers } from '../../../../src/deliver/usd/compression.ts';
import { decompressed, decompressedIntegers } from '../../../helpers/usdc-judge.ts';

/** Bytes that repeat themselves, as values of a file do, and any others. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc
    .array(fc.uint8Array({ maxLength: 9 }), { maxLength: 4 })
    .chain((parts) =>
      fc
        .array(fc.nat(Math.max(0, parts.length - 1)), { maxLength: 300 })
        .map((order) => Uint8Array.from(order.flatMap((i) => [...(parts[i] ?? [])]))),
    ),
);

describe('a block of LZ4', () => {
  it('contains the bytes', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        expect(decompressed(compressed(given))).toEqual(given);
      }),
      { examples: [[new Uint8Array()], [new Uint8Array(3000)], [new Uint8Array(13)]] },
    );
  });

  it('refers to at most 65,535 bytes before, and ends with five literals', () => {
    const far = new Uint8Array(70_000).map((_, i) => (i * i * 31) >> 5);
    far.copyWithin(66_000, 0, 4000);
    expect(Buffer.compare(decompressed(compressed(far)), far)).toBe(0);
    // 15 + 1000 - 5 - 19 = 991 = 3 · 255 + 226: a literal, then 995 bytes of it, then five literals.
    const zeros = [...compressed(new Uint8Array(1000))];
    expect(zeros.slice(0, 5)).toEqual([0, 0x1f, 0, 1, 0]);
    expect(zeros.slice(-6)).toEqual([0x50, 0, 0, 0, 0, 0]);
  });
});

describe('a list of integers', () => {
  const integer = fc.oneof(
    fc.integer({ min: -2, max: 2 }),
    fc.integer({ min: -40_000, max: 40_000 }),
    fc.integer(),
  );

  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(integer, { maxLength: 60 }), (values) => {
        const read = decompressedIntegers(compressedIntegers(values), values.length);
        expect([...read]).toEqual(values);
      }),
    );
  });

  it('of a thousand equal ones takes bytes for none of them', () => {
    expect(compressedIntegers(new Int32Array(1000).fill(3)).length).toBeLessThan(20);
  });
});
