/** Reads what the gallery shows of an output folder: from manifest, catalogue, list of deliveries, and files that were made. */
import { articleKey, configurationId, configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import type { CatalogueLine, ManifestLine } from '../../run/lists/manifest-line.ts';
import {
  type DeliveryLine,
  type DeliveryLines,
  deliveryLines,
  isSharedPath,
} from '../../run/output/delivered-files.ts';
import { manifestLines, openCatalogue } from '../../run/output/manifest.ts';
import { publishedAsset } from '../../run/output/publish.ts';
import { mastersOf } from '../../run/publishing/masters.ts';
import { sha256Hex } from '../../support/files.ts';
import { groupBy } from '../../support/group-by.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { decodersOf } from '../embed/decoders.ts';
import { modelForPages } from '../embed/embedded-model.ts';
import { MASTER, SWATCHES } from '../making/names.ts';
import { publishedSize } from '../making/published-size.ts';
import { COLOURS, type Colour, coloursOfPixels } from './colours.ts';
import {
  type DetailsPart,
  type GalleryArticle,
  type GalleryData,
  type GalleryDetails,
  type GalleryFile,
  type ListedConfiguration,
  mainPicture,
  type Size,
} from './gallery-data.ts';

/** What the page shows. */
export interface Gallery {
  data: GalleryData;
  parts: readonly DetailsPart[];
  /** The digest of each file that has one. */
  digests: ReadonlyMap<string, Digest>;
}

export interface GallerySources {
  /** A file below the output folder by its path. */
  read(path: string, sha256: Digest | undefined): Promise<Uint8Array | undefined>;
  /** What was computed of pictures before; without it, the page cannot search by colours, since each picture takes 5 ms. */
  derived?: {
    get(key: string): Promise<Uint8Array | undefined>;
    put(key: string, bytes: Uint8Array): Promise<void>;
  };
  /** Address of a server of assets. */
  assetsUrl?: string | undefined;
  /** Name of the script with a file that a page from a disk shows in 3D. @defaultValue no model is embedded */
  scriptOf?: ((sha256: Digest) => string) | undefined;
}

/** Configurations of a file with details, on average: some 200 kB, which a browser reads at once. */
const CONFIGURATIONS_PER_PART = 64;
const READ_AT_ONCE = 16;
/** Swatches of a card. */
const MOST_SWATCHES = 8;

/**
 * Reads the data of the gallery: every article with a GLB, in the order of the manifest.
 *
 * @param lines - The delivered files. @defaultValue the list of deliveries
 */
export async function readGallery(
  outputDir: string,
  title: string,
  sources: GallerySources,
  lines?: DeliveryLines,
): Promise<Gallery> {
  const rows = await readRows(outputDir, sources, lines);
  const facts = await readFacts(rows, sources);
  const texts = new Map<string, number>();
  const articles = groupBy(rows.list, ({ line }) => articleKey(line));
  const parts = 2 ** Math.ceil(Math.log2(Math.max(1, rows.list.length / CONFIGURATIONS_PER_PART)));
  const contents = Array.from({ length: parts }, () => new PartContent());
  const listed = Array.from(articles, ([key, own]): GalleryArticle => {
    const part = Number.parseInt(sha256Hex(key).slice(0, 8), 16) % parts;
    for (const row of own) contents[part]!.add(row, facts.swatchesOf(row));
    return articleOf(own, part, facts, texts);
  });
  const { assetsUrl } = sources;
  return {
    data: {
      ...{ title, hasContactSheet: false, ...(assetsUrl && { assetsUrl }), parts },
      ...{ texts: [...texts.keys()], articles: listed },
    },
    parts: contents.map((content) => content.made()),
    digests: rows.digests,
  };
}

/** A configuration with its lines. */
interface Row {
  line: ManifestLine;
  entry: CatalogueLine | undefined;
  details: Omit<GalleryDetails, 'losses' | 'swatches'>;
  /** Path of the list of its materials. */
  materials: string | undefined;
}

async function readRows(
  outputDir: string,
  { scriptOf }: GallerySources,
  lines: DeliveryLines | undefined,
) {
  const catalogue = await openCatalogue(outputDir);
  const delivered = new Map<string, DeliveryLine[]>();
  const digests = new Map<string, Digest>();
  for await (const line of lines?.values() ?? deliveryLines(outputDir)) {
    const key = configurationKey(configurationId(line));
    delivered.set(key, [...(delivered.get(key) ?? []), line]);
    for (const { path, sha256 } of line.files) digests.set(path, sha256);
  }
  const masters = await mastersOf(outputDir);
  const links = new Map(masters.map(({ id, link }) => [configurationKey(id), link]));
  for (const { glb, sha256 } of masters) digests.set(glb, sha256);
  const list: Row[] = [];
  for await (const line of manifestLines(outputDir)) {
    const key = configurationKey(configurationId(line));
    const [link, entry] = [links.get(key), catalogue.get(key)];
    const made = delivered.get(key) ?? [];
    const asset = publishedAsset(line);
    if (asset === undefined || link === undefined || !isBelow(asset.glb)) continue;
    const details = detailsOf(line, { glb: asset.glb, link }, entry, made);
    // A script has one file: no .gltf, which has others.
    const { path } = modelForPages(details.files.filter((file) => file.path.endsWith('.glb')));
    const sha256 = digests.get(path);
    if (scriptOf && sha256) details.embedded = { path, script: scriptOf(sha256) };
    const materials = made.find(({ delivery }) => delivery === SWATCHES)?.files[0]?.path;
    list.push({ line, entry, details, materials });
  }
  return { list, digests };
}

function detailsOf(
  line: ManifestLine,
  { glb, link }: { glb: string; link: string },
  entry: CatalogueLine | undefined,
  deliveries: readonly DeliveryLine[],
): Row['details'] {
  const figures = line.glb === undefined ? line.lastGood : line;
  // The name is that of the link, because configurations share an object.
  const name = link.slice(link.lastIndexOf('/') + 1);
  const master = { delivery: MASTER, name, path: glb, bytes: figures?.bytes ?? 0 };
  const others = deliveries.flatMap(({ delivery, files }) =>
    files
      .filter(({ facts }) => facts.isFormerAddress !== true)
      .map(({ name, path, bytes, facts: { variant, camera, requiredExtensions } }): GalleryFile => {
        const finish = typeof variant === 'string' ? { finish: variant } : {};
        const view = typeof camera === 'string' ? { camera } : {};
        const required = `${requiredExtensions ?? ''}`.split(' ');
        const coded = decodersOf(required).length > 0 ? { requiredExtensions: required } : {};
        return { delivery, name, path, bytes, ...finish, ...view, ...coded };
      }),
  );
  const splitBy = deliveries.find((line) => line.splitBy !== undefined)?.splitBy;
  const { error, reinitstring, metareinitstring } = line;
  const size = entry && publishedSize(entry);
  return {
    id: link.replace(/^articles\/|\.glb$/g, ''),
    number: line.finalarticlenumber,
    name: entry?.shorttext ?? '',
    text: entry?.longtext ?? '',
    variant: entry?.varianttext ?? '',
    properties: (entry?.properties ?? []).map(({ class: of, name, ...property }) => {
      const { text, value, valueText } = property;
      return { id: `${of}.${name}`, text, value, valueText };
    }),
    ...{ reinitstring, metareinitstring },
    price: entry?.price ?? null,
    currency: entry?.currency ?? '',
    size: size ? [size.width, size.depth, size.height] : null,
    triangles: figures?.triangles ?? null,
    files: [master, ...others.filter(({ path }) => isBelow(path) && !isSharedPath(path))],
    ...(splitBy && { splitBy }),
    ...(error && { error: `${error.code}: ${error.message}` }),
  };
}

/** What files say: colours of pictures, and pictures of finishes. */
interface Facts {
  coloursOf(picture: string): readonly Colour[];
  swatchesOf(row: Row): readonly string[];
}

async function readFacts(
  { list, digests }: Awaited<ReturnType<typeof readRows>>,
  { read, derived }: GallerySources,
): Promise<Facts> {
  const pictures = list.flatMap(({ details }) => mainPicture(details)?.path ?? []);
  const lists = list.flatMap(({ materials }) => materials ?? []);
  /** By digest: configurations share files. */
  const found = new Map<string, string>();
  const nameOf = (path: string) => digests.get(path) ?? path;
  const readAll = async (
    paths: readonly string[],
    kind: string,
    factOf: (bytes: Uint8Array) => string | Promise<string>,
  ) => {
    const distinct = new Map(paths.map((path) => [nameOf(path), path]));
    await inParallel(distinct, READ_AT_ONCE, async ([name, path]) => {
      const key = `gallery ${kind} ${name}`;
      const kept = await derived?.get(key);
      const bytes = kept === undefined ? await read(path, digests.get(path)) : undefined;
      const fact = kept ? new TextDecoder().decode(kept) : bytes && (await factOf(bytes));
      if (fact === undefined) return;
      found.set(name, fact);
      if (kept === undefined) await derived?.put(key, new TextEncoder().encode(fact));
    });
  };
  await readAll(lists, 'finishes 1', finishesIn);
  if (derived !== undefined) await readAll(pictures, 'colours 1', coloursIn);
  return {
    coloursOf: (picture) =>
      ((found.get(nameOf(picture)) || undefined)?.split(' ') as Colour[]) ?? [],
    swatchesOf: ({ materials }) =>
      materials === undefined ? [] : JSON.parse(found.get(nameOf(materials)) ?? '[]'),
  };
}

/** Pixels of the side to which a picture is reduced before its colours are counted. */
const COUNTED_SIDE = 48;

/** The colours of a picture, with blanks between them; none of one that cannot be read. */
async function coloursIn(picture: Uint8Array): Promise<string> {
  const { default: sharp } = await import('sharp');
  try {
    const { data } = await sharp(picture)
      .resize(COUNTED_SIDE, COUNTED_SIDE, { fit: 'fill' })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return coloursOfPixels(data, COUNTED_SIDE).join(' ');
  } catch {
    return '';
  }
}

/** The paths of the pictures of a list of materials, as JSON; none of a list that cannot be read. */
function finishesIn(list: Uint8Array): string {
  try {
    const materials = JSON.parse(new TextDecoder().decode(list)) as { picture?: unknown }[];
    const paths = materials.map(({ picture }) => String(picture));
    return JSON.stringify(
      [...new Set(paths)].filter((path) => isBelow(path) && isSharedPath(path)),
    );
  } catch {
    return '[]';
  }
}

function articleOf(
  rows: readonly Row[],
  part: number,
  facts: Facts,
  texts: Map<string, number>,
): GalleryArticle {
  const [{ line, entry, details }] = rows as [Row];
  const textOf = (text: string): number => {
    const place = texts.get(text) ?? texts.size;
    texts.set(text, place);
    return place;
  };
  return {
    ...{ manufacturer: line.manufacturer, program: line.program },
    manufacturerName: entry?.manufacturername || line.manufacturer,
    programName: entry?.programname || line.program,
    ...(entry?.category && { kind: entry.category }),
    ...{ number: line.basearticlenumber, name: details.name },
    swatches: differing(rows.map(facts.swatchesOf)).slice(0, MOST_SWATCHES),
    part,
    configurations: rows.map(({ details }) => listed(details, facts, textOf)),
  };
}

function listed(
  details: Row['details'],
  { coloursOf }: Facts,
  textOf: (text: string) => number,
): ListedConfiguration {
  const { id, number, variant, price, currency, size } = details;
  const picture = mainPicture(details)?.path;
  const colours = picture === undefined ? [] : coloursOf(picture);
  const lines = variant.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  return {
    ...{ id, number, texts: lines.map(textOf) },
    ...(price !== null && { price, currency }),
    ...(size && { size: size.map(Math.round) as unknown as Size }),
    ...(picture !== undefined && { picture }),
    ...(colours.length > 0 && { colours: COLOURS.filter((one) => colours.includes(one)) }),
  };
}

/** What some of the lists have and others do not, in its first order. */
function differing(lists: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  for (const one of lists.flat()) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].filter(([, count]) => count < lists.length).map(([one]) => one);
}

/** The content of a file with details while it is put together. */
class PartContent {
  readonly #places = new Map<string, number>();
  readonly #configurations: GalleryDetails[] = [];

  add({ line, details }: Row, swatches: readonly string[]): void {
    const places = line.losses
      .filter(({ expected }) => !expected)
      .map((loss) => this.#placeOf(loss));
    this.#configurations.push({ ...details, losses: [...new Set(places)], swatches });
  }

  made(): DetailsPart {
    const losses = Array.from(this.#places.keys(), (key) => JSON.parse(key));
    return { losses, configurations: this.#configurations };
  }

  #placeOf({ where, field, value, done }: ManifestLine['losses'][number]): number {
    const key = JSON.stringify([where, field, String(value), done]);
    const place = this.#places.get(key) ?? this.#places.size;
    this.#places.set(key, place);
    return place;
  }
}

/** Whether a path stays below the output folder: the lists may have been edited. */
function isBelow(path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  return (
    rest.length > 0 &&
    !/[\\:\p{Cc}]/u.test(path) &&
    [first, ...rest].every((part) => part !== '' && !part.startsWith('.'))
  );
}
