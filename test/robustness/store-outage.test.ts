/**
 * A store of S3 that refuses, cuts and stalls while several write: nothing is lost, and nothing counts twice.
 *
 * `npm test` has outages of a few requests, with `BTG2GLTF_TEST_LONG=1` they last about two minutes together, with the
 * limits that a run has.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openObjectStore } from '../../src/distribute/store/open-store.ts';
import { type S3Fault, type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { until } from '../helpers/until.ts';

/** Two write each key. */
const WRITERS = IS_LONG ? 4 : 2;
/** Requests of each outage, of all clients. Of those that stall for 30 s, a client may have four: then it gives up. */
const REQUESTS = IS_LONG ? 50 : 5;
const STALLED_REQUESTS = IS_LONG ? 15 : 5;
const LIMITS = IS_LONG ? {} : { timeoutMs: 100, backoffMs: 5 };

const OUTAGES: S3Fault[] = [
  { status: 503, code: 'SlowDown' },
  { status: 403, code: 'AccessDenied' },
  'cut',
  'cutAfter',
  'stallAfter',
];

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server.close());

it('loses nothing in outages, and has one winner for each key', async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  let opened = 0;
  /** As workers and coordinators, each has read and written before its rights are gone. */
  const open = async () => {
    const store = await openObjectStore(`s3://${server.bucket}/run`, {
      ...{ env: server.env, now: Date.now, random: Math.random, ...LIMITS },
    });
    await store.putIfAbsent('identity.txt', bytes('store'));
    await store.get('identity.txt');
    opened++;
    return store;
  };
  const won = new Map<string, string>();
  let isOver = false;
  let last = 0;
  /** By each of them. */
  const written: number[] = [];
  const write = async (writer: number) => {
    const store = await open();
    written[writer] = 0;
    for (let n = 0; !isOver || n < last; n++) {
      last = Math.max(last, n);
      const key = `results/${writer >> 1}/${n}`;
      const name = `writer ${writer}`;
      const stored = await store.putIfAbsent(key, bytes(name));
      written[writer]!++;
      if (stored === 'stored') {
        expect(won.get(key)).toBeUndefined();
        won.set(key, name);
      }
    }
  };
  let counted = 0;
  const count = async () => {
    const store = await open();
    let etag = await store.replace('count', bytes('0'), undefined);
    for (; !isOver; counted++) {
      etag = await store.replace('count', bytes(String(counted + 1)), etag);
      expect(etag).toEqual(expect.any(String));
    }
  };
  const working = Promise.all([
    count(),
    ...Array.from({ length: WRITERS }, (_, writer) => write(writer)),
  ]);
  const outages = async () => {
    await until(() => opened === WRITERS + 1);
    for (const fault of OUTAGES) {
      server.switches.always = { fault };
      const requests = fault === 'stallAfter' ? STALLED_REQUESTS : REQUESTS;
      const seen = server.seen.length + requests;
      await until(() => isOver || server.seen.length >= seen);
      server.switches.always = undefined;
      // For each client it ends before the next one begins: together they last longer than a client waits.
      const next = [counted, ...written].map((answered) => answered + 3);
      const hasEnded = () =>
        [counted, ...written].every((answered, client) => answered >= next[client]!);
      await until(() => isOver || hasEnded());
    }
  };
  const end = () => {
    isOver = true;
  };
  // One that fails ends the outages.
  working.catch(end);
  await Promise.all([working, outages().finally(end)]);
  const store = await open();
  const listed: string[] = [];
  for await (const { key } of store.list('results/')) listed.push(key);
  expect(listed).toEqual([...won.keys()].sort());
  for (const [key, name] of won)
    expect(server.objects.get(`run/${key}`)?.content.toString()).toBe(name);
  expect(server.objects.get('run/count')?.content.toString()).toBe(String(counted));
});
