/**
 * Long conversion: an article whose conversion takes minutes delays neither Ctrl-C nor the end of its time limit, and
 * gets no more memory than it may have.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, startChild } from '../helpers/child.ts';
import { manifestByNumber } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { IS_LONG } from '../helpers/samples.ts';
import {
  MANY_NODES,
  SLOW,
  SLOW_CONVERT,
  slowFirstArticle,
  stoppedConversion,
} from '../helpers/slow-article.ts';

const COMMANDS = ['run', 'convert', 'explain'] as const;
const ARTICLES = 3;

let range: CountedRange;
let runs: DailyRuns;

beforeEach(async () => {
  // Each is of a manufacturer of its own, and only one of these has new data: the others exceed no limit.
  range = countedRange({ articles: ARTICLES, blocks: 3, images: 3, manufacturers: ARTICLES });
  runs = await openDailyRuns(range, { convert: SLOW_CONVERT });
});
afterEach(() => runs.close());

/** Starts a command that converts the first article, with these limits, after its block was requested. */
async function startConversion(name: (typeof COMMANDS)[number], limits: object = {}, size = SLOW) {
  const file = runs.pipelineFile;
  const { manufacturer, program, number } = range.articleAt(0);
  // Only what was published is explained, from the last snapshot; what is not converted again has no limit to exceed.
  const isBefore = name === 'explain' || 'articleTimeoutMs' in limits;
  if (isBefore) expect(await runs.call(['run', file])).toMatchObject({ exit: 0 });
  const { requested } = slowFirstArticle(range, size);
  if (name === 'explain') await runs.call(['fetch', file, '--force']);
  range.convertdates.set(manufacturer, '2024-06-01');
  await runs.configure({ convert: SLOW_CONVERT, limits });
  const article = ['--manufacturer', manufacturer, '--program', program];
  const one = [...article, '--basearticlenumber', number, '--output', join(runs.folder, 'one.glb')];
  const words = {
    run: ['run', file],
    convert: ['convert', '--pipeline', file, ...one],
    explain: ['explain', number, '--pipeline', file],
  };
  const child = startChild(words[name], runs.proxy.env);
  await Promise.race([requested, child.ended]);
  return child;
}

describe.runIf(process.platform === 'linux')('one that never ends', () => {
  test.each(IS_LONG ? COMMANDS : (['run'] as const))(
    'is ended by Ctrl-C: btg2gltf %s',
    async (name) => {
      const child = await startConversion(name);
      await stoppedConversion(child);
      child.kill('SIGINT');
      const { exit, stderr } = await child.ended;
      expect(exit, stderr).toBe(130);
    },
  );

  test('is ended by its time limit, and nothing else is', async () => {
    const child = await startConversion('run', { articleTimeoutMs: 1000 });
    await stoppedConversion(child);
    expect(await failureOf(await child.ended, 'unchanged')).toMatchObject({
      code: 'ARTICLE_TIMEOUT',
      message: 'timed out after 1 s (limits.articleTimeoutMs)',
    });
  });

  test.runIf(IS_LONG)('is ended by its time limit: btg2gltf convert', async () => {
    const child = await startConversion('convert', { articleTimeoutMs: 1000 });
    await stoppedConversion(child);
    const { exit, stderr } = await child.ended;
    expect(exit, stderr).toBe(1);
    expect(stderr).toContain('timed out after 1 s (limits.articleTimeoutMs)');
  });

  test('is replaced once where its process crashes; then its article fails, and nothing else', async () => {
    const child = await startConversion('run');
    const first = await stoppedConversion(child);
    process.kill(first, 'SIGSEGV');
    process.kill(first, 'SIGCONT');
    const second = await stoppedConversion(child, [first]);
    process.kill(second, 'SIGSEGV');
    process.kill(second, 'SIGCONT');
    const error = await failureOf(await child.ended);
    expect(error?.message).toContain('its process ended with SIGSEGV');
  });
});

// Before it gives up, the engine collects garbage for long.
test.runIf(IS_LONG)('its memory ends it, and nothing else', async () => {
  const child = await startConversion('run', { conversionHeapMb: 64 }, MANY_NODES);
  expect(await failureOf(await child.ended)).toMatchObject({ code: 'OUT_OF_MEMORY' });
});

/** The error of the slow article of a run, in which nothing else failed. */
async function failureOf({ exit, stderr }: Ended, othersStatus = 'converted') {
  expect(exit, stderr).toBe(1);
  const { [range.articleAt(0).number]: slow, ...others } = await manifestByNumber(runs.outputDir);
  expect(Object.values(others).map(({ status }) => status)).toEqual(
    Array(ARTICLES - 1).fill(othersStatus),
  );
  return slow?.error;
}
