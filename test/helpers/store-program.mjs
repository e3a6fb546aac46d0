/**
 * A program that uses a store, to be run in several processes at once: `store-program URL ACTION …`. It runs what was
 * built. It says `ready`, begins when it receives a line, and prints what came of it as JSON.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createFolderLock } from '../../dist/distribute/store/folder-lock.js';
import { openObjectStore } from '../../dist/distribute/store/open-store.js';
import { sha256Hex } from '../../dist/support/files.js';

const [url = '', action = '', ...words] = process.argv.slice(2);
const { env } = process;
const store = await openObjectStore(url, { env, now: Date.now, random: Math.random });
const bytes = (text) => new TextEncoder().encode(text);

const ACTIONS = {
  /**
   * Writes its name to so many keys, unless they have another, and adds one to a number so many times; returns the keys
   * that it got.
   */
  async claim() {
    const [count, name] = words;
    const got = [];
    for (let n = 0; n < Number(count); n++) {
      const key = `claims/${n}`;
      if ((await store.putIfAbsent(key, bytes(name))) === 'stored') got.push(key);
    }
    for (let done = 0; done < Number(count); ) {
      const before = await store.get('counter');
      const number = before === undefined ? 0 : Number(new TextDecoder().decode(before.content));
      const etag = await store.replace('counter', bytes(String(number + 1)), before?.etag);
      if (etag !== undefined) done += 1;
    }
    return got;
  },
  /** Stores contents by their digest and replaces a state for ever; prints the number of each round. */
  async write() {
    let etag = (await store.head('state'))?.etag;
    for (let round = 0; ; round++) {
      const content = randomBytes(200_000);
      await store.putIfAbsent(`objects/${sha256Hex(content)}`, content);
      etag = await store.replace('state', bytes(`${round} `.repeat(20_000)), etag);
      console.log(round);
    }
  },
  /** Takes the lock of a folder and keeps it. */
  async hold() {
    await createFolderLock(join(url, '.store-lock'))(async () => {
      console.log('holds');
      // Until it is killed.
      await new Promise(() => {});
    });
  },
};

console.log('ready');
process.stdin.once('data', async () => {
  console.log(JSON.stringify((await ACTIONS[action]()) ?? null));
  process.exit();
});
