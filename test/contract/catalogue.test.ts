import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import {
  ARTICLE,
  clientOfEmulator,
  FOLDER_ID,
  KEY,
  startRecording,
} from '../helpers/emulated-client.ts';
import { errorOf } from '../helpers/faulty-client.ts';

let emulator: Emulator;
let client: ServiceClient;
beforeAll(async () => {
  emulator = await startRecording();
  client = clientOfEmulator(emulator, { profile: 'public', lang: 'de', langalt: 'en' });
});
afterAll(async () => {
  await client.close();
  await emulator.close();
});

describe('getnodes', () => {
  it('lists the topmost folders where the parent is empty', async () => {
    const { nodes, bytes } = await client.getNodes('');
    expect(nodes.map(({ nodetype, text }) => [nodetype, text])).toEqual([
      ['F', 'Büro'],
      ['F', 'Alt'],
    ]);
    expect(nodes[1]?.convertdate).toBe('2020-01-01');
    expect(bytes.length).toBeGreaterThan(100);
  });

  it('lists the children of a folder', async () => {
    const { nodes } = await client.getNodes(FOLDER_ID);
    const { basearticlenumber } = ARTICLE;
    const { finalarticlenumber } = KEY;
    expect(nodes[0]).toMatchObject({
      nodetype: 'A',
      basearticlenumber,
      variantcode: finalarticlenumber,
    });
  });

  it('reports a folder that does not exist', async () => {
    expect(await errorOf(client.getNodes('gone'))).toMatchObject({
      code: 'NODE_NOT_FOUND',
      message: 'getNodes gone: the catalogue has no such folder',
    });
  });
});

describe('getnodesbreadcrumbs', () => {
  it('runs from the root to the folder', async () => {
    expect(await client.getBreadcrumbs(FOLDER_ID)).toEqual([
      { nodeid: 'ACME;:BÜRO+1@1', text: 'Büro' },
      { nodeid: FOLDER_ID, text: 'Tische' },
    ]);
  });
});

describe('search', () => {
  it('finds article numbers and short texts with any characters', async () => {
    const found = await client.search('acme', '1/2+"ä');
    expect(found.map(({ nodeid, text }) => [nodeid, text])).toEqual([
      ['ACME;SEARCHRESULT0', 'Runder Tisch'],
    ]);
    expect(await client.search('ACME', 'nothing of that kind')).toEqual([]);
  });
});
