import { stat, truncate, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ContentStore, openFileStore } from '../../../../src/source/cache/content-store.ts';
import { openContents } from '../../../../src/source/cache/contents.ts';
import { watchFileOperations } from '../../../../src/support/file-operations.ts';
import { listFolder } from '../../../../src/support/files.ts';
import { allOf } from '../../../helpers/all-of.ts';
import { folderPerTest } from '../../../helpers/folder-per-test.ts';

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const abc = new TextEncoder().encode('abc');

const at = folderPerTest();
const files = () => ({ dir: at('objects'), tmpDir: at('.tmp') });
let store: ContentStore;

beforeEach(() => {
  store = openFileStore({ ...files(), extension: '.glb' });
});
afterEach(() => watchFileOperations(undefined));

describe('content store', () => {
  it('reads large contents in turns of the event loop, and none after an interruption', async () => {
    const interruption = new AbortController();
    const large = openFileStore(files(), interruption.signal);
    const contents = [1, 2, 3, 4, 5].map((byte) => new Uint8Array(300_000).fill(byte));
    const digests = await Promise.all(contents.map(async (it) => (await large.put(it)).digest));
    let read = 0;
    const reading = digests.map(async (digest) => {
      await large.get(digest);
      read++;
      setImmediate(() => interruption.abort(new Error('interrupted')));
    });
    await Promise.allSettled(reading);
    // The next one may have begun.
    expect(read).toBeLessThan(3);
  });

  it('keeps each content once, under its digest', async () => {
    expect(await store.put(abc)).toEqual({ digest: ABC, bytes: 3, existed: false });
    expect(store.pathOf(ABC)).toBe(at('objects', 'ba', `${ABC}.glb`));
    const before = await stat(store.pathOf(ABC));
    expect(await store.put(abc)).toEqual({ digest: ABC, bytes: 3, existed: true });
    expect((await stat(store.pathOf(ABC))).mtimeMs).toBe(before.mtimeMs);
    expect(new Uint8Array(await store.get(ABC))).toEqual(abc);
    expect([await store.has(ABC), await store.sizeOf(ABC)]).toEqual([true, 3]);
    expect(await listFolder(at('.tmp'))).toEqual([]);
  });

  it('keeps pieces as the content that they are together, as a file or a row', async () => {
    const pieces = [abc.subarray(0, 1), new Uint8Array(0), abc.subarray(1)];
    const contents = await openContents(at('bodies.db'));
    const withRows = openFileStore({ dir: at('cache'), tmpDir: at() }, undefined, contents);
    for (const each of [store, withRows]) {
      expect(await each.put(pieces)).toEqual({ digest: ABC, bytes: 3, existed: false });
      expect(new Uint8Array(await each.get(ABC))).toEqual(abc);
    }
    contents.close();
    expect(await store.put(abc)).toMatchObject({ existed: true });
    await writeFile(store.pathOf(ABC), 'abd');
    await expect(store.put(pieces)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  it('takes the same content from many at once', async () => {
    const puts = await Promise.all(Array.from({ length: 16 }, () => store.put(abc)));
    expect(puts.filter(({ existed }) => !existed)).toHaveLength(1);
    expect(await allOf(store.list())).toEqual([ABC]);
  });

  it('lists its own files only, without removed ones', async () => {
    await store.put(abc);
    await store.put(new Uint8Array(0));
    await writeFile(at('objects', 'ba', 'note.txt'), '');
    expect(await allOf(store.list())).toEqual([ABC, expect.stringMatching(/^e3b0c442/)]);
    await store.remove(ABC);
    await store.remove(ABC);
    expect(await store.has(ABC)).toBe(false);
  });

  it('names what is missing, cut or changed', async () => {
    const missing = { code: 'STORE_DAMAGED', message: expect.stringContaining(store.pathOf(ABC)) };
    await expect(store.get(ABC)).rejects.toMatchObject(missing);
    await store.put(abc);
    await writeFile(store.pathOf(ABC), 'abd');
    await expect(store.get(ABC)).rejects.toMatchObject(missing);
    await truncate(store.pathOf(ABC), 1);
    await expect(store.put(abc)).rejects.toMatchObject(missing);
    expect((await stat(store.pathOf(ABC))).size).toBe(1);
  });

  it('mends what was damaged where it may', async () => {
    const cache = openFileStore({ ...files(), repair: true });
    for (const damage of ['abd', 'a']) {
      await cache.put(abc);
      await writeFile(cache.pathOf(ABC), damage);
      expect(await cache.put(abc)).toEqual({ digest: ABC, bytes: 3, existed: false });
      expect(new Uint8Array(await cache.get(ABC))).toEqual(abc);
    }
  });

  it('drops what is damaged where it may, so that it counts as missing', async () => {
    const cache = openFileStore({ ...files(), dropDamaged: true });
    await cache.put(abc);
    await writeFile(cache.pathOf(ABC), 'abd');
    await expect(cache.get(ABC)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(await cache.has(ABC)).toBe(false);
  });

  it('never turns a digest into a path outside its folder', async () => {
    expect(() => store.pathOf('../../etc/passwd')).toThrow('expected a digest');
    await expect(store.get('')).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('has no partial file, whichever operation fails', async () => {
    for (let n = 0; ; n++) {
      let count = 0;
      let failed = false;
      watchFileOperations(() => {
        if (count++ !== n) return;
        failed = true;
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      });
      const put = await store.put(abc).catch((error: unknown) => error);
      watchFileOperations(undefined);
      if (!failed) break;
      if (put instanceof Error) expect(put).toMatchObject({ code: 'DISK_FULL' });
      if (await store.has(ABC)) expect(new Uint8Array(await store.get(ABC))).toEqual(abc);
      expect(await store.put(abc)).toMatchObject({ digest: ABC });
      await store.remove(ABC);
    }
  });
});
