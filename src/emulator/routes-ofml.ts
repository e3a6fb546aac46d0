/**
 * The article group: loading an article.
 *
 * @see Spec 4.3.
 */
import { jsonOr404, type Route } from './route.ts';

/** Rows of `{base_url}/api/ofml.dll/ofml`. */
export const OFML_ROUTES: readonly Route[] = [
  {
    operation: 'getarticles',
    method: 'GET',
    path: '/articles',
    token: { in: 'query', group: 'ofml' },
    required: ['manufacturer', 'program', 'basearticlenumber'],
    optional: ['profile', 'currency', 'varcode', 'ocdreinitstring', 'getallproperties'],
    answer: ({ query }, { range }) => jsonOr404(range.article(query), 'article'),
  },
];
