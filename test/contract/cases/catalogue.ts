/** Section 4.2: the catalogue. */
import { expect } from 'vitest';
import type { ServiceClient } from '../../../src/source/service/client.ts';
import type { Subject } from '../../helpers/service-under-test.ts';
import {
  type Case,
  type Cases,
  emulated,
  given,
  inLanguages,
  refused,
  type Texts,
  withProfile,
} from './case.ts';

const nodes: Case = async (client, { top }) => {
  const answered = await client.getNodes('');
  expect(answered.nodes.map(({ nodeid }) => nodeid)).toEqual(top.map(({ nodeid }) => nodeid));
  for (const { nodeid, text, nodetype } of answered.nodes) {
    expect([nodeid !== '', text !== '', 'FAI'.includes(nodetype)]).toEqual([true, true, true]);
  }
};

const breadcrumbs: Case = async (client, { folder }) => {
  const path = await client.getBreadcrumbs(folder.nodeid);
  expect(path.at(-1)?.nodeid).toBe(folder.nodeid);
  expect(path.every(({ text }) => text !== '')).toBe(true);
};

const search: Case = async (client, { key }) => {
  const found = await client.search(key.manufacturer, key.basearticlenumber);
  expect(found.map(({ basearticlenumber }) => basearticlenumber)).toContain(key.basearticlenumber);
  for (const { nodeid } of found) {
    expect(nodeid).toMatch(/^[^;]+;SEARCHRESULT\d+$/);
    expect(nodeid.startsWith(`${key.manufacturer};`)).toBe(true);
  }
};

const nodeTexts: Texts = async (client, { folder }) =>
  (await client.getNodes(folder.nodeid)).nodes.map(({ text }) => text).join();

/** The names of series are the same everywhere: all folders below the top ones are looked at. */
const breadcrumbTexts: Texts = async (client, { top }) => {
  const below = await Promise.all(
    top.map(async ({ nodeid }) => (await client.getNodes(nodeid)).nodes),
  );
  const folders = below.flat().filter(({ nodetype }) => nodetype === 'F');
  const paths = await Promise.all(folders.map(({ nodeid }) => client.getBreadcrumbs(nodeid)));
  return paths.map((path) => path.at(-1)?.text).join();
};

const searchTexts: Texts = async (client, { key }) =>
  (await client.search(key.manufacturer, key.basearticlenumber)).map(({ text }) => text).join();

type Level = keyof Subject['resources'];

/** What follows `xcf/ressource/` in the reference to a resource. */
function segmentsOf({ resources }: Subject, level: Level): string[] {
  const what = level === 'ofSeries' ? 'resource of a series' : 'resource of a manufacturer';
  return given(resources[level], what).split('/').slice(2);
}

/** Asks for a resource, with one segment of its path changed where one is named. */
function resource(level: Level, client: ServiceClient, subject: Subject, wrong?: number) {
  const segments = segmentsOf(subject, level);
  if (wrong !== undefined) segments[wrong] = 'NOT-THERE';
  const [manufacturer = '', second = '', third = '', fourth = ''] = segments;
  return level === 'ofSeries'
    ? client.getSeriesResource(manufacturer, second, third, fourth)
    : client.getManufacturerResource(manufacturer, second, third);
}

const answered =
  (level: Level): Case =>
  async (client, subject) => {
    expect((await resource(level, client, subject)).bytes.length).toBeGreaterThan(0);
  };

/** Another manufacturer, series, language or name has no such resource. */
const missing =
  (level: Level, wrong: number): Case =>
  async (client, subject) => {
    segmentsOf(subject, level);
    await refused('RESOURCE_MISSING', resource(level, client, subject, wrong));
  };

export const CATALOGUE = {
  getNodes: {
    answers: nodes,
    parameters: {
      profile: withProfile(nodes),
      parentnode: async (client, { folder, node }) => {
        const { nodes: children } = await client.getNodes(folder.nodeid);
        expect(children.map(({ nodeid }) => nodeid)).toContain(node.nodeid);
        expect((await client.getNodes(node.nodeid)).nodes).toEqual([]);
        await refused('NODE_NOT_FOUND', client.getNodes('NOT;THERE@1'));
      },
      lang: inLanguages('lang', nodes, nodeTexts),
      langalt: inLanguages('langalt', nodes, nodeTexts),
    },
  },
  getBreadcrumbs: {
    answers: breadcrumbs,
    parameters: {
      profile: withProfile(breadcrumbs),
      parentnode: async (client, { top, folder, node }) => {
        const first = top.find(({ nodetype }) => nodetype === 'F')!;
        const path = await client.getBreadcrumbs(first.nodeid);
        expect(path.map(({ nodeid }) => nodeid)).toEqual([first.nodeid]);
        const toArticle = await client.getBreadcrumbs(node.nodeid);
        expect(toArticle.slice(0, -1)).toEqual(await client.getBreadcrumbs(folder.nodeid));
        expect(toArticle.at(-1)).toEqual({ nodeid: node.nodeid, text: node.text });
      },
      lang: inLanguages('lang', breadcrumbs, breadcrumbTexts),
      langalt: inLanguages('langalt', breadcrumbs, breadcrumbTexts),
    },
  },
  getManufacturerResource: {
    answers: answered('ofManufacturer'),
    parameters: {
      manufacturer: missing('ofManufacturer', 0),
      language: emulated(missing('ofManufacturer', 1)),
      name: missing('ofManufacturer', 2),
    },
  },
  getSeriesResource: {
    answers: answered('ofSeries'),
    parameters: {
      manufacturer: missing('ofSeries', 0),
      program: missing('ofSeries', 1),
      language: emulated(missing('ofSeries', 2)),
      name: missing('ofSeries', 3),
    },
  },
  getResource: {
    answers: async (client, subject) => {
      const { ofSeries, ofManufacturer } = subject.resources;
      const reference = given(ofSeries ?? ofManufacturer, 'resource');
      const { bytes } = await client.getResource(reference);
      const other = reference.replace(/ressources?\//, (spelling) =>
        spelling === 'ressource/' ? 'ressources/' : 'ressource/',
      );
      expect((await client.getResource(other)).bytes).toEqual(bytes);
    },
    parameters: {
      path: async (client) => {
        await refused('RESOURCE_MISSING', client.getResource('xcf/ressource/NOT/THERE/any/a.jpg'));
        await refused('RESOURCE_REFUSED', client.getResource('xcf/ressource/../getnodes'));
      },
    },
  },
  search: {
    answers: search,
    parameters: {
      manufacturer: async (client, { key }) => {
        expect(await client.search(key.manufacturer.toLowerCase(), key.basearticlenumber)).toEqual(
          await client.search(key.manufacturer, key.basearticlenumber),
        );
      },
      q: async (client, { key, article }) => {
        expect(await client.search(key.manufacturer, 'nothing of that kind')).toEqual([]);
        const byText = await client.search(key.manufacturer, article.ocd!.shorttext);
        expect(byText.map(({ basearticlenumber }) => basearticlenumber)).toContain(
          key.basearticlenumber,
        );
      },
      lang: inLanguages('lang', search, searchTexts),
      langalt: inLanguages('langalt', search, searchTexts),
    },
  },
} as const satisfies Record<string, Cases>;
