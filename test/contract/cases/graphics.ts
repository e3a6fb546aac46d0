/** Section 4.4: parts lists, blocks and images. */
import { expect } from 'vitest';
import { decodeBlock } from '../../../src/convert/wire/block.ts';
import { checkImage } from '../../../src/convert/wire/resource.ts';
import type { ArticleKey } from '../../../src/model/article.ts';
import { type Case, type Cases, emulated, given, refused, withProfile } from './case.ts';

const partsList: Case = async (client, { key, partsList: known }) => {
  const answered = await client.getPartsList(key);
  expect(answered.partsList.blockNames).toEqual(known.blockNames);
};

const noPartsList = (change: Partial<ArticleKey>): Case =>
  emulated(async (client, { key }) => {
    await refused('ARTICLE_NOT_FOUND', client.getPartsList({ ...key, ...change }));
  });

const block: Case = async (client, subject) => {
  const { bytes } = await client.getBlock(subject.block);
  expect(decodeBlock(bytes).positions.length).toBeGreaterThan(0);
};

const material: Case = async (client, subject) => {
  const { manufacturer, name } = given(subject.image, 'image');
  checkImage((await client.getMaterial(manufacturer, name)).bytes);
};

/** It may be gone: the specification says so. */
const articleImage: Case = async (client, { key }) => {
  checkImage((await client.getArticleImage(key)).bytes);
};

const noArticleImage = (change: Partial<ArticleKey>): Case =>
  emulated(async (client, { key }) => {
    await refused('IMAGE_MISSING', client.getArticleImage({ ...key, ...change }));
  });

const NOT_THERE = 'NOT-THERE';

export const GRAPHICS = {
  getPartsList: {
    answers: partsList,
    parameters: {
      profile: withProfile(partsList),
      manufacturer: noPartsList({ manufacturer: NOT_THERE }),
      program: noPartsList({ program: NOT_THERE }),
      basearticlenumber: noPartsList({ basearticlenumber: NOT_THERE }),
      finalarticlenumber: async (client, { key }) => {
        expect(key.finalarticlenumber).not.toBe('');
        expect((await client.getPartsList(key)).partsList.nodes.length).toBeGreaterThan(0);
      },
      reinitstring: async (client, { key }) => {
        await refused(
          'QUERY_TOO_LONG',
          client.getPartsList({ ...key, reinitstring: 'x'.repeat(6000) }),
        );
      },
      metareinitstring: async (client, { key, article }) => {
        const answered = await client.getPartsList({ ...key, metareinitstring: article.reinit });
        expect(answered.partsList.nodes.length).toBeGreaterThan(0);
      },
    },
  },
  getBlock: {
    answers: block,
    parameters: {
      name: async (client, { key }) => {
        const name = `${key.manufacturer}::${key.program}::NOT_THERE`;
        await refused('BLOCK_MISSING', client.getBlock(name));
      },
    },
  },
  getMaterial: {
    answers: material,
    parameters: {
      manufacturer: async (client, subject) => {
        const { name } = given(subject.image, 'image');
        await refused('IMAGE_MISSING', client.getMaterial(NOT_THERE, name));
      },
      name: async (client, { key }) => {
        await refused('IMAGE_MISSING', client.getMaterial(key.manufacturer, NOT_THERE));
      },
    },
  },
  getArticleImage: {
    answers: articleImage,
    parameters: {
      manufacturer: noArticleImage({ manufacturer: NOT_THERE }),
      program: noArticleImage({ program: NOT_THERE }),
      basearticlenumber: noArticleImage({ basearticlenumber: NOT_THERE }),
      finalarticlenumber: articleImage,
      reinitstring: async (client, { key }) => {
        const long = { ...key, reinitstring: 'x'.repeat(6000) };
        await refused('QUERY_TOO_LONG', client.getArticleImage(long));
      },
    },
  },
} as const satisfies Record<string, Cases>;
