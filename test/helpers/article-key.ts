/** The key of an article of the made-up series `ACME::DESK`. */
import type { ArticleKey } from '../../src/model/article.ts';

/** Returns it, with what is given. */
export function articleKeyOf(
  basearticlenumber: string,
  fields: Partial<ArticleKey> = {},
): ArticleKey {
  return {
    manufacturer: 'ACME',
    program: 'DESK',
    basearticlenumber,
    finalarticlenumber: '',
    reinitstring: '',
    metareinitstring: '',
    ...fields,
  };
}
