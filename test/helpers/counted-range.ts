/**
 * A range of any number of articles, made by counting, cheap to list and to serve: manufacturers with
 * series of articles, each with some of the blocks and one of the images of its manufacturer. Any part
 * may be changed between two runs.
 */
import sharp from 'sharp';
import type { EmulatedRange, Json, Query } from '../../src/emulator/sample/range.ts';
import { articleAnswer } from './answers.ts';
import { BOX_TRIANGLES, body, boxPoints } from './graphics.ts';
import { closedGate } from './until.ts';

/** How much there is of what, all manufacturers together. */
export interface CountedSize {
  articles: number;
  blocks: number;
  images: number;
  /** @defaultValue 1 */
  manufacturers?: number;
  /** @defaultValue 200 */
  articlesPerSeries?: number;
  /** @defaultValue 3 */
  blocksPerArticle?: number;
  /** How many of a manufacturer's articles look different; the others are equal to one of them. @defaultValue all */
  looks?: number;
}

/** One article, and what it is made of. */
export interface CountedArticle {
  manufacturer: string;
  program: string;
  number: string;
  /** Names of its blocks. */
  blocks: string[];
  /** Name of its image, `<MANUFACTURER>/<NAME>`. */
  image: string;
}

/** A range whose parts may be changed between requests. */
export interface CountedRange extends EmulatedRange {
  readonly size: Readonly<CountedSize>;
  readonly manufacturers: readonly string[];
  /** The article of an index below `size.articles`; made anew each time. */
  articleAt(index: number): CountedArticle;
  /** Numbers of the articles that use a block or an image; reads all of them. */
  usersOf(name: string): string[];
  /** Conversion dates by manufacturer. */
  readonly convertdates: Map<string, string>;
  /** Makes all of them that day. */
  convertedOn(day: string): void;
  /** Bodies of blocks and images by name, where they are not the made ones. */
  readonly bodies: Map<string, Uint8Array>;
  /** Names of blocks and images that are answered with 404. */
  readonly missing: Set<string>;
  /** Numbers of articles that were removed from the catalogue and the service. */
  readonly gone: Set<string>;
  /** How often each thing was requested, by `<operation> <name>`; a test may clear it. */
  readonly asked: Map<string, number>;
  /** How often an operation was requested since then. */
  count(operation: CountedOperation): number;
}

/** The operations of the emulator, by its own names. */
export type CountedOperation = 'getnodes' | 'getarticles' | 'btg' | 'block' | 'materials';

/** Before the day of any run in a test: what was fetched is fresh. */
const CONVERTED_ON = '2024-05-14';
const IMAGE_PIXELS = 16;

/**
 * Makes a range.
 *
 * @example
 * ```ts
 * const range = countedRange({ articles: 300, blocks: 40, images: 10, manufacturers: 2 });
 * range.articleAt(0);   // → { manufacturer: 'N01', program: 'S01', number: 'A00001', blocks: […], image: 'N01/I001' }
 * range.convertdates.set('N01', '2024-06-01');
 * range.bodies.set('N01::PART::B001', countedBlock('N01::PART::B001', 2));
 * ```
 */
export function countedRange(size: CountedSize): CountedRange {
  const plan = planOf(size);
  const manufacturers = Array.from({ length: plan.manufacturers }, (_, m) => named('N', m, 2));
  const asked = new Map<string, number>();
  const tally = (operation: CountedOperation, name: string): void => {
    asked.set(`${operation} ${name}`, (asked.get(`${operation} ${name}`) ?? 0) + 1);
  };
  const images = new Map<string, Promise<Uint8Array>>();
  const range: CountedRange = {
    name: 'counted',
    size,
    manufacturers,
    asked,
    convertdates: new Map(manufacturers.map((manufacturer) => [manufacturer, CONVERTED_ON])),
    convertedOn: (day) => {
      for (const manufacturer of manufacturers) range.convertdates.set(manufacturer, day);
    },
    bodies: new Map(),
    missing: new Set(),
    gone: new Set(),
    articleAt: (index) => articleOf(plan, index),
    usersOf: (name) =>
      Array.from({ length: size.articles }, (_, index) => articleOf(plan, index))
        .filter(({ blocks, image }) => blocks.includes(name) || image === name)
        .map(({ number }) => number),
    count: (operation) => {
      let sum = 0;
      for (const [key, times] of asked) if (key.startsWith(`${operation} `)) sum += times;
      return sum;
    },
    nodes: (parentnode) => {
      tally('getnodes', parentnode);
      return nodesBelow(range, plan, parentnode);
    },
    breadcrumbs: () => [],
    search: () => [],
    article: (query) => {
      tally('getarticles', query.basearticlenumber!);
      const index = indexOf(range, plan, query);
      return index === undefined ? undefined : articleJson(articleOf(plan, index));
    },
    partsList: (query) => {
      tally('btg', query.basearticlenumber!);
      const index = indexOf(range, plan, query);
      return index === undefined ? undefined : partsListJson(plan, index);
    },
    block: async (name) => {
      tally('block', name);
      const place = placeOf(name.replace('::PART::', '/'));
      if (range.missing.has(name) || !isOurs(plan, place, plan.blocks)) return undefined;
      return range.bodies.get(name) ?? countedBlock(name);
    },
    material: async (manufacturer, image) => {
      const name = `${manufacturer}/${image}`;
      tally('materials', name);
      if (range.missing.has(name) || !isOurs(plan, placeOf(name), plan.images)) return undefined;
      if (!images.has(name)) images.set(name, countedImage(name));
      return range.bodies.get(name) ?? images.get(name);
    },
  };
  return range;
}

/**
 * The body of a block: a box of a size that only its name has.
 *
 * @param times - How many times as high as it usually is.
 */
export function countedBlock(name: string, times = 1): Uint8Array {
  const { owner, index } = placeOf(name.replace('::PART::', '/'));
  const V = boxPoints(0.1 + owner / 100, (times * (index + 1)) / 100, 0.02);
  const T = [0, 0, 1, 0, 1, 1, 0, 1];
  const A = [{ F: BOX_TRIANGLES, TI: BOX_TRIANGLES.map((corner) => corner % 4), C: true }];
  return body({ N: name, P: [0, 0, 0], R: [0, 0, 0], V, T, A });
}

/** The image of a name: one colour that no other name has. */
export async function countedImage(name: string, blue = 64): Promise<Uint8Array> {
  const { owner, index } = placeOf(name);
  const background = { r: (8 * index) % 256, g: 64 + 8 * ((index >> 5) % 24), b: blue + owner };
  const [width, height] = [IMAGE_PIXELS, IMAGE_PIXELS];
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

/** A size with its defaults, per manufacturer where that is what counts. */
type Plan = Required<CountedSize>;

function planOf(size: CountedSize): Plan {
  const { manufacturers = 1, articlesPerSeries = 200, blocksPerArticle = 3 } = size;
  const { articles, looks = articles } = size;
  const each = (all: number) => Math.max(1, Math.ceil(all / manufacturers));
  const [blocks, images] = [each(size.blocks), each(size.images)];
  return { articles, looks, manufacturers, articlesPerSeries, blocksPerArticle, blocks, images };
}

function named(letter: string, index: number, digits: number): string {
  return letter + String(index + 1).padStart(digits, '0');
}

/** Manufacturer and number of an article, block or image: the digits at the end of each half of its name. */
function placeOf(name: string): { owner: number; index: number } {
  const [owner, index] = name.split('/').map((part) => Number(part.slice(1)) - 1);
  return { owner: owner ?? Number.NaN, index: index ?? Number.NaN };
}

function isOurs({ manufacturers }: Plan, place: { owner: number; index: number }, end: number) {
  const { owner, index } = place;
  return owner >= 0 && owner < manufacturers && index >= 0 && index < end;
}

/** Articles take turns among the manufacturers. */
function whereIs(plan: Plan, index: number) {
  const owner = index % plan.manufacturers;
  const inside = Math.floor(index / plan.manufacturers);
  return { owner, inside, series: Math.floor(inside / plan.articlesPerSeries) };
}

function articleOf(plan: Plan, index: number): CountedArticle {
  const { owner, inside, series } = whereIs(plan, index);
  const manufacturer = named('N', owner, 2);
  const look = inside % plan.looks;
  const count = Math.min(plan.blocksPerArticle, plan.blocks);
  // Neighbours share all but one of their blocks.
  const blocks = Array.from({ length: count }, (_, n) => (look + n) % plan.blocks);
  return {
    manufacturer,
    program: named('S', series, 2),
    number: named('A', index, 5),
    blocks: blocks.map((block) => `${manufacturer}::PART::${named('B', block, 3)}`),
    image: `${manufacturer}/${named('I', look % plan.images, 3)}`,
  };
}

function indexOf(range: CountedRange, plan: Plan, query: Query): number | undefined {
  const { basearticlenumber: number = '' } = query;
  const index = Number(number.slice(1)) - 1;
  if (!(index >= 0 && index < plan.articles) || range.gone.has(number)) return undefined;
  const { manufacturer, program } = articleOf(plan, index);
  return query.manufacturer === manufacturer && query.program === program ? index : undefined;
}

/** Top: manufacturers; below each its series; below each series its articles. */
function nodesBelow(range: CountedRange, plan: Plan, parentnode: string): Json[] | undefined {
  if (parentnode === '') {
    return range.manufacturers.map((manufacturer) => ({
      ...nodeJson(`${manufacturer};`, 'F', manufacturer),
      convertdate: range.convertdates.get(manufacturer),
    }));
  }
  const [manufacturer = '', program = ''] = parentnode.split(/;:?/);
  const owner = range.manufacturers.indexOf(manufacturer);
  if (owner < 0) return undefined;
  const own = Math.ceil((plan.articles - owner) / plan.manufacturers);
  if (program === '') {
    const length = Math.ceil(own / plan.articlesPerSeries);
    const series = Array.from({ length }, (_, s) => named('S', s, 2));
    return series.map((id) => nodeJson(`${manufacturer};:${id}`, 'F', manufacturer, id));
  }
  const first = (Number(program.slice(1)) - 1) * plan.articlesPerSeries;
  if (!(first >= 0 && first < own)) return undefined;
  const count = Math.min(plan.articlesPerSeries, own - first);
  return Array.from({ length: count }, (_, n) => (first + n) * plan.manufacturers + owner)
    .map((index) => named('A', index, 5))
    .filter((number) => !range.gone.has(number))
    .map((number) => nodeJson(`${parentnode};:${number}`, 'A', manufacturer, program, number));
}

function nodeJson(
  nodeid: string,
  nodetype: 'F' | 'A',
  manufacturer: string,
  program = '',
  basearticlenumber = '',
): Json {
  const manufacturername = `Manufacturer ${manufacturer}`;
  const text = basearticlenumber || program || manufacturername;
  const variantcode = basearticlenumber === '' ? '' : `${basearticlenumber}-STD`;
  const ids = { manufacturer, manufacturername, program, basearticlenumber, variantcode };
  return { nodeid, text, nodetype, ...ids, ressources: [] };
}

function articleJson({ manufacturer, program, number }: CountedArticle): Json {
  const ids = { manufacturer, program, basearticlenumber: number };
  const ocd = { finalarticlenumber: `${number}-STD`, reinitstring: `${number};F=STD::` };
  return articleAnswer(ids, ocd);
}

/** Its blocks side by side; their distance differs from look to look. */
function partsListJson(plan: Plan, index: number): Json {
  const { blocks, image } = articleOf(plan, index);
  const apart = 0.2 + (whereIs(plan, index).inside % plan.looks) / 1000;
  const childs = blocks.map((btgname, n) => ({
    type: 'imp',
    prop: { btgname, mat: 'M', offs: [n * apart, 0, 0] },
  }));
  const mats = [{ mname: 'M', dif: '0x808080', pic: image.split('/')[1], scaleu: 1, scalev: 1 }];
  return { btg: [{ type: 'top', prop: { childs } }], blocks, mats };
}

/**
 * Has the service hold back some blocks or images, until they are released.
 *
 * @param isHeld - Asked with the name of each, such as `N01::PART::B001` and `I001`.
 */
export function hold(
  range: CountedRange,
  operation: 'block' | 'material',
  isHeld: (name: string) => boolean,
) {
  const answer = range[operation] as (...names: string[]) => Promise<Uint8Array | undefined>;
  const gate = closedGate();
  let count = 0;
  range[operation] = async (...names: string[]) => {
    if (isHeld(names.at(-1)!)) {
      count++;
      await gate.opened;
    }
    return answer(...names);
  };
  return { release: gate.open, count: () => count };
}
