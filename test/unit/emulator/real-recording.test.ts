import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import { openRecording } from '../../../src/emulator/recording.ts';
import type { Json } from '../../../src/sample/range.ts';
import { call, logIn } from '../../helpers/emulated-session.ts';

const DIR = fileURLToPath(new URL('../../../../shared/data/cc0-furniture', import.meta.url));

describe.skipIf(!existsSync(DIR))('the recording of real furniture', () => {
  let emulator: Emulator;
  let token: string;
  beforeAll(async () => {
    emulator = await startEmulator({ range: await openRecording(DIR) });
    token = await logIn(emulator);
  });
  afterAll(() => emulator?.close());

  const json = async <T>(
    operation: string,
    parameters: Record<string, string> = {},
  ): Promise<T> => {
    const response = await call(emulator, operation, { token, ...parameters });
    expect([operation, parameters, response.status]).toEqual([operation, parameters, 200]);
    return (await response.json()) as T;
  };

  /** Every article node below a folder. */
  async function articlesBelow(parentnode: string): Promise<Record<string, string>[]> {
    const nodes = await json<Record<string, string>[]>('xcf/getnodes', { parentnode });
    const below = nodes.map(async (node) => {
      if (node.nodetype === 'F') return articlesBelow(node.nodeid!);
      return node.nodetype === 'A' ? [node] : [];
    });
    return (await Promise.all(below)).flat();
  }

  async function configurationsOf(node: Record<string, string>): Promise<Json[]> {
    const { manufacturer = '', program = '', basearticlenumber = '' } = node;
    const key = { manufacturer, program, basearticlenumber };
    const article = await json<{ reinit: string; ocd: Record<string, string> }>(
      'ofml/articles',
      key,
    );
    const partsList = await json<Json>('odb/btg', {
      ...key,
      finalarticlenumber: article.ocd.finalarticlenumber!,
      reinitstring: article.ocd.reinitstring!,
      metareinitstring: article.reinit,
    });
    return [partsList];
  }

  test('is walked from the catalogue to every block and image', async () => {
    const articles = await articlesBelow('');
    expect(articles).toHaveLength(8);
    const lists = (await Promise.all(articles.map(configurationsOf))).flat();
    const blocks = new Set(lists.flatMap((list) => list.blocks as string[]));
    for (const name of blocks) {
      expect(await json(`odb/block/${encodeURIComponent(name)}`)).toHaveProperty('V');
    }
    expect(blocks.size).toBe(emulator.counts.get('block'));
    const image = await call(emulator, 'odb/materials/SH3D/DENIM_001.JPG', { token });
    expect(image.headers.get('content-type')).toBe('image/jpeg');
  });

  test('is searched by number and by text', async () => {
    const numbers = async (q: string): Promise<unknown[]> =>
      (await json<Json[]>('xcf/search/SH3D', { q })).map((node) => node.basearticlenumber);
    expect(await numbers('160/80')).toEqual(['DT160/80']);
    expect(await numbers('schreibtisch 160 ×')).toEqual(['DT160/80']);
    expect(await numbers('nothing like it')).toEqual([]);
  });
});
