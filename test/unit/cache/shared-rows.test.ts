import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDerivedData, openFileStore } from '../../../src/cache/content-store.ts';
import { type CacheDatabase, openCacheDatabase } from '../../../src/cache/database.ts';
import { shareContents } from '../../../src/cache/shared-contents.ts';
import { openSharedDerivedData } from '../../../src/cache/shared-rows.ts';
import type { ObjectStore } from '../../../src/store/object-store.ts';
import { openObjectStore } from '../../../src/store/open-store.ts';
import { type S3Server, startS3Server } from '../../helpers/s3-server.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const MESH = Buffer.from('a decoded mesh');
const KEY = 'mesh 1 of a block, with its options';

let server: S3Server;
let store: ObjectStore;
let folder: string;
let databases: CacheDatabase[];
beforeEach(async () => {
  server = await startS3Server();
  folder = await temporaryFolder();
  databases = [];
  const { env } = server;
  store = await openObjectStore(`s3://${server.bucket}/all`, {
    ...{ env, now: Date.now, random: Math.random, backoffMs: 1, giveUpAfterMs: 100 },
  });
});
afterEach(async () => {
  for (const database of databases) database.close();
  await server.close();
  await rm(folder, { recursive: true });
});

async function machine(name: string) {
  const dir = join(folder, name);
  const database = await openCacheDatabase(dir);
  databases.push(database);
  const local = openFileStore({ dir: join(dir, 'bodies'), tmpDir: folder, dropDamaged: true });
  const bodies = shareContents(local, store, { folder: 'bodies' });
  return {
    bodies,
    derived: openDerivedData(bodies, database.contents, 0, openSharedDerivedData(store)),
  };
}

it('gives a machine what another one has computed, and asks for it once', async () => {
  const [one, two] = [await machine('one'), await machine('two')];
  expect(await two.derived.get(KEY)).toBeUndefined();
  await one.derived.put(KEY, MESH);
  await one.bodies.flush();
  expect(await two.derived.get(KEY)).toEqual(MESH);
  const before = server.count('GET');
  expect(await two.derived.get(KEY)).toEqual(MESH);
  expect(server.count('GET')).toBe(before);
});

it('computes again what is noted, but not stored', async () => {
  const [one, two] = [await machine('one'), await machine('two')];
  await one.derived.put(KEY, MESH);
  await one.bodies.flush();
  for (const key of server.objects.keys()) if (key.includes('/bodies/')) server.objects.delete(key);
  expect(await two.derived.get(KEY)).toBeUndefined();
  await two.derived.put(KEY, MESH);
  expect(await two.derived.get(KEY)).toEqual(MESH);
});
