/** The client and the emulator of a recording whose names hold every character. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBlock } from '../../src/convert/wire/block.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { ServiceClient } from '../../src/source/service/client.ts';
import {
  ARTICLE,
  BLOCK,
  clientOfEmulator,
  FOLDER_ID,
  KEY,
  MATERIAL,
  startRecording,
} from '../helpers/emulated-client.ts';
import { errorOf } from '../helpers/faulty-client.ts';

let emulator: Emulator;
let client: ServiceClient;
beforeAll(async () => {
  emulator = await startRecording();
  client = clientOfEmulator(emulator, { profile: 'p', lang: 'de', langalt: 'en', currency: 'EUR' });
});
afterAll(async () => {
  await client.close();
  await emulator.close();
});

describe('what has such a name is found', () => {
  it('a folder, its children and its path', async () => {
    const { nodes } = await client.getNodes(FOLDER_ID);
    const { basearticlenumber, finalarticlenumber: variantcode } = KEY;
    expect(nodes[0]).toMatchObject({ nodetype: 'A', basearticlenumber, variantcode });
    expect(await client.getBreadcrumbs(FOLDER_ID)).toEqual([
      { nodeid: 'ACME;:BÜRO+1@1', text: 'Büro' },
      { nodeid: FOLDER_ID, text: 'Tische' },
    ]);
  });

  it('an article by a part of its number, of a manufacturer in lower case', async () => {
    const found = await client.search('acme', '1/2+"ä');
    expect(found).toMatchObject([{ nodeid: 'ACME;SEARCHRESULT0', text: 'Runder Tisch' }]);
  });

  it('an article by its base number, its ids in upper case, and by its reinit string', async () => {
    const { reinitstring, finalarticlenumber, metareinitstring } = KEY;
    const byNumber = await client.getArticle({ ...ARTICLE, manufacturer: 'acme' });
    expect(byNumber.article).toMatchObject({ ...ARTICLE, ocd: expect.anything() });
    const { article } = await client.getArticle({ ...ARTICLE, reinitstring });
    expect(article.ocd).toMatchObject({ finalarticlenumber, reinitstring });
    expect(article.reinit).toBe(metareinitstring);
  });

  it('a parts list, its block and its image', async () => {
    expect((await client.getPartsList(KEY)).partsList.blockNames).toEqual([BLOCK]);
    const { bytes } = await client.getBlock(BLOCK);
    expect(decodeBlock(bytes).positions.length).toBeGreaterThan(0);
    const image = await client.getMaterial('ACME', MATERIAL);
    expect([...image.bytes.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });
});

it.each<[string, () => Promise<unknown>, object]>([
  [
    'folder',
    () => client.getNodes('gone'),
    { code: 'NODE_NOT_FOUND', message: 'getNodes gone: the catalogue has no such folder' },
  ],
  [
    'article',
    () => client.getArticle({ ...ARTICLE, basearticlenumber: 'D/9' }),
    {
      code: 'ARTICLE_NOT_FOUND',
      article: 'ACME/BÜRO+1/D/9',
      message: 'getArticle ACME/BÜRO+1/D/9: the service has no such article',
    },
  ],
  [
    'parts list',
    () => client.getPartsList({ ...KEY, finalarticlenumber: '' }),
    { code: 'ARTICLE_NOT_FOUND', article: 'ACME/BÜRO+1/T 1/2+"Ä"', status: 404 },
  ],
  [
    'block',
    () => client.getBlock('ACME::DESK::NONE'),
    { code: 'BLOCK_MISSING', operation: 'getBlock' },
  ],
  [
    'image',
    () => client.getMaterial('ACME', 'NONE'),
    { code: 'IMAGE_MISSING', message: 'getMaterial ACME/NONE: the service has no such image' },
  ],
])('another %s is reported as missing', async (_, call, error) => {
  expect(await errorOf(call())).toMatchObject(error);
});
