/** Manufacturers, series and articles as the nodes of getnodes and search (Spec 2.1, 4.2). */
import {
  type ArticleDefinition,
  type SeriesDefinition,
  type Text,
  valuesOf,
} from './definition.ts';
import { finalNumberOf } from './numbering.ts';
import { isFound, type Json, type Query } from './range.ts';
import { MANUFACTURERS, type ManufacturerDefinition } from './series/range.ts';
import { isShown, languageOf, type Translate } from './views.ts';

/** Any node as a parent. Articles and info nodes have no children. */
interface Folder {
  nodeid: string;
  text: string;
  /** Folder above; undefined for the root. */
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

/** Serves the tree in every language; a profile may hide manufacturers. */
export function createCatalogues(): Catalogues {
  const byLanguage = new Map<keyof Text, Catalogue>();
  const inView = (view: Query): Catalogue => {
    const language = languageOf(view);
    const catalogue = byLanguage.get(language) ?? createCatalogue((text) => text[language]);
    byLanguage.set(language, catalogue);
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

/** Searches numbers, and short texts in all languages. */
function search({ articles }: Catalogue, manufacturer: string, query: string): Json[] {
  return articles
    .filter(({ article }) => article.manufacturer === manufacturer)
    .filter(({ article: { number, short } }) => isFound([number, short.de, short.en], query))
    .map(({ node }) => node);
}

function createCatalogue(translate: Translate): Catalogue {
  const catalogue: Catalogue = { folders: new Map(), articles: [] };
  const root: Folder = { nodeid: '', text: '', parent: undefined, children: [] };
  catalogue.folders.set('', root);
  MANUFACTURERS.forEach((manufacturer, m) => {
    const nodeid = `${manufacturer.id};:@${m + 1}`;
    const top = addNode(catalogue, root, manufacturerNode(manufacturer, nodeid, translate));
    manufacturer.series.forEach((series, s) => {
      const seriesId = `${nodeid};:${series.program}@${s + 1}`;
      const folder = addNode(catalogue, top, seriesNode(manufacturer, series, seriesId, translate));
      series.articles.forEach((article, a) => {
        const leafId = `${seriesId};:${article.number}@${a + 1}`;
        const node = articleNode(manufacturer, article, leafId, translate);
        addNode(catalogue, folder, node, article.isListed);
        catalogue.articles.push({ node, article });
      });
    });
    addNode(catalogue, top, infoNode(manufacturer, nodeid, translate));
  });
  return catalogue;
}

function addNode({ folders }: Catalogue, parent: Folder, node: Json, isListed = true): Folder {
  const [nodeid, text] = [String(node.nodeid), String(node.text)];
  const folder = { nodeid, text, parent: parent.nodeid, children: [] };
  folders.set(nodeid, folder);
  if (isListed) parent.children.push(node);
  return folder;
}

const NO_ARTICLE = { basearticlenumber: '', variantcode: '' };

/** File name of an article's catalogue image, without characters of a path or an encoding. */
export function imageName(article: ArticleDefinition): string {
  return `${article.number.replaceAll(/[/\\%?#"]/g, '_')}.JPG`;
}

function ownerOf({ id, name }: ManufacturerDefinition): Json {
  return { manufacturer: id, manufacturername: name };
}

/** A manufacturer on the top level. */
function manufacturerNode(
  manufacturer: ManufacturerDefinition,
  nodeid: string,
  translate: Translate,
): Json {
  const { id, text, convertdate } = manufacturer;
  return {
    nodeid,
    text: translate(text),
    nodetype: 'F',
    ...ownerOf(manufacturer),
    program: '',
    ...NO_ARTICLE,
    convertdate,
    ressources: image(id, '', 'LOGO.PNG'),
  };
}

/** A series, with its text. */
function seriesNode(
  manufacturer: ManufacturerDefinition,
  { program, text }: SeriesDefinition,
  nodeid: string,
  translate: Translate,
): Json {
  return {
    nodeid,
    text: translate(text),
    nodetype: 'F',
    ...ownerOf(manufacturer),
    program,
    ...NO_ARTICLE,
    ressources: image(manufacturer.id, program, `${program}.JPG`),
  };
}

/** An article in its default configuration. */
function articleNode(
  manufacturer: ManufacturerDefinition,
  article: ArticleDefinition,
  nodeid: string,
  translate: Translate,
): Json {
  return {
    nodeid,
    text: translate(article.short),
    nodetype: 'A',
    ...ownerOf(manufacturer),
    program: article.program,
    basearticlenumber: article.number,
    variantcode: finalNumberOf(article, valuesOf(article)),
    ressources: image(manufacturer.id, article.program, imageName(article)),
  };
}

/** The page about a manufacturer. */
function infoNode(manufacturer: ManufacturerDefinition, topId: string, translate: Translate): Json {
  const { id, text, series } = manufacturer;
  return {
    nodeid: `${topId};:INFO@${series.length + 1}`,
    text: translate({ de: `Über ${text.de}`, en: `About ${text.en}` }),
    nodetype: 'I',
    ...ownerOf(manufacturer),
    program: '',
    ...NO_ARTICLE,
    ressources: image(id, '', 'INFO.JPG'),
  };
}

function image(manufacturer: string, program: string, name: string): Json[] {
  const path = [manufacturer, ...(program === '' ? [] : [program]), 'any', name];
  return [{ restype: 'IT', rescontent: ['xcf/ressource', ...path].join('/') }];
}
