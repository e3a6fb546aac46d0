/**
 * A range bent into a service of another meaning: its data is rewritten so that the furniture is the same for a reader
 * who understands values as {@link Meaning} says, and another one for a reader with the defaults.
 *
 * It works on what is served, and uses nothing of the converter or of the survey.
 */

import sharp, { type OutputInfo } from 'sharp';
import type { EmulatedRange, Json, Query } from '../../../src/emulator/sample/range.ts';
import { body } from '../graphics.ts';
import { allArticles, articleOf, type Wire } from '../sample-range.ts';
import { bendBlock } from './blocks.ts';
import { bendMaterial, encoded, GREY_MEAN, linear, scaledCopy } from './materials.ts';
import type { FoundOnly, Meaning } from './meaning.ts';
import { bendNodes, everyNode } from './parts.ts';
import type { Convention } from './turns.ts';

/** Blocks of a service with unit-sized blocks are so much smaller. */
const SIZE = 2;

/** The images of a range: which ones are pictures or reliefs, and their mean colours. */
interface RangeImages {
  means: ReadonlyMap<string, readonly number[]>;
  pictures: ReadonlySet<string>;
  reliefs: ReadonlySet<string>;
  roughnesses: ReadonlySet<string>;
}

const NO_IMAGES: RangeImages = {
  means: new Map(),
  pictures: new Set(),
  reliefs: new Set(),
  roughnesses: new Set(),
};

const imagesOfRanges = new WeakMap<EmulatedRange, Promise<RangeImages>>();

/** Opens a bent range. @param found - Meanings that no option has. */
export async function bentService(
  range: EmulatedRange,
  meaning: Meaning,
  found: readonly FoundOnly[] = [],
): Promise<EmulatedRange> {
  const bent = new Set(found);
  const hasBentImages =
    meaning.tintTextures === true || meaning.normalMap === 'directx' || bent.has('gloss');
  const images = hasBentImages ? await knownImages(range) : NO_IMAGES;
  const convention: Convention = {
    order: String(meaning.rotationOrder ?? 'xyz'),
    sense: meaning.rotationDirection === 'clockwise' ? -1 : 1,
  };
  const unit = bent.has('unit') ? 1000 : 1;
  const isResized = meaning.inheritScale !== undefined || meaning.boxProjection === 'unscaled';
  const sizeOf = (name: string) => (isResized && hashOf(canonical(name)) % 2 === 0 ? SIZE : 1);
  const meanOf = (reference: string) => images.means.get(imageName(reference));
  const bodies = new Map<string, Promise<Uint8Array | undefined>>();
  const once = (key: string, make: () => Promise<Uint8Array | undefined>) => {
    const made = bodies.get(key) ?? make();
    bodies.set(key, made);
    return made;
  };
  return {
    ...range,
    partsList(query: Query): Json | undefined {
      const received = range.partsList(query);
      if (received === undefined) return undefined;
      const list: Wire = structuredClone(received);
      bendNodes(list, meaning, { sizeOf, convention, unit, isUpZ: bent.has('up axis') });
      if (unit !== 1) for (const node of everyNode(list.btg)) enlargeParameters(node, unit);
      if (meaning.boxProjection === 'unscaled') copyScaledMaterials(list, sizeOf);
      for (const material of list.mats) bendMaterial(material, meaning, bent, { meanOf });
      return list;
    },
    block: (name) =>
      once(`block ${name}`, async () => {
        const bytes = await range.block(name);
        if (bytes === undefined) return undefined;
        const block = JSON.parse(new TextDecoder().decode(bytes));
        return body(bendBlock(block, meaning, { convention, size: sizeOf(name), unit }));
      }),
    material: (manufacturer, name) =>
      once(`material ${manufacturer} ${name}`, async () => {
        const bytes = await range.material(manufacturer, name);
        const key = imageName(name);
        if (bytes === undefined) return undefined;
        if (meaning.normalMap === 'directx' && images.reliefs.has(key)) return withGreenDown(bytes);
        if (meaning.tintTextures === true && images.pictures.has(key)) return greyed(bytes);
        if (bent.has('gloss') && images.roughnesses.has(key)) return inverted(bytes);
        return bytes;
      }),
  };
}

function canonical(name: string): string {
  return name.replace(/^::/, '').toUpperCase();
}

/** The last part of a reference, without its ending. */
function imageName(reference: string): string {
  const last = reference.split(/::|[/\\]/).at(-1)!;
  return last.replace(/\.(?:jpe?g|png|bmp|tga)$/i, '').toUpperCase();
}

function hashOf(text: string): number {
  let hash = 0;
  for (const char of text) hash = (hash * 31 + char.codePointAt(0)!) % 65_521;
  return hash;
}

function enlargeParameters({ prop }: Wire, unit: number): void {
  const enlarged = (value: Wire): Wire =>
    typeof value === 'number' ? value * unit : Array.isArray(value) ? value.map(enlarged) : value;
  if (prop.params === undefined || prop.params === null) return;
  prop.params = Array.isArray(prop.params)
    ? enlarged(prop.params)
    : Object.fromEntries(
        Object.entries(prop.params).map(([name, value]) => [name, enlarged(value)]),
      );
}

function copyScaledMaterials(list: Wire, sizeOf: (name: string) => number): void {
  const known = new Map<string, Wire>(list.mats.map((one: Wire) => [canonical(one.mname), one]));
  const visit = (nodes: Wire[], inherited: string | undefined): void => {
    for (const { type, prop } of nodes) {
      const mat: string | undefined = prop.mat ?? inherited;
      const material = mat === undefined ? undefined : known.get(canonical(mat));
      if (type === 'imp' && material !== undefined && sizeOf(prop.btgname) !== 1) {
        const name = `${canonical(mat!)}_SMALL`;
        if (!known.has(name)) list.mats.push(scaledCopy(material, SIZE, name));
        known.set(name, list.mats.at(-1));
        prop.mat = name;
      }
      visit(prop.childs, mat);
    }
  };
  visit(list.btg, undefined);
}

function knownImages(range: EmulatedRange): Promise<RangeImages> {
  const known = imagesOfRanges.get(range) ?? imagesOf(range);
  imagesOfRanges.set(range, known);
  return known;
}

async function imagesOf(range: EmulatedRange): Promise<RangeImages> {
  const materials: Wire[] = allArticles(range).flatMap((node) => {
    const { manufacturer, program, basearticlenumber } = node;
    const article = articleOf(range, { manufacturer, program, basearticlenumber });
    const list = range.partsList({
      ...{ manufacturer, program, basearticlenumber },
      finalarticlenumber: article.ocd.finalarticlenumber,
      reinitstring: article.ocd.reinitstring,
      metareinitstring: article.reinit,
    }) as Wire;
    return (list?.mats ?? []).map((one: Wire) => ({ ...one, manufacturer }));
  });
  const namesOf = (field: string) =>
    new Set(materials.filter((one) => one[field]).map((one) => imageName(one[field])));
  const means = new Map<string, readonly number[]>();
  for (const { pic, mname, manufacturer } of materials) {
    if (!pic || means.has(imageName(pic))) continue;
    const segments: string[] = pic.split(/::|[/\\]/);
    const owner = segments.length > 1 ? segments[0]! : (mname.split('::')[0] ?? manufacturer);
    const name = segments.at(-1)!.replace(/\.jpe?g$/i, '');
    const bytes = (await range.material(owner, name)) ?? (await range.material(manufacturer, name));
    if (bytes !== undefined) means.set(imageName(pic), await meanOfImage(bytes));
  }
  return {
    means,
    pictures: namesOf('pic'),
    reliefs: namesOf('bump'),
    roughnesses: namesOf('roughness_image'),
  };
}

async function samplesOf(bytes: Uint8Array) {
  const image = sharp(bytes).toColourspace('srgb').removeAlpha();
  return image.raw().toBuffer({ resolveWithObject: true });
}

function jpegOf(data: Uint8Array, { width, height, channels }: OutputInfo) {
  const raw = { width, height, channels };
  return sharp(data, { raw }).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer();
}

async function meanOfImage(bytes: Uint8Array): Promise<number[]> {
  const { data, info } = await samplesOf(bytes);
  const sums = [0, 0, 0];
  for (let at = 0; at < data.length; at += info.channels)
    for (let c = 0; c < 3; c++)
      sums[c]! += linear(data[at + Math.min(c, info.channels - 1)]! / 255);
  return sums.map((sum) => (sum * info.channels) / data.length);
}

async function withGreenDown(bytes: Uint8Array): Promise<Uint8Array> {
  const { data, info } = await samplesOf(bytes);
  if (info.channels < 3) return bytes;
  for (let at = 1; at < data.length; at += info.channels) data[at] = 255 - data[at]!;
  return jpegOf(data, info);
}

async function inverted(bytes: Uint8Array): Promise<Uint8Array> {
  const { data, info } = await samplesOf(bytes);
  for (let at = 0; at < data.length; at++) data[at] = 255 - data[at]!;
  return jpegOf(data, info);
}

/** The lightness of an image, as bright on average as any other such image. */
async function greyed(bytes: Uint8Array): Promise<Uint8Array> {
  const { data, info } = await samplesOf(bytes);
  const { channels } = info;
  const lightness = (at: number) =>
    [0.2126, 0.7152, 0.0722].reduce(
      (sum, share, c) => sum + share * linear(data[at + Math.min(c, channels - 1)]! / 255),
      0,
    );
  let sum = 0;
  for (let at = 0; at < data.length; at += channels) sum += lightness(at);
  const factor = (GREY_MEAN * data.length) / (channels * sum);
  for (let at = 0; at < data.length; at += channels)
    data.fill(Math.round(255 * encoded(Math.min(1, factor * lightness(at)))), at, at + channels);
  return jpegOf(data, info);
}
