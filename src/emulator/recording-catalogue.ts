/**
 * Recorded catalogue: listing, path and search over the nodes of a recording.
 */
import type { EmulatedRange, Json } from '../sample/range.ts';
import { expectArray, expectObject, expectString } from './recording-files.ts';

/** The catalogue operations of a range. */
export type RecordedCatalogue = Pick<EmulatedRange, 'nodes' | 'breadcrumbs' | 'search'>;

export interface RecordedCatalogueInput {
  /** Content of `xcf/nodes.json`, or undefined. */
  listings: unknown;
  /** Its path, for errors. */
  file: string;
  /** Recorded articles: their short texts are searched, and those outside the tree are found. */
  articles: readonly Json[];
  /** Date for top-level nodes that have none, or empty. */
  convertdate: string;
}

interface Tree {
  listings: Map<string, Json[]>;
  /** By node id; the first listing that holds the node says whose child it is. */
  nodes: Map<string, { node: Json; parent: string }>;
}

/** One thing that a search can find. */
interface SearchEntry {
  manufacturer: string;
  /** Lower-case numbers and texts. */
  texts: Set<string>;
  node: Json;
}

/**
 * Serves the recorded tree.
 *
 * A folder whose listing was not recorded does not exist (404), while an article or an info node has
 * no children. A search that was recorded is answered as it was; any other is over article numbers
 * and short texts, without regard to case, in the order of the catalogue, each article once.
 *
 * @throws {@link ConverterError} `RECORDING_INVALID`, naming the file and the node.
 *
 * @see Spec 2.1, 4.2.
 */
export function recordedCatalogue(input: RecordedCatalogueInput): RecordedCatalogue {
  const tree = readTree(input);
  const entries = searchEntries(tree, input.articles);
  return {
    nodes: (parentnode) => tree.listings.get(parentnode) ?? childless(tree, parentnode),
    breadcrumbs: (parentnode) => pathTo(tree, parentnode),
    search: (manufacturer, query) =>
      tree.listings.get(searchListing(manufacturer, query)) ?? find(entries, manufacturer, query),
  };
}

/** Under which folder a recording lists what a search found; no folder has such an id (D-820). */
function searchListing(manufacturer: string, query: string): string {
  return `${manufacturer.toUpperCase()};SEARCH;${query}`;
}

function readTree({ listings, file, convertdate }: RecordedCatalogueInput): Tree {
  const tree: Tree = { listings: new Map([['', []]]), nodes: new Map() };
  for (const [i, value] of expectArray(listings ?? [], file, 'listings').entries()) {
    const listing = expectObject(value, file, `[${i}]`);
    const parent = expectString(listing.parentnode, file, `[${i}].parentnode`);
    const nodes = expectArray(listing.nodes, file, `[${i}].nodes`).map((entry, j) => {
      const node = expectObject(entry, file, `[${i}].nodes[${j}]`);
      expectString(node.nodeid, file, `[${i}].nodes[${j}].nodeid`);
      return parent === '' ? dated(node, convertdate) : node;
    });
    tree.listings.set(parent, nodes);
    for (const node of nodes) {
      const id = String(node.nodeid);
      if (!tree.nodes.has(id)) tree.nodes.set(id, { node, parent });
    }
  }
  return tree;
}

function dated(node: Json, convertdate: string): Json {
  return node.convertdate || convertdate === '' ? node : { ...node, convertdate };
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
  for (const nodes of tree.listings.values()) {
    for (const node of nodes) {
      if (node.nodetype !== 'A') continue;
      add(node, [node.basearticlenumber, node.variantcode, node.text]);
    }
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
  return {
    nodeid: '',
    text: ocd.shorttext ?? '',
    nodetype: 'A',
    manufacturer: article.manufacturer,
    manufacturername: article.manufacturer,
    program: article.program,
    basearticlenumber: article.basearticlenumber,
    variantcode: ocd.finalarticlenumber ?? '',
    ressources: [],
  };
}

function find(entries: SearchEntry[], manufacturer: string, query: string): Json[] {
  const wanted = query.toLowerCase();
  const owner = manufacturer.toUpperCase();
  return entries
    .filter((entry) => wanted !== '' && entry.manufacturer === owner)
    .filter((entry) => [...entry.texts].some((text) => text.includes(wanted)))
    .map((entry) => entry.node);
}
