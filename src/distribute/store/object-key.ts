/** Keys of objects: what they may be, and the digest that some end in. */
import { ConverterError } from '../../support/errors.ts';

/** A name that no folder, bucket, shell or URL changes; none begins with a dot, as the store's own files do. */
const KEY = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199}(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199})*$/;
/** S3 allows 1,024 bytes, of which the prefix of the store takes some. */
const MOST_CHARACTERS = 800;

const DIGEST_AT_END = /(?:^|\/)(?<digest>[0-9a-f]{64})(?:\.[a-z0-9]+)?$/;

/** Whether a text is a key; a store skips other files, which someone else has put there. */
export function isKey(text: string): boolean {
  return text.length <= MOST_CHARACTERS && KEY.test(text);
}

/** @throws {@link ConverterError} `INTERNAL` if a text is no key: it could lead out of the store. */
export function checkKey(key: string): void {
  if (isKey(key)) return;
  const message = `object store: expected a key of A-Z a-z 0-9 . _ - ~ /, received "${key}"`;
  throw new ConverterError('INTERNAL', message);
}

/** @throws {@link ConverterError} `INTERNAL` if no key can begin so. */
export function checkPrefix(prefix: string): void {
  checkKey(`${prefix}x`);
}

/**
 * The SHA-256 that the content of a key has by its name; undefined if the name says nothing about it.
 *
 * @example
 * ```ts
 * digestOfKey(`objects/ba/${sha256}.glb`); // → sha256
 * digestOfKey('manifest.jsonl');           // → undefined
 * ```
 */
export function digestOfKey(key: string): string | undefined {
  return DIGEST_AT_END.exec(key)?.groups?.digest;
}
