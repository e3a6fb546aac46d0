/** A folder of recorded answers, in the format that `btg2gltf record` writes, as a range. */
import { join } from 'node:path';
import {
  type EmulatedRange,
  type Json,
  type PropertyChange,
  type Query,
  RangeRefusal,
} from '../sample/range.ts';
import { readTextIfExists } from '../support/files.ts';
import {
  expectKind,
  listBodies,
  parseJson,
  readRecords,
  recordingInvalid,
} from './recording-files.ts';
import { ARTICLE } from './route.ts';

const FORMAT = 1;
const SEPARATOR = '::';

/** Parameters that identify a change: the article before, by both its configurations, and the change. */
const CHANGE_IDENTITY = [
  ...[...ARTICLE, 'ocdreinitstring', 'metareinitstring'],
  ...['proptype', 'propclass', 'prop', 'newvalue'],
];
const PARTS_LIST_IDENTITY = [...ARTICLE, 'finalarticlenumber', 'reinitstring', 'metareinitstring'];

/**
 * Opens a recording.
 *
 * Articles, parts lists and the catalogue are read at once; blocks, images, previews and resources
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
  const { name, convertdate } = await readHead(join(dir, 'recording.json'));
  const articleIdentity = [...ARTICLE, 'varcode', 'ocdreinitstring'];
  const articles = await readRecords(join(dir, 'ofml', 'articles'), articleIdentity);
  const changes = await readRecords(join(dir, 'ofml', 'changes'), CHANGE_IDENTITY);
  const plannings = await readRecords(join(dir, 'ofml', 'plannings'), ['permanentid']);
  const partsLists = await readRecords(join(dir, 'odb', 'btg'), PARTS_LIST_IDENTITY);
  const block = await listBodies(join(dir, 'odb', 'block'), 3, '.json');
  const material = await listBodies(join(dir, 'odb', 'materials'), 2, '.JPG');
  const preview = await listBodies(join(dir, 'ocd', 'preview'), 3);
  const ofManufacturer = await listBodies(join(dir, 'xcf', 'ressource'), 3);
  const ofSeries = await listBodies(join(dir, 'xcf', 'ressource'), 4);
  const tree = await readTree(join(dir, 'xcf', 'nodes.json'), convertdate);
  return {
    name,
    ...recordedCatalogue(tree, articles.responses),
    article: articles.find,
    configure: (query, change) => recordedChange(changes.find, query, change),
    planning: (permanentid) => plannings.find({ permanentid }),
    partsList: partsLists.find,
    block: (blockName) => block(...segmentsOf(blockName)),
    material,
    preview,
    resource: async (path) => (await ofManufacturer(...path)) ?? ofSeries(...path),
  };
}

async function readHead(file: string): Promise<{ name: string; convertdate: string }> {
  const text = await readTextIfExists(file);
  if (text === undefined) throw recordingInvalid(file, 'expected this file in a recording');
  const head = expectKind('object', parseJson(text, file), `${file}: recording`);
  if (head.format !== FORMAT) {
    throw recordingInvalid(file, `format: expected ${FORMAT}, received ${String(head.format)}`);
  }
  return {
    name: expectKind('string', head.name, `${file}: name`),
    convertdate: expectKind('string', head.convertdate ?? '', `${file}: convertdate`),
  };
}

/** A recording has changes of root articles only. */
function recordedChange(
  find: (query: Query) => Json | undefined,
  query: Query,
  { article, id, ...change }: PropertyChange,
): Json {
  const metareinitstring = String(article.reinit ?? '');
  const found =
    id === String(article.id) ? find({ ...query, ...change, metareinitstring }) : undefined;
  return found ?? notRecorded(change);
}

/** A change that the recorded service refused has no record, so it is refused again. */
function notRecorded({ propclass, prop, newvalue }: Omit<PropertyChange, 'article' | 'id'>): never {
  throw new RangeRefusal(`${propclass}.${prop}: no such change to "${newvalue}" was recorded`);
}

/** Manufacturer, program, and the name itself, which may contain the separator. */
function segmentsOf(blockName: string): string[] {
  const [manufacturer = '', program = '', ...name] = blockName.split(SEPARATOR);
  return [manufacturer, program, name.join(SEPARATOR)];
}

interface Tree {
  listings: Map<string, Json[]>;
  /** By node id; the parent is the folder of the first listing with this node. */
  nodes: Map<string, { node: Json; parent: string }>;
}

/** Reads the recorded listings; top-level nodes without a date get the date of the recording. */
async function readTree(file: string, convertdate: string): Promise<Tree> {
  const tree: Tree = { listings: new Map([['', []]]), nodes: new Map() };
  const value = parseJson((await readTextIfExists(file)) ?? '[]', file);
  for (const [i, entry] of expectKind('array', value, `${file}: listings`).entries()) {
    const where = `${file}: [${i}]`;
    const listing = expectKind('object', entry, where);
    const parent = expectKind('string', listing.parentnode, `${where}.parentnode`);
    const recorded = expectKind('array', listing.nodes, `${where}.nodes`);
    const nodes = recorded.map((node, j) => checkNode(node, `${where}.nodes[${j}]`));
    const dated = parent === '' && convertdate !== '' ? nodes.map(withDate(convertdate)) : nodes;
    tree.listings.set(parent, dated);
    for (const node of dated) {
      const id = String(node.nodeid);
      if (!tree.nodes.has(id)) tree.nodes.set(id, { node, parent });
    }
  }
  return tree;
}

function checkNode(value: unknown, where: string): Json {
  const node = expectKind('object', value, where);
  expectKind('string', node.nodeid, `${where}.nodeid`);
  return node;
}

function withDate(convertdate: string): (node: Json) => Json {
  return (node) => (node.convertdate ? node : { ...node, convertdate });
}

/**
 * The catalogue operations over a recorded tree.
 *
 * A folder whose listing was not recorded does not exist (404), while an article or an info node has
 * no children. A recorded search is answered as it was; any other searches article numbers and short
 * texts, without regard to case, in the order of the catalogue, each article once.
 *
 * @param articles - Recorded articles: their texts are searched, whether or not the tree shows them.
 * @see Spec 2.1, 4.2.
 */
function recordedCatalogue(tree: Tree, articles: readonly Json[]) {
  const entries = searchEntries(tree, articles);
  return {
    nodes: (parentnode: string) => tree.listings.get(parentnode) ?? childless(tree, parentnode),
    breadcrumbs: (parentnode: string) => pathTo(tree, parentnode),
    search(manufacturer: string, query: string): Json[] {
      const owner = manufacturer.toUpperCase();
      // A recording lists what a search found under an id that no folder has (D-820).
      return tree.listings.get(`${owner};SEARCH;${query}`) ?? search(entries, owner, query);
    },
  };
}

function childless(tree: Tree, id: string): Json[] | undefined {
  const entry = tree.nodes.get(id);
  return entry !== undefined && entry.node.nodetype !== 'F' ? [] : undefined;
}

function pathTo(tree: Tree, id: string): Json[] | undefined {
  const path: Json[] = [];
  const seen = new Set<string>();
  for (let at = id; at !== '' && !seen.has(at); ) {
    seen.add(at);
    const entry = tree.nodes.get(at);
    if (entry === undefined) return undefined;
    path.unshift({ nodeid: entry.node.nodeid, text: entry.node.text });
    at = entry.parent;
  }
  return path;
}

/** One article that a search can find, by its lower-case numbers and texts. */
interface SearchEntry {
  node: Json;
  texts: Set<string>;
}

function searchEntries({ listings }: Tree, articles: readonly Json[]): SearchEntry[] {
  const entries = new Map<string, SearchEntry>();
  const shown = [...listings.values()].flat().filter(({ nodetype }) => nodetype === 'A');
  for (const node of [...shown, ...articles.map(articleNode)]) {
    const key = JSON.stringify([node.manufacturer, node.program, node.basearticlenumber]);
    const entry = entries.get(key) ?? { node, texts: new Set() };
    for (const text of [node.basearticlenumber, node.variantcode, node.text]) {
      if (typeof text === 'string') entry.texts.add(text.toLowerCase());
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

function search(entries: SearchEntry[], owner: string, query: string): Json[] {
  const text = query.toLowerCase();
  const found = entries.filter(({ node, texts }) => {
    const isOwn = String(node.manufacturer).toUpperCase() === owner;
    return isOwn && [...texts].some((each) => each.includes(text));
  });
  return text === '' ? [] : found.map(({ node }) => node);
}
