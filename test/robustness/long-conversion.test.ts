/**
 * Long conversion: an article whose conversion takes long delays neither Ctrl-C nor the end of its time limit, and
 * gets no more memory than it may have.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf, runChild, startChild } from '../helpers/child.ts';
import { manifestByNumber, temporaryFolder, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { MANY_NODES, SLOW, SLOW_CONVERT, slowFirstArticle } from '../helpers/slow-article.ts';

const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
/** The conversion alone takes longer, and what ends it takes effect within two seconds. */
const SOON_MS = 40_000;

let folder: string;
let range: CountedRange;
let emulator: Emulator;

beforeEach(async () => {
  folder = await temporaryFolder();
  range = countedRange({ articles: 6, blocks: 6, images: 2 });
  emulator = await startEmulator({ range });
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

test.each(['run', 'convert'])('Ctrl-C ends it: btg2gltf %s', async (name) => {
  const { manufacturer, program, number, requested } = slowFirstArticle(range, SLOW);
  const article = ['--manufacturer', manufacturer, '--program', program];
  const one = [...article, '--basearticlenumber', number, '--output', join(folder, 'one.glb')];
  const file = await writePipeline(folder, { service: SERVICE, convert: SLOW_CONVERT });
  const words = name === 'run' ? [file] : ['--pipeline', file, ...one];
  const child = startChild([name, ...words], environmentOf(emulator));
  await requested;
  await sleep(1500);
  const interruptedAt = Date.now();
  child.kill('SIGINT');
  const { exit, stderr } = await child.ended;
  expect(exit, stderr).toBe(130);
  expect(Date.now() - interruptedAt).toBeLessThan(SOON_MS);
});

test('its time limit ends it, and nothing else', async () => {
  const startedAt = Date.now();
  await expectOneFailure(SLOW, { articleTimeoutMs: 5000 }, 'ARTICLE_TIMEOUT');
  expect(Date.now() - startedAt).toBeLessThan(SOON_MS);
});

// Before it gives up, the engine collects garbage for long.
test.runIf(process.env.BTG2GLTF_TEST_LONG === '1')('its memory ends it, and nothing else', () =>
  expectOneFailure(MANY_NODES, { conversionHeapMb: 64 }, 'OUT_OF_MEMORY'),
);

async function expectOneFailure(...[size, limits, code]: [typeof SLOW, object, string]) {
  const { number: slow } = slowFirstArticle(range, size);
  const file = await writePipeline(folder, { service: SERVICE, convert: SLOW_CONVERT, limits });
  const { exit, stderr } = await runChild(['run', file], environmentOf(emulator));
  expect(exit, stderr).toBe(1);
  const lines = await manifestByNumber(join(folder, 'out'));
  expect(Object.keys(lines)).toHaveLength(6);
  for (const [number, { status, error }] of Object.entries(lines)) {
    if (number === slow) expect(error?.code).toBe(code);
    else expect(status).toBe('converted');
  }
}
