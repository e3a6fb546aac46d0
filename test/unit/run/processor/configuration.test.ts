import { expect, test } from 'vitest';
import {
  CONVERT_DEFAULTS,
  conversionText,
} from '../../../../src/convert/transform/convert-options.ts';
import type { ArticleSnapshot } from '../../../../src/model/snapshot.ts';
import { sourceDigest } from '../../../../src/run/processor/configuration.ts';
import { snapshotDigests } from '../../../../src/source/fetch/snapshot.ts';

const digest = (letter: string) => letter.repeat(64);
const SNAPSHOT = {
  partsList: digest('a'),
  blocks: new Map([
    ['A', { digest: digest('b'), bytes: 1 }],
    ['B', { digest: digest('c'), bytes: 1 }],
  ]),
  images: new Map(),
  warnings: [],
} as unknown as ArticleSnapshot;
const of = (change: Partial<ArticleSnapshot>, options = {}, version?: number) =>
  sourceDigest(
    { ...CONVERT_DEFAULTS, ...options },
    version,
  )(snapshotDigests({ ...SNAPSHOT, ...change }).inputs);

test('a source is the same whatever the order and the identity', () => {
  const reversed = new Map([...SNAPSHOT.blocks].reverse());
  const key = { basearticlenumber: 'other' } as ArticleSnapshot['key'];
  expect(of({ blocks: reversed, key })).toBe(of({}));
});

test('each body, each option, the version and a missing body change it', () => {
  const missing = { missing: { code: 'BLOCK_MISSING', message: '' } };
  const digests = [
    of({}),
    of({ partsList: digest('d') }),
    of({ blocks: new Map([...SNAPSHOT.blocks, ['B', { digest: digest('d'), bytes: 1 }]]) }),
    of({ blocks: new Map([...SNAPSHOT.blocks, ['B', missing]]) }),
    of({ images: new Map([['wood', { digest: digest('e'), bytes: 1 }]]) }),
    of({}, { creaseAngleDegrees: 31 }),
    of({}, { overrides: { '*CHROME*': { metallic: 1 } } }),
    of({}, {}, 999),
    of({ warnings: [{ code: 'VARIANT_DIFFERS', message: '' }] }),
  ];
  expect(new Set(digests).size).toBe(digests.length);
});

test('what the service reports in words is no reason to rebuild', () => {
  expect(of({ warnings: [{ code: 'ARTICLE_REPORTED', message: 'dump 12:03' }] })).toBe(of({}));
});

test('the order of override patterns is part of it, the order of any other keys is not', () => {
  const [all, chrome] = [{ metallic: 0, dif: '0xFF0000' }, { metallic: 1 }];
  const overridden = of({}, { overrides: { '*': all, '*CHROME*': chrome } });
  expect(of({}, { overrides: { '*CHROME*': chrome, '*': all } })).not.toBe(overridden);
  const rewritten = { dif: '0xFF0000', metallic: 0 };
  expect(of({}, { overrides: { '*': rewritten, '*CHROME*': chrome } })).toBe(overridden);
  const options = { strict: true, creaseAngleDegrees: 40 };
  expect(of({}, { creaseAngleDegrees: 40, strict: true })).toBe(of({}, options));
  const reversed = Object.fromEntries(Object.entries(CONVERT_DEFAULTS).reverse());
  expect(conversionText(reversed as never)).toBe(conversionText(CONVERT_DEFAULTS));
});
