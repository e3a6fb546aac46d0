import type { Drift } from '../../src/convert/wire/fields.ts';

/** What a decoder reports of a body, one sentence for each mismatch. */
export function driftOf(
  wire: unknown,
  decode: (body: Uint8Array, onDrift: (drift: Drift) => void) => unknown,
): string[] {
  const sentences: string[] = [];
  decode(new TextEncoder().encode(JSON.stringify(wire)), ({ field, expected, found }) =>
    sentences.push(`${field}: expected ${expected}, found ${found}`),
  );
  return sentences;
}
