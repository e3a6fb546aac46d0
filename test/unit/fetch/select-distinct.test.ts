import { describe, expect, it } from 'vitest';
import { distinctArticles } from '../../../src/fetch/select-distinct.ts';
import type { SelectedArticle } from '../../../src/fetch/selection.ts';
import type { ArticleRequest } from '../../../src/model/article.ts';
import { ConverterError } from '../../../src/support/errors.ts';
import { acme } from '../../helpers/fetch-bench.ts';

const chosen = (why: string, more: Partial<ArticleRequest>, number = 'D1'): SelectedArticle => ({
  request: acme(number, more),
  why: [why],
});

/** Resolves a request without a reinit string to the default, `F0`. */
function service() {
  const asked: ArticleRequest[] = [];
  const resolve = async (request: ArticleRequest) => {
    asked.push(request);
    if (request.finalarticlenumber === 'GONE')
      throw new ConverterError('ARTICLE_NOT_FOUND', 'none');
    const reinitstring = request.reinitstring || 'default::';
    const finalarticlenumber = reinitstring === 'default::' ? 'F0' : 'F1';
    return { key: { ...request, finalarticlenumber, reinitstring } };
  };
  return { asked, resolve };
}

describe('distinctArticles', () => {
  it('makes one of all spellings of a configuration, at the place of the first', async () => {
    const { resolve, asked } = service();
    const list = chosen('list', { reinitstring: 'default::' });
    const catalogue = chosen('catalogue', { finalarticlenumber: 'F0' });
    const other = chosen('cart', { finalarticlenumber: 'F1', reinitstring: 'b::' });
    const lamp = chosen('catalogue', { finalarticlenumber: 'L' }, 'L1');
    expect(await distinctArticles([list, other, lamp, catalogue], resolve)).toEqual([
      { request: list.request, why: ['list', 'catalogue'], alike: [catalogue.request] },
      other,
      lamp,
    ]);
    expect(asked).toEqual([list.request, catalogue.request]);
  });

  it('asks nothing where all of them differ for certain', async () => {
    const { resolve, asked } = service();
    const articles = ['a::', 'b::', 'c::'].map((reinitstring) => chosen('list', { reinitstring }));
    expect(await distinctArticles(articles, resolve)).toEqual(articles);
    expect(asked).toEqual([]);
  });

  it('leaves what cannot be resolved as it is, and stops where the run has to', async () => {
    const { resolve } = service();
    const gone = chosen('list', { finalarticlenumber: 'GONE' });
    const any = chosen('article', {});
    expect(await distinctArticles([gone, any], resolve)).toEqual([gone, any]);
    const dead = () => Promise.reject(new ConverterError('TOKEN_DIED', 'dead'));
    await expect(distinctArticles([gone, any], dead)).rejects.toMatchObject({ code: 'TOKEN_DIED' });
  });
});
