/** Object stores, and what they hold, as tests write and compare it. */
import type { ObjectStore } from '../../src/distribute/store/object-store.ts';
import { openObjectStore } from '../../src/distribute/store/open-store.ts';
import { allOf } from './all-of.ts';

/** Opens a store with the clock of this machine. */
export function openStore(
  url: string,
  options: Partial<Parameters<typeof openObjectStore>[1]> = {},
): Promise<ObjectStore> {
  return openObjectStore(url, { env: {}, now: Date.now, random: Math.random, ...options });
}

export const bytesOf = (text: string) => new TextEncoder().encode(text);
export const textOf = (content: Uint8Array | undefined) => new TextDecoder().decode(content);

/** The keys that begin with a prefix, in the order of the store. */
export async function keysOf(store: ObjectStore, prefix = ''): Promise<string[]> {
  return (await allOf(store.list(prefix))).map(({ key }) => key);
}
