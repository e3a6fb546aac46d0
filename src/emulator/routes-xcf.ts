/** The catalogue group: listing, path, search, resources, logout (Spec 4.2). */
import { bytesOr404, jsonOr404, logoutRoute, type Route } from './route.ts';

/** Rows of `{base_url}/api/xcf.dll/xcf`. */
export const XCF_ROUTES: readonly Route[] = [
  {
    operation: 'getnodes',
    path: '/getnodes',
    optional: ['profile', 'parentnode'],
    answer: ({ query }, { range }) =>
      jsonOr404(range.nodes(query.parentnode ?? '', query), 'parentnode'),
  },
  {
    operation: 'getnodesbreadcrumbs',
    path: '/getnodesbreadcrumbs',
    optional: ['profile', 'parentnode'],
    answer: ({ query }, { range }) =>
      jsonOr404(range.breadcrumbs(query.parentnode ?? '', query), 'parentnode'),
  },
  {
    operation: 'search',
    path: '/search/:manufacturer',
    required: ['q'],
    answer({ query, segments }, { range }) {
      const manufacturer = segments.manufacturer!;
      const nodes = range.search(manufacturer, query.q!, query);
      // The ids that the specification shows; the index starts at 0 (D-721).
      const nodeid = (index: number) => `${manufacturer};SEARCHRESULT${index}`;
      return { kind: 'json', json: nodes.map((node, i) => ({ ...node, nodeid: nodeid(i) })) };
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
