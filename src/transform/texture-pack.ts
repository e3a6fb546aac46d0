/**
 * Texture pack: the images of a material become the images that glTF wants.
 *
 * In: bodies by digest. Out: images that pass through byte for byte wherever no pixel has to change.
 * Decoding and encoding are handed in; what was made of a content is kept in the cache.
 */
import type { ImageCodec, Pixels } from '../model/image-codec.ts';
import type { SceneImage } from '../model/scene.ts';
import type { ContentReader, Digest } from '../model/snapshot.ts';
import { ConverterError } from '../support/errors.ts';
import type { ConvertOptions } from './convert-options.ts';
import { type ImageHeader, readImageHeader } from './image-header.ts';
import type { KnownImage } from './material-look.ts';
import type { MeshCache } from './mesh-cache.ts';
import { isGrey, meanLinear, normalsFromHeights, packChannels, turnGreen } from './pixels.ts';

/** An image that a material refers to: its name there, and its content. */
export interface SourceImage {
  name: string;
  digest: Digest;
}

/** Makes the images of scenes. */
export interface TexturePacker {
  /** Checks that an image can be used. @throws `IMAGE_UNREADABLE` where it cannot. */
  check(image: SourceImage): Promise<void>;
  /** Decodes an image to tell whether it is grey, and its mean colour. */
  know(image: SourceImage): Promise<KnownImage>;
  /** A picture seen as colour, or as data that glTF takes as it is. */
  passThrough(image: SourceImage): Promise<SceneImage>;
  /** A normal map, +Y green. */
  normalMap(image: SourceImage, known: KnownImage): Promise<SceneImage>;
  /** Roughness in green, metallic in blue. */
  metallicRoughness(
    roughness: SourceImage | undefined,
    metallic: SourceImage | undefined,
  ): Promise<SceneImage>;
}

/** Pixels a side, and in all, beyond which an image is refused, whatever its header promises. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 8_192 ** 2;

/**
 * Pixels that a byte can hold at most: more are promised only to make a reader run out of memory.
 * JPEG spends a bit on each 8 × 8 block; deflate makes 1,032 bytes of one, of eight pixels each.
 */
const MAX_PIXELS_A_BYTE = { jpeg: 512, png: 8_256 } as const satisfies Record<
  ImageHeader['kind'],
  number
>;

interface Loaded {
  bytes: Uint8Array;
  header: ImageHeader;
}

/** Makes a packer for one article. */
export function createTexturePacker(
  read: ContentReader,
  codec: ImageCodec,
  options: ConvertOptions,
  cache: MeshCache,
): TexturePacker {
  const { maxTextureSize, packedTextureFormat, normalMap, heightMaps } = options;

  async function load(image: SourceImage): Promise<Loaded> {
    const bytes = await read(image.digest);
    const header = readImageHeader(bytes);
    const problem = problemOf(header, bytes.length);
    if (problem) throw new ConverterError('IMAGE_UNREADABLE', `image ${image.name}: ${problem}`);
    return { bytes, header: header! };
  }

  function make(key: string, work: () => Promise<SceneImage>): Promise<SceneImage> {
    return cache.getAsync(`image ${key} ${maxTextureSize}`, work, (image) => image.bytes.length);
  }

  async function decode(image: SourceImage, size?: Size): Promise<Pixels> {
    const { bytes, header } = await load(image);
    const wanted = size ?? cappedSize(header, maxTextureSize);
    const same = wanted.width === header.width && wanted.height === header.height;
    return codec.decode(bytes, same ? undefined : wanted);
  }

  async function encode(name: string, pixels: Pixels, format: 'png' | 'jpeg'): Promise<SceneImage> {
    return format === 'png'
      ? { name, mimeType: 'image/png', bytes: await codec.encodePng(pixels) }
      : { name, mimeType: 'image/jpeg', bytes: await codec.encodeJpeg(pixels) };
  }

  /** An eighth of the size: JPEG reads all of its data for that, but makes few pixels. */
  async function decodes(image: SourceImage): Promise<true> {
    const { bytes, header } = await load(image);
    await codec.decode(bytes, cappedSize(header, Math.max(header.width, header.height) / 8));
    return true;
  }

  async function passThrough(image: SourceImage): Promise<SceneImage> {
    const { bytes, header } = await load(image);
    const { width, height } = cappedSize(header, maxTextureSize);
    const asIs = width === header.width && height === header.height && isPlain(header);
    if (asIs) return { name: image.name, mimeType: MIME_TYPES[header.kind], bytes };
    const made = await make(`color ${image.digest}`, async () =>
      encode(image.name, await decode(image), header.kind),
    );
    return { ...made, name: image.name };
  }

  return {
    check: async (image) => {
      await cache.getAsync(
        `checked ${image.digest}`,
        () => decodes(image),
        () => 8,
      );
    },
    know: (image) =>
      cache.getAsync(
        `known ${image.digest}`,
        async () => {
          const pixels = await decode(image);
          return { grey: isGrey(pixels), meanLinear: meanLinear(pixels) };
        },
        () => 64,
      ),
    passThrough,
    normalMap: async (image, known) => {
      const turned = normalMap === 'directx';
      if (!known.grey && !turned) return passThrough(image);
      const key = `normal ${image.digest} ${normalMap} ${heightMaps}`;
      const made = await make(key, async () => {
        const pixels = await decode(image);
        return encode(
          image.name,
          known.grey ? normalsFromHeights(pixels) : turnGreen(pixels),
          'png',
        );
      });
      return { ...made, name: image.name };
    },
    metallicRoughness: async (roughness, metallic) => {
      const key = `packed ${roughness?.digest} ${metallic?.digest} ${packedTextureFormat}`;
      const name = [roughness?.name, metallic?.name].filter(Boolean).join(' + ');
      const made = await make(key, async () => {
        const size = await largerSize([roughness, metallic], load, maxTextureSize);
        const pixels = packChannels(
          roughness && (await decode(roughness, size)),
          metallic && (await decode(metallic, size)),
        );
        return encode(name, pixels, packedTextureFormat);
      });
      return { ...made, name };
    },
  };
}

const MIME_TYPES = { jpeg: 'image/jpeg', png: 'image/png' } as const satisfies Record<
  ImageHeader['kind'],
  SceneImage['mimeType']
>;

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
    return `expected ${width} × ${height} pixels, received ${bytes} bytes, which cannot hold them`;
  return undefined;
}

/** Whether every viewer reads it as it is: 8 bits, grey or colour, Huffman-coded. */
function isPlain({ channels, common, kind }: ImageHeader): boolean {
  return kind === 'png' || (common && (channels === 1 || channels === 3));
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

/** Per axis the larger one wins, up to the limit. */
async function largerSize(
  images: readonly (SourceImage | undefined)[],
  load: (image: SourceImage) => Promise<Loaded>,
  maxSide: number,
): Promise<Size> {
  const size = { width: 1, height: 1 };
  for (const image of images) {
    if (!image) continue;
    const { header } = await load(image);
    const { width, height } = cappedSize(header, maxSide);
    size.width = Math.max(size.width, width);
    size.height = Math.max(size.height, height);
  }
  return size;
}
