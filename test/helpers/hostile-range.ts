/** Hostile range: a service whose names are chosen to lead a converter astray. */
import type { EmulatedRange, Json } from '../../src/emulator/sample/range.ts';
import { articleAnswer } from './answers.ts';
import { body } from './graphics.ts';
import { BOX_BODY } from './snapshot.ts';

/** What an article is called. */
export interface HostileNames {
  manufacturer: string;
  program: string;
  number: string;
  final?: string;
}

const BLOCK = 'ACME::DESK::BOX';

/** Serves one box under each of many names; folders of the catalogue are their indices. */
export function hostileRange(articles: readonly HostileNames[]): EmulatedRange {
  const sizeOf = (number: string) => 1 + articles.findIndex((article) => article.number === number);
  return {
    name: 'hostile',
    nodes: (parentnode) =>
      parentnode === ''
        ? articles.map(({ manufacturer }, index) => folder(String(index), manufacturer))
        : article(articles[Number(parentnode)]),
    breadcrumbs: () => [],
    search: () => [],
    article: ({ manufacturer, program, basearticlenumber = '' }) => {
      const { final } = articles.find(({ number }) => number === basearticlenumber) ?? {};
      const ids = { id: '1', rootid: '1', manufacturer, program, basearticlenumber };
      return articleAnswer(ids, {
        id: '1',
        ...(final !== undefined && { finalarticlenumber: final }),
      });
    },
    partsList: ({ basearticlenumber = '' }) => ({
      btg: [{ type: 'imp', prop: { btgname: BLOCK, scale: [sizeOf(basearticlenumber), 1, 1] } }],
      blocks: [BLOCK],
      mats: [],
    }),
    block: async () => body(BOX_BODY),
    material: async () => undefined,
  };
}

function folder(nodeid: string, manufacturer: string): Json {
  return { nodeid, text: nodeid, nodetype: 'F', manufacturer, convertdate: '2024-05-14' };
}

function article(names: HostileNames | undefined): Json[] | undefined {
  if (names === undefined) return undefined;
  const { manufacturer, program, number: basearticlenumber } = names;
  const ids = { manufacturer, program, basearticlenumber, variantcode: '' };
  return [{ nodeid: `a${basearticlenumber}`, text: 'x', nodetype: 'A', ...ids }];
}
