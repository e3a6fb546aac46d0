import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/sample/sample-range.ts';
import { clientOfEmulator } from '../helpers/emulated-client.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ range: createSampleRange() });
});
afterAll(() => emulator.close());

it('the client reports each stored planning with its permanent identifier', async () => {
  const reported: [string, unknown][] = [];
  const client = clientOfEmulator(emulator, {
    onPermanentId: (id, planning) => reported.push([id, planning]),
  });
  const desk = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-PLATZ 1' };
  const { bytes } = await client.getArticle(desk);
  const planning: unknown = JSON.parse(new TextDecoder().decode(bytes));
  const id = await client.storePlanning(planning);
  expect(reported).toEqual([[id, planning]]);
  await client.close();
});
