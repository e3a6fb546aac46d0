/** Leases in a store: of several machines, one does a piece of work, and the others wait for its result. */
import { sha256Hex } from '../support/files.ts';
import type { ObjectStore } from './store/object-store.ts';

/** After so long, the machine that has a lease is taken for dead, milliseconds: most work takes less. */
const LEASE_MS = 30_000;

const encode = (text: string) => new TextEncoder().encode(text);

/**
 * Takes a lease, unless another machine has it. Two machines whose clocks differ may both have one: then the work is done twice.
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
  const content = encode(JSON.stringify({ untilMs: now() + LEASE_MS }));
  const end = () => store.delete(key);
  if ((await store.replace(key, content, undefined)) !== undefined) return end;
  const found = await store.get(key);
  if (found === undefined) return takeLease(store, name, now);
  const { untilMs } = JSON.parse(new TextDecoder().decode(found.content)) as { untilMs: number };
  if (now() < untilMs) return undefined;
  return (await store.replace(key, content, found.etag)) === undefined ? undefined : end;
}
