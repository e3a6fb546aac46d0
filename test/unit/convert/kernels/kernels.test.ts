import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: a script without types
import { compiledKernels, digestLine } from '../../../../src/convert/kernels/compile.mjs';
import {
  allocateList,
  copyOf,
  place,
  viewOf,
  withKernels,
} from '../../../../src/convert/kernels/kernels.ts';
import * as elementary from '../../../../src/support/elementary.ts';
import { acos, hypot } from '../../../helpers/kernels.ts';
import { IS_LONG, samples } from '../../../helpers/samples.ts';

describe('the kernels', () => {
  it('are compiled from what is in assembly/', async () => {
    const code = readFileSync(
      new URL('../../../../src/convert/kernels/code.ts', import.meta.url),
      'utf8',
    );
    const content = code.slice(code.indexOf('\n') + 1);
    // After a change: npm run kernels.
    expect(code === digestLine(content) + content).toBe(true);
    if (IS_LONG) expect(code === (await compiledKernels())).toBe(true);
  });

  it('have the bits of the elementary functions', () => {
    const any = fc.double();
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1 }), any, any, any, (cosine, x, y, z) => {
        expect(acos(cosine)).toBe(elementary.acos(cosine));
        expect(hypot(x, y, z)).toBe(elementary.hypot(x, y, z));
      }),
      { numRuns: samples(2_000) },
    );
  });
});

describe('the memory of the kernels', () => {
  it('keeps lists of each kind until the work ends, and then uses the place again', () => {
    const lists = [
      Uint8Array.of(1, 2, 3),
      Float64Array.of(0.1, -0, NaN),
      Uint16Array.of(65_535),
      Int32Array.of(-1, 2 ** 31 - 1),
      new Float32Array(0),
    ];
    const copies = () =>
      withKernels(() => {
        const places = lists.map((list) => place(list));
        return lists.map((list, i) => ({
          address: places[i]!,
          copy: copyOf(list.constructor as typeof Uint8Array, places[i]!, list.length),
        }));
      });
    const first = copies();
    expect(first.map(({ copy }) => copy)).toEqual(lists);
    expect(copies()).toEqual(first);
  });

  it('grows, keeps what it has, and is released where it was large', () => {
    const sizeOf = () => withKernels(() => viewOf(Uint8Array, 0, 0).buffer.byteLength);
    const small = sizeOf();
    withKernels(() => {
      const list = place(Float64Array.of(1, 2, 3));
      allocateList(Float64Array, 16 * 1024 * 1024);
      expect([...viewOf(Float64Array, list, 3)]).toEqual([1, 2, 3]);
      withKernels(() => allocateList(Uint8Array, 1));
      expect([...viewOf(Float64Array, list, 3)]).toEqual([1, 2, 3]);
    });
    expect(sizeOf()).toBeLessThanOrEqual(small);
  });

  it('is released by work that fails', () => {
    const address = () => withKernels(() => allocateList(Uint8Array, 1));
    const before = address();
    expect(() =>
      withKernels(() => {
        allocateList(Uint8Array, 1000);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(address()).toBe(before);
  });
});
