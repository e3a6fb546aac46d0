import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ContentStore, openFileStore } from '../../../src/cache/content-store.ts';
import { shareContents } from '../../../src/cache/shared-contents.ts';
import type { ObjectStore } from '../../../src/store/object-store.ts';
import { openObjectStore } from '../../../src/store/open-store.ts';
import { type S3Server, startS3Server } from '../../helpers/s3-server.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { closedGate, until } from '../../helpers/until.ts';

const OPTIONS = { folder: 'bodies', extension: '.glb' };
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: Uint8Array) => new TextDecoder().decode(content);
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const keyOf = (content: string) => {
  const digest = sha256(content);
  return `all/bodies/${digest.slice(0, 2)}/${digest}.glb`;
};

let server: S3Server;
let store: ObjectStore;
let folder: string;
beforeEach(async () => {
  server = await startS3Server();
  folder = await temporaryFolder();
  const { env } = server;
  store = await openObjectStore(`s3://${server.bucket}/all`, {
    ...{ env, now: Date.now, random: Math.random, backoffMs: 1, giveUpAfterMs: 100 },
  });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** The contents of a machine, alone and with those of the others. */
function machine(name: string, more = {}) {
  const dir = join(folder, name);
  const local: ContentStore = openFileStore({ dir, tmpDir: folder, dropDamaged: true });
  return { local, shared: shareContents(local, store, { ...OPTIONS, ...more }) };
}

it('stores a content on this machine, and for all once it is flushed', async () => {
  const { local, shared } = machine('one');
  const put = await shared.put([bytes('a'), bytes('bc')]);
  expect(put).toEqual({ digest: sha256('abc'), bytes: 3, existed: false });
  expect(text(await local.get(put.digest))).toBe('abc');
  await shared.flush();
  expect(server.objects.get(keyOf('abc'))?.content.toString()).toBe('abc');
});

it('uploads each content once, whoever puts it, and however often', async () => {
  const [one, two] = [machine('one'), machine('two')];
  for (const { shared } of [one, two]) {
    await Promise.all(Array.from({ length: 5 }, () => shared.put(bytes('abc'))));
    await shared.put(bytes('abc'));
    await shared.flush();
  }
  expect(server.count('PUT')).toBe(2);
  // The next process of the machine asks first.
  const again = machine('one');
  await again.shared.put(bytes('abc'));
  await again.shared.flush();
  expect([server.count('PUT'), server.count('HEAD')]).toEqual([2, 1]);
});

it('uploads what an earlier process of the machine did not', async () => {
  const { local, shared } = machine('one');
  await local.put(bytes('abc'));
  expect(await shared.put(bytes('abc'))).toMatchObject({ existed: true });
  await shared.flush();
  expect(server.objects.has(keyOf('abc'))).toBe(true);
});

it('takes from the store what the machine does not have, once', async () => {
  const [one, two] = [machine('one'), machine('two')];
  await one.shared.put(bytes('abc'));
  await one.shared.flush();
  const digest = sha256('abc');
  const read = await Promise.all([1, 2, 3].map(() => two.shared.get(digest)));
  expect(read.map(text)).toEqual(['abc', 'abc', 'abc']);
  expect(text(await two.local.get(digest))).toBe('abc');
  expect(text(await two.shared.getFile(digest))).toBe('abc');
  await two.shared.put(bytes('abc'));
  await two.shared.flush();
  expect([server.count('GET'), server.count('PUT')]).toEqual([1, 1]);
});

it('brings a content to the machine before another process needs it', async () => {
  const [one, two, three] = [machine('one'), machine('two'), machine('three')];
  await one.shared.put(bytes('abc'));
  await one.shared.flush();
  const digest = sha256('abc');
  expect(await two.shared.sizeOf(digest)).toBe(3);
  expect(await three.shared.has(digest)).toBe(true);
  for (const { local } of [two, three]) expect(text(await local.get(digest))).toBe('abc');
  const none = sha256('none');
  expect([await two.shared.has(none), await two.shared.sizeOf(none)]).toEqual([false, undefined]);
  await expect(two.shared.get(none)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
});

it('mends what is damaged on the machine, or in the store', async () => {
  const [one, two] = [machine('one'), machine('two')];
  const { digest } = await one.shared.put(bytes('abc'));
  await one.shared.flush();
  await writeFile(one.local.pathOf(digest), 'abd');
  expect(text(await one.shared.get(digest))).toBe('abc');
  server.put(keyOf('abc'), 'abd');
  await expect(two.shared.get(digest)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  await two.shared.put(bytes('abc'));
  await two.shared.flush();
  expect(server.objects.get(keyOf('abc'))?.content.toString()).toBe('abc');
});

it('uploads so many at the same time, and no more', async () => {
  const { shared } = machine('one', { uploadsAtOnce: 2 });
  const gate = closedGate();
  server.switches.hold = ({ method }) => (method === 'PUT' ? gate.opened : undefined);
  const put = Promise.all(Array.from({ length: 10 }, (_, n) => shared.put(bytes(`content ${n}`))));
  await until(() => server.count('PUT') === 2);
  gate.open();
  await put;
  await shared.flush();
  expect([server.mostAtOnce('PUT'), server.objects.size]).toEqual([2, 10]);
});

it('says with the next put, and when it is flushed, that an upload has failed', async () => {
  const { shared } = machine('one');
  server.switches.always = { fault: { status: 403, code: 'AccessDenied' } };
  await shared.put(bytes('abc'));
  const refused = { code: 'STORE_REFUSED' };
  await expect(shared.flush()).rejects.toMatchObject(refused);
  await expect(shared.put(bytes('abd'))).rejects.toMatchObject(refused);
});

it('lists and removes what the machine has', async () => {
  const { shared } = machine('one');
  const { digest } = await shared.put(bytes('abc'));
  await shared.flush();
  const listed: string[] = [];
  for await (const each of shared.list()) listed.push(each);
  expect(listed).toEqual([digest]);
  await shared.remove(digest);
  expect(server.objects.has(keyOf('abc'))).toBe(true);
  expect(text(await shared.get(digest))).toBe('abc');
});
