/**
 * The catalogue group: listing, path, search, resources, logout.
 *
 * @see Spec 4.2.
 */
import type { Json } from '../sample/range.ts';
import { fileOr404, jsonOr404, Refusal, type Route } from './route.ts';

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
    answer: ({ query }, { range }) =>
      jsonOr404(range.nodes(query.parentnode ?? '', query), 'parentnode'),
  },
  {
    operation: 'getnodesbreadcrumbs',
    method: 'GET',
    path: '/getnodesbreadcrumbs',
    token: TOKEN,
    required: [],
    optional: ['profile', 'parentnode'],
    answer: ({ query }, { range }) =>
      jsonOr404(range.breadcrumbs(query.parentnode ?? '', query), 'parentnode'),
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
        json: numbered(range.search(manufacturer, query.q!, query), manufacturer),
      };
    },
  },
  ...['ressource', 'ressources'].map(
    (operation): Route => ({
      operation,
      method: 'GET',
      path: `/${operation}/*`,
      token: TOKEN,
      required: [],
      optional: [],
      async answer({ segments }, { range }) {
        const path = segments['*']!.split('/');
        const isPath = path.every((segment) => !['', '.', '..'].includes(segment));
        return fileOr404(isPath ? await range.resource?.(path) : undefined, 'resource');
      },
    }),
  ),
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
