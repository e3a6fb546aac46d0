import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { startEmulatorOf } from '../../src/emulator/start-emulator.ts';
import { migrate } from '../../src/gateway/migrate.ts';
import { createSampleRange } from '../../src/sample/sample-range.ts';
import { logIn } from '../helpers/emulated-session.ts';

const RECORDING = new URL('../fixtures/recordings/names-with-every-character', import.meta.url)
  .pathname;
let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ range: createSampleRange() });
});
afterAll(() => emulator.close());

test('a migrated v1 address opens the planning page, final number and all', async () => {
  const token = await logIn(emulator);
  const query = `manuid=FJEL&seriesid=LINEA&baseartnmbr=LN-PLATZ%201&finalartnmbr=X&token=${encodeURIComponent(token)}`;
  const migrated = migrate(`https://old.example/configurator.php?${query}`, {
    frontendUrl: emulator.frontendUrl,
  });
  expect((await fetch(String(migrated.after))).status).toBe(200);
});

test('a recording takes longer queries than a live server does', async () => {
  const recorded = await startEmulatorOf({ recording: RECORDING });
  const long = `?token=x&ocdreinitstring=${'A'.repeat(6000)}`;
  const path = '/api/ofml.dll/ofml/articles';
  const status = async ({ baseUrl }: Emulator) => (await fetch(baseUrl + path + long)).status;
  // Not a matter of length any more: the token is wrong.
  expect([await status(emulator), await status(recorded)]).toEqual([414, 401]);
  await recorded.close();
});
