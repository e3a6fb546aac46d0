/**
 * Texture pack: the images of a material become the images of glTF, byte for byte wherever no pixel has
 * to change. The images made from a content are kept in the cache.
 */
import type { ImageCodec, Pixels } from '../../model/image-codec.ts';
import type { Digest } from '../../model/snapshot.ts';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import type { ContentReader } from '../model/input.ts';
import type { LinearRgb, SceneImage } from '../model/scene.ts';
import { colourProfileOf } from './colour-profile.ts';
import type { ConvertOptions } from './convert-options.ts';
import {
  colorDifference,
  type ImageHeader,
  meanLinear,
  normalsFromHeights,
  packChannels,
  readImageHeader,
  turnGreen,
} from './images.ts';
import { isIntactJpeg, readJpegData } from './jpeg.ts';
import type { MeshCache } from './mesh-cache.ts';

/** An image that a material refers to: its name there, and its content. */
export interface SourceImage {
  name: string;
  digest: Digest;
}

/** Largest number of pixels per side and in total; a larger image is refused before it is decoded. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 8_192 ** 2;

/**
 * The target format of each kind, and the most pixels that a byte of it can encode; a header that claims more is
 * meant to exhaust the memory. JPEG uses a bit for each 8 × 8 block; deflate expands one byte to 1,032, with eight
 * pixels each; LZW packs 4,096 pixels into nine bits; WebP has no limit.
 */
const KINDS = {
  jpeg: { format: 'jpeg', pixelsAByte: 512 },
  png: { format: 'png', pixelsAByte: 8_256 },
  gif: { format: 'png', pixelsAByte: 4_096 },
  webp: { format: 'png', pixelsAByte: Number.POSITIVE_INFINITY },
  /** The codec does not read BMP. */
  bmp: undefined,
} as const satisfies Record<
  ImageHeader['kind'],
  { format: Format; pixelsAByte: number } | undefined
>;

/** Largest JPEG that is read in the calling thread: 0.3 s. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** Mean difference of the channels, of 255, up to which an image counts as grey: JPEG noise. */
const GREY_TOLERANCE = 4;

type Format = 'jpeg' | 'png';

/** Makes the images of one article. */
export class TexturePacker {
  readonly #read: ContentReader;
  readonly #codec: ImageCodec;
  readonly #options: ConvertOptions;
  readonly #cache: MeshCache;
  /** The last decoded image, kept because most pictures are inspected first, then made into a map or two. */
  #last: { key: string; pixels: Pixels } | undefined;

  constructor(read: ContentReader, codec: ImageCodec, options: ConvertOptions, cache: MeshCache) {
    this.#read = read;
    this.#codec = codec;
    this.#options = options;
    this.#cache = cache;
  }

  /**
   * Checks that an image can be used. An intact plain JPEG is recognised. Others are decoded at an eighth of their
   * size, which reads the whole file.
   *
   * @throws {@link ConverterError} `IMAGE_UNREADABLE`, `IMAGE_UNSUPPORTED`.
   */
  check(image: SourceImage): Promise<true> {
    const work = async () => {
      const { bytes, header } = await this.#load(image);
      const longer = Math.max(header.width, header.height);
      if (!isReadable(header, bytes) || !isIntactJpeg(bytes))
        await this.#codec.decode(bytes, cappedSize(header, longer / 8));
      return true as const;
    };
    return this.#cache.getAsync(`checked ${image.digest}`, work, 'stored');
  }

  isGrey(image: SourceImage): Promise<boolean> {
    const compared = async () =>
      (await this.#isGreyByCodes(image)) ??
      colorDifference(await this.#decode(image)) <= GREY_TOLERANCE;
    const key = `grey ${image.digest} ${this.#options.maxTextureSize}`;
    return this.#cache.getAsync(key, compared, 'stored');
  }

  async meanLinear(image: SourceImage): Promise<LinearRgb> {
    const inSrgb = await this.#isConverted(image);
    const averaged = async () => meanLinear(await this.#decode(image, undefined, inSrgb));
    const key = `mean ${image.digest} ${this.#options.maxTextureSize}${inSrgb ? ' in sRGB' : ''}`;
    return this.#cache.getAsync(key, averaged, 'stored');
  }

  /** The name in the profile of an image, unless it is the profile of sRGB. */
  async profile(image: SourceImage): Promise<string | undefined> {
    return colourProfileOf((await this.#load(image)).bytes);
  }

  async colour(image: SourceImage): Promise<SceneImage> {
    if (!(await this.#isConverted(image))) return this.passThrough(image);
    const { format } = await this.#load(image);
    const key = `color ${image.digest} in sRGB`;
    return this.#make(image.name, key, format, () => this.#decode(image, undefined, true));
  }

  /** Data that glTF takes unchanged: the bytes of an image, or its pixels if viewers cannot read the bytes. */
  async passThrough(image: SourceImage): Promise<SceneImage> {
    const { bytes, header, format } = await this.#load(image);
    const { name, digest } = image;
    if (header.isPlain && isSize(this.#capped(header), header))
      return { name, mimeType: `image/${format}`, bytes };
    return this.#make(name, `color ${digest}`, format, () => this.#decode(image));
  }

  /** A normal map, +Y green. */
  async normalMap(image: SourceImage & { grey?: boolean }): Promise<SceneImage> {
    const { normalMap, heightMaps } = this.#options;
    const { grey } = image;
    if (!grey && normalMap === 'opengl') return this.passThrough(image);
    const key = `normal ${image.digest} ${normalMap} ${heightMaps}`;
    const convert = grey ? normalsFromHeights : turnGreen;
    return this.#make(image.name, key, 'png', async () => convert(await this.#decode(image)));
  }

  /** Roughness in green, metallic in blue. */
  metallicRoughness(roughness?: SourceImage, metallic?: SourceImage): Promise<SceneImage> {
    const { packedTextureFormat } = this.#options;
    const key = `packed ${roughness?.digest} ${metallic?.digest} ${packedTextureFormat}`;
    const name = [roughness?.name, metallic?.name].filter(Boolean).join(' + ');
    return this.#make(name, key, packedTextureFormat, async () => {
      const size = await this.#largerSize([roughness, metallic]);
      return packChannels(
        roughness && (await this.#decode(roughness, size)),
        metallic && (await this.#decode(metallic, size)),
      );
    });
  }

  async #load({ name, digest }: SourceImage) {
    // Several steps need the bytes, and so do other articles.
    const bytes = await this.#cache.getAsync(`bytes ${digest}`, () => this.#read(digest));
    const fail = (code: ErrorCode, problem: string) =>
      new ConverterError(code, `image ${name}: ${problem}`);
    const header = readImageHeader(bytes);
    if (!header) throw fail('IMAGE_UNREADABLE', `${EXPECTED}, received something else`);
    const kind = KINDS[header.kind];
    if (!kind) throw fail('IMAGE_UNSUPPORTED', `${EXPECTED}, received a BMP`);
    const problem = problemOf(header, bytes.length, kind.pixelsAByte);
    if (problem) throw fail('IMAGE_UNREADABLE', problem);
    return { bytes, header, format: kind.format };
  }

  /** Makes an image from a content, with the name that it has in this article. */
  async #make(
    name: string,
    key: string,
    format: Format,
    work: () => Promise<Pixels>,
  ): Promise<SceneImage> {
    const encode = async () => {
      const pixels = await work();
      return format === 'png' ? this.#codec.encodePng(pixels) : this.#codec.encodeJpeg(pixels);
    };
    const fullKey = `image ${key} ${this.#options.maxTextureSize}`;
    const bytes = await this.#cache.getAsync(fullKey, encode, 'stored');
    return { name, mimeType: `image/${format}`, bytes };
  }

  async #decode(image: SourceImage, size?: Size, inSrgb = false): Promise<Pixels> {
    const key = `${image.digest} ${size?.width} ${size?.height} ${inSrgb}`;
    if (this.#last?.key === key) return this.#last.pixels;
    this.#last = undefined;
    const { bytes, header } = await this.#load(image);
    const wanted = size ?? this.#capped(header);
    const scaled = isSize(wanted, header) ? undefined : wanted;
    const pixels = await this.#codec.decode(bytes, scaled, inSrgb);
    this.#last = { key, pixels };
    return pixels;
  }

  /** Whether an image is grey, as far as its codes show: for almost every normal map they do. */
  async #isGreyByCodes(image: SourceImage): Promise<boolean | undefined> {
    const { bytes, header } = await this.#load(image);
    // The decoded pixels may differ from those of the file.
    const isSame = isSize(this.#capped(header), header);
    const bounds = isSame && isReadable(header, bytes) ? readJpegData(bytes) : undefined;
    if (bounds && bounds.most <= GREY_TOLERANCE) return true;
    return bounds && bounds.least > GREY_TOLERANCE ? false : undefined;
  }

  /** Whether samples are converted to colours of sRGB. */
  async #isConverted(image: SourceImage): Promise<boolean> {
    const { colourProfiles } = this.#options;
    return colourProfiles === 'convert' && (await this.profile(image)) !== undefined;
  }

  /** Returns the larger size on each axis, up to the limit. */
  async #largerSize(images: readonly (SourceImage | undefined)[]): Promise<Size> {
    const larger = { width: 1, height: 1 };
    for (const image of images) {
      if (!image) continue;
      const { width, height } = this.#capped((await this.#load(image)).header);
      larger.width = Math.max(larger.width, width);
      larger.height = Math.max(larger.height, height);
    }
    return larger;
  }

  #capped(size: Size): Size {
    return cappedSize(size, this.#options.maxTextureSize);
  }
}

function isReadable({ kind }: ImageHeader, { length }: Uint8Array): boolean {
  return kind === 'jpeg' && length <= MAX_READ_BYTES;
}

const EXPECTED = 'expected a JPEG, PNG, GIF or WebP';

function problemOf(
  { width, height }: Size,
  bytes: number,
  pixelsAByte: number,
): string | undefined {
  const pixels = width * height;
  if (width === 0 || height === 0) return `expected some pixels, received ${width} × ${height}`;
  if (width > MAX_SIDE || height > MAX_SIDE)
    return `expected at most ${MAX_SIDE} pixels a side, received ${width} × ${height}`;
  if (pixels > MAX_PIXELS)
    return `expected at most ${MAX_PIXELS} pixels, received ${width} × ${height}`;
  if (pixels > bytes * pixelsAByte)
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
