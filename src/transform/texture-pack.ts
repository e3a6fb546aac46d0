/**
 * Texture pack: the images of a material become the images of glTF, byte for byte wherever no pixel has
 * to change. What was made of a content is kept in the cache.
 */
import type { ImageCodec, Pixels } from '../model/image-codec.ts';
import type { SceneImage } from '../model/scene.ts';
import type { ContentReader, Digest } from '../model/snapshot.ts';
import { ConverterError } from '../support/errors.ts';
import type { ConvertOptions } from './convert-options.ts';
import {
  type ImageHeader,
  isGrey,
  type KnownImage,
  meanLinear,
  normalsFromHeights,
  packChannels,
  readImageHeader,
  turnGreen,
} from './images.ts';
import type { MeshCache } from './mesh-cache.ts';

/** An image that a material refers to: its name there, and its content. */
export interface SourceImage {
  name: string;
  digest: Digest;
}

/** Makes the images of scenes. */
export type TexturePacker = ReturnType<typeof createTexturePacker>;

/** Pixels a side, and in all, beyond which an image is refused, whatever its header promises. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 8_192 ** 2;

/**
 * Most pixels that a byte can encode; a header that claims more is meant to exhaust the memory.
 * JPEG spends a bit on each 8 × 8 block; deflate makes 1,032 bytes of one, of eight pixels each.
 */
const MAX_PIXELS_A_BYTE = { jpeg: 512, png: 8_256 } as const satisfies Record<
  ImageHeader['kind'],
  number
>;

const MIME_TYPES = { jpeg: 'image/jpeg', png: 'image/png' } as const satisfies Record<
  ImageHeader['kind'],
  SceneImage['mimeType']
>;

/** Makes a packer for one article. */
export function createTexturePacker(
  read: ContentReader,
  codec: ImageCodec,
  options: ConvertOptions,
  cache: MeshCache,
) {
  const { maxTextureSize, packedTextureFormat, normalMap, heightMaps } = options;

  async function load(image: SourceImage): Promise<{ bytes: Uint8Array; header: ImageHeader }> {
    const bytes = await read(image.digest);
    const header = readImageHeader(bytes);
    const problem = problemOf(header, bytes.length);
    if (problem) throw new ConverterError('IMAGE_UNREADABLE', `image ${image.name}: ${problem}`);
    return { bytes, header: header! };
  }

  /** What is made of a content, under the name that it has here. */
  async function made(
    name: string,
    key: string,
    format: ImageHeader['kind'],
    work: () => Promise<Pixels>,
  ): Promise<SceneImage> {
    const encode = async (): Promise<SceneImage> => {
      const pixels = await work();
      const bytes = await (format === 'png' ? codec.encodePng(pixels) : codec.encodeJpeg(pixels));
      return { name, mimeType: MIME_TYPES[format], bytes };
    };
    return { ...(await cache.getAsync(`image ${key} ${maxTextureSize}`, encode)), name };
  }

  async function decode(image: SourceImage, size?: Size): Promise<Pixels> {
    const { bytes, header } = await load(image);
    const wanted = size ?? cappedSize(header, maxTextureSize);
    return codec.decode(bytes, isSize(wanted, header) ? undefined : wanted);
  }

  /** An eighth of the size: JPEG reads all of its data for that, but makes few pixels. */
  async function decodeSmall(image: SourceImage): Promise<void> {
    const { bytes, header } = await load(image);
    await codec.decode(bytes, cappedSize(header, Math.max(header.width, header.height) / 8));
  }

  async function inspect(image: SourceImage): Promise<KnownImage> {
    const pixels = await decode(image);
    return { grey: isGrey(pixels), meanLinear: meanLinear(pixels) };
  }

  /** A picture that is seen as colour, or data that glTF takes as it is. */
  async function passThrough(image: SourceImage): Promise<SceneImage> {
    const { bytes, header } = await load(image);
    const { name, digest } = image;
    if (header.isPlain && isSize(cappedSize(header, maxTextureSize), header))
      return { name, mimeType: MIME_TYPES[header.kind], bytes };
    return made(name, `color ${digest}`, header.kind, () => decode(image));
  }

  /** Per axis the larger one wins, up to the limit. */
  async function largerSize(images: readonly (SourceImage | undefined)[]): Promise<Size> {
    const larger = { width: 1, height: 1 };
    for (const image of images) {
      if (!image) continue;
      const { width, height } = cappedSize((await load(image)).header, maxTextureSize);
      larger.width = Math.max(larger.width, width);
      larger.height = Math.max(larger.height, height);
    }
    return larger;
  }

  return {
    /** Checks that an image can be used. @throws `IMAGE_UNREADABLE` where it cannot. */
    check: (image: SourceImage): Promise<void> =>
      cache.getAsync(`checked ${image.digest}`, () => decodeSmall(image)),

    /** Decodes an image: whether it is grey, and its mean colour. */
    inspect: (image: SourceImage): Promise<KnownImage> =>
      cache.getAsync(`known ${image.digest}`, () => inspect(image)),

    passThrough,

    /** A normal map, +Y green. */
    normalMap(image: SourceImage, { grey }: KnownImage): Promise<SceneImage> {
      if (!grey && normalMap === 'opengl') return passThrough(image);
      const key = `normal ${image.digest} ${normalMap} ${heightMaps}`;
      const convert = grey ? normalsFromHeights : turnGreen;
      return made(image.name, key, 'png', async () => convert(await decode(image)));
    },

    /** Roughness in green, metallic in blue. */
    metallicRoughness(roughness?: SourceImage, metallic?: SourceImage): Promise<SceneImage> {
      const key = `packed ${roughness?.digest} ${metallic?.digest} ${packedTextureFormat}`;
      const name = [roughness?.name, metallic?.name].filter(Boolean).join(' + ');
      return made(name, key, packedTextureFormat, async () => {
        const size = await largerSize([roughness, metallic]);
        return packChannels(
          roughness && (await decode(roughness, size)),
          metallic && (await decode(metallic, size)),
        );
      });
    },
  };
}

function problemOf(header: ImageHeader | undefined, bytes: number): string | undefined {
  if (!header) return 'expected a JPEG or PNG, received something else';
  const { kind, width, height } = header;
  const pixels = width * height;
  if (width === 0 || height === 0) return `expected some pixels, received ${width} × ${height}`;
  if (width > MAX_SIDE || height > MAX_SIDE)
    return `expected at most ${MAX_SIDE} pixels a side, received ${width} × ${height}`;
  if (pixels > MAX_PIXELS)
    return `expected at most ${MAX_PIXELS} pixels, received ${width} × ${height}`;
  if (pixels > bytes * MAX_PIXELS_A_BYTE[kind])
    return `expected ${width} × ${height} pixels, received ${bytes} bytes, too few for them`;
  return undefined;
}

interface Size {
  width: number;
  height: number;
}

function cappedSize({ width, height }: Size, maxSide: number): Size {
  const factor = Math.min(1, maxSide / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  };
}

function isSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
