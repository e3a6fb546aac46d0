/**
 * Source digest: one digest of everything that a GLB and its line depend on.
 *
 * In: the digest of what the service said, and the options. Out: a digest; equal digests mean that
 * nothing is to be done. It must not depend on the identity of the article: equal content is equal.
 */
import type { Digest } from '../../model/snapshot.ts';
import { sha256Hex } from '../../support/files.ts';
import { CONVERTER_VERSION, type ConvertOptions } from '../../transform/convert-options.ts';

/** Makes the source digest of one configuration from its `inputsDigest`. */
export type SourceDigest = (inputs: Digest) => Digest;

/**
 * Digests all options and the converter's version, once for all configurations of a run.
 *
 * @param version - Only tests give another.
 *
 * @example
 * ```ts
 * const sourceOf = sourceDigest(CONVERT_DEFAULTS);
 * sourceOf(inputsDigest(snapshot));   // → '849465e5…'
 * ```
 *
 * @see D-745.
 */
export function sourceDigest(
  options: ConvertOptions,
  version: number | string = CONVERTER_VERSION,
): SourceDigest {
  const converter = JSON.stringify({ version, options: sortedEntries(options) });
  return (inputs) => sha256Hex(`${converter}\n${inputs}`);
}

/** Keys in order at every depth: an option's meaning does not depend on where it was written. */
function sortedEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedEntries);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, sortedEntries(entry)]);
}
