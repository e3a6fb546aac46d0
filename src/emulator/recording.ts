/** A folder of recorded answers, in the format that `btg2gltf record` writes, as a range. */
import { join } from 'node:path';
import {
  type EmulatedRange,
  type Json,
  type PropertyChange,
  type Query,
  RangeRefusal,
} from '../sample/range.ts';
import {
  expectKind,
  listBodies,
  type ReadBody,
  readJsonIfExists,
  readRecords,
  recordingInvalid,
} from './recording-files.ts';

const FORMAT = 1;
const SEPARATOR = '::';

const ARTICLE = ['manufacturer', 'program', 'basearticlenumber'];

/** Parameters that identify a request, by the folder of its records. @see D-724 */
const IDENTITIES = {
  articles: [...ARTICLE, 'varcode', 'ocdreinitstring'],
  /** The article before, by both its configurations, and the change. */
  changes: [
    ...ARTICLE,
    'ocdreinitstring',
    'metareinitstring',
    'proptype',
    'propclass',
    'prop',
    'newvalue',
  ],
  plannings: ['permanentid'],
  partsLists: [...ARTICLE, 'finalarticlenumber', 'reinitstring', 'metareinitstring'],
} as const;

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
  const articles = await readRecords(join(dir, 'ofml', 'articles'), IDENTITIES.articles);
  const changes = await readRecords(join(dir, 'ofml', 'changes'), IDENTITIES.changes);
  const plannings = await readRecords(join(dir, 'ofml', 'plannings'), IDENTITIES.plannings);
  const partsLists = await readRecords(join(dir, 'odb', 'btg'), IDENTITIES.partsLists);
  const block = await listBodies(join(dir, 'odb', 'block'), 3, '.json');
  const material = await listBodies(join(dir, 'odb', 'materials'), 2, '.JPG');
  const preview = await listBodies(join(dir, 'ocd', 'preview'), 3);
  const resource = await resourceFiles(join(dir, 'xcf', 'ressource'));
  const tree = await readTree(join(dir, 'xcf', 'nodes.json'), convertdate);
  return {
    name,
    ...recordedCatalogue(tree, articles.responses),
    article: (query) => articles.find(query),
    configure: (query, change) => changes.find(changeQuery(query, change)) ?? notRecorded(change),
    planning: (permanentid) => plannings.find({ permanentid }),
    partsList: (query) => partsLists.find(query),
    block: (blockName) => block(segmentsOf(blockName)),
    material: (...path) => material(path),
    preview: (...path) => preview(path),
    resource,
  };
}

async function readHead(file: string): Promise<{ name: string; convertdate: string }> {
  const value = await readJsonIfExists(file);
  if (value === undefined) throw recordingInvalid(file, 'expected this file in a recording');
  const head = expectKind('object', value, file, 'recording');
  if (head.format !== FORMAT) {
    throw recordingInvalid(file, `format: expected ${FORMAT}, received ${String(head.format)}`);
  }
  return {
    name: expectKind('string', head.name, file, 'name'),
    convertdate: expectKind('string', head.convertdate ?? '', file, 'convertdate'),
  };
}

function changeQuery(query: Query, { article, ...change }: PropertyChange): Query {
  return { ...query, ...change, metareinitstring: String(article.reinit ?? '') };
}

/** A change that the recorded service refused has no record, so it is refused again. */
function notRecorded({ propclass, prop, newvalue }: PropertyChange): never {
  throw new RangeRefusal(`${propclass}.${prop}: no such change to "${newvalue}" was recorded`);
}

/** Names of a manufacturer's resources have three segments, those of a series four. */
async function resourceFiles(folder: string): Promise<ReadBody> {
  const ofManufacturer = await listBodies(folder, 3);
  const ofSeries = await listBodies(folder, 4);
  return async (path) => (await ofManufacturer(path)) ?? ofSeries(path);
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
  const listings = expectKind('array', (await readJsonIfExists(file)) ?? [], file, 'listings');
  for (const [i, value] of listings.entries()) {
    const listing = expectKind('object', value, file, `[${i}]`);
    const parent = expectKind('string', listing.parentnode, file, `[${i}].parentnode`);
    const entries = expectKind('array', listing.nodes, file, `[${i}].nodes`);
    const nodes = entries.map((entry, j) => {
      const node = expectKind('object', entry, file, `[${i}].nodes[${j}]`);
      expectKind('string', node.nodeid, file, `[${i}].nodes[${j}].nodeid`);
      const isUndated = parent === '' && !node.convertdate && convertdate !== '';
      return isUndated ? { ...node, convertdate } : node;
    });
    tree.listings.set(parent, nodes);
    for (const node of nodes) {
      const id = String(node.nodeid);
      if (!tree.nodes.has(id)) tree.nodes.set(id, { node, parent });
    }
  }
  return tree;
}

/**
 * The catalogue operations over a recorded tree.
 *
 * A folder whose listing was not recorded does not exist (404), while an article or an info node has
 * no children. A recorded search is answered as it was; any other searches article numbers and short
 * texts, without regard to case, in the order of the catalogue, each article once.
 *
 * @param articles - Recorded articles: their texts are searched, whether or not the tree shows them.
 *
 * @see Spec 2.1, 4.2.
 */
function recordedCatalogue(
  tree: Tree,
  articles: readonly Json[],
): Pick<EmulatedRange, 'nodes' | 'breadcrumbs' | 'search'> {
  const entries = searchEntries(tree, articles);
  return {
    nodes: (parentnode) => tree.listings.get(parentnode) ?? childless(tree, parentnode),
    breadcrumbs: (parentnode) => pathTo(tree, parentnode),
    search(manufacturer, query) {
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

/** One article that a search can find. */
interface SearchEntry {
  manufacturer: string;
  /** Lower-case numbers and texts. */
  texts: Set<string>;
  node: Json;
}

function searchEntries(tree: Tree, articles: readonly Json[]): SearchEntry[] {
  const entries = new Map<string, SearchEntry>();
  const add = (node: Json, texts: unknown[]): void => {
    const key = JSON.stringify([node.manufacturer, node.program, node.basearticlenumber]);
    const manufacturer = String(node.manufacturer).toUpperCase();
    const entry = entries.get(key) ?? { manufacturer, texts: new Set(), node };
    for (const text of texts) {
      if (typeof text === 'string' && text !== '') entry.texts.add(text.toLowerCase());
    }
    entries.set(key, entry);
  };
  for (const node of [...tree.listings.values()].flat()) {
    if (node.nodetype === 'A') add(node, [node.basearticlenumber, node.variantcode, node.text]);
  }
  for (const article of articles) {
    const ocd = (article.ocd ?? {}) as Json;
    const texts = [article.basearticlenumber, ocd.finalarticlenumber, ocd.shorttext];
    add(articleNode(article, ocd), texts);
  }
  return [...entries.values()];
}

/** The node of an article that the recorded tree does not show. */
function articleNode(article: Json, ocd: Json): Json {
  const { manufacturer, program, basearticlenumber } = article;
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
  if (text === '') return [];
  return entries
    .filter(({ manufacturer }) => manufacturer === owner)
    .filter(({ texts }) => [...texts].some((candidate) => candidate.includes(text)))
    .map(({ node }) => node);
}
