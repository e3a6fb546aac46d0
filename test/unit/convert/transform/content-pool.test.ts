import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContentPool } from '../../../../src/convert/transform/content-pool.ts';

describe('ContentPool', () => {
  it('joins arrays of equal type and content, and numbers them in order of appearance', () => {
    const pool = new ContentPool();
    const first = Float32Array.of(1, 2, 3);
    expect(pool.intern(first)).toBe(first);
    expect(pool.intern(Float32Array.of(1, 2, 3))).toBe(first);
    const second = pool.intern(Float32Array.of(1, 2, 4));
    expect(second).not.toBe(first);
    expect([pool.idOf(first), pool.idOf(second)]).toEqual([0, 1]);
  });

  it('keeps apart equal bytes of another type or length', () => {
    const pool = new ContentPool();
    const arrays = [
      Uint16Array.of(1, 0),
      Uint32Array.of(1),
      Uint8Array.of(1, 0, 0, 0),
      Uint8Array.of(1, 0, 0, 0, 0),
      Uint8Array.of(1, 0, 0),
    ];
    expect(new Set(arrays.map((array) => pool.intern(array))).size).toBe(arrays.length);
  });

  it('joins equal bytes wherever they come from: a database returns a Buffer, a response need not', () => {
    const pool = new ContentPool();
    const bytes = Uint8Array.of(1, 2, 3);
    expect(pool.intern(bytes)).toBe(bytes);
    expect(pool.intern(Buffer.from(bytes))).toBe(bytes);
  });

  it('finds equal arrays among any others', () => {
    const arrays = fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 5 }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(arrays, (lists) => {
        const pool = new ContentPool();
        const interned = lists.map((list) => pool.intern(Uint16Array.from(list)));
        lists.forEach((list, i) => {
          const first = lists.findIndex((other) => String(other) === String(list));
          expect(interned[i]).toBe(interned[first]);
        });
        expect(new Set(interned).size).toBe(new Set(lists.map(String)).size);
      }),
      { seed: 310 },
    );
  });

  it('does not carry its numbers over to another pool', () => {
    const [one, other] = [new ContentPool(), new ContentPool()];
    const shared = Uint8Array.of(9);
    one.intern(Uint8Array.of(1));
    one.intern(shared);
    other.intern(shared);
    expect([one.idOf(shared), other.idOf(shared)]).toEqual([1, 0]);
  });
});
