import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SharedContents } from '../../../src/distribute/contents.ts';
import { openSharedDerivedData } from '../../../src/distribute/rows.ts';
import type { ObjectStore } from '../../../src/distribute/store/object-store.ts';
import { openDerivedData, openFileStore } from '../../../src/source/cache/content-store.ts';
import { sha256Hex } from '../../../src/support/files.ts';
import { allOf } from '../../helpers/all-of.ts';
import { cachePerTest } from '../../helpers/cache-per-test.ts';
import { bytesOf, openStore, textOf } from '../../helpers/object-stores.ts';
import { type S3Server, startS3Server } from '../../helpers/s3-server.ts';
import { closedGate, until } from '../../helpers/until.ts';

const abc = bytesOf('abc');
const ABC = sha256Hex(abc);
/** Of this content in the store. */
const KEY = `all/bodies/${ABC.slice(0, 2)}/${ABC}`;

const { at, open } = cachePerTest();
let server: S3Server;
let store: ObjectStore;
beforeEach(async () => {
  server = await startS3Server();
  const settings = { env: server.env, backoffMs: 1, giveUpAfterMs: 100 };
  store = await openStore(`s3://${server.bucket}/all`, settings);
});
afterEach(() => server.close());

/** The contents of a machine, alone and with those of the others. */
function machine(name: string, uploadsAtOnce?: number) {
  const local = openFileStore({ dir: at(name), tmpDir: at(), dropDamaged: true });
  return { local, shared: new SharedContents(local, store, uploadsAtOnce) };
}

const upload = async ({ shared }: ReturnType<typeof machine>) => {
  await shared.put(abc);
  await shared.flush();
};

it('stores a content on this machine, and for all once it is flushed', async () => {
  const { local, shared } = machine('one');
  const put = await shared.put([bytesOf('a'), bytesOf('bc')]);
  expect(put).toEqual({ digest: ABC, bytes: 3, existed: false });
  expect(textOf(await local.get(ABC))).toBe('abc');
  await shared.flush();
  expect(server.objects.get(KEY)?.content.toString()).toBe('abc');
});

it('uploads each content once, whoever puts it, and however often', async () => {
  const [one, two] = [machine('one'), machine('two')];
  for (const { shared } of [one, two]) {
    await Promise.all(Array.from({ length: 5 }, () => shared.put(abc)));
    await shared.put(abc);
    await shared.flush();
  }
  expect(server.count('PUT')).toBe(2);
  // The next process of the machine asks first.
  await upload(machine('one'));
  expect([server.count('PUT'), server.count('HEAD')]).toEqual([2, 1]);
});

it('uploads what an earlier process of the machine did not', async () => {
  const { local, shared } = machine('one');
  await local.put(abc);
  expect(await shared.put(abc)).toMatchObject({ existed: true });
  await shared.flush();
  expect(server.objects.has(KEY)).toBe(true);
});

it('takes from the store what the machine does not have, once', async () => {
  const [one, two] = [machine('one'), machine('two')];
  await upload(one);
  const read = await Promise.all([1, 2, 3].map(() => two.shared.get(ABC)));
  expect(read.map(textOf)).toEqual(['abc', 'abc', 'abc']);
  expect(textOf(await two.local.get(ABC))).toBe('abc');
  expect(textOf(await two.shared.getFile(ABC))).toBe('abc');
  await upload(two);
  expect([server.count('GET'), server.count('PUT')]).toEqual([1, 1]);
});

it('brings a content to the machine before another process needs it', async () => {
  const [one, two, three] = [machine('one'), machine('two'), machine('three')];
  await upload(one);
  expect(await two.shared.sizeOf(ABC)).toBe(3);
  expect(await three.shared.has(ABC)).toBe(true);
  for (const { local } of [two, three]) expect(textOf(await local.get(ABC))).toBe('abc');
  const none = sha256Hex('none');
  expect([await two.shared.has(none), await two.shared.sizeOf(none)]).toEqual([false, undefined]);
  await expect(two.shared.get(none)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
});

it('mends what is damaged on the machine, or in the store', async () => {
  const [one, two] = [machine('one'), machine('two')];
  await upload(one);
  await writeFile(one.local.pathOf(ABC), 'abd');
  expect(textOf(await one.shared.get(ABC))).toBe('abc');
  server.put(KEY, 'abd');
  await expect(two.shared.get(ABC)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  await upload(two);
  expect(server.objects.get(KEY)?.content.toString()).toBe('abc');
});

it('uploads so many at the same time, and no more', async () => {
  const { shared } = machine('one', 2);
  const gate = closedGate();
  server.switches.hold = ({ method }) => (method === 'PUT' ? gate.opened : undefined);
  const put = Promise.all(
    Array.from({ length: 10 }, (_, n) => shared.put(bytesOf(`content ${n}`))),
  );
  await until(() => server.count('PUT') === 2);
  gate.open();
  await put;
  await shared.flush();
  expect([server.mostAtOnce('PUT'), server.objects.size]).toEqual([2, 10]);
});

it('says with the next put, and when it is flushed, that an upload has failed', async () => {
  const { shared } = machine('one');
  server.switches.always = { fault: { status: 403, code: 'AccessDenied' } };
  await shared.put(abc);
  const refused = { code: 'STORE_REFUSED' };
  await expect(shared.flush()).rejects.toMatchObject(refused);
  await expect(shared.put(bytesOf('abd'))).rejects.toMatchObject(refused);
});

it('lists and removes what the machine has', async () => {
  const one = machine('one');
  await upload(one);
  const { shared } = one;
  expect(await allOf(shared.list())).toEqual([ABC]);
  await shared.remove(ABC);
  expect(server.objects.has(KEY)).toBe(true);
  expect(textOf(await shared.get(ABC))).toBe('abc');
});

describe('derived data', () => {
  const MESH = Buffer.from('a decoded mesh');
  const NAME = 'mesh 1 of a block, with its options';

  async function derivedOn(name: string) {
    const { contents } = await open(name);
    const { shared } = machine(name);
    return {
      shared,
      derived: openDerivedData(shared, contents, 0, openSharedDerivedData(store)),
    };
  }

  it('is given to a machine that asks for what another one has computed, once', async () => {
    const [one, two] = [await derivedOn('one'), await derivedOn('two')];
    expect(await two.derived.get(NAME)).toBeUndefined();
    await one.derived.put(NAME, MESH);
    await one.shared.flush();
    expect(await two.derived.get(NAME)).toEqual(MESH);
    const before = server.count('GET');
    expect(await two.derived.get(NAME)).toEqual(MESH);
    expect(server.count('GET')).toBe(before);
  });

  it('is computed again if it is noted, but not stored', async () => {
    const [one, two] = [await derivedOn('one'), await derivedOn('two')];
    await one.derived.put(NAME, MESH);
    await one.shared.flush();
    for (const key of server.objects.keys())
      if (key.includes('/bodies/')) server.objects.delete(key);
    expect(await two.derived.get(NAME)).toBeUndefined();
    await two.derived.put(NAME, MESH);
    expect(await two.derived.get(NAME)).toEqual(MESH);
  });
});
