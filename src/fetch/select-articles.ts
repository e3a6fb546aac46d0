/**
 * Select articles: what a pipeline's sources mean, as requests for single articles.
 *
 * In: sources and a way to read the catalogue. Out: requests, each once, in an order that depends on
 * the sources and the catalogue alone. It must not resolve an article nor know how bodies are kept.
 */
import type { ArticleRequest } from '../model/article.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import { globMatcher } from '../support/glob.ts';
import { requestKey } from './request-key.ts';

/** Where articles come from; globs take `*` and `?` and disregard case. */
export type ArticleSource =
  | { kind: 'list'; file: string; rows: readonly ArticleRequest[] }
  | {
      kind: 'catalogue';
      /** Folder to start at; empty is the top. */
      parentnode: string;
      manufacturers?: readonly string[] | undefined;
      programs?: readonly string[] | undefined;
    }
  | { kind: 'search'; manufacturer: string; query: string }
  | ({ kind: 'article' } & ArticleRequest);

/** One article to fetch. */
export interface SelectedArticle {
  request: ArticleRequest;
  /** Which source wants it, in words. */
  why: string;
}

/** How the catalogue is read. */
export interface CatalogueReader {
  /** Children of a folder. @param manufacturer - Whose folder it is, or empty. */
  nodes(parentnode: string, manufacturer: string): Promise<CatalogueNode[]>;
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
}

/**
 * Gathers the articles of all sources.
 *
 * An article that several sources want is listed where the first of them has it. A folder that cannot be
 * read is an error of the whole selection: a smaller one would pass for the truth.
 *
 * @param sources - In the order of the pipeline file.
 * @throws {@link ConverterError} what reading the catalogue throws.
 *
 * @example
 * ```ts
 * await selectArticles([{ kind: 'catalogue', parentnode: '', manufacturers: ['ACME'] }], fetcher);
 * // → [{ request: { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1', … }, why: 'catalogue ACME;:DESK@1' }]
 * ```
 *
 * @see Spec 2.1, 4.2.
 */
export async function selectArticles(
  sources: readonly ArticleSource[],
  reader: CatalogueReader,
): Promise<SelectedArticle[]> {
  const lists = await Promise.all(sources.map((source) => selectFrom(source, reader)));
  const selected = new Map<string, SelectedArticle>();
  for (const article of lists.flat()) {
    const key = requestKey(article.request);
    if (!selected.has(key)) selected.set(key, article);
  }
  return [...selected.values()];
}

async function selectFrom(
  source: ArticleSource,
  reader: CatalogueReader,
): Promise<SelectedArticle[]> {
  switch (source.kind) {
    case 'list':
      return source.rows.map((request) => ({ request, why: `list ${source.file}` }));
    case 'article': {
      const { kind, ...request } = source;
      return [{ request, why: kind }];
    }
    case 'search': {
      const why = `search ${source.manufacturer} ${JSON.stringify(source.query)}`;
      const nodes = await reader.search(source.manufacturer, source.query);
      return nodes.filter(isArticle).map((node) => ({ request: requestOf(node), why }));
    }
    case 'catalogue':
      return selectFromCatalogue(source, reader);
  }
}

type CatalogueSource = Extract<ArticleSource, { kind: 'catalogue' }>;

async function selectFromCatalogue(
  source: CatalogueSource,
  reader: CatalogueReader,
): Promise<SelectedArticle[]> {
  const manufacturers = matcher(source.manufacturers);
  const programs = matcher(source.programs);
  const listings = await crawl(source.parentnode, reader, (node) => {
    return manufacturers(node.manufacturer) && programs(node.program);
  });
  return walk(source.parentnode, listings)
    .filter(({ request }) => manufacturers(request.manufacturer) && programs(request.program))
    .filter(({ request }) => request.manufacturer !== '');
}

/** Matches any of the globs; everything where there are none, and what has no name of its own yet. */
function matcher(globs: readonly string[] | undefined): (name: string) => boolean {
  if (globs === undefined || globs.length === 0) return () => true;
  const matchers = globs.map(globMatcher);
  return (name) => name === '' || matchers.some((matches) => matches(name));
}

/** Reads every folder below one, each once, many at a time: a folder may hold itself. */
async function crawl(
  root: string,
  reader: CatalogueReader,
  wanted: (node: CatalogueNode) => boolean,
): Promise<Map<string, CatalogueNode[]>> {
  const listings = new Map<string, CatalogueNode[]>();
  const visit = async (nodeid: string, manufacturer: string): Promise<void> => {
    if (listings.has(nodeid)) return;
    listings.set(nodeid, []);
    const nodes = (await reader.nodes(nodeid, manufacturer)).filter(wanted);
    listings.set(nodeid, nodes);
    const folders = nodes.filter(({ nodetype }) => nodetype === 'F');
    await Promise.all(folders.map((node) => visit(node.nodeid, node.manufacturer || manufacturer)));
  };
  await visit(root, '');
  return listings;
}

/** Articles in the order in which a person meets them who opens every folder. */
function walk(
  root: string,
  listings: ReadonlyMap<string, readonly CatalogueNode[]>,
): SelectedArticle[] {
  const articles: SelectedArticle[] = [];
  const visited = new Set<string>([root]);
  const open = (folder: string, above?: CatalogueNode): Step[] =>
    (listings.get(folder) ?? []).map((node) => ({ node: inherit(node, above), folder })).reverse();
  const stack = open(root);
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { node, folder } = step;
    if (isArticle(node)) articles.push({ request: requestOf(node), why: `catalogue ${folder}` });
    if (node.nodetype !== 'F' || visited.has(node.nodeid)) continue;
    visited.add(node.nodeid);
    for (const below of open(node.nodeid, node)) stack.push(below);
  }
  return articles;
}

interface Step {
  node: CatalogueNode;
  folder: string;
}

/** A node that does not say whose it is belongs to whom its folder belongs. */
function inherit(node: CatalogueNode, above: CatalogueNode | undefined): CatalogueNode {
  const manufacturer = node.manufacturer || (above?.manufacturer ?? '');
  return { ...node, manufacturer, program: node.program || (above?.program ?? '') };
}

function isArticle(node: CatalogueNode): boolean {
  return node.nodetype === 'A' && node.basearticlenumber !== '';
}

function requestOf(node: CatalogueNode): ArticleRequest {
  return {
    manufacturer: node.manufacturer.toUpperCase(),
    program: node.program.toUpperCase(),
    basearticlenumber: node.basearticlenumber,
    finalarticlenumber: node.variantcode,
    reinitstring: '',
    metareinitstring: '',
  };
}
