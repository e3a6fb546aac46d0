/** A store of objects that several machines share: a folder, or a bucket of S3. */

/** What an object contains: bytes, pieces that are not joined, or a file, which is streamed. */
export type ObjectContent = Uint8Array | readonly Uint8Array[] | { path: string };

/** What a server of the objects sends with them, and how safe they are. */
export interface ObjectHeaders {
  /** @defaultValue `application/octet-stream` */
  contentType?: string;
  /** @defaultValue for a key with a digest `public, max-age=31536000, immutable`, else none */
  cacheControl?: string;
  /**
   * Whether a folder waits for its disk, which takes several times as long. Otherwise a power cut may damage the object, if its
   * key has a digest, by which that is found. @defaultValue true
   */
  durable?: boolean;
}

/** What is known of an object without its content. */
export interface ObjectInfo {
  bytes: number;
  /** Distinguishes this content of the key from all others it had; opaque. */
  etag: string;
  /** When it was written by the clock of the store, milliseconds since 1970. */
  modifiedAt: number;
}

/**
 * Objects by key. A key is a relative path of `A–Z a–z 0–9 . _ - ~ /`, of which no segment begins with a dot; none is
 * the folder of another. One that ends in a SHA-256, perhaps with an extension, is that of a content which has it. An
 * object is seen whole or not at all, and by everyone as soon as the call that stores it has returned.
 *
 * Every method throws `STORE_UNREACHABLE` (also after repeated attempts), `STORE_REFUSED` (credentials, rights),
 * `STORE_DAMAGED`, `STORE_UNSUPPORTED` or `INTERRUPTED`; for a folder also the codes of file operations.
 */
export interface ObjectStore {
  /** Its address without credentials, for messages. */
  readonly name: string;
  /** Stores an object unless the key has one, which stays as it is. */
  putIfAbsent(
    key: string,
    content: ObjectContent,
    headers?: ObjectHeaders,
  ): Promise<'stored' | 'present'>;
  /**
   * Stores an object in place of another.
   *
   * @param ifMatch - `etag` of the object to be replaced; undefined if the key must have none.
   * @returns The new `etag`; undefined if the key has another object by now, and nothing was stored.
   */
  replace(
    key: string,
    content: ObjectContent,
    ifMatch: string | undefined,
    headers?: ObjectHeaders,
  ): Promise<string | undefined>;
  /** Reads an object; undefined if there is none. */
  get(key: string): Promise<{ content: Uint8Array; etag: string } | undefined>;
  /** Undefined if there is none. */
  head(key: string): Promise<ObjectInfo | undefined>;
  /** Every object whose key begins so, in the order of their keys. */
  list(prefix: string): AsyncIterable<{ key: string } & ObjectInfo>;
  /** Removes an object if it is there. */
  delete(key: string): Promise<void>;
}
