/** What differs between two publications: for caches, shops and other systems that mirror the output folder. */
import type { ArticleRequest } from '../../model/article.ts';
import { configurationId, sortConfigurationKeys } from '../../model/configuration-id.ts';
import { sha256Hex } from '../../support/files.ts';
import {
  type CatalogueEntry,
  type CatalogueNames,
  PARTS,
  type Part,
} from '../lists/manifest-line.ts';
import type { PublishedFile } from './delivered-files.ts';

type DescribedLine = CatalogueEntry & CatalogueNames;

const PART_OF_FIELD = {
  manufacturername: 'text',
  programname: 'text',
  category: 'text',
  shorttext: 'text',
  longtext: 'text',
  varianttext: 'text',
  price: 'price',
  currency: 'price',
  pricecomponents: 'price',
  properties: 'properties',
  complete: 'properties',
  missing: 'properties',
} as const satisfies Record<keyof DescribedLine, Part>;
type CataloguePart = (typeof PART_OF_FIELD)[keyof typeof PART_OF_FIELD];

const FIELDS = Object.keys(PART_OF_FIELD) as (keyof DescribedLine)[];
const NAME_FIELDS: ReadonlySet<string> = new Set<keyof CatalogueNames>([
  'manufacturername',
  'programname',
]);
const CATALOGUE_PARTS: readonly Part[] = Object.values(PART_OF_FIELD);
const PART_OF_DELIVERY: Readonly<Record<string, Part>> = { articles: 'model', pictures: 'picture' };

/**
 * What a publication has of a configuration; a line of `published.jsonl`. Of what its catalogue lines say it has digests,
 * each empty where there is no such line; one of an older version has none.
 */
export type PublishedLine = ArticleRequest & { files: PublishedFile[] } & Partial<
    Record<CataloguePart, string>
  >;

/** Hex digits of a digest that is compared with one other. */
const DIGITS = 16;

/** Digests the lines of a configuration in the catalogues: a further language with the same prices has the same price. */
export function catalogueDigests(entries: readonly DescribedLine[]): Record<CataloguePart, string> {
  const digestOf = (part: CataloguePart): string => {
    const fields = FIELDS.filter((field) => PART_OF_FIELD[field] === part);
    const texts = entries.map((entry) => JSON.stringify(valuesOf(entry, fields)));
    return entries.length === 0 ? '' : sha256Hex([...new Set(texts)].join('\n')).slice(0, DIGITS);
  };
  return {
    price: digestOf('price'),
    text: digestOf('text'),
    properties: digestOf('properties'),
  };
}

/** Lines of an older version have no names or no category: that is no change while there are none. */
function valuesOf(entry: DescribedLine, fields: readonly (keyof DescribedLine)[]): unknown[] {
  const isNamed = entry.manufacturername || entry.programname;
  const own = fields.filter((field) =>
    field === 'category' ? entry.category : isNamed || !NAME_FIELDS.has(field),
  );
  return own.map((field) => entry[field]);
}

/** What became of a configuration or of a file. */
export type Change = 'new' | 'changed' | 'removed';

/** A configuration that is new, changed or removed; a line of `changes.jsonl`. */
export type ChangeLine = { change: Change; what: Part[] } & ArticleRequest & {
    files: ChangedFile[];
  };

/** Its digest is the new one; of a removed file the last one. */
type ChangedFile = { change: Change; url?: string } & PublishedFile;

type Publication = Pick<ReadonlyMap<string, PublishedLine>, 'keys' | 'get'>;

/** Returns the address of a path. */
export type UrlOf = (path: string) => string;

/**
 * Compares two publications.
 *
 * @param urlOf - If there are addresses.
 * @returns The configurations that differ, sorted, each with its files that differ.
 *
 * @example
 * ```ts
 * [...changesBetween(new Map(), new Map([[key, line]]))]; // → [{ change: 'new', what: ['model', …], …, files: [{ change: 'new', … }] }]
 * ```
 */
export function* changesBetween(
  before: Publication,
  now: Publication,
  urlOf?: UrlOf,
): Iterable<ChangeLine> {
  for (const key of sortConfigurationKeys(new Set([...before.keys(), ...now.keys()]))) {
    const change = changeOf(before.get(key), now.get(key), urlOf);
    if (change !== undefined) yield change;
  }
}

/**
 * Compares what two publications have of a configuration; undefined is nothing.
 *
 * @param isKnown - Whether a system that mirrors them has `before`, rather than any part of it: then equal parts differ, too.
 * @returns Undefined if they are the same.
 */
export function changeOf(
  before: PublishedLine | undefined,
  now: PublishedLine | undefined,
  urlOf?: UrlOf,
  isKnown = true,
): ChangeLine | undefined {
  const one = now ?? before;
  if (one === undefined) return undefined;
  const files = changedFiles(before?.files ?? [], now?.files ?? [], urlOf, isKnown);
  const isOther = (part: Part): boolean => {
    if (!CATALOGUE_PARTS.includes(part))
      return files.some(({ delivery }) => (PART_OF_DELIVERY[delivery] ?? 'delivery') === part);
    const [was, is] = [before, now].map((line) => (line ? line[part as CataloguePart] : ''));
    if (!isKnown) return (one[part as CataloguePart] ?? '') !== '';
    return was !== undefined && is !== undefined && was !== is;
  };
  const what = PARTS.filter(isOther);
  if (before !== undefined && now !== undefined && what.length === 0) return undefined;
  const change = before === undefined ? 'new' : now === undefined ? 'removed' : 'changed';
  return { change, what, ...configurationId(one), files };
}

function changedFiles(
  before: readonly PublishedFile[],
  now: readonly PublishedFile[],
  urlOf: UrlOf | undefined,
  isKnown: boolean,
): ChangedFile[] {
  const former = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const current = new Set(now.map(({ path }) => path));
  const withUrl = (change: Change, file: PublishedFile): ChangedFile => ({
    change,
    ...(urlOf && { url: urlOf(file.path) }),
    ...file,
  });
  return [
    ...now
      .filter(({ path, sha256 }) => !isKnown || former.get(path) !== sha256)
      .map((file) => withUrl(former.has(file.path) ? 'changed' : 'new', file)),
    ...before.filter(({ path }) => !current.has(path)).map((file) => withUrl('removed', file)),
  ];
}
