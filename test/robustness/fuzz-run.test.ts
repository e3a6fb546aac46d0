/**
 * Fuzz of whole runs: one answer in three of each kind is damaged on its way, the same way at every
 * attempt. A run ends, publishes what it can, and the next one without damage is as if nothing had been.
 *
 * `npm test` takes 10 articles, with `BTG2GLTF_TEST_LONG=1` it is 2,000.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256Hex } from '../../src/support/files.ts';
import { manifestByNumber } from '../helpers/command.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import type { Damage } from '../helpers/fault-proxy.ts';
import { type Chance, chanceOf } from '../helpers/fuzz/chance.ts';
import { mutateBytes } from '../helpers/fuzz/mutate-bytes.ts';
import { mutateJson } from '../helpers/fuzz/mutate-json.ts';
import { readGlb } from '../helpers/glb-reader/read-glb.ts';
import { damagesOf, filesBelow } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';

const ARTICLES = IS_LONG ? 2_000 : 10;
const SEED = 6;
const ONE_IN = 3;
/** Answers that concern some of the articles; without the catalogue there is no run. */
const OF_ARTICLES = /\/(articles|btg|blocks?|materials)\b/i;

let runs: DailyRuns;
let damagedAnswers = 0;
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', onRejection);
  const size = { articles: ARTICLES, blocks: ARTICLES, images: ARTICLES };
  runs = await openDailyRuns(countedRange({ ...size, manufacturers: 2 }));
});
afterAll(async () => {
  process.off('unhandledRejection', onRejection);
  await runs.close();
});

test('a run of damaged answers ends, and what it publishes is intact', async () => {
  runs.proxy.disturb((url) => {
    const chance = chanceOf(SEED, digestOf(url));
    if (!OF_ARTICLES.test(url) || !chance.oneIn(ONE_IN)) return undefined;
    damagedAnswers++;
    return { damage: damageOf(!/materials/i.test(url), chance) };
  });
  const damaged = await runs.run('2024-06-01', '--accept');
  expect([0, 1], damaged.stderr).toContain(damaged.exit);
  expect(damaged.stderr).not.toContain('INTERNAL');
  const lines = Object.values(await manifestByNumber(runs.outputDir));
  const failures = await runs.failures();
  const codes = new Map<string, number>();
  for (const { code } of failures) codes.set(code, (codes.get(code) ?? 0) + 1);
  console.log(
    `${damagedAnswers} damaged answers, ${lines.length} lines`,
    Object.fromEntries(codes),
  );
  expect(damagedAnswers).toBeGreaterThan(ARTICLES / 2);
  expect([...codes.keys()]).not.toContain('INTERNAL');
  expect(lines.some(({ status }) => status === 'converted')).toBe(true);
  expect(await damagesOf(runs.outputDir)).toEqual([]);
  for (const path of await filesBelow(join(runs.outputDir, 'objects'))) {
    readGlb(await readFile(path));
  }

  runs.proxy.mend();
  const healed = await runs.run('2024-06-02', '--force', '--accept');
  expect(healed.exit, healed.stderr).toBe(0);
  const { configurations } = await runs.report();
  expect(configurations).toMatchObject({ selected: ARTICLES, failed: 0 });
  expect(await damagesOf(runs.outputDir)).toEqual([]);
  expect(rejections).toEqual([]);
});

/** The same for every token. */
function digestOf(url: string): number {
  return Number.parseInt(sha256Hex(url.replace(/token=[^&]*/, '')).slice(0, 8), 16) | 0;
}

/** Damages bytes, or a text as JSON. */
function damageOf(isText: boolean, chance: Chance): Damage {
  if (isText && !chance.oneIn(4))
    return (body) => Buffer.from(mutateJson(body.toString('utf8'), chance));
  return (body) => Buffer.from(mutateBytes(body, chance));
}
