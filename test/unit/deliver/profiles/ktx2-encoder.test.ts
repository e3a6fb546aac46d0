/** Textures as KTX2, read by the transcoder of three, which is not the library that wrote them. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextureMeaning } from '../../../../src/deliver/profiles/ktx2-encoder.ts';
import { openTextureEncoder } from '../../../../src/deliver/profiles/texture-encoder.ts';
import { withColourProfile } from '../../../helpers/colour-profile.ts';
import { IS_LONG } from '../../../helpers/samples.ts';

const require = createRequire(import.meta.url);
const TRANSCODER = 'three/examples/jsm/libs/basis/basis_transcoder';

/** The little of it that is used. */
interface Transcoder {
  initializeBasis(): void;
  KTX2File: new (
    bytes: Uint8Array,
  ) => {
    isValid(): boolean;
    isUASTC(): boolean;
    getWidth(): number;
    getHeight(): number;
    getLevels(): number;
    startTranscoding(): number;
    getImageTranscodedSizeInBytes(level: number, layer: number, face: number, as: number): number;
    transcodeImage(...args: [Uint8Array, ...number[]]): boolean;
  };
}
const RGBA32 = 13;

/** In the data format descriptor of KTX 2. */
const TRANSFERS: Readonly<Record<number, string>> = { 1: 'linear', 2: 'sRGB' };

const COLOUR = 'oak.jpg';
const NORMALS = 'fabricNormal.jpg';
const ROUGHNESS = 'fabricRoughness.jpg';

const texture = async (name: string) =>
  new Uint8Array(
    await readFile(
      new URL(`../../../../src/emulator/sample/images/textures/${name}`, import.meta.url),
    ),
  );

let transcoder: Transcoder;
const encoder = openTextureEncoder();
beforeAll(async () => {
  const script = await readFile(require.resolve(`${TRANSCODER}.js`), 'utf8');
  // A script in a package of modules: it exports as CommonJS does.
  const module = { exports: {} as (given: object) => Promise<Transcoder> };
  new Function('module', 'exports', 'require', '__dirname', script)(module, {}, require, '.');
  const wasmBinary = await readFile(require.resolve(`${TRANSCODER}.wasm`));
  transcoder = await module.exports({ wasmBinary });
  transcoder.initializeBasis();
});
afterAll(() => encoder.close());

const encode = (
  bytes: Uint8Array,
  meaning: TextureMeaning,
  largest: number,
  { encode: by } = encoder,
) => by({ bytes, mimeType: 'image/jpeg', meaning, isTransparent: false, format: 'ktx2', largest });

async function encodedAs(name: string, meaning: TextureMeaning, largest: number) {
  const bytes = await texture(name);
  const { bytes: ktx2 } = (await encode(bytes, meaning, largest))!;
  const view = new DataView(ktx2.buffer, ktx2.byteOffset);
  const transfer = TRANSFERS[view.getUint8(view.getUint32(48, true) + 4 + 10)];
  const file = new transcoder.KTX2File(ktx2);
  expect([file.isValid(), Boolean(file.startTranscoding())]).toEqual([true, true]);
  const [width, height] = [file.getWidth(), file.getHeight()];
  const pixels = new Uint8Array(file.getImageTranscodedSizeInBytes(0, 0, 0, RGBA32));
  file.transcodeImage(pixels, 0, 0, 0, RGBA32, 0, -1, -1);
  const given = await sharp(bytes)
    .resize(width, height, { fit: 'fill' })
    .ensureAlpha()
    .raw()
    .toBuffer();
  const levels = file.getLevels();
  return { ktx2, pixels, given, width, height, levels, transfer, isUASTC: file.isUASTC() };
}

/** Root of the mean square of the differences, 0 to 255. */
function difference(a: Uint8Array, b: Uint8Array): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0) / a.length);
}

function meanAngleDegrees(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 4) {
    const unit = (list: Uint8Array) => [0, 1, 2].map((k) => list[i + k]! / 127.5 - 1);
    const [u, v] = [unit(a), unit(b)];
    const cosine =
      u.reduce((dot, value, k) => dot + value * v[k]!, 0) / (Math.hypot(...u) * Math.hypot(...v));
    sum += Math.acos(Math.min(1, cosine));
  }
  return ((sum / (a.length / 4)) * 180) / Math.PI;
}

describe('a texture as KTX2', () => {
  it('is ETC1S in sRGB where it is a colour, with every smaller form, and looks like what it was', async () => {
    const made = await encodedAs(COLOUR, 'colour', 64);
    expect([made.isUASTC, made.transfer]).toEqual([false, 'sRGB']);
    expect(2 ** (made.levels - 1)).toBe(Math.max(made.width, made.height));
    expect(difference(made.pixels, made.given)).toBeLessThan(8);
    expect(made.ktx2.length).toBeLessThan(made.pixels.length / 8);
  });

  it('is UASTC and linear where it is a normal map, whose directions stay', async () => {
    const made = await encodedAs(NORMALS, 'normal', 32);
    expect([made.isUASTC, made.transfer]).toEqual([true, 'linear']);
    expect(meanAngleDegrees(made.pixels, made.given)).toBeLessThan(2);
  });

  it('is linear where it is numbers: ETC1S for one number a texel, UASTC for several', async () => {
    const rough = await encodedAs(ROUGHNESS, 'data', 32);
    expect([rough.isUASTC, rough.transfer]).toEqual([false, 'linear']);
    expect(difference(rough.pixels, rough.given)).toBeLessThan(5);
    const several = await encodedAs(NORMALS, 'data', 64);
    expect([several.isUASTC, several.transfer]).toEqual([true, 'linear']);
  });

  it('has sides of whole blocks, and is the same each time', async () => {
    const made = await encodedAs(COLOUR, 'colour', 29);
    expect([made.width % 4, made.height % 4]).toEqual([0, 0]);
    // A thread of its own takes longer than all textures of these tests.
    const other = IS_LONG ? openTextureEncoder() : encoder;
    const again = await encode(await texture(COLOUR), 'colour', 29, other);
    expect(Buffer.from(again!.bytes).equals(made.ktx2)).toBe(true);
    if (other !== encoder) await other.close();
  });

  it('has the colours of its samples, whatever its colour profile', async () => {
    const plain = await texture(COLOUR);
    const expected = await encode(plain, 'colour', 16);
    const received = await encode(await withColourProfile(plain), 'colour', 16);
    expect(Buffer.from(received!.bytes).equals(expected!.bytes)).toBe(true);
  });

  it('that cannot be read is refused, and the next one is encoded', async () => {
    const refused = encode(new Uint8Array(100), 'colour', 64);
    await expect(refused).rejects.toMatchObject({ code: 'IMAGE_UNREADABLE' });
    expect((await encodedAs(COLOUR, 'colour', 16)).width).toBe(16);
  });
});
