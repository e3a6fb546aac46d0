/**
 * Long conversion: an article whose conversion takes long delays neither Ctrl-C nor the end of its time limit, and
 * gets no more memory than it may have.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf, runChild, startChild } from '../helpers/child.ts';
import { command, manifestByNumber, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { MANY_NODES, SLOW, SLOW_CONVERT, slowFirstArticle } from '../helpers/slow-article.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const COMMANDS = ['run', 'convert', 'explain'] as const;
const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
/** What ends a conversion takes effect within two seconds; a busy machine gets more. The conversion takes minutes. */
const SOON_MS = 10_000;

let folder: string;
let range: CountedRange;
let emulator: Emulator;

beforeEach(async () => {
  folder = await temporaryFolder();
  range = countedRange({ articles: 3, blocks: 3, images: 2 });
  emulator = await startEmulator({ range });
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a command that converts the first article, with these limits, after its block was requested. */
async function startConversion(name: (typeof COMMANDS)[number], limits: object = {}) {
  const env = environmentOf(emulator);
  const { manufacturer, program, number } = range.articleAt(0);
  const file = await writePipeline(folder, { service: SERVICE, convert: SLOW_CONVERT, limits });
  // Only what was published is explained, from the last snapshot.
  if (name === 'explain') expect(await command(['run', file], { env })).toMatchObject({ exit: 0 });
  const { requested } = slowFirstArticle(range, SLOW);
  if (name === 'explain') await command(['fetch', file, '--force'], { env });
  const article = ['--manufacturer', manufacturer, '--program', program];
  const one = [...article, '--basearticlenumber', number, '--output', join(folder, 'one.glb')];
  const words = {
    run: ['run', file],
    convert: ['convert', '--pipeline', file, ...one],
    explain: ['explain', number, '--pipeline', file],
  };
  const child = startChild(words[name], env);
  await Promise.race([requested, child.ended]);
  return child;
}

test.each(IS_LONG ? COMMANDS : (['run'] as const))('Ctrl-C ends it: btg2gltf %s', async (name) => {
  const child = await startConversion(name);
  // Until it converts: what is explained was requested before.
  await sleep(name === 'explain' ? 1600 : 600);
  const interruptedAt = Date.now();
  child.kill('SIGINT');
  const { exit, stderr } = await child.ended;
  expect(exit, stderr).toBe(130);
  expect(Date.now() - interruptedAt).toBeLessThan(SOON_MS);
});

test('its time limit ends it: btg2gltf convert', async () => {
  const limits = { articleTimeoutMs: 2000 };
  const startedAt = Date.now();
  const { exit, stderr } = await (await startConversion('convert', limits)).ended;
  expect(exit, stderr).toBe(1);
  expect(stderr).toContain('timed out after 2 s (limits.articleTimeoutMs)');
  expect(Date.now() - startedAt).toBeLessThan(SOON_MS);
});

test('its time limit ends it, and nothing else', async () => {
  const startedAt = Date.now();
  await expectOneFailure(SLOW, { articleTimeoutMs: 3000 }, 'ARTICLE_TIMEOUT');
  expect(Date.now() - startedAt).toBeLessThan(3000 + SOON_MS);
});

/** Ends the process of a conversion as a fault of its native code would, and returns whether there was one. */
async function crashConversion(pid: number, known: Set<string>): Promise<boolean> {
  for (let waits = 0; waits < 500; waits++) {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    const child = children.split(' ').find((one) => one !== '' && !known.has(one));
    if (child !== undefined) {
      known.add(child);
      // It has begun to convert by then.
      await sleep(300);
      process.kill(Number(child), 'SIGSEGV');
      return true;
    }
    await sleep(20);
  }
  return false;
}

test.runIf(process.platform === 'linux')(
  'a process that crashes is replaced once; then its article fails, and nothing else',
  async () => {
    const { number: slow } = slowFirstArticle(range, SLOW);
    const file = await writePipeline(folder, { service: SERVICE, convert: SLOW_CONVERT });
    const child = startChild(['run', file], environmentOf(emulator));
    const known = new Set<string>();
    expect(await crashConversion(child.pid, known)).toBe(true);
    expect(await crashConversion(child.pid, known)).toBe(true);
    const { exit, stderr } = await child.ended;
    expect(exit, stderr).toBe(1);
    const lines = await manifestByNumber(join(folder, 'out'));
    const failed = Object.entries(lines).filter(([, { status }]) => status === 'failed');
    expect(failed.map(([number]) => number)).toEqual([slow]);
    expect(failed[0]?.[1].error?.message).toContain('its process ended with SIGSEGV');
  },
);

// Before it gives up, the engine collects garbage for long.
test.runIf(IS_LONG)('its memory ends it, and nothing else', () =>
  expectOneFailure(MANY_NODES, { conversionHeapMb: 64 }, 'OUT_OF_MEMORY'),
);

async function expectOneFailure(...[size, limits, code]: [typeof SLOW, object, string]) {
  const { number: slow } = slowFirstArticle(range, size);
  const file = await writePipeline(folder, { service: SERVICE, convert: SLOW_CONVERT, limits });
  const { exit, stderr } = await runChild(['run', file], environmentOf(emulator));
  expect(exit, stderr).toBe(1);
  const lines = await manifestByNumber(join(folder, 'out'));
  expect(Object.keys(lines)).toHaveLength(3);
  for (const [number, { status, error }] of Object.entries(lines)) {
    if (number === slow) expect(error?.code).toBe(code);
    else expect(status).toBe('converted');
  }
}
