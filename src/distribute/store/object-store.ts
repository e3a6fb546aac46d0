/** A store of objects that several machines share: a folder, or a bucket of S3. */

/** Content of an object: bytes, pieces that are not joined, or a file, which is streamed. */
export type ObjectContent = Uint8Array | readonly Uint8Array[] | { path: string };

/** Headers that a server of the objects sends with them, and whether a write waits for the disk. */
export interface ObjectHeaders {
  /** @defaultValue `application/octet-stream` */
  contentType?: string;
  /** @defaultValue for a key with a digest `public, max-age=31536000, immutable`, else none */
  cacheControl?: string;
  /**
   * Whether a folder waits for its disk, which takes several times as long. Otherwise a power cut may damage the object, if its
   * key has a digest, which reveals the damage. @defaultValue true
   */
  durable?: boolean;
}

/** Properties of an object without its content. */
export interface ObjectInfo {
  bytes: number;
  /** Distinguishes this content of the key from all its other contents; opaque. */
  etag: string;
  /** When the object was written by the clock of the store, milliseconds since 1970. */
  modifiedAt: number;
}

/**
 * Objects by key. A key is a relative path of `A–Z a–z 0–9 . _ - ~ /`, of which no segment begins with a dot; no key is
 * the folder of another. A key that ends in a SHA-256, perhaps with an extension, has a content with this SHA-256. An
 * object is visible whole or not at all, and to all readers as soon as the call that stores it has returned.
 *
 * Every method throws `STORE_UNREACHABLE` (also after repeated attempts), `STORE_REFUSED` (credentials, rights),
 * `STORE_DAMAGED`, `STORE_UNSUPPORTED` or `INTERRUPTED`; for a folder also the codes of file operations.
 */
export interface ObjectStore {
  /** Address of the store without credentials, for messages. */
  readonly name: string;
  /** Stores an object unless the key has an object, which is not changed. */
  putIfAbsent(
    key: string,
    content: ObjectContent,
    headers?: ObjectHeaders,
  ): Promise<'stored' | 'present'>;
  /**
   * Stores an object in place of another.
   *
   * @param ifMatch - `etag` of the object to be replaced; undefined if the key must have none.
   * @returns The new `etag`; undefined if the key has another object now, and nothing was stored.
   */
  replace(
    key: string,
    content: ObjectContent,
    ifMatch: string | undefined,
    headers?: ObjectHeaders,
  ): Promise<string | undefined>;
  /** Reads an object; undefined if there is none. */
  get(key: string): Promise<{ content: Uint8Array; etag: string } | undefined>;
  /** Reads the properties of an object; undefined if there is none. */
  head(key: string): Promise<ObjectInfo | undefined>;
  /** Every object whose key begins with the prefix, sorted by key. */
  list(prefix: string): AsyncIterable<{ key: string } & ObjectInfo>;
  /** Removes an object if it exists. */
  delete(key: string): Promise<void>;
}
