/**
 * Fuzz: whatever a service sends becomes a GLB that readers accept, or a failure with a name.
 *
 * `npm test` takes 40 damaged articles through the chain, with `BTG2GLTF_TEST_LONG=1` it is 20,000. A
 * failure names the index of its input: `mutatedArticle(seeds, SEED, index)` makes it again.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMeshCache, type MeshCache } from '../../src/convert/transform/mesh-cache.ts';
import { isConverterError } from '../../src/support/errors.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { errorsIn } from '../helpers/check-glb.ts';
import { convertBodies } from '../helpers/fuzz/convert-bodies.ts';
import { mutatedArticle } from '../helpers/fuzz/mutate-article.ts';
import { type Bodies, fuzzSeeds } from '../helpers/fuzz/seeds.ts';
import { startWatchdog } from '../helpers/fuzz/watchdog.ts';
import { readGlb } from '../helpers/glb-reader/read-glb.ts';
import { measureOwnPeak } from '../helpers/process-memory.ts';
import { IS_LONG } from '../helpers/samples.ts';

const SEED = 6;
const INPUTS = IS_LONG ? 20_000 : 40;
/** Every so many GLBs go through the validator, which is slow. */
const VALIDATED_EVERY = 10;
/** What one input may take: inputs have 1 MB, pictures some pixels. */
const MOST_MIB_AN_INPUT = 512;

describe('a damaged article', () => {
  let seeds: Bodies[];
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  beforeAll(async () => {
    seeds = await convertible(await fuzzSeeds());
    process.on('unhandledRejection', onRejection);
  });
  afterAll(() => void process.off('unhandledRejection', onRejection));

  it('becomes a GLB that is accepted, or fails by name', async () => {
    const outcomes = new Map<string, number>();
    const wrong: string[] = [];
    const watchdog = startWatchdog();
    const cache = createMeshCache(64 * 1024 * 1024);
    const judge = createJudge(cache);
    let largest = { index: -1, mib: 0 };
    for (let index = 0; index < INPUTS; index++) {
      watchdog.report(index);
      const before = process.memoryUsage.rss() / 2 ** 20;
      const peakMib = measureOwnPeak();
      const { outcome, problem } = await judge(mutatedArticle(seeds, SEED, index), index);
      const grown = Math.round((peakMib() ?? before) - before);
      if (grown > largest.mib) largest = { index, mib: grown };
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (problem) wrong.push(`input ${index}: ${problem}`);
    }
    await watchdog.close();
    console.log(`${INPUTS} damaged articles`, Object.fromEntries(outcomes), 'most memory', largest);
    expect(outcomes.get('converted')).toBeGreaterThan(INPUTS / 3);
    expect(wrong).toEqual([]);
    expect(rejections).toEqual([]);
    expect(largest.mib, `input ${largest.index}`).toBeLessThan(MOST_MIB_AN_INPUT);
  });
});

/** Those that become a GLB as long as nothing is damaged. */
async function convertible(seeds: Bodies[]): Promise<Bodies[]> {
  const kept: Bodies[] = [];
  for (const seed of seeds) {
    const glb = await convertBodies(seed, createMeshCache(), true).catch(() => undefined);
    if (glb !== undefined) kept.push(seed);
  }
  return kept;
}

type Judge = (bodies: Bodies, index: number) => Promise<{ outcome: string; problem?: string }>;

/** Converts, and reads each GLB that it has not met yet. */
function createJudge(cache: MeshCache): Judge {
  const met = new Set<string>();
  return async (bodies, index) => {
    let glb: Uint8Array;
    try {
      glb = await convertBodies(bodies, cache, index % 2 === 0);
    } catch (error) {
      if (isConverterError(error) && error.code !== 'INTERNAL') return { outcome: error.code };
      return { outcome: 'INTERNAL', problem: (error as Error).stack ?? String(error) };
    }
    const digest = sha256Hex(glb);
    if (met.has(digest)) return { outcome: 'converted' };
    met.add(digest);
    try {
      readGlb(glb);
      const errors = met.size % VALIDATED_EVERY === 0 ? await errorsIn(glb) : [];
      if (errors.length === 0) return { outcome: 'converted' };
      return { outcome: 'INVALID', problem: errors.join('; ') };
    } catch (error) {
      return { outcome: 'INVALID', problem: (error as Error).message };
    }
  };
}
