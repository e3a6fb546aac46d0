/** Keys of objects: which texts are keys, and the digest with which some keys end. */
import { ConverterError } from '../../support/errors.ts';

/** A name that is valid in folders, buckets, shells and URLs; only the store's own files begin with a dot. */
const KEY = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199}(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199})*$/;
/** S3 allows 1,024 bytes, which include the prefix of the store. */
const MOST_CHARACTERS = 800;

const DIGEST_AT_END = /(?:^|\/)(?<digest>[0-9a-f]{64})(?:\.[a-z0-9]+)?$/;

/** Whether a text is a key; a store ignores other files, which other programs have put there. */
export function isKey(text: string): boolean {
  return text.length <= MOST_CHARACTERS && KEY.test(text);
}

/** @throws {@link ConverterError} `INTERNAL` if a text is not a key: it could lead out of the store. */
export function checkKey(key: string): void {
  if (isKey(key)) return;
  const message = `object store: expected a key of A-Z a-z 0-9 . _ - ~ /, received "${key}"`;
  throw new ConverterError('INTERNAL', message);
}

/** @throws {@link ConverterError} `INTERNAL` if no key can begin with the text. */
export function checkPrefix(prefix: string): void {
  checkKey(`${prefix}x`);
}

/**
 * The SHA-256 of the content that a key contains; undefined if the key contains none.
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
