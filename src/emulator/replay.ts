/**
 * A folder of recorded answers, in the format that `btg2gltf record` writes, as a range.
 *
 * No part of a request ever becomes a path: all paths come from listing the folder when it is opened.
 */
import { join } from 'node:path';
import { ConverterError } from '../support/errors.ts';
import { encodeFileName, LONGEST_FILE_NAME } from '../support/file-names.ts';
import { readBytes, readBytesIfExists } from '../support/files.ts';
import { listEntries } from '../support/folders.ts';
import { memberText, spelledAs } from './json-text.ts';
import { ARTICLE } from './route.ts';
import {
  type EmulatedRange,
  isFound,
  type Json,
  type Query,
  RangeRefusal,
} from './sample/range.ts';

const FORMAT = 1;
const SEPARATOR = '::';

/** Parameters that identify a request; all others are ignored. */
const ARTICLE_IDENTITY = [...ARTICLE, 'varcode', 'ocdreinitstring'];
const CHANGE_IDENTITY = [
  ...[...ARTICLE, 'ocdreinitstring', 'metareinitstring'],
  ...['proptype', 'propclass', 'prop', 'newvalue'],
];
const PARTS_LIST_IDENTITY = [...ARTICLE, 'finalarticlenumber', 'reinitstring', 'metareinitstring'];

const CASELESS = ['manufacturer', 'program'];

/**
 * Opens a recording.
 *
 * Articles, parts lists and the catalogue are read immediately; blocks, images, previews and resources
 * when they are requested, by exactly the recorded name.
 *
 * @param dir - Folder with `recording.json`.
 * @throws {@link ConverterError} `RECORDING_INVALID`, with the file, what was expected and received.
 *
 * @example
 * ```ts
 * const range = await openRecording('recordings/showroom');
 * range.nodes('')?.length; // → number of top-level folders
 * ```
 *
 * @see D-724, D-795.
 */
export async function openRecording(dir: string): Promise<EmulatedRange> {
  for (const folder of ['', 'ofml', 'odb', 'xcf', 'ocd']) await namesIn(join(dir, folder));
  const { name, convertdate } = await readHead(join(dir, 'recording.json'));
  const articles = await readRecords(join(dir, 'ofml', 'articles'), ARTICLE_IDENTITY);
  const changes = await readRecords(join(dir, 'ofml', 'changes'), CHANGE_IDENTITY);
  const plannings = await readRecords(join(dir, 'ofml', 'plannings'), ['permanentid']);
  const partsLists = await readRecords(join(dir, 'odb', 'btg'), PARTS_LIST_IDENTITY);
  const block = await listBodies(join(dir, 'odb', 'block'), 3, '.json');
  const ofManufacturer = await listBodies(join(dir, 'xcf', 'ressource'), 3);
  const ofSeries = await listBodies(join(dir, 'xcf', 'ressource'), 4);
  const tree = await readTree(join(dir, 'xcf', 'nodes.json'), convertdate);
  return {
    name,
    ...recordedCatalogue(tree, articles.responses),
    article: articles.find,
    // A recording has changes of root articles only.
    configure(query, { article, id, ...change }) {
      const request = { ...query, ...change, metareinitstring: String(article.reinit ?? '') };
      const found = id === String(article.id) ? changes.find(request) : undefined;
      if (found !== undefined) return found;
      // A change that the recorded service refused has no record, so it is refused again.
      const { propclass, prop, newvalue } = change;
      throw new RangeRefusal(`${propclass}.${prop}: no such change to "${newvalue}" was recorded`);
    },
    planning: (permanentid) => plannings.find({ permanentid }),
    partsList: partsLists.find,
    block(blockName) {
      // The name after manufacturer and program may contain the separator.
      const [manufacturer = '', program = '', ...rest] = blockName.split(SEPARATOR);
      return block(manufacturer, program, rest.join(SEPARATOR));
    },
    material: await listBodies(join(dir, 'odb', 'materials'), 2, '.JPG'),
    preview: await listBodies(join(dir, 'ocd', 'preview'), 3),
    resource: async (path) => (await ofManufacturer(...path)) ?? ofSeries(...path),
  };
}

async function readHead(file: string): Promise<{ name: string; convertdate: string }> {
  const bytes = await readBytesIfExists(file);
  if (bytes === undefined) throw recordingInvalid(file, 'expected this file in a recording');
  const head = expectKind('object', parseJson(decodeUtf8(bytes, file), file), `${file}: recording`);
  if (head.format !== FORMAT) {
    throw recordingInvalid(file, `format: expected ${FORMAT}, received ${String(head.format)}`);
  }
  return {
    name: expectKind('string', head.name, `${file}: name`),
    convertdate: expectKind('string', head.convertdate ?? '', `${file}: convertdate`),
  };
}

/**
 * Reads all records of one operation: files with a request and its response.
 *
 * A missing identity parameter equals an empty one. A response keeps the spelling of its file. Of
 * records with the same identity (recorded in two languages, say) the first by file name answers.
 *
 * @see D-724.
 */
async function readRecords(folder: string, identity: readonly string[]) {
  const byIdentity = new Map<string, Json>();
  const responses: Json[] = [];
  const keyOf = (request: Json): string =>
    JSON.stringify(
      identity.map((name) => {
        const value = String(request[name] ?? '');
        return CASELESS.includes(name) ? value.toUpperCase() : value;
      }),
    );
  for (const name of await namesIn(folder)) {
    if (!name.endsWith('.json')) continue;
    const file = join(folder, name);
    const text = decodeUtf8(await readBytes(file), file);
    const record = expectKind('object', parseJson(text, file), `${file}: record`);
    const request = expectKind('object', record.request, `${file}: request`);
    for (const [name, value] of Object.entries(request)) {
      if (typeof value !== 'object') continue;
      throw recordingInvalid(`${file}: request.${name}`, 'expected a string, received an object');
    }
    const key = keyOf(request);
    const response = expectKind('object', record.response, `${file}: response`);
    responses.push(spelledAs(response, memberText(text, 'response')!));
    if (!byIdentity.has(key)) byIdentity.set(key, response);
  }
  return { find: (query: Query) => byIdentity.get(keyOf(query)), responses };
}

/**
 * Lists the raw bodies below a folder, whose path segments are percent-encoded names.
 *
 * `encodeFileName` shortens long names, so a name is also looked up in that form.
 *
 * @param depth - Number of segments in a name.
 * @param suffix - End of each file name; empty if names have an ending of their own.
 * @returns A function that reads a body by the segments of its name; undefined if the recording has none.
 */
async function listBodies(folder: string, depth: number, suffix = '') {
  const byName = new Map<string, string>();
  const byFile = new Map<string, string>();
  for (const file of await filesAt(folder, depth)) {
    if (!file.endsWith(suffix)) continue;
    const path = join(folder, file);
    const stem = file.slice(0, file.length - suffix.length);
    byFile.set(stem, path);
    const segments = stem.split('/');
    // A shortened name may end inside an encoded character, so it is looked up by its file alone.
    if (segments.some(isShortened)) continue;
    byName.set(JSON.stringify(segments.map((segment) => decoded(segment, path))), path);
  }
  return async (...segments: string[]): Promise<Uint8Array | undefined> => {
    const file = segments.map(encodeFileName).join('/');
    const path = byName.get(JSON.stringify(segments)) ?? byFile.get(file);
    return path === undefined ? undefined : readBytes(path);
  };
}

/** Names in a folder. A link would let a recording send any file of this machine. */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await listEntries(folder);
  const link = entries.find(({ kind }) => kind === 'link');
  if (link === undefined) return entries.map(({ name }) => name);
  const path = join(folder, link.name);
  throw recordingInvalid(path, 'expected a file or folder, received a symbolic link');
}

/** Paths below a folder, with `/`, that have exactly this depth in segments. */
async function filesAt(folder: string, depth: number): Promise<string[]> {
  const names = await namesIn(folder);
  if (depth === 1) return names;
  const found: string[] = [];
  for (const name of names) {
    const below = await filesAt(join(folder, name), depth - 1);
    for (const file of below) found.push(`${name}/${file}`);
  }
  return found;
}

function isShortened(segment: string): boolean {
  return segment.length === LONGEST_FILE_NAME && /~[0-9a-f]{8}$/.test(segment);
}

function decoded(segment: string, path: string): string {
  if (segment === encodeFileName('')) return '';
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw recordingInvalid(path, 'file name: expected percent-encoded UTF-8', error);
  }
}

interface Tree {
  listings: Map<string, Json[]>;
  /** Nodes by node id; the parent is the folder of the first listing with this node. */
  nodes: Map<string, { node: Json; parent: string }>;
}

/** Reads the recorded listings; top-level nodes without a date get the date of the recording. */
async function readTree(file: string, convertdate: string): Promise<Tree> {
  const tree: Tree = { listings: new Map([['', []]]), nodes: new Map() };
  const bytes = await readBytesIfExists(file);
  const value = bytes === undefined ? [] : parseJson(decodeUtf8(bytes, file), file);
  for (const [i, entry] of expectKind('array', value, `${file}: listings`).entries()) {
    const where = `${file}: [${i}]`;
    const listing = expectKind('object', entry, where);
    const parent = expectKind('string', listing.parentnode, `${where}.parentnode`);
    const recorded = expectKind('array', listing.nodes, `${where}.nodes`);
    const nodes = recorded.map((given, j) => {
      const node = expectKind('object', given, `${where}.nodes[${j}]`);
      const isDated = parent !== '' || convertdate === '' || node.convertdate;
      return isDated ? node : { ...node, convertdate };
    });
    tree.listings.set(parent, nodes);
    for (const [j, node] of nodes.entries()) {
      const id = expectKind('string', node.nodeid, `${where}.nodes[${j}].nodeid`);
      if (!tree.nodes.has(id)) tree.nodes.set(id, { node, parent });
    }
  }
  return tree;
}

/**
 * The catalogue operations over a recorded tree.
 *
 * A folder whose listing was not recorded does not exist (404), while an article or an info node has
 * no children. A recorded search is answered as recorded; any other searches article numbers and short
 * texts as the sample range does, in the order of the catalogue, each article once.
 *
 * @param articles - Recorded articles: their texts are searched, whether or not the tree shows them.
 * @see Spec 2.1, 4.2.
 */
function recordedCatalogue({ listings, nodes }: Tree, articles: readonly Json[]) {
  const entries = searchEntries(listings, articles);
  return {
    nodes(id: string): Json[] | undefined {
      const node = nodes.get(id)?.node;
      const isFolder = node === undefined || node.nodetype === 'F';
      return listings.get(id) ?? (isFolder ? undefined : []);
    },
    breadcrumbs(id: string): Json[] | undefined {
      const path: Json[] = [];
      const seen = new Set<string>();
      for (let at = id; at !== '' && !seen.has(at); ) {
        seen.add(at);
        const entry = nodes.get(at);
        if (entry === undefined) return undefined;
        path.unshift({ nodeid: entry.node.nodeid, text: entry.node.text });
        at = entry.parent;
      }
      return path;
    },
    search(manufacturer: string, query: string): Json[] {
      const owner = manufacturer.toUpperCase();
      // A recording lists the results of a search under an id that no folder has (D-820).
      const recorded = listings.get(`${owner};SEARCH;${query}`);
      if (recorded !== undefined) return recorded;
      return entries
        .filter(({ node }) => String(node.manufacturer).toUpperCase() === owner)
        .filter(({ texts }) => isFound([...texts], query))
        .map(({ node }) => node);
    },
  };
}

function searchEntries(listings: Tree['listings'], articles: readonly Json[]) {
  const entries = new Map<string, { node: Json; texts: Set<string> }>();
  const shown = [...listings.values()].flat().filter(({ nodetype }) => nodetype === 'A');
  for (const node of [...shown, ...articles.map(articleNode)]) {
    const key = JSON.stringify([node.manufacturer, node.program, node.basearticlenumber]);
    const entry = entries.get(key) ?? { node, texts: new Set() };
    for (const text of [node.basearticlenumber, node.variantcode, node.text]) {
      if (typeof text === 'string') entry.texts.add(text);
    }
    entries.set(key, entry);
  }
  return [...entries.values()];
}

/** The node of an article that the recorded tree does not show. */
function articleNode({ manufacturer, program, basearticlenumber, ...article }: Json): Json {
  const ocd = (article.ocd ?? {}) as Json;
  return {
    nodeid: '',
    text: ocd.shorttext ?? '',
    nodetype: 'A',
    manufacturer,
    manufacturername: manufacturer,
    program,
    basearticlenumber,
    variantcode: ocd.finalarticlenumber ?? '',
    ressources: [],
  };
}

/** @param where - The file, and the path of the value inside it. */
function recordingInvalid(where: string, message: string, cause?: unknown): ConverterError {
  return new ConverterError('RECORDING_INVALID', `${where}: ${message}`, { cause });
}

/** Decodes strictly: replacement characters would make two names one. */
function decodeUtf8(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw recordingInvalid(file, 'expected text in UTF-8, received other bytes', error);
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw recordingInvalid(file, 'expected JSON', error);
  }
}

type Kinds = { object: Json; array: unknown[]; string: string };

function expectKind<K extends keyof Kinds>(kind: K, value: unknown, where: string) {
  const received = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (received === kind) return value as Kinds[K];
  const expected = kind === 'string' ? 'a string' : `an ${kind}`;
  const shown = received === 'array' ? 'an array' : received;
  throw recordingInvalid(where, `expected ${expected}, received ${shown}`);
}
