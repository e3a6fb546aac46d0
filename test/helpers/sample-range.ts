import type { EmulatedRange, Query } from '../../src/emulator/sample/range.ts';
import { movable, partsListJson, solid } from '../../src/emulator/sample/tree.ts';
import { SAMPLE_CONFIGURATIONS } from './sample-configurations.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON as it is on the wire
export type Wire = any;

/** A change of the range after which each article looks like a box with a drawer, for tests that look at no model. */
export const OF_BOXES: Pick<EmulatedRange, 'partsList'> = {
  partsList() {
    const drawer = solid('block', [0.4, 0.2, 0.5]);
    const body = solid('block', [1.6, 0.74, 0.8]);
    const lay = '72_FJEL_LINEA_D3_SCHUB 1';
    return partsListJson([body, movable({ lay, at: [0.1, 0.4, 0.3] }, [drawer])], () => []);
  },
};

/** Every article node of the catalogue. */
export function allArticles(range: EmulatedRange): Wire[] {
  const below = (parent: string): Wire[] =>
    (range.nodes(parent) ?? []).flatMap((node: Wire) =>
      node.nodetype === 'F' ? below(node.nodeid) : node.nodetype === 'A' ? [node] : [],
    );
  return below('');
}

/** The article that a request is answered with. */
export function articleOf(range: EmulatedRange, query: object): Wire {
  const answer = range.article(query as Query);
  if (answer === undefined) throw new Error(`no article ${JSON.stringify(query)}`);
  return answer;
}

/** One configuration as a client meets it. */
export interface Met {
  /** What GET articles is asked with. */
  query: Query;
  article: Wire;
  /** The answer of GET btg. */
  partsList: Wire;
}

/** Each default and each extra configuration, with its article and its parts list. */
export function allRequests(range: EmulatedRange): Met[] {
  const idOf = ({ manufacturer, program, basearticlenumber }: Wire) => {
    return { manufacturer, program, basearticlenumber };
  };
  const extra = SAMPLE_CONFIGURATIONS.map((row) => {
    return { ...idOf(row), ocdreinitstring: row.reinitstring };
  });
  return [...allArticles(range).map(idOf), ...extra].map((query) => {
    const article = articleOf(range, query);
    const partsList = range.partsList({
      ...idOf(query),
      finalarticlenumber: article.ocd.finalarticlenumber,
      reinitstring: article.ocd.reinitstring,
      metareinitstring: article.reinit,
    });
    return { query, article, partsList };
  });
}

/** Every block that the parts lists name, by its name; one that is not there is left out. */
export async function allBlocks(range: EmulatedRange, met: Met[]): Promise<Map<string, Wire>> {
  const blocks = new Map<string, Wire>();
  for (const name of new Set(met.flatMap(({ partsList }) => partsList.blocks as string[]))) {
    const body = await range.block(name);
    if (body) blocks.set(name, JSON.parse(new TextDecoder().decode(body)));
  }
  return blocks;
}

/** Every node of a parts list, depth first. */
export function allNodes(partsList: Wire): Wire[] {
  const walk = (node: Wire): Wire[] => [
    node,
    ...(node.prop.childs ?? node.childs ?? []).flatMap(walk),
  ];
  return partsList.btg.flatMap(walk);
}
