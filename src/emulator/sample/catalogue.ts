/** Manufacturers, series and articles as the nodes of getnodes and search (Spec 2.1, 4.2). */
import { type ArticleDefinition, type Text, valuesOf } from './definition.ts';
import { finalNumberOf } from './numbering.ts';
import { type EmulatedRange, isFound, type Json, type Query } from './range.ts';
import { MANUFACTURERS } from './series/range.ts';
import { isShown, languageOf, type Translate } from './views.ts';

/** Any node as a parent. Articles and info nodes have no children. */
interface Folder {
  node: Json;
  /** Undefined for the root. */
  parent?: Folder;
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
      return folder && pathTo(folder);
    },
    search: (manufacturer, query, view = {}) => search(inView(view), manufacturer, query),
  };
}

function pathTo({ node: { nodeid, text }, parent }: Folder): Json[] {
  return parent === undefined ? [] : [...pathTo(parent), { nodeid, text }];
}

/** Searches numbers, and short texts in all languages. */
function search({ articles }: Catalogue, manufacturer: string, query: string): Json[] {
  return articles
    .filter(({ article }) => article.manufacturer === manufacturer)
    .filter(({ article: { number, short } }) => isFound([number, short.de, short.en], query))
    .map(({ node }) => node);
}

function createCatalogue(translate: Translate): Catalogue {
  const root: Folder = { node: {}, children: [] };
  const catalogue: Catalogue = { folders: new Map([['', root]]), articles: [] };
  MANUFACTURERS.forEach(({ id, name, text, series, convertdate }, m) => {
    const make = (
      parent: Folder,
      place: string,
      nodetype: 'F' | 'A' | 'I',
      label: Text,
      image: string,
      more: Json = {},
    ): Folder => {
      const nodeid = `${parent.node.nodeid ?? id};:${place}`;
      const path = ['xcf/ressource', id, more.program, 'any', image];
      const node: Json = {
        ...{ nodeid, text: translate(label), nodetype, manufacturer: id, manufacturername: name },
        ...{ program: '', basearticlenumber: '', variantcode: '', ...more },
        ressources: [{ restype: 'IT', rescontent: path.filter(Boolean).join('/') }],
      };
      const folder = { node, parent, children: [] };
      catalogue.folders.set(nodeid, folder);
      return folder;
    };
    const top = make(root, `@${m + 1}`, 'F', text, 'LOGO.PNG', { convertdate });
    root.children.push(top.node);
    series.forEach(({ program, text: title, articles }, s) => {
      const folder = make(top, `${program}@${s + 1}`, 'F', title, `${program}.JPG`, { program });
      top.children.push(folder.node);
      const kinds = new Map<Text, Folder>();
      const folderOf = (kind: Text | undefined): Folder => {
        if (kind === undefined) return folder;
        const known = kinds.get(kind);
        if (known !== undefined) return known;
        const made = make(folder, `@${kinds.size + 1}`, 'F', kind, `${program}.JPG`, { program });
        folder.children.push(made.node);
        kinds.set(kind, made);
        return made;
      };
      articles.forEach((article, a) => {
        const { number, short, kind, isListed = true } = article;
        // A node shows the default configuration.
        const variantcode = finalNumberOf(article, valuesOf(article));
        const own = { program, basearticlenumber: number, variantcode };
        const image = imageName(article);
        const parent = folderOf(kind);
        const { node } = make(parent, `${number}@${a + 1}`, 'A', short, image, own);
        if (isListed) parent.children.push(node);
        catalogue.articles.push({ node, article });
      });
    });
    const about = { de: `Über ${text.de}`, en: `About ${text.en}` };
    const info = make(top, `INFO@${series.length + 1}`, 'I', about, 'INFO.JPG');
    top.children.push(info.node);
  });
  return catalogue;
}

/** File name of an article's catalogue image, without characters of a path or an encoding. */
export function imageName(article: ArticleDefinition): string {
  return `${article.number.replaceAll(/[/\\%?#"]/g, '_')}.JPG`;
}
