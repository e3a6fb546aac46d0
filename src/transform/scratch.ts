/** Scratch: memory of intermediate lists, used again by the next step, because the system takes long to give new memory. */

type List = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** What a mesh of 600,000 triangles needs; more is released. */
const LARGEST_KEPT_BYTES = 16 * 1024 * 1024;
const SMALLEST_BYTES = 4096;

const buffers: ArrayBuffer[] = [];

/**
 * A list with undefined content, valid until a list of the same slot is asked for. Only for synchronous work that
 * keeps none: of its callers one works at a time, and each numbers its lists from 0.
 */
export function scratch<T extends List>(
  slot: number,
  Kind: { new (buffer: ArrayBuffer, offset: number, length: number): T; BYTES_PER_ELEMENT: number },
  length: number,
): T {
  const bytes = length * Kind.BYTES_PER_ELEMENT;
  if (bytes > LARGEST_KEPT_BYTES) return new Kind(new ArrayBuffer(bytes), 0, length);
  const known = buffers[slot];
  if (known && known.byteLength >= bytes) return new Kind(known, 0, length);
  const buffer = new ArrayBuffer(Math.max(bytes, SMALLEST_BYTES));
  buffers[slot] = buffer;
  return new Kind(buffer, 0, length);
}
