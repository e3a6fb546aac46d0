/** A map of JSON values kept as bytes: a line of the manifest would take about 4 KiB as objects, here a number. */
import { Spool } from './spool.ts';
import { visibleJson } from './visible.ts';

/**
 * A map of values that `JSON.stringify` can encode, in the order in which keys were first set.
 *
 * @example
 * ```ts
 * const lines = new PackedMap<{ n: number }>();
 * lines.set('a', { n: 1 });
 * lines.get('a'); // → { n: 1 }
 * ```
 *
 * @see D-833
 */
export class PackedMap<T> {
  readonly #spool: Spool;
  readonly #places = new Map<string, number>();

  /** @param spool - Storage of the values; maps with the same spool can share them. @defaultValue one in memory */
  constructor(spool: Spool = new Spool()) {
    this.#spool = spool;
  }

  get size(): number {
    return this.#places.size;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** Returns a new copy at each call: changing the copy does not change the map. */
  get(key: string): T | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#at(place);
  }

  /** Sets a value; returns its number of bytes. */
  set(key: string, value: T): number {
    const place = this.#spool.addText(visibleJson(JSON.stringify(value)));
    this.#places.set(key, place);
    return this.#spool.bytesAt(place).length;
  }

  /** The value as UTF-8 JSON; read-only, and valid until another value is read. */
  bytesOf(key: string): Uint8Array | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#spool.bytesAt(place);
  }

  setBytes(key: string, bytes: Uint8Array): void {
    this.#places.set(key, this.#spool.add(bytes));
  }

  /** Sets the value that another map of the same spool has. */
  share(key: string, from: PackedMap<T>): void {
    this.#places.set(key, from.#places.get(key)!);
  }

  /** Whether both maps have the same value because one shares it with the other, or both have none. */
  isShared(key: string, other: PackedMap<T>): boolean {
    return this.#spool === other.#spool && this.#places.get(key) === other.#places.get(key);
  }

  /** Whether this map has the keys of another map, and shares all its values. */
  isSame(other: PackedMap<T>): boolean {
    if (this.size !== other.size) return false;
    for (const key of this.keys()) if (!other.has(key) || !this.isShared(key, other)) return false;
    return true;
  }

  delete(key: string): void {
    this.#places.delete(key);
  }

  keys(): IterableIterator<string> {
    return this.#places.keys();
  }

  *values(): Iterable<T> {
    for (const place of this.#places.values()) yield this.#at(place);
  }

  #at(place: number): T {
    return JSON.parse(this.#spool.textAt(place)) as T;
  }
}
