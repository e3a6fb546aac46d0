/** What the lists of a publication name: whether each address answers, and each digest is that of an object. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detailsInScript, listedInScript } from './gallery-output.ts';
import { parsedLines } from './output-folder.ts';

/** Where a publication is. */
export interface Place {
  /** Paths of its files, with `/`. */
  names: ReadonlySet<string>;
  read(name: string): string;
}

/** What a list names. */
interface Named {
  addresses: string[];
  digests: string[];
}

const FEED = /^feeds\//;
const GALLERY = 'gallery/articles.js';
const DETAILS = /^gallery\/details-\d+\.js$/;
/** An address in a feed, without the base address. */
const IN_FEED = /\b(?:articles|objects|web)\/[^\s",;&<>]+/g;
const DIGEST = /"sha256":"([0-9a-f]{64})"/g;

/** An output folder at this moment; synchronous, since nothing may happen meanwhile. */
export function folderAt(outputDir: string): Place {
  const names = readdirSync(outputDir, { recursive: true }).map(String);
  return {
    names: new Set(names.map((name) => name.replaceAll('\\', '/'))),
    read: (name) => readFileSync(join(outputDir, name), 'utf8'),
  };
}

/** What each list names, by the name of the list. */
export function namesOf({ names, read }: Place): Map<string, Named> {
  const named = new Map<string, Named>();
  for (const name of names) {
    // The note names what is about to go.
    if (/^(?!publishing)[\w.]+\.jsonl$/.test(name)) named.set(name, inLines(read(name)));
    else if (FEED.test(name)) named.set(name, inFeed(read(name)));
    else if (name === GALLERY) named.set(name, inGallery(read(name)));
    else if (DETAILS.test(name)) named.set(name, inDetails(read(name)));
  }
  return named;
}

/** What the lists name and is not there, as sentences. A store has no objects of deliveries. */
export function missingNames(place: Place, isStore = false): string[] {
  const objects = new Set(
    [...place.names].flatMap((name) => /^objects\/..\/([0-9a-f]{64})\./.exec(name)?.[1] ?? []),
  );
  const missing: string[] = [];
  for (const [list, { addresses, digests }] of namesOf(place)) {
    for (const path of addresses)
      if (!place.names.has(path)) missing.push(`${list}: ${path} does not answer`);
    for (const digest of isStore ? [] : digests)
      if (!objects.has(digest)) missing.push(`${list}: ${digest} is no object`);
  }
  return missing;
}

function inLines(text: string): Named {
  type File = { path: string; sha256: string; change?: string };
  type Line = { glb?: string; sha256?: string; lastGood?: Line; files?: File[] };
  const files = parsedLines<Line>(text).flatMap((line) => [
    ...[line, line.lastGood].flatMap((of) => (of?.glb ? { path: of.glb, sha256: of.sha256! } : [])),
    // Of what was removed, the list of changes says that it is gone.
    ...(line.files ?? []).filter(({ change }) => change !== 'removed'),
  ]);
  return { addresses: files.map(({ path }) => path), digests: files.map(({ sha256 }) => sha256) };
}

function inFeed(text: string): Named {
  return {
    addresses: (text.match(IN_FEED) ?? []).map(decodeURIComponent),
    digests: Array.from(text.matchAll(DIGEST), ([, digest]) => digest!),
  };
}

function inGallery(text: string): Named {
  const { articles, hasContactSheet, parts } = listedInScript(text);
  const pictures = articles.flatMap(({ configurations }) =>
    configurations.flatMap(({ picture }) => picture ?? []),
  );
  const swatches = articles.flatMap(({ swatches }) => swatches);
  const sheet = hasContactSheet ? ['gallery/contact-sheet.jpg'] : [];
  const details = Array.from({ length: parts }, (_, part) => `gallery/details-${part}.js`);
  return { addresses: [...pictures, ...swatches, ...sheet, ...details], digests: [] };
}

function inDetails(text: string): Named {
  const { configurations } = detailsInScript(text);
  return {
    addresses: configurations.flatMap(({ files }) => files.map(({ path }) => path)),
    digests: [],
  };
}
