/** Some articles of the sample range, with real textures, of which any answer may be changed between two runs. */
import type { EmulatedRange, Json, Query } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { body } from './graphics.ts';

/** A range whose parts may be changed between requests; all are as in the sample range at first. */
export interface ChangingSampleRange extends EmulatedRange {
  /** Base numbers of the articles that there are now. */
  readonly articles: Set<string>;
  /** Conversion date of each manufacturer. */
  readonly convertdates: Map<string, string>;
  /** What is added to the price of an article, by base number. */
  readonly surcharges: Map<string, number>;
  /** What is added to the texts of an article, by base number. */
  readonly editions: Map<string, string>;
  /** Factors of the width and the depth of blocks, by name. */
  readonly stretches: Map<string, number>;
  /** Colours of materials, by name. */
  readonly colors: Map<string, string>;
  /** Names of the images that are sent in place of others, `MANUFACTURER/NAME`. */
  readonly images: Map<string, string>;
}

/** @param convertdate - Of all manufacturers, at first. */
export function changingSampleRange(
  articles: Iterable<string>,
  convertdate: string,
): ChangingSampleRange {
  const sample = createSampleRange();
  const manufacturers = sample.nodes('')!.map(({ manufacturer }) => String(manufacturer));
  const bodies = new Map<string, Uint8Array>();

  const hasArticles = (folder: unknown): boolean =>
    (sample.nodes(String(folder)) ?? []).some(isThere);
  const isThere = ({ nodetype, nodeid, basearticlenumber }: Json): boolean =>
    nodetype === 'F' ? hasArticles(nodeid) : range.articles.has(String(basearticlenumber));
  const changed = (answer: Json | undefined): Json | undefined => {
    if (answer === undefined || !range.articles.has(String(answer.basearticlenumber))) return;
    const number = String(answer.basearticlenumber);
    const { price, shorttext, longtext, ...ocd } = answer.ocd as Json;
    const edition = range.editions.get(number) ?? '';
    return {
      ...answer,
      ocd: {
        ...ocd,
        price: ocd.articlewithprice ? Number(price) + (range.surcharges.get(number) ?? 0) : price,
        shorttext: `${shorttext}${edition}`,
        longtext: `${longtext}${edition}`,
        convertdate: range.convertdates.get(String(answer.manufacturer)),
      },
    };
  };

  const range: ChangingSampleRange = {
    ...sample,
    name: 'changing sample',
    articles: new Set(articles),
    convertdates: new Map(manufacturers.map((manufacturer) => [manufacturer, convertdate])),
    surcharges: new Map(),
    editions: new Map(),
    stretches: new Map(),
    colors: new Map(),
    images: new Map(),
    nodes: (parentnode, view) =>
      sample
        .nodes(parentnode, view)
        ?.filter(isThere)
        .map((node) =>
          'convertdate' in node
            ? { ...node, convertdate: range.convertdates.get(String(node.manufacturer)) }
            : node,
        ),
    article: (query) => changed(sample.article(query)),
    configure: (query, change) => changed(sample.configure!(query, change)),
    partsList: (query: Query) => {
      const list = range.articles.has(query.basearticlenumber ?? '') && sample.partsList(query);
      if (!list) return undefined;
      const mats = (list.mats as Json[]).map((material) => {
        const dif = range.colors.get(String(material.mname));
        return dif === undefined ? material : { ...material, dif };
      });
      return { ...list, mats };
    },
    block: async (name) => {
      const stretch = range.stretches.get(name) ?? 1;
      const plain = await sample.block(name);
      if (plain === undefined || stretch === 1) return plain;
      const key = `${name} ${stretch}`;
      const stretched = bodies.get(key) ?? stretchedBlock(plain, stretch);
      bodies.set(key, stretched);
      return stretched;
    },
    material: (manufacturer, name) => {
      const [owner = '', image = ''] = (
        range.images.get(`${manufacturer}/${name}`) ?? `${manufacturer}/${name}`
      ).split('/');
      return sample.material(owner, image);
    },
  };
  return range;
}

/** `V` is a list of x y z, in a row or each in a list. */
function stretchedBlock(plain: Uint8Array, stretch: number): Uint8Array {
  const block = JSON.parse(new TextDecoder().decode(plain)) as { V: (number | number[])[] };
  const V = block.V.flat().map((value, i) => (i % 3 === 1 ? value : value * stretch));
  return body({ ...block, V });
}
