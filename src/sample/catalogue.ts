/**
 * Catalogue: manufacturers → series → articles as the nodes of getnodes and search.
 *
 * In: a folder, a view. Out: nodes in the view's language, of the manufacturers that its profile shows.
 *
 * @see Spec 2.1, 4.2.
 */

import { articleNode, infoNode, manufacturerNode, seriesNode } from './catalogue-nodes.ts';
import type { ArticleDefinition, Text } from './definition.ts';
import type { Json, Query } from './range.ts';
import { MANUFACTURERS } from './series/range.ts';
import { isShown, languageOf, type Teller } from './views.ts';

interface Folder {
  nodeid: string;
  text: string;
  /** Folder above; undefined on the top level. */
  parent: string | undefined;
  children: Json[];
}

/** The catalogue in one language. */
interface Catalogue {
  folders: Map<string, Folder>;
  articles: { node: Json; article: ArticleDefinition }[];
}

/** Catalogue operations of the range. */
export interface Catalogues {
  nodes(parentnode: string, view?: Query): Json[] | undefined;
  breadcrumbs(parentnode: string, view?: Query): Json[] | undefined;
  search(manufacturer: string, query: string, view?: Query): Json[];
}

/** Serves the tree in every language, without the manufacturers that a profile hides. */
export function createCatalogues(): Catalogues {
  const made = new Map<keyof Text, Catalogue>();
  const inView = (view: Query): Catalogue => {
    const language = languageOf(view);
    const catalogue = made.get(language) ?? createCatalogue((text) => text[language]);
    made.set(language, catalogue);
    return catalogue;
  };
  const folderIn = (parentnode: string, view: Query): Folder | undefined => {
    const folder = inView(view).folders.get(parentnode);
    const owner = parentnode.split(';')[0]!;
    return isShown(owner, view.profile) ? folder : undefined;
  };
  return {
    nodes: (parentnode, view = {}) =>
      folderIn(parentnode, view)?.children.filter((node) =>
        isShown(String(node.manufacturer), view.profile),
      ),
    breadcrumbs: (parentnode, view = {}) => {
      const folder = folderIn(parentnode, view);
      return folder && pathTo(inView(view), folder);
    },
    search: (manufacturer, query, view = {}) => search(inView(view), manufacturer, query),
  };
}

function pathTo({ folders }: Catalogue, folder: Folder): Json[] {
  const path: Json[] = [];
  for (let at: Folder | undefined = folder; at?.nodeid; at = folders.get(at.parent ?? '')) {
    path.unshift({ nodeid: at.nodeid, text: at.text });
  }
  return path;
}

/** Numbers, and short texts in every language, without regard to case. */
function search({ articles }: Catalogue, manufacturer: string, query: string): Json[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  return articles
    .filter(({ article }) => article.manufacturer === manufacturer)
    .filter(({ article: { number, short } }) =>
      [number, short.de, short.en].some((text) => text.toLowerCase().includes(wanted)),
    )
    .map(({ node }, index) => ({ ...node, nodeid: `${manufacturer};SEARCHRESULT${index}` }));
}

function createCatalogue(say: Teller): Catalogue {
  const catalogue: Catalogue = { folders: new Map(), articles: [] };
  const root = addFolder(catalogue, '', '', undefined);
  MANUFACTURERS.forEach((manufacturer, m) => {
    const nodeid = `${manufacturer.id};:@${m + 1}`;
    root.push(manufacturerNode(manufacturer, nodeid));
    const programs = addFolder(catalogue, nodeid, manufacturer.name, '');
    manufacturer.series.forEach((series, s) => {
      const seriesId = `${nodeid};:${series.program}@${s + 1}`;
      programs.push(seriesNode(manufacturer, series, seriesId, say));
      const leaves = addFolder(catalogue, seriesId, say(series.text), nodeid);
      series.articles.forEach((article, a) => {
        const leafId = `${seriesId};:${article.number}@${a + 1}`;
        const node = articleNode(manufacturer, article, leafId, say);
        leaves.push(node);
        catalogue.articles.push({ node, article });
      });
    });
    programs.push(infoNode(manufacturer, nodeid, say));
  });
  return catalogue;
}

function addFolder(
  { folders }: Catalogue,
  nodeid: string,
  text: string,
  parent: string | undefined,
): Json[] {
  const children: Json[] = [];
  folders.set(nodeid, { nodeid, text, parent, children });
  return children;
}
