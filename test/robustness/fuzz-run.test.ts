/**
 * Fuzz of whole runs: one answer in three of each kind is damaged on its way, the same way at every
 * attempt. A run ends, publishes what it can, and the next one without damage is as if nothing had been.
 *
 * `npm test` takes 60 articles, with `BTG2GLTF_TEST_LONG=1` it is 2,000.
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

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const ARTICLES = IS_LONG ? 2_000 : 60;
const LIMIT_MS = IS_LONG ? 1_800_000 : 120_000;
const SEED = 6;
const ONE_IN = 3;
/** Answers that concern some of the articles; without the catalogue there is no night. */
const OF_ARTICLES = /\/(articles|btg|blocks?|materials)\b/i;

let nights: DailyRuns;
let damaged = 0;
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', onRejection);
  const size = { articles: ARTICLES, blocks: ARTICLES, images: ARTICLES };
  nights = await openDailyRuns(countedRange({ ...size, manufacturers: 2 }));
});
afterAll(async () => {
  process.off('unhandledRejection', onRejection);
  await nights.close();
});

test('a run of damaged answers ends, and what it publishes is whole', {
  timeout: LIMIT_MS,
}, async () => {
  nights.proxy.disturb((url) => {
    const chance = chanceOf(SEED, digestOf(url));
    if (!OF_ARTICLES.test(url) || !chance.oneIn(ONE_IN)) return undefined;
    damaged++;
    return { damage: /materials/i.test(url) ? picture(chance) : text(chance) };
  });
  const night = await nights.run('2024-06-01', '--accept');
  expect([0, 1], night.stderr).toContain(night.exit);
  expect(night.stderr).not.toContain('INTERNAL');
  const lines = Object.values(await manifestByNumber(nights.outputDir));
  const failures = await nights.failures();
  const codes = new Map<string, number>();
  for (const { code } of failures) codes.set(code, (codes.get(code) ?? 0) + 1);
  console.log(`${damaged} damaged answers, ${lines.length} lines`, Object.fromEntries(codes));
  expect(damaged).toBeGreaterThan(ARTICLES / 2);
  expect([...codes.keys()]).not.toContain('INTERNAL');
  expect(lines.some(({ status }) => status === 'converted')).toBe(true);
  expect(await damagesOf(nights.outputDir)).toEqual([]);
  for (const path of await filesBelow(join(nights.outputDir, 'objects'))) {
    readGlb(await readFile(path));
  }

  nights.proxy.mend();
  const healed = await nights.run('2024-06-02', '--force', '--accept');
  expect(healed.exit, healed.stderr).toBe(0);
  const { configurations } = await nights.report();
  expect(configurations).toMatchObject({ selected: ARTICLES, failed: 0 });
  expect(await damagesOf(nights.outputDir)).toEqual([]);
  expect(rejections).toEqual([]);
});

/** The same for every token. */
function digestOf(url: string): number {
  return Number.parseInt(sha256Hex(url.replace(/token=[^&]*/, '')).slice(0, 8), 16) | 0;
}

function picture(chance: Chance): Damage {
  return (body) => Buffer.from(mutateBytes(body, chance));
}

function text(chance: Chance): Damage {
  const asJson = !chance.oneIn(4);
  return (body) =>
    asJson
      ? Buffer.from(mutateJson(body.toString('utf8'), chance))
      : Buffer.from(mutateBytes(body, chance));
}
