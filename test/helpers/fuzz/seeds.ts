/** Seeds: whole articles as a service sends them, to be damaged. */
import fc from 'fast-check';
import { createSampleRange } from '../../../src/emulator/sample/sample-range.ts';
import { bodiesOf, configurationsOf } from '../../exact/range-bodies.ts';
import { articleAnswer } from '../answers.ts';
import { articlePlan, generateArticle } from '../generated-articles/article-plan.ts';
import { imagePool } from '../generated-articles/image-pool.ts';
import { body, utf8 } from '../graphics.ts';
import { RICH_ARTICLE } from '../rich-article.ts';
import { IS_LONG } from '../samples.ts';

/** The bodies of one article. */
export interface Bodies {
  article: Uint8Array;
  partsList: Uint8Array;
  /** By canonical name. */
  blocks: Map<string, Uint8Array>;
  /** By image reference. */
  images: Map<string, Uint8Array>;
  /** Options of the conversion, where they are not the defaults. */
  options: Record<string, unknown>;
}

const GENERATED_ARTICLES = IS_LONG ? 24 : 8;
const SAMPLE_ARTICLES = IS_LONG ? 12 : 4;
/** A large article shows no more than a small one and takes its time. */
const LARGEST_SAMPLE_BYTES = 70_000;

/** Few segments and small pictures: as much to go wrong in less time. */
const SMALL = { curveToleranceMetres: 0.01, maxTextureSize: 64 };

/** Articles of the sample range, generated ones, and one that has everything. */
export async function fuzzSeeds(): Promise<Bodies[]> {
  return [richArticle(), ...(await generatedArticles()), ...(await sampleArticles())];
}

function richArticle(): Bodies {
  const { btg, mats, blocks = {}, images = {} } = RICH_ARTICLE;
  return {
    article: body(ARTICLE),
    partsList: body({ btg, mats, blocks: Object.keys(blocks) }),
    blocks: new Map(Object.entries(blocks).map(([name, value]) => [name, body(value)])),
    images: present(Object.entries(images)),
    options: {},
  };
}

async function generatedArticles(): Promise<Bodies[]> {
  const pool = await imagePool();
  const plans = fc.sample(articlePlan, { seed: 6, numRuns: GENERATED_ARTICLES });
  return plans.map(generateArticle).map((article) => ({
    article: body(ARTICLE),
    partsList: utf8(article.partsList),
    blocks: new Map([...article.blocks].map(([name, text]) => [name, utf8(text)])),
    images: present(
      article.imageReferences.map((name) => [name, pool.get(name.split(/::|\//).at(-1)!)?.bytes]),
    ),
    options: { ...SMALL, ...article.options },
  }));
}

async function sampleArticles(): Promise<Bodies[]> {
  const range = createSampleRange();
  const seeds: Bodies[] = [];
  for (const configuration of configurationsOf(range)) {
    const { partsList, blocks, images } = await bodiesOf(range, configuration);
    let size = 0;
    for (const part of [partsList, ...blocks.values()]) size += part?.length ?? 0;
    if (size > LARGEST_SAMPLE_BYTES) continue;
    const article = body(range.article({ ...configuration }));
    const others = { blocks: present(blocks), images: present(images), options: SMALL };
    seeds.push({ article, partsList, ...others });
    if (seeds.length === SAMPLE_ARTICLES) break;
  }
  return seeds;
}

function present(entries: Iterable<readonly [string, Uint8Array | undefined]>) {
  return new Map([...entries].filter((entry): entry is [string, Uint8Array] => !!entry[1]));
}

const ARTICLE = articleAnswer(
  { manufacturer: 'GEN', program: 'RANGE', basearticlenumber: '1' },
  { finalarticlenumber: '1-A', reinitstring: 'r::', price: 1, propclasses: [] },
);
