import type { EmulatedRange, Json } from '../../src/emulator/sample/range.ts';
import { articleAnswer, GREY_JPEG } from './answers.ts';

/** A cube's corner: the smallest block that is one. */
const BLOCK = { N: 'X', P: [0, 0, 0], R: [0, 0, 0], V: [0, 0, 0, 1, 0, 0, 0, 1, 0], T: [] };
const SURFACES = [{ F: [0, 1, 2], TI: [], C: false }];

/** One article of a {@link smallRange}. */
export interface SmallArticle {
  number: string;
  /** Names as nodes use them. */
  blocks?: string[];
  /** Names as `blocks[]` lists them, where that differs. */
  listed?: string[];
  /** Image references of its one material. */
  pics?: string[];
  /** Merged over the article's answer. */
  article?: Json;
}

/** What a {@link smallRange} holds; all of it may be changed between requests. */
export interface SmallRange extends EmulatedRange {
  convertdate: string;
  /** Names that GET block answers with 404. */
  missing: Set<string>;
  /** Bodies of blocks, where they are not the small one. */
  bodies: Map<string, string>;
  /** `MANUFACTURER/NAME` of every image there is. */
  images: Set<string>;
  /** Every request for a block or an image, in order. */
  readonly asked: string[];
}

/** A manufacturer ACME with one series DESK, made to order. */
export function smallRange(articles: SmallArticle[]): SmallRange {
  const find = (number: string | undefined): SmallArticle | undefined =>
    articles.find((article) => article.number === number);
  const range: SmallRange = {
    name: 'small',
    convertdate: '2024-05-14',
    missing: new Set(),
    bodies: new Map(),
    images: new Set(),
    asked: [],
    nodes: (parentnode) => {
      if (parentnode === '') return [folder('ACME;:DESK@1', range.convertdate)];
      if (parentnode !== 'ACME;:DESK@1') return undefined;
      return articles.map(({ number }) => articleNode(number));
    },
    breadcrumbs: () => [],
    search: (_, query) =>
      articles
        .filter(({ number }) => number.includes(query))
        .map(({ number }) => articleNode(number)),
    article: ({ basearticlenumber, ocdreinitstring, varcode }) => {
      const found = find(basearticlenumber);
      if (found === undefined) return undefined;
      const option =
        varcode?.split('-')[1] ?? ocdreinitstring?.split('=')[1]?.slice(0, -2) ?? 'STD';
      const { number } = found;
      const ocd = {
        finalarticlenumber: `${number}-${option}`,
        reinitstring: `${number};F=${option}::`,
      };
      return { ...articleAnswer({ ...OWNER, basearticlenumber: number }, ocd), ...found.article };
    },
    partsList: ({ basearticlenumber }) => {
      const found = find(basearticlenumber);
      return found && partsListOf(found);
    },
    block: async (name) => {
      range.asked.push(name);
      if (range.missing.has(name)) return undefined;
      return Buffer.from(
        range.bodies.get(name) ?? JSON.stringify({ ...BLOCK, N: name, A: SURFACES }),
      );
    },
    material: async (manufacturer, name) => {
      range.asked.push(`${manufacturer}/${name}`);
      return range.images.has(`${manufacturer}/${name}`) ? GREY_JPEG : undefined;
    },
  };
  return range;
}

const OWNER = { manufacturer: 'ACME', manufacturername: 'Acme', program: 'DESK' };

function folder(nodeid: string, convertdate: string): Json {
  const none = { basearticlenumber: '', variantcode: '' };
  const node = { nodeid, text: 'Desks', nodetype: 'F', convertdate, ressources: [] };
  return { ...node, ...OWNER, ...none };
}

function articleNode(number: string): Json {
  const ids = { basearticlenumber: number, variantcode: `${number}-STD` };
  const node = { nodeid: `ACME;:${number}`, text: number, nodetype: 'A', ressources: [] };
  return { ...node, ...OWNER, ...ids };
}

function partsListOf({ blocks = [], listed = blocks, pics = [] }: SmallArticle): Json {
  const fields = ['pic', 'bump', 'roughness_image', 'metallic_image'];
  const images = Object.fromEntries(pics.map((pic, index) => [fields[index], pic]));
  const nodes = blocks.map((btgname) => ({ type: 'imp', prop: { btgname, mat: 'M' } }));
  return {
    btg: [{ type: 'top', prop: { mat: 'M', childs: nodes } }],
    blocks: listed,
    mats: [{ mname: 'M', dif: '0x808080', ...images }],
  };
}
