/**
 * What is published, evaluated: lists, feeds and gallery against what the service says of each configuration, digests
 * against the files that they are of, and delivered files against the finish that is expected. It reads the formats by
 * itself.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import {
  colorDistance,
  type ShownModel,
  type ShownPicture,
  shownByGlb,
  shownByPicture,
  shownByUsdz,
} from './delivered-files.ts';
import { FEEDS, oneLine } from './feeds.ts';
import type { Json } from './json.ts';
import type { Vec3 } from './vectors.ts';

/** A configuration as it must be published. */
export interface ExpectedConfiguration {
  /** The answer of GET articles by language; the first one is that of feeds and gallery. */
  articles: Readonly<Record<string, Json>>;
  boundsMetres: { min: Vec3; max: Vec3 };
  /** Mean colours of the base textures, sRGB. */
  finishes: readonly Vec3[];
  /** Colour of what is seen from above in the middle, sRGB; undefined where that is not one thing. */
  topColor: Vec3 | undefined;
}

/** What is published, and where. */
export interface PublishedFolder {
  outputDir: string;
  /** Of the web server that serves it. */
  address: string;
  /** By final article number. */
  expected: ReadonlyMap<string, ExpectedConfiguration>;
  /** The final article numbers that have files of a delivery. */
  deliveries: ReadonlyMap<string, readonly string[]>;
  /** Of the picture from above. */
  pixelsPerMetre: number;
}

/** What was found. */
export interface PublishedFindings {
  /** A sentence each; of a right folder none. */
  problems: string[];
  /** Every path that a list names, with `/`, below the output folder. */
  paths: Set<string>;
  /** Digests that lists name. */
  digests: Set<string>;
  /** How many pictures were compared with their finish. */
  picturesCompared: number;
}

/** Half a tenth of a millimetre: float32 at four metres has a ten-thousandth of it. */
const SIZE_LIMIT_MM = 0.05;
/** Compressed and quantized models, and those that keep the numbers of the master. */
const [MODEL_SIZE_LIMIT_MM, EXACT_SIZE_LIMIT_MM] = [1, 0.02];
/** Feeds round to hundredths of a centimetre. */
const FEED_SIZE_LIMIT_MM = 0.06;
const BOUNDS_LIMIT_METRES = 2e-5;
/** Of a texture that is packed otherwise: the least difference of two textures that the range exchanges is six times this. */
const TEXTURE_LIMIT = 0.03;
/** Of a lit surface in a picture; the finishes that the range exchanges differ by three times this. */
const PICTURE_LIMIT = 0.1;
const PICTURE_SQUARE_PIXELS = 5;
const TOP_PICTURE = /\/top\.png$/;

/** Readers of delivered models by the ending of their paths, and how much their sizes may differ. */
const MODELS: readonly [RegExp, (model: Uint8Array) => Promise<ShownModel>, number][] = [
  [/\.glb$/, shownByGlb, MODEL_SIZE_LIMIT_MM],
  [/\.usdz$/, shownByUsdz, EXACT_SIZE_LIMIT_MM],
];
/** What files show, by digest: most are those of the day before. */
const models = new Map<string, Promise<ShownModel>>();
const pictures = new Map<string, Promise<ShownPicture>>();

/** Evaluates all that is published. */
export async function evaluatePublished(folder: PublishedFolder): Promise<PublishedFindings> {
  const { outputDir, address, expected, deliveries, pixelsPerMetre } = folder;
  const findings: PublishedFindings = {
    ...{ problems: [], paths: new Set(), digests: new Set(), picturesCompared: 0 },
  };
  const differ = (where: string, wanted: unknown, found: unknown) => {
    if (JSON.stringify(wanted) === JSON.stringify(found)) return;
    findings.problems.push(`${where}: expected ${shown(wanted)}, found ${shown(found)}`);
  };
  const isNear = (
    where: string,
    limit: number,
    wanted: readonly number[],
    found: readonly number[],
  ) => {
    const isSame = wanted.every((value, k) => Math.abs(value - found[k]!) <= limit);
    if (!isSame) differ(where, wanted, found);
  };
  const served = new Map<string, ReturnType<typeof get>>();
  const get = async (url: string) => {
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      isThere: response.ok,
      bytes,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
  };
  /** Follows a link, each once. @param sha256 - What its list says of it, if anything. */
  const follow = async (where: string, url: string, sha256?: unknown) => {
    const { isThere, ...file } = await once(served, url, () => get(url));
    findings.paths.add(decodeURIComponent(new URL(url).pathname).slice(1));
    if (!isThere) differ(`${where} ${url}`, 'a file', 'nothing');
    if (sha256 === undefined) return file;
    findings.digests.add(String(sha256));
    differ(`${where} ${url}: digest`, file.sha256, sha256);
    return file;
  };
  const addressOf = (path: unknown) =>
    `${address}/${String(path).split('/').map(encodeURIComponent).join('/')}`;
  const textOf = (name: string) => readFile(join(outputDir, name), 'utf8');
  const linesOf = async (name: string): Promise<Json[]> =>
    (await textOf(name))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  /** The expected configuration of each line; a list has each of them, and nothing else. */
  const pairs = <T>(where: string, lines: readonly T[], numberOf: (line: T) => unknown) => {
    const numbers = lines.map((line) => String(numberOf(line)));
    differ(`${where}: configurations`, [...expected.keys()].sort(), numbers.sort());
    return lines.flatMap((line) => {
      const number = String(numberOf(line));
      const wanted = expected.get(number);
      return wanted ? [{ line, wanted, where: `${where} ${number}` }] : [];
    });
  };
  const finalNumber = ({ finalarticlenumber }: Json) => finalarticlenumber;

  await evaluateManifest();
  const [first] = [...expected.values()];
  const languages = Object.keys(first?.articles ?? {});
  await evaluateCatalogue('catalogue.jsonl', languages[0]!);
  for (const language of languages)
    await evaluateCatalogue(`catalogue.${language}.jsonl`, language);
  await evaluateDeliveries();
  for (const name of Object.keys(FEEDS)) await evaluateFeed(name);
  await evaluateGallery();
  await evaluateChanges();
  await evaluateObjects();
  return findings;

  async function evaluateManifest(): Promise<void> {
    const lines = await linesOf('manifest.jsonl');
    for (const { line, wanted, where } of pairs('manifest.jsonl', lines, finalNumber)) {
      const { status, glb, sha256, bytes, boundsMetres, convertdate } = line;
      if (status !== 'converted') differ(`${where}: status`, 'unchanged', status);
      const file = await follow(where, addressOf(glb), sha256);
      differ(`${where}: bytes`, file.bytes.length, bytes);
      differ(`${where}: convertdate`, ocdOf(wanted).convertdate, convertdate);
      const { min, max } = boundsMetres as ExpectedConfiguration['boundsMetres'];
      isNear(`${where}: min`, BOUNDS_LIMIT_METRES, wanted.boundsMetres.min, min);
      isNear(`${where}: max`, BOUNDS_LIMIT_METRES, wanted.boundsMetres.max, max);
    }
  }

  async function evaluateCatalogue(name: string, language: string): Promise<void> {
    for (const { line, wanted, where } of pairs(name, await linesOf(name), finalNumber)) {
      const { price, currency, ...ocd } = wanted.articles[language]!.ocd as Json;
      for (const text of ['shorttext', 'longtext', 'varianttext'])
        differ(`${where}: ${text}`, ocd[text], line[text]);
      differ(`${where}: price`, priceOf(wanted), line.price);
      differ(`${where}: currency`, currency, line.currency);
      isNear(`${where}: size`, SIZE_LIMIT_MM, sizeOf(wanted), sizesOf(line.sizeMillimetres));
      await follow(where, addressOf(line.glb), line.sha256);
    }
  }

  async function evaluateDeliveries(): Promise<void> {
    const lines = await linesOf('deliveries.jsonl');
    for (const [delivery, numbers] of deliveries) {
      const own = lines.filter(
        ({ delivery: name, files }) => name === delivery && (files as Json[]).length > 0,
      );
      differ(`deliveries.jsonl ${delivery}`, [...numbers].sort(), own.map(finalNumber).sort());
    }
    for (const line of lines) {
      const where = `deliveries.jsonl ${line.delivery} ${line.finalarticlenumber}`;
      if (line.error !== undefined) differ(where, 'no error', line.error);
      const wanted = expected.get(String(line.finalarticlenumber));
      for (const { path, sha256, bytes } of line.files as Json[]) {
        const file = await follow(where, addressOf(path), sha256);
        differ(`${where} ${path}: bytes`, file.bytes.length, bytes);
        if (wanted !== undefined)
          await evaluateDelivered(`${where} ${path}`, String(path), file, wanted);
      }
    }
  }

  /** A delivered file shows the finish and the size that the service has now. */
  async function evaluateDelivered(
    where: string,
    path: string,
    { bytes, sha256 }: Awaited<ReturnType<typeof follow>>,
    wanted: ExpectedConfiguration,
  ): Promise<void> {
    const { finishes, topColor } = wanted;
    const [width, depth, height] = sizeOf(wanted) as [number, number, number];
    const [, read, limit] = MODELS.find(([ending]) => ending.test(path)) ?? [];
    if (read !== undefined) {
      const { colors, sizeMetres } = await once(models, sha256, () => read(bytes));
      const size = sizeMetres.map((metres) => 1000 * metres);
      isNear(`${where}: size`, limit!, [width, height, depth], size);
      const missing = finishes.filter(
        (finish) => !colors.some((color) => colorDistance(color, finish) <= TEXTURE_LIMIT),
      );
      if (missing.length > 0) differ(`${where}: textures`, missing, colors);
    } else if (TOP_PICTURE.test(path)) {
      const read = () => shownByPicture(bytes, PICTURE_SQUARE_PIXELS);
      const picture = await once(pictures, sha256, read);
      const pixels = [width, depth].map((millimetres) => (millimetres / 1000) * pixelsPerMetre);
      isNear(`${where}: pixels`, 1, pixels, [picture.width, picture.height]);
      if (topColor === undefined) return;
      findings.picturesCompared++;
      // A surface that faces up is shown as it is.
      if (colorDistance(picture.middle, topColor) > PICTURE_LIMIT)
        differ(`${where}: colour in the middle`, topColor, picture.middle);
    }
  }

  async function evaluateFeed(name: string): Promise<void> {
    const { read, needsPrice } = FEEDS[name]!;
    const products = read(await textOf(`feeds/${name}`));
    const sold = new Map([...expected].filter(([, one]) => !needsPrice || priceOf(one) !== null));
    differ(
      `${name}: configurations`,
      [...sold.keys()].sort(),
      products.map(({ number }) => number).sort(),
    );
    for (const product of products) {
      const wanted = sold.get(product.number);
      if (wanted === undefined) continue;
      const where = `${name} ${product.number}`;
      const { shorttext, longtext, varianttext, currency } = ocdOf(wanted);
      const price = priceOf(wanted);
      const title = String(shorttext);
      differ(`${where}: title`, title, product.title.slice(0, title.length));
      differ(`${where}: price`, price, product.price);
      if (product.description !== undefined)
        differ(`${where}: text`, oneLine(`${longtext} ${varianttext}`), product.description);
      if (product.currency !== undefined) differ(`${where}: currency`, currency, product.currency);
      if (product.sizeMillimetres !== undefined) {
        const found = sizesOf(product.sizeMillimetres);
        isNear(`${where}: size`, FEED_SIZE_LIMIT_MM, orderedSizeOf(wanted), found);
      }
      if (product.links.length < 2)
        differ(`${where}: links`, 'a picture and a model', product.links);
      for (const link of product.links) await follow(where, link, product.digests?.get(link));
    }
  }

  async function evaluateGallery(): Promise<void> {
    const page = await textOf('gallery/index.html');
    for (const [, link] of page.matchAll(/(?:src|href)="(?!data:|#)([^"]+)"/g))
      await follow('gallery', `${address}/gallery/${link}`);
    const dataIn = (script: string) =>
      JSON.parse(script.slice(script.indexOf('{'), script.lastIndexOf('}') + 1)) as Json;
    const { parts } = dataIn(await textOf('gallery/articles.js'));
    const names = Array.from({ length: Number(parts) }, (_, part) => `gallery/details-${part}.js`);
    const details = await Promise.all(names.map(textOf));
    const items = details.flatMap((text) => dataIn(text).configurations as Json[]);
    const found = pairs('gallery', items, ({ number }) => number);
    for (const { line, wanted, where } of found) {
      const { shorttext, longtext, varianttext, currency } = ocdOf(wanted);
      const texts = { name: shorttext, text: longtext, variant: varianttext };
      for (const [field, text] of Object.entries(texts))
        differ(`${where}: ${field}`, text, line[field]);
      differ(`${where}: price`, priceOf(wanted), line.price);
      differ(`${where}: currency`, currency, line.currency);
      isNear(`${where}: size`, SIZE_LIMIT_MM, orderedSizeOf(wanted), line.size as number[]);
      for (const { path, bytes } of line.files as Json[]) {
        const file = await follow(where, addressOf(path));
        differ(`${where} ${path}: bytes`, bytes, file.bytes.length);
      }
    }
  }

  /** What is new or changed since the publication before, is there. */
  async function evaluateChanges(): Promise<void> {
    for (const line of await linesOf('changes.jsonl'))
      for (const { change, path, sha256 } of line.files as Json[])
        if (change !== 'removed') await follow('changes.jsonl', addressOf(path), sha256);
  }

  /** Each digest that a list names is that of an object. */
  async function evaluateObjects(): Promise<void> {
    const paths = await readdir(join(outputDir, 'objects'), { recursive: true });
    const objects = new Set(paths.map((path) => parse(path).name));
    const missing = [...findings.digests].filter((digest) => !objects.has(digest));
    differ('objects that are missing', [], missing);
  }
}

/** With numbers as a person reads them. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'number' ? Number(part.toFixed(4)) : part,
  );
}

/** Does what was not done for a key yet. */
function once<T>(done: Map<string, Promise<T>>, key: string, work: () => Promise<T>) {
  const known = done.get(key) ?? work();
  done.set(key, known);
  return known;
}

/** In the language of feeds and gallery. */
function ocdOf({ articles }: ExpectedConfiguration): Json {
  return Object.values(articles)[0]!.ocd as Json;
}

/** Null of an article that has none. */
function priceOf(wanted: ExpectedConfiguration): number | null {
  const { articlewithprice, price } = ocdOf(wanted);
  return articlewithprice === true ? Number(price) : null;
}

/** Width, depth and height of the model. */
function sizeOf({ boundsMetres: { min, max } }: ExpectedConfiguration): number[] {
  return [0, 2, 1].map((axis) => 1000 * (max[axis]! - min[axis]!));
}

/** How the names of properties begin that are width, depth and height. */
const DIMENSIONS = ['BREITE', 'TIEFE', 'HÖHE'];
/** A property that differs more from the model is another dimension. */
const OTHER_DIMENSION = { millimetres: 12, share: 0.01 };

/** As it was ordered: a property may state it in millimetres, centimetres or metres. */
function orderedSizeOf(wanted: ExpectedConfiguration): number[] {
  const classes = ocdOf(wanted).propclasses as Json[];
  const properties = classes.flatMap((one) => one.properties as Json[]);
  return sizeOf(wanted).map((model, at) => {
    const own = properties.filter(({ name }) => String(name).startsWith(DIMENSIONS[at]!));
    const most = Math.max(OTHER_DIMENSION.millimetres, OTHER_DIMENSION.share * model);
    const stated = own.flatMap(({ currentvalue }) =>
      [1, 10, 1000].map((unit) => unit * Number(currentvalue)),
    );
    return stated.find((length) => Math.abs(length - model) <= most) ?? model;
  });
}

function sizesOf(found: unknown): number[] {
  const { width, depth, height } = found as Record<string, number>;
  return [width!, depth!, height!];
}
