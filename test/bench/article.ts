/**
 * Generated articles: a folder with what the service sends for them (parts lists, blocks, images), and the
 * same geometry as OBJ, with the same images.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { EmulatedRange, Json } from '../../src/emulator/sample/range.ts';
import { articleAnswer } from '../helpers/answers.ts';
import { blockBody, objText, type Torus, torusOf, trianglesOf } from './geometry.ts';

/** How large an article is. */
export interface ArticleSize {
  /** Of all blocks together, each counted once. */
  triangles: number;
  blocks: number;
  /** Each draws one block. */
  nodes: number;
}

/** The sizes of the comparison with peers; the blocks of I are drawn five times each. */
export const SIZES = {
  S: { triangles: 5_000, blocks: 7, nodes: 7 },
  M: { triangles: 50_000, blocks: 7, nodes: 7 },
  L: { triangles: 500_000, blocks: 7, nodes: 7 },
  XL: { triangles: 2_000_000, blocks: 7, nodes: 7 },
  I: { triangles: 50_000, blocks: 40, nodes: 200 },
} as const satisfies Readonly<Record<string, ArticleSize>>;

/** Manufacturer and series of every generated article. */
export const SERIES = { manufacturer: 'BENCH', program: 'TORI' } as const;

/** Materials; the last image is the normal map of the first. */
const MATERIALS = 7;
const IMAGE_PIXELS = 1024;
const imageName = (index: number) => `IMAGE${index}`;
const materialName = (index: number) => `M${index % MATERIALS}`;
const NORMAL_MAP = imageName(MATERIALS);

/** Writes the eight images of a folder. */
export async function writeImages(folder: string): Promise<void> {
  await mkdir(join(folder, 'images'), { recursive: true });
  for (let index = 0; index <= MATERIALS; index++) {
    const file = join(folder, 'images', `${imageName(index)}.jpg`);
    await writeFile(file, await image(index, index === MATERIALS));
  }
}

/** A grain of one colour; that of a normal map leans a little to each side. */
async function image(index: number, isNormalMap: boolean): Promise<Uint8Array> {
  const base = isNormalMap ? [128, 128, 240] : [90 + 20 * index, 70 + 15 * index, 60 + 10 * index];
  // A value above 255 is 255, not a small one.
  const data = new Uint8ClampedArray(3 * IMAGE_PIXELS ** 2);
  let random = index + 1;
  for (let i = 0; i < data.length; i++) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    const x = Math.floor(i / 3) % IMAGE_PIXELS;
    const wave = 12 * Math.sin(x / (9 + index) + (isNormalMap ? i % 3 : 0));
    data[i] = base[i % 3]! + wave + ((random >>> 24) & 31);
  }
  const raw = { width: IMAGE_PIXELS, height: IMAGE_PIXELS, channels: 3 } as const;
  return sharp(data, { raw }).jpeg({ quality: 85 }).toBuffer();
}

/**
 * Writes an article with textures, `NAME`, and one of the same geometry without, `NAME-PLAIN`; both in the form of
 * the service and as OBJ.
 *
 * @returns How many triangles are drawn.
 */
export async function writeArticle(
  folder: string,
  name: string,
  { triangles, blocks, nodes }: ArticleSize,
): Promise<number> {
  const tori = Array.from({ length: blocks }, (_, i) => torusOf(triangles / blocks, i));
  const blockNames = tori.map((_, i) => `${SERIES.manufacturer}::${SERIES.program}::${name}-${i}`);
  await mkdir(join(folder, 'blocks'), { recursive: true });
  for (const [i, torus] of tori.entries()) {
    await writeFile(blockFile(folder, blockNames[i]!), blockBody(blockNames[i]!, torus));
  }
  const childs = Array.from({ length: nodes }, (_, i) => {
    const block = i % blocks;
    const prop = { btgname: blockNames[block], mat: materialName(block), offs: offsetOf(i) };
    return { type: 'imp', prop };
  });
  const btg = [{ type: 'top', prop: { childs } }];
  const colours = Array.from({ length: MATERIALS }, (_, i) => colourOf(i));
  const textures = colours.map((colour, i) => ({
    ...{ ...colour, pic: imageName(i), scaleu: 1, scalev: 1 },
    ...(i === 0 && { bump: NORMAL_MAP }),
  }));
  await writeList(folder, `${name}-STD`, { btg, blocks: blockNames, mats: textures });
  await writeList(folder, `${name}-PLAIN-STD`, { btg, blocks: blockNames, mats: colours });
  await writeObj(folder, name, tori, nodes);
  return childs.reduce((sum, _, i) => sum + trianglesOf(tori[i % blocks]!), 0);
}

/** Writes an article of few triangles in any number of configurations, which differ in places and materials. */
export async function writeConfigurations(
  folder: string,
  name: string,
  count: number,
): Promise<void> {
  const { blocks } = SIZES.S;
  await writeArticle(folder, name, SIZES.S);
  const list = JSON.parse(await readFile(join(folder, 'lists', `${name}-STD.json`), 'utf8'));
  for (let k = 0; k < count; k++) {
    const childs = Array.from({ length: blocks }, (_, i) => {
      const offs = [i * (1 + k / count), 0, 0];
      const mat = materialName(i + k);
      return { type: 'imp', prop: { btgname: list.blocks[i], mat, offs } };
    });
    await writeList(folder, `${name}-${k}`, { ...list, btg: [{ type: 'top', prop: { childs } }] });
  }
}

/** The configuration string of one of {@link writeConfigurations}. */
export const configurationOf = (name: string, index: number) => `${name};K=${index}::`;

function offsetOf(index: number): number[] {
  return [(index % 16) * 1.1, 0, Math.floor(index / 16) * 1.1];
}

function colourOf(index: number) {
  const part = (40 + 25 * index).toString(16).padStart(2, '0');
  return { mname: materialName(index), dif: `0x${part}${part}${part}` };
}

async function writeList(folder: string, final: string, list: Json): Promise<void> {
  await mkdir(join(folder, 'lists'), { recursive: true });
  await writeFile(join(folder, 'lists', `${final}.json`), JSON.stringify(list));
}

function blockFile(folder: string, name: string): string {
  return join(folder, 'blocks', `${name.split('::').at(-1)}.json`);
}

/** Where the OBJ file of an article is. */
export function objFile(folder: string, name: string): string {
  return join(folder, 'obj', name, 'article.obj');
}

async function writeObj(
  folder: string,
  name: string,
  tori: readonly Torus[],
  nodes: number,
): Promise<void> {
  const textured = objFile(folder, name);
  const plain = objFile(folder, `${name}-PLAIN`);
  for (const file of [textured, plain]) await mkdir(join(file, '..'), { recursive: true });
  await writeFile(textured, 'mtllib article.mtl\n');
  const counts = { points: 0, uvs: 0 };
  for (let i = 0; i < nodes; i++) {
    const index = i % tori.length;
    appendFileSync(textured, objText(tori[index]!, offsetOf(i), materialName(index), counts));
  }
  await copyFile(textured, plain);
  const colours = Array.from({ length: MATERIALS }, (_, i) => {
    return `newmtl ${materialName(i)}\nKd ${(0.16 + 0.1 * i).toFixed(2)} 0.5 0.5\n`;
  });
  const textures = colours.map((text, i) => {
    const normal = i === 0 ? `map_Bump ${NORMAL_MAP}.jpg\n` : '';
    return `${text}map_Kd ${imageName(i)}.jpg\n${normal}`;
  });
  await writeFile(join(plain, '..', 'article.mtl'), colours.join(''));
  await writeFile(join(textured, '..', 'article.mtl'), textures.join(''));
  for (let i = 0; i <= MATERIALS; i++) {
    const file = `${imageName(i)}.jpg`;
    await copyFile(join(folder, 'images', file), join(textured, '..', file));
  }
}

/** Serves a folder of generated articles. */
export function folderRange(folder: string): EmulatedRange {
  const top = { text: 'Bench', nodetype: 'F', convertdate: '2024-05-14', ...SERIES };
  return {
    name: 'generated',
    nodes: (parentnode) => (parentnode === '' ? [{ nodeid: 'BENCH;', ...top }] : []),
    breadcrumbs: () => [],
    search: () => [],
    article: ({ basearticlenumber: number = '', ocdreinitstring = '' }) => {
      const variant = /;K=(\d+)::/.exec(ocdreinitstring)?.[1] ?? 'STD';
      const reinitstring = variant === 'STD' ? `${number};F=STD::` : ocdreinitstring;
      const ocd = { finalarticlenumber: `${number}-${variant}`, reinitstring };
      return articleAnswer({ ...SERIES, basearticlenumber: number }, ocd);
    },
    partsList: ({ finalarticlenumber = '' }) =>
      JSON.parse(readFileSync(join(folder, 'lists', `${finalarticlenumber}.json`), 'utf8')) as Json,
    block: (name) => readFile(blockFile(folder, name)),
    material: (_, name) => readFile(join(folder, 'images', `${name}.jpg`)),
  };
}
