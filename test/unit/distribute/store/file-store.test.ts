/** What concerns the folder of a store alone: foreign files, links, crashes. */
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openFolderStore } from '../../../../src/distribute/store/file-store.ts';
import type { ObjectStore } from '../../../../src/distribute/store/object-store.ts';
import { watchFileOperations } from '../../../../src/support/file-operations.ts';
import { folderPerTest } from '../../../helpers/folder-per-test.ts';
import { bytesOf, keysOf, textOf } from '../../../helpers/object-stores.ts';
import { startStoreProcess } from '../../../helpers/store-processes.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const at = folderPerTest();
let store: ObjectStore;
beforeEach(async () => {
  store = await openFolderStore(at(), Date.now());
});
afterEach(() => watchFileOperations(undefined));

it('replaces nothing while another process does, and goes on when that is killed', async () => {
  const etag = await store.replace('a', bytesOf('1'), undefined);
  const holder = await startStoreProcess({}, at(), 'hold');
  holder.begin();
  expect(await holder.line()).toBe('holds');
  let isReplaced = false;
  const replaced = store.replace('a', bytesOf('2'), etag).then((stored) => {
    isReplaced = true;
    return stored;
  });
  // Others are not held up.
  expect(await store.putIfAbsent('b', bytesOf('1'))).toBe('stored');
  expect((await store.get('a'))?.etag).toBe(etag);
  expect(isReplaced).toBe(false);
  holder.process.kill('SIGKILL');
  expect(await replaced).toEqual(expect.any(String));
  expect((await store.get('a'))?.content.length).toBe(1);
});

it('waits while its lock is exclusive, as a restoration makes it, and has no other file beside the lock', async () => {
  const etag = await store.replace('a', bytesOf('1'), undefined);
  const holder = new Database(at('.store-lock'));
  holder.exec('BEGIN EXCLUSIVE');
  const replaced = store.replace('a', bytesOf('2'), etag);
  // Several attempts are made meanwhile.
  for (let n = 0; n < 20; n++) await store.putIfAbsent(`b${n}`, bytesOf('1'));
  holder.close();
  expect(await replaced).toEqual(expect.any(String));
  expect((await readdir(at())).filter((name) => name.startsWith('.store-lock'))).toEqual([
    '.store-lock',
  ]);
});

it('has whole objects alone when the processes that write them are killed', async () => {
  for (const rounds of [1, 2, 4]) {
    const writer = await startStoreProcess({}, at(), 'write');
    writer.begin();
    for (let round = 0; round < rounds; round++) await writer.line();
    writer.process.kill('SIGKILL');
    const keys = await keysOf(store, 'objects/');
    for (const key of keys) expect((await store.get(key))?.content.length).toBe(200_000);
    expect(keys.length).toBeGreaterThanOrEqual(rounds);
    const state = (await store.get('state'))!;
    const [first, ...others] = new Set(textOf(state.content).trim().split(' '));
    expect([Number(first) >= rounds - 1, others]).toEqual([true, []]);
    expect(await store.replace('state', state.content, state.etag)).toBe(state.etag);
  }
});

it('has each object in the file of its key, and nothing of its own in a list', async () => {
  const etag = await store.replace('a/b.json', bytesOf('1'), undefined);
  await store.replace('a/b.json', bytesOf('2'), etag);
  await writeFile(at('a', 'foreign file'), '');
  await writeFile(at('a', '.hidden'), '');
  expect(await keysOf(store)).toEqual(['a/b.json']);
  expect(await readdir(at('.tmp'))).toEqual([]);
});

it('waits for the disk, but not where that is not wanted and damage would be found', async () => {
  const synced: string[] = [];
  watchFileOperations((operation, path) => {
    if (operation === 'fsync') synced.push(path);
  });
  const syncs = async (key: string, durable: boolean) => {
    synced.length = 0;
    expect(await store.putIfAbsent(key, bytesOf(key), { durable })).toBe('stored');
    expect(await store.putIfAbsent(key, bytesOf(key), { durable })).toBe('present');
    return synced.length;
  };
  const digest = (digit: string) => `objects/${digit.repeat(64)}`;
  const counts = [await syncs('a', true), await syncs('b', false)];
  // The file, and its folder.
  expect([...counts, await syncs(digest('0'), true)]).toEqual([2, 2, 2]);
  expect(await syncs(digest('1'), false)).toBe(0);
});

it('removes temporary files that are a day old, whoever left them', async () => {
  const [old, recent] = ['.1-0-0.tmp', '.2-0-0.tmp'].map((name) => at('.tmp', name));
  await mkdir(at('.tmp'), { recursive: true });
  await writeFile(old!, '');
  await writeFile(recent!, '');
  const before = new Date(Date.now() - DAY_MS - 60_000);
  await utimes(old!, before, before);
  await openFolderStore(at(), Date.now());
  expect(await readdir(at('.tmp'))).toEqual(['.2-0-0.tmp']);
});

it('follows no link that another user may have made', async () => {
  await symlink(await temporaryFolder(), at('a'));
  const refused = { code: 'LINK_REFUSED' };
  await expect(store.putIfAbsent('a/b', bytesOf('1'))).rejects.toMatchObject(refused);
  await expect(store.get('a/b')).rejects.toMatchObject(refused);
  expect(await keysOf(store)).toEqual([]);
});

it('keeps what was there when the disk is full', async () => {
  const etag = await store.replace('a', bytesOf('1'), undefined);
  watchFileOperations((operation) => {
    if (operation === 'write') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  });
  const full = { code: 'DISK_FULL' };
  await expect(store.replace('a', bytesOf('2'), etag)).rejects.toMatchObject(full);
  await expect(store.putIfAbsent('b', bytesOf('2'))).rejects.toMatchObject(full);
  watchFileOperations(undefined);
  expect((await store.get('a'))?.etag).toBe(etag);
  expect(await store.replace('a', bytesOf('2'), etag)).toEqual(expect.any(String));
  expect(await keysOf(store)).toEqual(['a']);
});
