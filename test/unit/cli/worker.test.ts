/** The options of `btg2gltf worker`, of which nothing is started. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, writePipeline } from '../../helpers/command.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  file = await writePipeline(folder, { service: { emulator: true } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  [['--host', '0.0.0.0'], '--host needs --port'],
  [['--allow-host', 'worker'], '--allow-host needs --port'],
  [['--port', '99999'], '--port: expected a whole number from 0 to 65535, received "99999"'],
  [['--port', '0', '--host', '203.0.113.1'], '--host: expected an address of this machine'],
])('%j is refused: exit 2', async (words, message) => {
  const { exit, stderr } = await command(['worker', file, ...words]);
  expect(exit).toBe(2);
  expect(stderr).toContain(message);
});

test('a queue that is not named is refused, whether or not the status server was started', async () => {
  for (const words of [[], ['--port', '0']]) {
    const { exit, stderr } = await command(['worker', file, ...words]);
    expect(exit).toBe(2);
    expect(stderr).toContain('BTG2GLTF_QUEUE_URL: expected the address of a queue');
  }
});
