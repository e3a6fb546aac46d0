/**
 * Articles whose bodies have a hundred megabytes each: a block of one surface, a block of many surfaces, and an
 * image that must be decoded.
 */
import sharp from 'sharp';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { articleAnswer } from '../helpers/answers.ts';
import { body, utf8 } from '../helpers/graphics.ts';
import { BOX_BODY } from '../helpers/snapshot.ts';
import { SERIES } from './article.ts';
import { blockBody, torusOf } from './geometry.ts';

/** Base article numbers of the range. */
export const HOSTILE_ARTICLES = ['BLOCK', 'SURFACES', 'IMAGE'] as const;

const BYTES = 100_000_000;
/** Of a torus of about a million triangles. */
const BYTES_PER_TRIANGLE = 65;
const SURFACE = '{"F":[0,1,2]}';
const IMAGE_PIXELS = 6000;

/** Serves one article for each kind of large body. */
export function hostileLarge(): EmulatedRange {
  const blockOf = (number: string) => `${SERIES.manufacturer}::${SERIES.program}::${number}`;
  const bodies: Readonly<Record<string, () => Uint8Array>> = {
    BLOCK: () => {
      const torus = torusOf(BYTES / BYTES_PER_TRIANGLE, 0);
      return utf8(blockBody(blockOf('BLOCK'), torus));
    },
    SURFACES: () => {
      const [triangle, surfaces] = [[0, 0, 0, 1, 0, 0, 0, 1, 0], BYTES / (SURFACE.length + 1)];
      const list = `${SURFACE},`.repeat(surfaces - 1) + SURFACE;
      return utf8(`{"V":[${triangle}],"A":[${list}]}`);
    },
    IMAGE: () => body(BOX_BODY),
  };
  return {
    name: 'hostile',
    nodes: () => [],
    breadcrumbs: () => [],
    search: () => [],
    article: ({ basearticlenumber = '' }) => articleAnswer({ ...SERIES, basearticlenumber }),
    partsList: ({ basearticlenumber: number = '' }) => ({
      btg: [{ type: 'imp', prop: { btgname: blockOf(number), mat: 'M' } }],
      blocks: [blockOf(number)],
      mats: [{ mname: 'M', ...(number === 'IMAGE' && { pic: number, bump: number }) }],
    }),
    block: async (name) => bodies[name.split('::').at(-1)!]?.(),
    material: noise,
  };
}

/** A JPEG of noise in the best quality, which takes about as many bytes as its pixels. */
async function noise(): Promise<Uint8Array> {
  const data = Buffer.alloc(3 * IMAGE_PIXELS ** 2);
  let random = 1;
  for (let i = 0; i < data.length; i++) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    data[i] = random >>> 24;
  }
  const raw = { width: IMAGE_PIXELS, height: IMAGE_PIXELS, channels: 3 } as const;
  return sharp(data, { raw }).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
}
