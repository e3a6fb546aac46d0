/** What every store promises: a folder, S3, and the S3 that BTG2GLTF_TEST_S3_URL and the variables of AWS name. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../../src/distribute/store/object-store.ts';
import { probeStore } from '../../../../src/distribute/store/open-store.ts';
import { sha256Hex } from '../../../../src/support/files.ts';
import { allOf } from '../../../helpers/all-of.ts';
import { givenS3, HAS_GIVEN_S3 } from '../../../helpers/given-s3.ts';
import { bytesOf, keysOf, openStore, textOf } from '../../../helpers/object-stores.ts';
import { startS3Server } from '../../../helpers/s3-server.ts';
import { runStoreProcesses } from '../../../helpers/store-processes.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

const MIB = 1024 * 1024;
/** The smallest that S3 takes. */
const PARTS = { multipartBytes: 5 * MIB, partBytes: 5 * MIB };

/** Where a store is. */
interface Place {
  url: string;
  env: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

const PLACES: Record<string, () => Promise<Place>> = {
  async 'a folder'() {
    const url = await temporaryFolder();
    return { url, env: {}, close: () => rm(url, { recursive: true }) };
  },
  async 'the S3 server of the tests'() {
    const server = await startS3Server();
    server.switches.keysPerPage = 3;
    return { url: `s3://${server.bucket}/some/prefix`, env: server.env, close: server.close };
  },
};

if (HAS_GIVEN_S3) {
  PLACES['the S3 of BTG2GLTF_TEST_S3_URL'] = async () => ({ ...givenS3(), close: async () => {} });
}

describe.each(Object.keys(PLACES))('a store: %s', (name) => {
  let place: Place;
  let store: ObjectStore;
  let folder: string;
  const keys = (prefix: string) => keysOf(store, prefix);
  const textAt = async (key: string) => textOf((await store.get(key))?.content);

  beforeAll(async () => {
    place = await PLACES[name]!();
    folder = await temporaryFolder();
    store = await openStore(place.url, { env: place.env, ...PARTS });
  });
  afterAll(async () => {
    for (const key of await keys('')) await store.delete(key);
    await rm(folder, { recursive: true });
    await place.close();
  });

  it('has what machines need to share it', async () => {
    // Its clock has whole seconds on S3.
    expect(Math.abs(await probeStore(store, Date.now))).toBeLessThan(60_000);
    expect(await keys('probes/')).toEqual([]);
  });

  it('stores an object once: the first content stays', async () => {
    expect(await store.putIfAbsent('once/a.json', bytesOf('first'))).toBe('stored');
    expect(await store.putIfAbsent('once/a.json', bytesOf('second'))).toBe('present');
    expect(await store.replace('once/a.json', bytesOf('third'), undefined)).toBeUndefined();
    expect(await textAt('once/a.json')).toBe('first');
  });

  it('says what it knows of an object, and that there is none', async () => {
    const earliest = Date.now() - 60_000;
    await store.putIfAbsent('facts/a', bytesOf('12345'));
    const info = (await store.head('facts/a'))!;
    expect(info).toMatchObject({ bytes: 5, etag: expect.stringMatching(/./) });
    expect(info.modifiedAt).toBeGreaterThan(earliest);
    expect((await store.get('facts/a'))?.etag).toBe(info.etag);
    const listed = await allOf(store.list('facts/'));
    expect(listed).toMatchObject([{ key: 'facts/a', bytes: 5, etag: info.etag }]);
    expect(listed[0]!.modifiedAt).toBeGreaterThan(earliest);
    expect(await store.head('facts/b')).toBeUndefined();
    expect(await store.get('facts/b')).toBeUndefined();
  });

  it('stores bytes, pieces of them, files and nothing', async () => {
    const content = randomBytes(MIB / 4);
    const path = join(folder, 'content');
    await writeFile(path, content);
    const pieces = [content.subarray(0, 1), content.subarray(1, 1), content.subarray(1)];
    for (const [key, given] of Object.entries({ bytes: content, pieces, file: { path } })) {
      expect(await store.putIfAbsent(`kinds/${key}`, given)).toBe('stored');
      expect(await store.putIfAbsent(`kinds/${key}`, given)).toBe('present');
      const read = await store.get(`kinds/${key}`);
      expect(sha256Hex(read!.content)).toBe(sha256Hex(content));
    }
    await store.putIfAbsent('kinds/nothing', new Uint8Array(0));
    expect((await store.get('kinds/nothing'))?.content).toHaveLength(0);
    expect((await store.head('kinds/nothing'))?.bytes).toBe(0);
  });

  it('stores no file that is missing', async () => {
    const none = { path: join(folder, 'none') };
    const missing = { code: 'FILE_MISSING' };
    await expect(store.putIfAbsent('kinds/none', none)).rejects.toMatchObject(missing);
    await expect(store.replace('kinds/none', none, undefined)).rejects.toMatchObject(missing);
    expect(await store.head('kinds/none')).toBeUndefined();
  });

  it('stores large contents, in parts where it needs them', async () => {
    const content = randomBytes(5 * MIB + 1);
    const path = join(folder, 'large');
    await writeFile(path, content);
    const key = `objects/${sha256Hex(content)}.glb`;
    expect(await store.putIfAbsent(key, { path })).toBe('stored');
    expect(await store.putIfAbsent(key, { path })).toBe('present');
    const read = await store.get(key);
    expect(sha256Hex(read!.content)).toBe(sha256Hex(content));
    expect((await store.head(key))?.etag).toBe(read!.etag);
    const other = [content, content.subarray(5 * MIB)];
    await store.putIfAbsent('large', bytesOf('small'));
    const etag = await store.replace('large', other, (await store.head('large'))!.etag);
    expect((await store.get('large'))?.etag).toBe(etag);
    expect(await store.head('large')).toMatchObject({ bytes: 5 * MIB + 2, etag });
  });

  it('replaces an object only if it is the one that the caller knows', async () => {
    const first = await store.replace('state', bytesOf('1'), undefined);
    const second = await store.replace('state', bytesOf('2'), first);
    expect([first, second]).toEqual([expect.any(String), expect.any(String)]);
    expect(second).not.toBe(first);
    expect(await store.replace('state', bytesOf('3'), first)).toBeUndefined();
    expect(await textAt('state')).toBe('2');
    await store.delete('state');
    expect(await store.replace('state', bytesOf('3'), second)).toBeUndefined();
    expect(await store.head('state')).toBeUndefined();
  });

  it('removes an object, also one that is gone', async () => {
    await store.putIfAbsent('gone', bytesOf('1'));
    await store.delete('gone');
    await store.delete('gone');
    expect(await store.get('gone')).toBeUndefined();
    expect(await store.putIfAbsent('gone', bytesOf('2'))).toBe('stored');
  });

  it('takes many requests at once', async () => {
    const many = Array.from({ length: 40 }, (_, n) => `many/${String(n).padStart(3, '0')}`);
    await Promise.all(many.map((key) => store.putIfAbsent(key, bytesOf(key))));
    const read = await Promise.all(many.map((key) => store.get(key)));
    expect(read.map((object) => textOf(object?.content))).toEqual(many);
  });

  it('lists every object of a prefix, in the order of keys', async () => {
    const names = ['a', 'a-b/c', 'a.b', 'ab', 'b/a', 'b/b/c', 'b~'];
    const all = names.map((name) => `list/${name}`);
    for (const key of [...all].reverse()) await store.putIfAbsent(key, bytesOf(key));
    await store.putIfAbsent('list-of-others', bytesOf(''));
    expect(await keys('list/')).toEqual(all);
    expect(await keys('list/a')).toEqual(all.slice(0, 4));
    expect(await keys('list/b/b')).toEqual(['list/b/b/c']);
    expect(await keys('list/b/b/c')).toEqual(['list/b/b/c']);
    expect(await keys('none/')).toEqual([]);
    expect(await keys('')).toEqual(expect.arrayContaining(['list-of-others', ...all]));
  });

  it.each(['', '/a', 'a/', '../a', 'a/../b', 'a//b', '.a', 'a/.b', 'a b', 'ä', 'a\\b', 'a?b'])(
    'refuses %j as a key',
    async (key) => {
      const nothing = bytesOf('');
      const requests = [
        ...[store.putIfAbsent(key, nothing), store.replace(key, nothing, 'e')],
        ...[store.get(key), store.head(key), store.delete(key)],
      ];
      const refused = { status: 'rejected', reason: { code: 'INTERNAL' } };
      expect(await Promise.allSettled(requests)).toMatchObject(requests.map(() => refused));
    },
  );

  it('refuses a content that has not the digest of its key', async () => {
    const key = `objects/ab/${sha256Hex(bytesOf('one'))}.glb`;
    await store.putIfAbsent(key, bytesOf('two'));
    const damaged = { code: 'STORE_DAMAGED', message: expect.stringContaining(key) };
    await expect(store.get(key)).rejects.toMatchObject(damaged);
  });

  it('has one winner when processes write one key at once, and loses no replacement of one object', async () => {
    const { url, env } = place;
    const claims = ['one', 'two'].map((name) => ['claim', '12', name]);
    const won = (await runStoreProcesses(env, url, ...claims)) as [string[], string[]];
    expect(won.flat().sort()).toEqual(Array.from({ length: 12 }, (_, n) => `claims/${n}`).sort());
    for (const key of won[0]) expect(await textAt(key)).toBe('one');
    for (const key of won[1]) expect(await textAt(key)).toBe('two');
    expect(await textAt('counter')).toBe('24');
  });
});
