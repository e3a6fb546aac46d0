import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import { createSampleRange } from '../../../src/sample/sample-range.ts';
import { call, logIn } from '../../helpers/emulated-session.ts';
import type { Wire } from '../../helpers/sample-range.ts';

let emulator: Emulator;
let token: string;
beforeAll(async () => {
  emulator = await startEmulator({ range: createSampleRange() });
  token = await logIn(emulator);
});
afterAll(() => emulator.close());

const get = async (operation: string, parameters = {}): Promise<Wire> =>
  (await call(emulator, `xcf/${operation}`, { token, lang: 'en', ...parameters })).json();

test('the id of any node may be a parent, that of a search result too', async () => {
  const [found] = await get('search/FJEL', { q: 'LN-D120/80' });
  expect(found.nodeid).toBe('FJEL;SEARCHRESULT0');
  const series = 'FJEL;:@1;:LINEA@1';
  const [listed] = await get('getnodes', { parentnode: series });
  for (const parentnode of [found.nodeid, listed.nodeid]) {
    expect(await get('getnodes', { parentnode })).toEqual([]);
    expect(await get('getnodesbreadcrumbs', { parentnode })).toEqual([
      { nodeid: 'FJEL;:@1', text: 'Fjelmark office furniture' },
      { nodeid: series, text: 'LINEA desks' },
      { nodeid: listed.nodeid, text: 'Desk 1200 × 800' },
    ]);
  }
  expect(await get('getnodes', { parentnode: 'FJEL;SEARCHRESULT9' })).toHaveProperty('error');
});
