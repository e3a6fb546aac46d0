/** JPEGs that say that their samples are those of another colour space than sRGB, such as photographs of wood. */
import sharp from 'sharp';

const APP2 = 0xe2;

/** The same JPEG with a profile: a reader that applies it gets other colours. */
export async function withColourProfile(jpeg: Uint8Array): Promise<Uint8Array> {
  const create = { width: 1, height: 1, channels: 3, background: 'white' } as const;
  const marked = await sharp({ create }).withIccProfile('p3').jpeg().toBuffer();
  let at = 2;
  while (marked[at + 1] !== APP2) at += 2 + marked.readUInt16BE(at + 2);
  const segment = marked.subarray(at, at + 2 + marked.readUInt16BE(at + 2));
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]));
}
