/** Previews of property values, logos, catalogue images and pictures of articles, each made once. */
import { imageName } from '../catalogue.ts';
import { type ArticleDefinition, type Values, valuesOf } from '../definition.ts';
import { materialsFor } from '../materials/materials.ts';
import { hashText } from '../random.ts';
import type { EmulatedRange, Query } from '../range.ts';
import { ARTICLES, MANUFACTURERS } from '../series/range.ts';
import type { FacetSources } from './facets.ts';
import { type Raster, renderParts } from './render.ts';

/** The picture operations of a range. */
export type Pictures = Required<Pick<EmulatedRange, 'preview' | 'resource' | 'picture'>>;

/** The sources of pictures. */
export interface PictureSources {
  textures: (manufacturer: string, name: string) => Promise<Uint8Array> | undefined;
  /** Raw JSON body of a block. */
  block: (name: string) => Uint8Array | undefined;
  /** The configuration of a parts list's query. */
  requested: (query: Query) => { article: ArticleDefinition; values: Values } | undefined;
}

type Make = () => Promise<Uint8Array>;

/** Pixels on a side. */
const PREVIEW_SIZE = { small: 64, large: 256 };
const LOGO_SIZE = 96;
const CATALOGUE_WIDTH = 320;
const PICTURE_WIDTH = 640;
/** Pictures are drawn twice as large and scaled down for smooth edges. */
const OVERSAMPLED = 2;

/** Makes the pictures of the sample range. */
export function createPictures({ textures, block, requested }: PictureSources): Pictures {
  const previews = previewTable(textures);
  const drawn = (
    article: ArticleDefinition,
    values: Values,
    width: number,
  ): Promise<Uint8Array> => {
    const [w, h] = [width * OVERSAMPLED, width * OVERSAMPLED * 0.75];
    return encode(renderParts(article.parts(values), { block, colour }, w, h), width, 'jpeg');
  };
  const resources = resourceTable((article) => drawn(article, valuesOf(article), CATALOGUE_WIDTH));
  const cached = createCache();
  return {
    preview: async (manufacturer, program, name) =>
      cached(previews, [manufacturer, program, name].join('/')),
    resource: async (path) => {
      const [language, name] = path.slice(-2);
      if (!/^(?:any|[a-z]{2})$/.test(language ?? '')) return undefined;
      return cached(resources, [...path.slice(0, -2), name].join('/'));
    },
    picture: async (query) => {
      const found = requested(query);
      // The service has no pictures of plannings: Spec 4.4.
      if (found === undefined || found.article.meta !== undefined) return undefined;
      return drawn(found.article, found.values, PICTURE_WIDTH);
    },
  };
}

function createCache(): (
  table: ReadonlyMap<string, Make>,
  name: string,
) => Promise<Uint8Array> | undefined {
  const made = new Map<Make, Promise<Uint8Array>>();
  return (table, name) => {
    const make = table.get(name);
    if (make === undefined) return undefined;
    const bytes = made.get(make) ?? make();
    made.set(make, bytes);
    return bytes;
  };
}

/** A scaled-down texture for each preview of a property value, in both sizes. */
function previewTable(textures: PictureSources['textures']): Map<string, Make> {
  const table = new Map<string, Make>();
  for (const { manufacturer, program, properties } of ARTICLES) {
    const choices = properties.flatMap((property) => property.choices ?? []);
    for (const { preview } of choices) {
      if (preview === undefined) continue;
      const make = (size: number) => async () => {
        const texture = await textures(manufacturer, preview.replace(/\.JPG$/, ''));
        if (texture === undefined) throw new Error(`sample range: no texture for ${preview}`);
        return shrink(texture, size);
      };
      table.set(`${manufacturer}/${program}/${preview}`, make(PREVIEW_SIZE.small));
      table.set(`${manufacturer}/${program}/L_${preview}`, make(PREVIEW_SIZE.large));
    }
  }
  return table;
}

/** Logos and catalogue images by `<manufacturer>/[<program>/]<file name>`; the language does not matter. */
function resourceTable(
  drawn: (article: ArticleDefinition) => Promise<Uint8Array>,
): Map<string, Make> {
  const table = new Map<string, Make>();
  for (const { id, series } of MANUFACTURERS) {
    table.set(`${id}/LOGO.PNG`, () => encode(logo(id), LOGO_SIZE, 'png'));
    table.set(`${id}/INFO.JPG`, () => encode(logo(id), CATALOGUE_WIDTH, 'jpeg'));
    for (const { program, articles } of series) {
      table.set(`${id}/${program}/${program}.JPG`, () => drawn(articles[0]!));
      for (const article of articles) {
        table.set(`${id}/${program}/${imageName(article)}`, () => drawn(article));
      }
    }
  }
  return table;
}

/** Eight by eight tiles, symmetrical, in the manufacturer's colour. */
function logo(id: string): Raster {
  const [size, seed] = [8, hashText(id)];
  const colour = [0, 8, 16].map((shift) => 40 + ((seed >>> shift) & 0x7f));
  const data = new Uint8ClampedArray(size * size * 3).fill(255);
  for (let i = 0; i < size * size; i++) {
    const [x, y] = [Math.min(i % size, size - 1 - (i % size)), Math.floor(i / size)];
    if (hashText(`${x},${y}`, seed) & 1) data.set(colour, i * 3);
  }
  return { width: size, height: size, data };
}

/** Colour of a material's `dif`; grey for an inline definition. */
const colour: FacetSources['colour'] = (reference) => {
  const [material] = reference === undefined ? [] : materialsFor([reference]);
  const hex = Number.parseInt(String(material?.dif ?? '0xB0B0B0').slice(2), 16);
  return [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
};

async function encode(
  { width, height, data }: Raster,
  toWidth: number,
  format: 'jpeg' | 'png',
): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  const kernel = toWidth > width ? 'nearest' : 'lanczos3';
  const image = sharp(data, { raw: { width, height, channels: 3 } }).resize(toWidth, undefined, {
    kernel,
  });
  return new Uint8Array(await image.toFormat(format).toBuffer());
}

async function shrink(jpeg: Uint8Array, size: number): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  return new Uint8Array(await sharp(jpeg).resize(size, size).jpeg().toBuffer());
}
