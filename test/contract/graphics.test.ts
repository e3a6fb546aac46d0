import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { decodeBlock } from '../../src/service/wire-block.ts';
import {
  ARTICLE,
  BLOCK,
  clientOfEmulator,
  KEY,
  MATERIAL,
  startRecording,
} from '../helpers/emulated-client.ts';
import { errorOf } from '../helpers/faulty-client.ts';

let emulator: Emulator;
let client: ServiceClient;
beforeAll(async () => {
  emulator = await startRecording();
  client = clientOfEmulator(emulator, { profile: 'public' });
});
afterAll(async () => {
  await client.close();
  await emulator.close();
});

describe('btg', () => {
  it('loads the parts list of a configuration, byte for byte', async () => {
    const { partsList, bytes } = await client.getPartsList(KEY);
    expect(partsList.blockNames).toEqual([BLOCK]);
    expect(bytes.length).toBeGreaterThan(10);
  });

  it('reports one that does not exist', async () => {
    const key = { ...KEY, finalarticlenumber: '' };
    expect(await errorOf(client.getPartsList(key))).toMatchObject({
      code: 'ARTICLE_NOT_FOUND',
      article: `ACME/BÜRO+1/${ARTICLE.basearticlenumber}`,
      status: 404,
    });
  });
});

describe('block', () => {
  it('loads a block by a name with any characters', async () => {
    const { bytes } = await client.getBlock(BLOCK);
    expect(decodeBlock(bytes).positions.length).toBeGreaterThan(0);
  });

  it('reports one that does not exist', async () => {
    expect(await errorOf(client.getBlock('ACME::DESK::NONE'))).toMatchObject({
      code: 'BLOCK_MISSING',
      operation: 'getBlock',
    });
  });
});

describe('materials', () => {
  it('loads an image by a name with any characters', async () => {
    const { bytes } = await client.getMaterial('ACME', MATERIAL);
    expect([...bytes.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it('reports one that does not exist', async () => {
    expect(await errorOf(client.getMaterial('ACME', 'NONE'))).toMatchObject({
      code: 'IMAGE_MISSING',
      message: 'getMaterial ACME/NONE: the service has no such image',
    });
  });
});
