/** Leases in a store: one owner at a time, until it ends, dies or takes too long. */
import { hostname } from 'node:os';
import { beforeEach, expect, it } from 'vitest';
import { takeLease } from '../../../src/distribute/leases.ts';
import type { ObjectStore } from '../../../src/distribute/store/object-store.ts';
import { folderPerTest } from '../../helpers/folder-per-test.ts';
import { bytesOf, keysOf, openStore, textOf } from '../../helpers/object-stores.ts';

const START = Date.parse('2026-11-29T02:00:00.000Z');
const at = folderPerTest();
let store: ObjectStore;
beforeEach(async () => {
  store = await openStore(at());
});
const take = (name = 'a desk', nowMs = START) => takeLease(store, name, () => nowMs);

it('has one owner for each name, until it ends', async () => {
  const end = await take();
  expect(end).toBeDefined();
  expect(await take()).toBeUndefined();
  const other = await take('a chair');
  expect(other).toBeDefined();
  await end!();
  await other!();
  expect(await keysOf(store, 'leases/')).toEqual([]);
  const again = await take();
  await again!();
});

it('has one owner, however many ask at the same time', async () => {
  const ends = await Promise.all(Array.from({ length: 8 }, () => take()));
  expect(ends.filter((end) => end !== undefined)).toHaveLength(1);
});

it('is free when its owner takes too long', async () => {
  await take();
  expect(await take('a desk', START + 29_999)).toBeUndefined();
  expect(await take('a desk', START + 30_000)).toBeDefined();
});

it.each([
  ['of a process of this machine that has ended', { host: hostname() }, true],
  ['of another machine', { host: 'another' }, false],
])('%s is free: %s', async (_, owner, isFree) => {
  await take();
  const [key] = await keysOf(store, 'leases/');
  const { content, etag } = (await store.get(key!))!;
  const dead = { ...JSON.parse(textOf(content)), ...owner, pid: 2 ** 22 + 1 };
  await store.replace(key!, bytesOf(JSON.stringify(dead)), etag);
  expect((await take()) !== undefined).toBe(isFree);
});
