/** Manufacturers, series and articles as the nodes of getnodes and search (Spec 2.1, 4.2). */
import { type ArticleDefinition, type Text, valuesOf } from './definition.ts';
import { finalNumberOf } from './numbering.ts';
import { type EmulatedRange, isFound, type Json, type Query } from './range.ts';
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

interface Catalogue {
  folders: Map<string, Folder>;
  articles: { node: Json; article: ArticleDefinition }[];
}

/** Serves the tree in every language; a profile may hide manufacturers. */
export function createCatalogues(): Pick<EmulatedRange, 'nodes' | 'breadcrumbs' | 'search'> {
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
    const { text, series, convertdate } = manufacturer;
    const add = (parent: Folder, content: NodeContent) =>
      addNode(catalogue, parent, manufacturer, content);
    const nodeid = `${manufacturer.id};:@${m + 1}`;
    const top = add(root, {
      nodeid,
      nodetype: 'F',
      text: translate(text),
      image: 'LOGO.PNG',
      more: { convertdate },
    });
    series.forEach(({ program, text: name, articles }, s) => {
      const seriesId = `${nodeid};:${program}@${s + 1}`;
      const folder = add(top, {
        nodeid: seriesId,
        nodetype: 'F',
        text: translate(name),
        program,
        image: `${program}.JPG`,
      });
      articles.forEach((article, a) => {
        const { number, short, isListed } = article;
        // A node shows the default configuration.
        const variantcode = finalNumberOf(article, valuesOf(article));
        const { node } = add(folder, {
          nodeid: `${seriesId};:${number}@${a + 1}`,
          nodetype: 'A',
          text: translate(short),
          program,
          image: imageName(article),
          more: { basearticlenumber: number, variantcode },
          isListed,
        });
        catalogue.articles.push({ node, article });
      });
    });
    add(top, {
      nodeid: `${nodeid};:INFO@${series.length + 1}`,
      nodetype: 'I',
      text: translate({ de: `Über ${text.de}`, en: `About ${text.en}` }),
      image: 'INFO.JPG',
    });
  });
  return catalogue;
}

/** File name of an article's catalogue image, without characters of a path or an encoding. */
export function imageName(article: ArticleDefinition): string {
  return `${article.number.replaceAll(/[/\\%?#"]/g, '_')}.JPG`;
}

/** What distinguishes a node: a folder, an article, or the page about a manufacturer. */
interface NodeContent {
  nodeid: string;
  nodetype: 'F' | 'A' | 'I';
  text: string;
  /** Id of its series, if it has one. */
  program?: string;
  image: string;
  more?: Json;
  isListed?: boolean | undefined;
}

function addNode(
  { folders }: Catalogue,
  parent: Folder,
  { id, name }: ManufacturerDefinition,
  { nodeid, nodetype, text, program = '', image, more, isListed = true }: NodeContent,
) {
  const path = ['xcf/ressource', id, ...(program === '' ? [] : [program]), 'any', image];
  const node: Json = {
    ...{ nodeid, text, nodetype, manufacturer: id, manufacturername: name, program },
    ...{ basearticlenumber: '', variantcode: '', ...more },
    ressources: [{ restype: 'IT', rescontent: path.join('/') }],
  };
  const folder = { nodeid, text, parent: parent.nodeid, children: [], node };
  folders.set(nodeid, folder);
  if (isListed) parent.children.push(node);
  return folder;
}
