/**
 * Hostile images: JPEGs that promise more than they hold.
 */

/** Frame headers: baseline and progressive. */
const FRAMES = [0xc0, 0xc2];

/** The JPEG with another width and height in its header; its data stay as they are. */
export function withFrameSize(jpeg: Uint8Array, side: number): Uint8Array {
  const copy = Uint8Array.from(jpeg);
  for (let at = 2; at + 8 < copy.length; ) {
    if (FRAMES.includes(copy[at + 1]!)) {
      copy.set([side >> 8, side & 255, side >> 8, side & 255], at + 5);
      return copy;
    }
    at += 2 + (copy[at + 2]! << 8) + copy[at + 3]!;
  }
  throw new Error('no frame header');
}
