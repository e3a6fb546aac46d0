/**
 * The graphics group: parts lists, blocks, materials, pictures, logout.
 *
 * @see Spec 4.4.
 */
import { bytesOr404, fileOr404, jsonOr404, Refusal, type Route } from './route.ts';

const TOKEN = { in: 'query', group: 'odb' } as const;
const ARTICLE = ['manufacturer', 'program', 'basearticlenumber', 'finalarticlenumber'] as const;
const JPEG_SUFFIX = '.JPG';

/** Rows of `{base_url}/api/odb.dll/odb`. */
export const ODB_ROUTES: readonly Route[] = [
  {
    operation: 'btg',
    method: 'GET',
    path: '/btg',
    token: TOKEN,
    required: ARTICLE,
    optional: ['profile', 'reinitstring', 'metareinitstring'],
    answer: ({ query }, { range }) => jsonOr404(range.partsList(query), 'parts list'),
  },
  {
    operation: 'block',
    method: 'GET',
    path: '/block/:name',
    token: TOKEN,
    required: [],
    optional: [],
    answer: async ({ segments }, { range }) =>
      bytesOr404(await range.block(segments.name!), 'application/json; charset=utf-8', 'block'),
  },
  {
    operation: 'materials',
    method: 'GET',
    path: '/materials/:manufacturer/:file',
    token: TOKEN,
    required: [],
    optional: [],
    async answer({ segments }, { range }) {
      const file = segments.file!;
      if (!file.endsWith(JPEG_SUFFIX))
        throw new Refusal(404, `a material ends with ${JPEG_SUFFIX}`);
      const name = file.slice(0, -JPEG_SUFFIX.length);
      const bytes = await range.material(segments.manufacturer!, name);
      return bytesOr404(bytes, 'image/jpeg', 'material');
    },
  },
  {
    // Deprecated by the specification, and asked for all the same.
    operation: 'articlesimage',
    method: 'GET',
    path: '/articlesimage.jpg',
    token: TOKEN,
    required: ARTICLE,
    optional: ['reinitstring'],
    answer: async ({ query }, { range }) => fileOr404(await range.picture?.(query), 'picture'),
  },
  {
    operation: 'logoutodb',
    method: 'POST',
    path: '/logout/:token',
    token: { in: 'path' },
    required: [],
    optional: [],
    answer({ segments }, { tokens }) {
      if (!tokens.logout(segments.token!, 'odb')) throw new Refusal(401, 'token is not valid');
      return { kind: 'empty' };
    },
  },
];
