import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PackedMap } from '../../../src/support/packed-map.ts';
import { Spool } from '../../../src/support/spool.ts';
import { anyText } from '../../helpers/any-text.ts';
import { samples } from '../../helpers/samples.ts';

describe('a packed map', () => {
  test('gives back what was set, whatever it is, and keeps the order of its keys', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText(), fc.jsonValue())), (entries) => {
        const packed = new PackedMap<unknown>();
        const plain = new Map<string, unknown>();
        for (const [key, value] of entries) {
          packed.set(key, value);
          plain.set(key, JSON.parse(JSON.stringify(value)));
        }
        expect([...packed.keys()]).toEqual([...plain.keys()]);
        expect([...packed.values()]).toEqual([...plain.values()]);
        expect(packed.size).toBe(plain.size);
        for (const [key, value] of plain) expect(packed.get(key)).toEqual(value);
      }),
      { seed: 20261121, numRuns: samples(40) },
    );
  });

  test('holds values larger than a chunk, and those beside them', () => {
    const packed = new PackedMap<string>();
    const large = 'é'.repeat(1_500_000);
    packed.set('small', 'a');
    packed.set('large', large);
    for (let i = 0; i < 5_000; i++) packed.set(`n${i}`, 'x'.repeat(1_000));
    expect(packed.get('large')).toBe(large);
    expect(packed.get('small')).toBe('a');
    expect(packed.get('n4999')).toBe('x'.repeat(1_000));
  });

  test('a value that was read can be changed without changing the map', () => {
    const packed = new PackedMap<{ n: number }>();
    packed.set('a', { n: 1 });
    packed.get('a')!.n = 2;
    expect(packed.get('a')).toEqual({ n: 1 });
  });

  test('maps of one spool share values, and know which they share', () => {
    const spool = new Spool();
    const [before, now] = [new PackedMap<number>(spool), new PackedMap<number>(spool)];
    for (const key of ['a', 'b']) before.set(key, 1);
    now.share('a', before);
    now.set('b', 1);
    expect([now.get('a'), now.get('b')]).toEqual([1, 1]);
    expect(['a', 'b', 'c'].map((key) => now.isShared(key, before))).toEqual([true, false, true]);
    expect(new PackedMap().isShared('c', before)).toBe(false);
  });

  test('bytes pass through as they are', () => {
    const packed = new PackedMap<{ n: number }>();
    expect(packed.set('a', { n: 1 })).toBe('{"n":1}'.length);
    packed.setBytes('b', packed.bytesOf('a')!);
    packed.delete('a');
    expect(packed.has('a')).toBe(false);
    expect(packed.get('b')).toEqual({ n: 1 });
  });
});
