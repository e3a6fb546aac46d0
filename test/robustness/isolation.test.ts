/**
 * Isolation: one broken block, one article that always answers 500 and hostile pictures fail the
 * articles that need them, each by its own code, and no other.
 *
 * `npm test` takes 12 articles, with `BTG2GLTF_TEST_LONG=1` it is 300.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { command, manifestByNumber, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedImage, countedRange } from '../helpers/counted-range.ts';
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts';
import { raw } from '../helpers/fault-server.ts';
import { withFrameSize } from '../helpers/hostile-image.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const ARTICLES = process.env.BTG2GLTF_TEST_LONG === '1' ? 300 : 12;
const SERVICE = {
  authUrl: '${BTG2GLTF_AUTH_URL}',
  baseUrl: '${BTG2GLTF_BASE_URL}',
  retries: 1,
  backoffMs: 10,
};

let folder: string;
let range: CountedRange;
let emulator: Emulator;
let proxy: FaultProxy;

beforeEach(async () => {
  folder = await temporaryFolder();
  range = countedRange({
    articles: ARTICLES,
    blocks: ARTICLES,
    images: ARTICLES,
    manufacturers: 2,
  });
  emulator = await startEmulator({ range });
  proxy = await startFaultProxy(emulator);
});
afterEach(async () => {
  await proxy.close();
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

const out = () => join(folder, 'out');
async function run() {
  const file = await writePipeline(folder, { service: SERVICE });
  return command(['run', file], { env: proxy.env });
}

test('exactly the articles that need something broken fail, by its code', async () => {
  expect((await run()).exit).toBe(0);
  const before = await publishedFiles(out());

  const [block, truncated, huge, bomb, always] = [0, 2, 4, 6, 1].map((n) => range.articleAt(n));
  const wanted = new Map<string, string>();
  const fails = (name: string, code: string) => {
    for (const number of range.usersOf(name)) wanted.set(number, code);
  };
  range.bodies.set(block!.blocks[0]!, new TextEncoder().encode('{"V":[0,0,0],"A":{}}'));
  fails(block!.blocks[0]!, 'BLOCK_INVALID');
  const whole = await countedImage(truncated!.image);
  range.bodies.set(truncated!.image, whole.subarray(0, whole.length / 2));
  fails(truncated!.image, 'RESPONSE_INVALID');
  range.bodies.set(huge!.image, withFrameSize(await countedImage(huge!.image), 65_500));
  fails(huge!.image, 'IMAGE_UNREADABLE');
  const progressive = sharp(await countedImage(bomb!.image)).jpeg({ progressive: true });
  range.bodies.set(bomb!.image, withFrameSize(await progressive.toBuffer(), 8_000));
  fails(bomb!.image, 'IMAGE_UNREADABLE');
  proxy.break(new RegExp(`articles.*${always!.number}`), raw('oh', {}, 500));
  wanted.set(always!.number, 'HTTP_STATUS');
  for (const manufacturer of range.manufacturers) {
    range.convertdates.set(manufacturer, '2024-06-01');
  }

  const { exit } = await run();
  expect(exit).toBe(1);
  const lines = Object.entries(await manifestByNumber(out()));
  const failed = lines.filter(([, { status }]) => status === 'failed');
  expect(new Map(failed.map(([number, { error }]) => [number, error?.code]))).toEqual(wanted);
  expect(lines).toHaveLength(ARTICLES);
  for (const [, { lastGood }] of failed) expect(lastGood).toBeDefined();
  // What was published before is linked as it was: nothing here has become better or worse.
  expect(await damagesOf(out())).toEqual([]);
  const now = await publishedFiles(out());
  for (const [name, digest] of before) {
    if (!name.endsWith('.jsonl')) expect(now.get(name), name).toBe(digest);
  }
});
