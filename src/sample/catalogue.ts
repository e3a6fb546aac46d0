/** Manufacturers, series and articles as the nodes of getnodes and search (Spec 2.1, 4.2). */
import {
  type ArticleDefinition,
  type SeriesDefinition,
  type Text,
  valuesOf,
} from './definition.ts';
import { finalNumberOf } from './numbering.ts';
import type { Json, Query } from './range.ts';
import { MANUFACTURERS, type ManufacturerDefinition } from './series/range.ts';
import { isShown, languageOf, type Translate } from './views.ts';

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

/** Searches numbers, and short texts in every language, without regard to case. */
function search({ articles }: Catalogue, manufacturer: string, query: string): Json[] {
  const lowerCase = query.toLowerCase();
  if (lowerCase === '') return [];
  return articles
    .filter(({ article }) => article.manufacturer === manufacturer)
    .filter(({ article: { number, short } }) =>
      [number, short.de, short.en].some((text) => text.toLowerCase().includes(lowerCase)),
    )
    .map(({ node }, index) => ({ ...node, nodeid: `${manufacturer};SEARCHRESULT${index}` }));
}

function createCatalogue(translate: Translate): Catalogue {
  const catalogue: Catalogue = { folders: new Map(), articles: [] };
  const root = addFolder(catalogue, '', '', undefined);
  MANUFACTURERS.forEach((manufacturer, m) => {
    const nodeid = `${manufacturer.id};:@${m + 1}`;
    root.push(manufacturerNode(manufacturer, nodeid));
    const programs = addFolder(catalogue, nodeid, manufacturer.name, '');
    manufacturer.series.forEach((series, s) => {
      const seriesId = `${nodeid};:${series.program}@${s + 1}`;
      programs.push(seriesNode(manufacturer, series, seriesId, translate));
      const leaves = addFolder(catalogue, seriesId, translate(series.text), nodeid);
      series.articles.forEach((article, a) => {
        const leafId = `${seriesId};:${article.number}@${a + 1}`;
        const node = articleNode(manufacturer, article, leafId, translate);
        leaves.push(node);
        catalogue.articles.push({ node, article });
      });
    });
    programs.push(infoNode(manufacturer, nodeid, translate));
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

const NO_ARTICLE = { basearticlenumber: '', variantcode: '' };

/** File name of an article's catalogue image, without characters of a path or an encoding. */
export function imageName(article: ArticleDefinition): string {
  return `${article.number.replaceAll(/[/\\%?#"]/g, '_')}.JPG`;
}

function ownerOf({ id, name }: ManufacturerDefinition): Json {
  return { manufacturer: id, manufacturername: name };
}

/** A manufacturer on the top level. */
function manufacturerNode(manufacturer: ManufacturerDefinition, nodeid: string): Json {
  const { id, name, convertdate } = manufacturer;
  return {
    nodeid,
    text: name,
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
  const { id, name, series } = manufacturer;
  return {
    nodeid: `${topId};:INFO@${series.length + 1}`,
    text: translate({ de: `Über ${name}`, en: `About ${name}` }),
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
