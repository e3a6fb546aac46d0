/** Leases in a store: of several machines, one does a piece of work, and the others wait for its result. */
import { hostname } from 'node:os';
import { hasEnded } from '../support/file-operations.ts';
import { sha256Hex } from '../support/files.ts';
import type { ObjectStore } from './store/object-store.ts';

interface Lease {
  untilMs: number;
  host: string;
  pid: number;
  /** Of the lease among those of its process. */
  number: number;
}

/** After so long without a renewal, the machine that has a lease is taken for dead, milliseconds. */
const LEASE_MS = 30_000;

/** Numbers of the leases of this process: an earlier process may have had its id. */
const held = new Set<number>();
let taken = 0;

/**
 * Takes a lease, unless another machine has it. That of a process of this machine that has ended is free
 * at once. Two machines whose clocks differ may both have one: then the work is done twice.
 *
 * @param name - Names the work.
 * @param now - Milliseconds since 1970.
 * @returns What ends the lease; undefined if another machine has it.
 * @throws The codes of the store.
 */
export async function takeLease(
  store: ObjectStore,
  name: string,
  now: () => number,
): Promise<(() => Promise<void>) | undefined> {
  const key = `leases/${sha256Hex(name).slice(0, 40)}.json`;
  const number = ++taken;
  held.add(number);
  const own: Lease = { untilMs: now() + LEASE_MS, host: hostname(), pid: process.pid, number };
  const etag = await takeAt(key, own, store, now).catch((error: unknown) => {
    held.delete(number);
    throw error;
  });
  if (etag === undefined) {
    held.delete(number);
    return undefined;
  }
  return keep(key, own, etag, store, now);
}

/** Renews a lease until it ends; one that another machine has taken over is left to it. */
function keep(
  key: string,
  own: Lease,
  taken: string,
  store: ObjectStore,
  now: () => number,
): () => Promise<void> {
  let etag: string | undefined = taken;
  let renewing: Promise<void> = Promise.resolve();
  const write = async (untilMs: number) => {
    if (etag !== undefined) etag = await store.replace(key, contentOf({ ...own, untilMs }), etag);
  };
  const renew = () => {
    // Without a renewal, it ends by itself.
    renewing = renewing.then(() => write(now() + LEASE_MS)).catch(() => {});
  };
  const timer = setInterval(renew, LEASE_MS / 3).unref();
  return async () => {
    clearInterval(timer);
    await renewing;
    held.delete(own.number);
    await write(0);
    if (etag !== undefined) await store.delete(key);
  };
}

const contentOf = (lease: Lease) => new TextEncoder().encode(JSON.stringify(lease));

/** @returns The etag of the lease; undefined if another machine has it. */
async function takeAt(
  key: string,
  own: Lease,
  store: ObjectStore,
  now: () => number,
): Promise<string | undefined> {
  const content = contentOf(own);
  const etag = await store.replace(key, content, undefined);
  if (etag !== undefined) return etag;
  const found = await store.get(key);
  // It has just ended.
  if (found === undefined) return takeAt(key, own, store, now);
  const { untilMs, ...owner } = JSON.parse(new TextDecoder().decode(found.content)) as Lease;
  const isOurs = owner.pid === own.pid && held.has(owner.number);
  const isDead = owner.host === own.host && !isOurs && hasEnded(owner.pid);
  if (now() < untilMs && !isDead) return undefined;
  return store.replace(key, content, found.etag);
}
