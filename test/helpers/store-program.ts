/**
 * A program that uses a store, to be run in several processes at once: `store-program URL ACTION …`. It says `ready`,
 * begins when it receives a line, and prints what came of it as JSON.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createFolderLock } from '../../src/store/folder-lock.ts';
import { openObjectStore } from '../../src/store/open-store.ts';
import { sha256Hex } from '../../src/support/files.ts';

const [url = '', action = '', ...words] = process.argv.slice(2);
const { env } = process;
const store = await openObjectStore(url, { env, now: Date.now, random: Math.random });
const bytes = (text: string) => new TextEncoder().encode(text);

const ACTIONS: Record<string, () => Promise<unknown>> = {
  /** Writes its name to so many keys, unless they have another; returns the keys that it got. */
  async claim() {
    const [count, name] = words;
    const got: string[] = [];
    for (let n = 0; n < Number(count); n++) {
      const key = `claims/${n}`;
      if ((await store.putIfAbsent(key, bytes(name!))) === 'stored') got.push(key);
    }
    return got;
  },
  /** Adds one to a number so many times; returns how often another process was faster. */
  async count() {
    let conflicts = 0;
    for (let done = 0; done < Number(words[0]); ) {
      const before = await store.get('counter');
      const number = before === undefined ? 0 : Number(new TextDecoder().decode(before.content));
      const etag = await store.replace('counter', bytes(String(number + 1)), before?.etag);
      if (etag === undefined) conflicts += 1;
      else done += 1;
    }
    return conflicts;
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
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    });
  },
};

console.log('ready');
process.stdin.once('data', async () => {
  console.log(JSON.stringify((await ACTIONS[action]!()) ?? null));
  process.exit();
});
