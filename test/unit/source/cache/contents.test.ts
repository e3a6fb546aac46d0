import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ContentStore,
  openDerivedData,
  openFileStore,
} from '../../../../src/source/cache/content-store.ts';
import type { CacheDatabase } from '../../../../src/source/cache/database.ts';
import { evictUnused } from '../../../../src/source/cache/eviction.ts';
import { watchFileOperations } from '../../../../src/support/file-operations.ts';
import { sha256Hex } from '../../../../src/support/files.ts';
import { allOf } from '../../../helpers/all-of.ts';
import { cachePerTest } from '../../../helpers/cache-per-test.ts';

const SMALL = Buffer.from('small');
const LARGE = Buffer.alloc(100_000, 'large');
const DAY = 86_400_000;
const NOW = Date.parse('2024-06-01T02:00:00Z');

const { at, open: openDatabase } = cachePerTest();
let database: CacheDatabase;
let store: ContentStore;
const files = () => ({
  ...{ dir: at('objects'), tmpDir: at('.tmp'), root: at() },
  ...{ repair: true, dropDamaged: true, database: at('bodies.db') },
});

async function open(): Promise<void> {
  database = await openDatabase();
  store = openFileStore(files(), undefined, database.contents);
}

async function reopen(): Promise<void> {
  database.close();
  await open();
}

const all = () => allOf(store.list());

/** Changes the database file as another program would. */
function edit(sql: string): void {
  const other = new Libsql(at('bodies.db'));
  other.exec(sql);
  other.close();
}

beforeEach(open);
afterEach(() => watchFileOperations(undefined));

describe('contents', () => {
  it('are rows if they are small, else files, and read alike before and after they are written', async () => {
    const operations: string[] = [];
    watchFileOperations((operation) => void operations.push(operation));
    for (const bytes of [SMALL, LARGE, new Uint8Array(0)]) {
      const digest = sha256Hex(bytes);
      expect(await store.put(bytes)).toMatchObject({ digest, existed: false });
      expect(await store.put(bytes)).toMatchObject({ digest, existed: true });
    }
    // No content is worth a wait for the disk.
    expect(operations).not.toContain('fsync');
    expect(await readdir(at('objects'))).toEqual([sha256Hex(LARGE).slice(0, 2)]);
    for (let round = 0; round < 2; round++) {
      for (const bytes of [SMALL, LARGE, new Uint8Array(0)]) {
        const digest = sha256Hex(bytes);
        expect(Buffer.compare(await store.get(digest), bytes)).toBe(0);
        expect([await store.has(digest), await store.sizeOf(digest)]).toEqual([true, bytes.length]);
      }
      expect((await all()).sort()).toEqual([SMALL, LARGE, ''].map(sha256Hex).sort());
      await reopen();
    }
    for (const digest of await all()) await store.remove(digest);
    expect(await all()).toEqual([]);
    await expect(store.get(sha256Hex(SMALL))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  it('of an older cache, which are all files, are read, replaced and removed', async () => {
    const { digest } = await openFileStore({ dir: at('objects'), tmpDir: at('.tmp') }).put(SMALL);
    expect(Buffer.compare(await store.get(digest), SMALL)).toBe(0);
    expect([await store.sizeOf(digest), await all()]).toEqual([SMALL.length, [digest]]);
    await writeFile(store.pathOf(digest), 'SMALL');
    await expect(store.get(digest)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await store.put(SMALL);
    expect(Buffer.compare(await store.get(digest), SMALL)).toBe(0);
    await store.remove(digest);
    expect(await store.has(digest)).toBe(false);
  });

  it('are seen by another process once they are flushed', async () => {
    const { digest } = await store.put(SMALL);
    // As another process opens it.
    const other = openFileStore(files());
    expect(await other.has(digest)).toBe(false);
    database.flush();
    expect(Buffer.compare(await other.get(digest), SMALL)).toBe(0);
  });

  it('that are damaged are removed, and stored again', async () => {
    const { digest } = await store.put(SMALL);
    for (const damage of [`x'00'`, `x''`]) {
      database.flush();
      edit(`UPDATE contents SET bytes = ${damage}`);
      const message = `${at('bodies.db')}: ${digest}: expected the content of this digest, received other content`;
      await expect(store.get(digest)).rejects.toMatchObject({ code: 'STORE_DAMAGED', message });
      expect(await store.has(digest)).toBe(false);
      expect(await store.put(SMALL)).toMatchObject({ digest, existed: false });
    }
    database.flush();
    edit(`UPDATE contents SET bytes = x'00'`);
    expect(await store.put(SMALL)).toMatchObject({ digest, existed: false });
    expect(Buffer.compare(await store.get(digest), SMALL)).toBe(0);
  });
});

describe('a database of contents', () => {
  const fill = async () => {
    const contents = Array.from({ length: 60 }, (_, n) => Buffer.alloc(5000, `${n} `));
    for (const bytes of contents) await store.put(bytes);
    database.permanentIds.put('s', 'P-1', 'kept');
    database.close();
    return contents;
  };

  it.each([
    ['text', () => writeFile(at('bodies.db'), 'x'.repeat(9999))],
    ['cut', () => truncate(at('bodies.db'), 20_000)],
    [
      'overwritten',
      async () => {
        const bytes = await readFile(at('bodies.db'));
        await writeFile(at('bodies.db'), bytes.fill('x', 8192));
      },
    ],
    ['gone', () => rm(at('bodies.db'))],
  ])('that is %s is begun anew, and no permanent identifier is lost', async (_, damage) => {
    const contents = await fill();
    await damage();
    for (let round = 0; round < 2; round++) {
      await open();
      for (const bytes of contents) {
        const { digest } = await store.put(bytes);
        expect(Buffer.compare(await store.get(digest), bytes)).toBe(0);
      }
      database.flush();
      expect(database.permanentIds.get('s', 'P-1')).toBe('kept');
      if (round === 0) database.close();
    }
    // It was removed, so that small contents are rows again.
    expect(new Set(await all()).size).toBe(contents.length);
    edit('SELECT 1 FROM contents');
  });

  it('gives the space of evicted contents back', async () => {
    const contents = Array.from({ length: 100 }, (_, n) => Buffer.alloc(9000, `${n} `));
    for (const bytes of contents) {
      const { digest } = await store.put(bytes);
      database.bodies.put({ digest, bytes: bytes.length, usedAt: NOW });
    }
    const sizeOf = async () => (await readFile(at('bodies.db'))).length;
    await reopen();
    const before = await sizeOf();
    await evictUnused({ store, database, now: NOW, maxBytes: 100_000 });
    await reopen();
    expect([before > 800_000, (await sizeOf()) < 200_000]).toEqual([true, true]);
  });
});

describe('derived data', () => {
  const KEY = 'mesh 1 ba78 {"creaseAngleDegrees":30}';
  const derivedAt = (now = NOW) => openDerivedData(store, database.contents, now);

  it('is stored by key, small or large, and replaced', async () => {
    expect(await derivedAt().get(KEY)).toBeUndefined();
    for (const bytes of [SMALL, LARGE]) {
      await derivedAt().put(KEY, bytes);
      expect(Buffer.compare((await derivedAt().get(KEY))!, bytes)).toBe(0);
      await reopen();
      expect(Buffer.compare((await derivedAt().get(KEY))!, bytes)).toBe(0);
      await reopen();
    }
    expect(await derivedAt().get('another')).toBeUndefined();
  });

  it.each([
    ['row', SMALL, async () => edit(`UPDATE contents SET bytes = x'00'`)],
    ['missing row', SMALL, async () => edit('DELETE FROM contents')],
    ['file', LARGE, () => truncate(store.pathOf(sha256Hex(LARGE)), 1)],
    ['missing file', LARGE, () => rm(store.pathOf(sha256Hex(LARGE)))],
  ])('is absent if its %s is damaged, and can be stored again', async (_, bytes, damage) => {
    await derivedAt().put(KEY, bytes);
    database.flush();
    await damage();
    expect(await derivedAt().get(KEY)).toBeUndefined();
    expect(database.contents.derived.all()).toEqual([]);
    await derivedAt().put(KEY, bytes);
    expect(Buffer.compare((await derivedAt().get(KEY))!, bytes)).toBe(0);
  });

  describe('that is a file of an output folder', () => {
    const object = () => at('out/object.glb');
    const digest = sha256Hex(LARGE);
    const keep = () => derivedAt().keepFile(object(), digest, LARGE.length);
    const kept = () => derivedAt().keptFile(digest);

    beforeEach(async () => {
      await mkdir(at('out'));
      await writeFile(object(), LARGE);
    });

    it('is kept by a hard link, and stays when the folder is removed', async () => {
      expect(await kept()).toBeUndefined();
      await keep();
      await keep();
      const path = (await kept())!;
      expect((await stat(path)).ino).toBe((await stat(object())).ino);
      await rm(at('out'), { recursive: true });
      await reopen();
      expect(await kept()).toBe(path);
      expect(Buffer.compare(await readFile(path), LARGE)).toBe(0);
      expect(await all()).toEqual([digest]);
      expect(await evictUnused({ store, database, now: NOW, maxBytes: 0 })).toMatchObject({
        bodies: 1,
      });
      expect([await kept(), await all()]).toEqual([undefined, []]);
    });

    it.each([
      ['changed in place', () => appendFile(object(), 'x')],
      ['cut off', () => truncate(object(), 100)],
      ['missing', () => rm(store.pathOf(digest))],
    ])('is absent if it was %s, and can be kept again', async (_, damage) => {
      await keep();
      await damage();
      expect(await kept()).toBeUndefined();
      expect([database.contents.derived.all(), await all()]).toEqual([[], []]);
      await rm(object());
      await writeFile(object(), LARGE);
      await keep();
      expect(await kept()).toBe(store.pathOf(digest));
    });

    it('is absent if it was damaged while a row has its content', async () => {
      const small = sha256Hex(SMALL);
      await writeFile(object(), SMALL);
      await derivedAt().keepFile(object(), small, SMALL.length);
      await derivedAt().put(KEY, SMALL);
      database.flush();
      await truncate(object(), 1);
      expect(await derivedAt().keptFile(small)).toBeUndefined();
      expect(Buffer.compare((await derivedAt().get(KEY))!, SMALL)).toBe(0);
    });

    const failLinks = (code: string) =>
      watchFileOperations((operation) => {
        if (operation === 'link') throw Object.assign(new Error(code), { code });
      });

    it.each(['EXDEV', 'EPERM'])('is not kept where links are refused with %s', async (code) => {
      failLinks(code);
      await keep();
      expect([await kept(), await all()]).toEqual([undefined, []]);
    });

    it('is not kept where the disk is full, which is an error', async () => {
      failLinks('ENOSPC');
      await expect(keep()).rejects.toMatchObject({ code: 'DISK_FULL' });
      expect([await kept(), await all()]).toEqual([undefined, []]);
    });
  });

  it('is evicted by last use, together with bodies', async () => {
    await derivedAt(NOW - 30 * DAY).put('unused', Buffer.alloc(40, 1));
    await derivedAt(NOW - 30 * DAY).put('used', Buffer.alloc(40, 2));
    const { digest } = await store.put(Buffer.alloc(40, 3));
    database.bodies.put({ digest, bytes: 40, usedAt: NOW - 20 * DAY });
    database.flush();
    await derivedAt(NOW).get('used');
    const evict = (maxBytes: number) => evictUnused({ store, database, now: NOW, maxBytes });
    expect(await evict(120)).toEqual({ bodies: 0, bytes: 0 });
    expect(await evict(100)).toEqual({ bodies: 1, bytes: 40 });
    expect(await derivedAt().get('unused')).toBeUndefined();
    expect([await store.has(digest), (await derivedAt().get('used'))?.length]).toEqual([true, 40]);
    expect(await evict(50)).toEqual({ bodies: 1, bytes: 40 });
    expect([await store.has(digest), (await derivedAt().get('used'))?.length]).toEqual([false, 40]);
    expect(await evict(1)).toEqual({ bodies: 1, bytes: 40 });
    expect([await derivedAt().get('used'), await all()]).toEqual([undefined, []]);
  });
});
