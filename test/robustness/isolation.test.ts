/**
 * Isolation: one broken block, one article that always answers 500 and hostile pictures fail the
 * articles that need them, each by its own code, and no other.
 *
 * `npm test` takes 12 articles, with `BTG2GLTF_TEST_LONG=1` it is 300.
 */
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { manifestByNumber } from '../helpers/command.ts';
import { countedImage, countedRange } from '../helpers/counted-range.ts';
import { openDailyRuns } from '../helpers/daily-runs.ts';
import { raw } from '../helpers/fault-server.ts';
import { withFrameSize } from '../helpers/hostile-image.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';

const ARTICLES = IS_LONG ? 300 : 12;

test('exactly the articles that need something broken fail, by its code', async () => {
  const size = { articles: ARTICLES, blocks: ARTICLES, images: ARTICLES, manufacturers: 2 };
  const range = countedRange(size);
  const runs = await openDailyRuns(range);
  onTestFinished(() => runs.close());
  expect((await runs.run('2026-01-01')).exit).toBe(0);
  const before = await publishedFiles(runs.outputDir);

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
  runs.proxy.break(new RegExp(`articles.*${always!.number}`), raw('oh', {}, 500));
  wanted.set(always!.number, 'HTTP_STATUS');
  range.convertedOn('2024-06-01');

  expect((await runs.run('2026-01-02')).exit).toBe(1);
  const lines = Object.entries(await manifestByNumber(runs.outputDir));
  const failed = lines.filter(([, { status }]) => status === 'failed');
  expect(new Map(failed.map(([number, { error }]) => [number, error?.code]))).toEqual(wanted);
  expect(lines).toHaveLength(ARTICLES);
  for (const [, { lastGood }] of failed) expect(lastGood).toBeDefined();
  // What was published before is linked as it was: nothing here has become better or worse.
  expect(await damagesOf(runs.outputDir)).toEqual([]);
  const now = await publishedFiles(runs.outputDir);
  for (const [name, digest] of before) {
    if (!name.endsWith('.jsonl')) expect(now.get(name), name).toBe(digest);
  }
});
