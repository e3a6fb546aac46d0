/**
 * The catalogue group: listing, path, search, logout.
 *
 * @see Spec 4.2.
 */
import type { Json } from './range.ts';
import { jsonOr404, Refusal, type Route } from './route.ts';

const TOKEN = { in: 'query', group: 'xcf' } as const;

/** Rows of `{base_url}/api/xcf.dll/xcf`. */
export const XCF_ROUTES: readonly Route[] = [
  {
    operation: 'getnodes',
    method: 'GET',
    path: '/getnodes',
    token: TOKEN,
    required: [],
    optional: ['profile', 'parentnode'],
    answer: ({ query }, { range }) => jsonOr404(range.nodes(query.parentnode ?? ''), 'parentnode'),
  },
  {
    operation: 'getnodesbreadcrumbs',
    method: 'GET',
    path: '/getnodesbreadcrumbs',
    token: TOKEN,
    required: [],
    optional: ['profile', 'parentnode'],
    answer: ({ query }, { range }) =>
      jsonOr404(range.breadcrumbs(query.parentnode ?? ''), 'parentnode'),
  },
  {
    operation: 'search',
    method: 'GET',
    path: '/search/:manufacturer',
    token: TOKEN,
    required: ['q'],
    optional: [],
    answer({ query, segments }, { range }) {
      const manufacturer = segments.manufacturer!;
      return {
        kind: 'json',
        json: numbered(range.search(manufacturer, query.q!), manufacturer),
      };
    },
  },
  {
    operation: 'logoutxcf',
    method: 'POST',
    path: '/logout/:token',
    token: { in: 'path' },
    required: [],
    optional: [],
    answer({ segments }, { tokens }) {
      if (!tokens.logout(segments.token!, 'xcf')) throw new Refusal(401, 'token is not valid');
      return { kind: 'empty' };
    },
  },
];

/** Gives search results the ids that the specification shows; the index is from 0 (D-721). */
function numbered(nodes: Json[], manufacturer: string): Json[] {
  return nodes.map((node, index) => ({ ...node, nodeid: `${manufacturer};SEARCHRESULT${index}` }));
}
