/** Values as JSON in objects that the machines of a run exchange. */
import { ConverterError } from '../../support/errors.ts';
import type { ObjectStore } from './object-store.ts';

/** Stores a value unless the key has one. */
export function putJson(
  store: ObjectStore,
  key: string,
  value: unknown,
): Promise<'stored' | 'present'> {
  return store.putIfAbsent(key, new TextEncoder().encode(JSON.stringify(value)));
}

/** Reads a value. @throws {@link ConverterError} `RUN_DAMAGED` if there is none, and the codes of the store. */
export async function readJson<T>(store: ObjectStore, key: string): Promise<T> {
  const found = await store.get(key);
  if (found !== undefined) return JSON.parse(new TextDecoder().decode(found.content)) as T;
  const message = `${store.name}: expected ${key}, received nothing; do all workers of the run use this store?`;
  throw new ConverterError('RUN_DAMAGED', message);
}
