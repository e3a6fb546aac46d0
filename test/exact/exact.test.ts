/**
 * Exact: generated articles through the converter agree with an independent evaluation.
 *
 * `npm test` runs 2 articles of each of four seeds; with `BTG2GLTF_TEST_LONG=1` it is 200 of each of ten.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import {
  articlePlan,
  type GeneratedArticle,
  generateArticle,
} from '../helpers/generated-articles/article-plan.ts';
import { BMP, imagePool } from '../helpers/generated-articles/image-pool.ts';
import { utf8 } from '../helpers/graphics.ts';
import { IS_LONG } from '../helpers/samples.ts';
import type { Bodies } from '../helpers/snapshot.ts';
import { compareArticle } from './compare-article.ts';
import { createFindings, gather, worstTable } from './findings.ts';

const SEEDS = [11, 23, 37, 41, ...(IS_LONG ? [53, 67, 71, 83, 97, 101] : [])];
const ARTICLES_PER_SEED = IS_LONG ? 200 : 2;

describe('a generated article', () => {
  const sum = createFindings();
  let articles = 0;
  afterAll(() => {
    console.log(worstTable(`worst errors over ${articles} generated articles`, sum));
  });

  test.for(SEEDS)('is converted exactly, seed %i', async (seed) => {
    await fc.assert(
      fc.asyncProperty(articlePlan, async (plan) => {
        const article = generateArticle(plan);
        const bodies = await bodiesOf(article);
        const { findings } = await compareArticle(bodies, article.options);
        expect(findings.differences).toEqual([]);
        gather(sum, findings);
        articles++;
      }),
      // Making a counterexample smaller takes hours with chains of 2,000 nodes.
      { seed, numRuns: ARTICLES_PER_SEED, endOnFailure: IS_LONG },
    );
  });
});

async function bodiesOf(article: GeneratedArticle): Promise<Bodies> {
  const pool = await imagePool();
  const images = new Map<string, Uint8Array | undefined>();
  for (const reference of article.imageReferences) {
    const name = reference.split(/::|\//).at(-1)!;
    images.set(reference, name === 'BITMAP' ? BMP : pool.get(name)?.bytes);
  }
  const blocks = new Map<string, Uint8Array | undefined>();
  for (const [name, text] of article.blocks) blocks.set(name, utf8(text));
  for (const name of article.missingBlocks) blocks.set(name, undefined);
  return { partsList: utf8(article.partsList), blocks, images };
}
