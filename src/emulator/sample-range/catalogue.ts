/**
 * Catalogue: manufacturers → series → articles as the nodes of getnodes and search.
 *
 * @see Spec 2.1.
 */
import { type ArticleDefinition, valuesOf } from './definition.ts';
import { finalNumberOf } from './numbering.ts';
import { MANUFACTURERS } from './series/range.ts';

type Json = Record<string, unknown>;

interface Folder {
  nodeid: string;
  text: string;
  /** Folder above; undefined on the top level. */
  parent: string | undefined;
  children: Json[];
}

/** The catalogue of the range. */
export interface Catalogue {
  nodes(parentnode: string): Json[] | undefined;
  breadcrumbs(parentnode: string): Json[] | undefined;
  search(manufacturer: string, query: string): Json[];
}

function image(manufacturer: string, program: string, name: string): Json[] {
  const path = [manufacturer, ...(program === '' ? [] : [program]), 'any', `${name}.JPG`];
  return [{ restype: 'IT', rescontent: ['xcf/ressource', ...path].join('/') }];
}

/** Builds the tree. */
export function createCatalogue(): Catalogue {
  const folders = new Map<string, Folder>();
  const articles: { node: Json; article: ArticleDefinition }[] = [];
  const addFolder = (nodeid: string, text: string, parent: string | undefined): Json[] => {
    const children: Json[] = [];
    folders.set(nodeid, { nodeid, text, parent, children });
    return children;
  };
  const root = addFolder('', '', undefined);
  MANUFACTURERS.forEach(({ id, name, convertdate, series }, m) => {
    const shared = { manufacturer: id, manufacturername: name };
    const topId = `${id};:@${m + 1}`;
    root.push({
      nodeid: topId,
      text: name,
      nodetype: 'F',
      ...shared,
      program: '',
      basearticlenumber: '',
      variantcode: '',
      convertdate,
      ressources: image(id, '', 'LOGO'),
    });
    const programs = addFolder(topId, name, undefined);
    series.forEach(({ program, text, articles: members }, s) => {
      const seriesId = `${topId};:${program}@${s + 1}`;
      const node = { ...shared, program, variantcode: '', basearticlenumber: '' };
      programs.push({
        nodeid: seriesId,
        text: text.de,
        nodetype: 'F',
        ...node,
        ressources: image(id, program, program),
      });
      const leaves = addFolder(seriesId, text.de, topId);
      members.forEach((article, a) => {
        const leaf = {
          nodeid: `${seriesId};:${article.number}@${a + 1}`,
          text: article.short.de,
          nodetype: 'A',
          ...node,
          basearticlenumber: article.number,
          variantcode: finalNumberOf(article, valuesOf(article)),
          ressources: image(id, program, encodeURIComponent(article.number)),
        };
        leaves.push(leaf);
        articles.push({ node: leaf, article });
      });
    });
    programs.push({
      nodeid: `${topId};:INFO@${series.length + 1}`,
      text: `Über ${name}`,
      nodetype: 'I',
      ...shared,
      program: '',
      basearticlenumber: '',
      variantcode: '',
      ressources: image(id, '', 'INFO'),
    });
  });
  return {
    nodes: (parentnode) => folders.get(parentnode)?.children,
    breadcrumbs: (parentnode) => {
      if (!folders.has(parentnode)) return undefined;
      const path: Json[] = [];
      for (let at = folders.get(parentnode); at?.nodeid; at = folders.get(at.parent ?? '')) {
        path.unshift({ nodeid: at.nodeid, text: at.text });
      }
      return path;
    },
    search: (manufacturer, query) => {
      const wanted = query.toLowerCase();
      if (wanted === '') return [];
      return articles
        .filter(({ article }) => article.manufacturer === manufacturer)
        .filter(({ article: { number, short } }) =>
          [number, short.de, short.en].some((text) => text.toLowerCase().includes(wanted)),
        )
        .map(({ node }, index) => ({ ...node, nodeid: `${manufacturer};SEARCHRESULT${index}` }));
    },
  };
}
