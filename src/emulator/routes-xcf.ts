/** The catalogue group: listing, path, search, resources, logout (Spec 4.2). */
import type { Query } from '../sample/range.ts';
import { bytesOr404, jsonOr404, logoutRoute, type Route, type RouteContext } from './route.ts';

/** Rows of `{base_url}/api/xcf.dll/xcf`. */
export const XCF_ROUTES: readonly Route[] = [
  {
    operation: 'getnodes',
    path: '/getnodes',
    optional: ['profile', 'parentnode'],
    answer: ({ query }, context) =>
      jsonOr404(context.range.nodes(parentOf(query, context), query), 'parentnode'),
  },
  {
    operation: 'getnodesbreadcrumbs',
    path: '/getnodesbreadcrumbs',
    optional: ['profile', 'parentnode'],
    answer: ({ query }, context) =>
      jsonOr404(context.range.breadcrumbs(parentOf(query, context), query), 'parentnode'),
  },
  {
    operation: 'search',
    path: '/search/:manufacturer',
    required: ['q'],
    answer({ query, segments }, { range, searchResults }) {
      const manufacturer = segments.manufacturer!;
      const nodes = range.search(manufacturer, query.q!, query).map((node, index) => {
        // The ids that the specification shows; the index starts at 0 (D-721).
        const nodeid = `${manufacturer};SEARCHRESULT${index}`;
        searchResults.set(nodeid, String(node.nodeid));
        return { ...node, nodeid };
      });
      return { kind: 'json', json: nodes };
    },
  },
  ...['ressource', 'ressources'].map(
    (operation): Route => ({
      operation,
      path: `/${operation}/*`,
      async answer({ segments }, { range }) {
        const path = segments['*']!.split('/');
        const isPath = path.every((segment) => !['', '.', '..'].includes(segment));
        return bytesOr404(isPath ? await range.resource?.(path) : undefined, 'resource');
      },
    }),
  ),
  logoutRoute('xcf'),
];

/** Any node id may be a parent, that of a search result too. @see Spec 2.1; D-721 */
function parentOf({ parentnode = '' }: Query, { searchResults }: RouteContext): string {
  return searchResults.get(parentnode) || parentnode;
}
