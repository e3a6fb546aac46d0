/** The graphics group: parts lists, blocks, materials, pictures, logout (Spec 4.4). */
import { ARTICLE, bytesOr404, jsonOr404, logoutRoute, Refusal, type Route } from './route.ts';

const CONFIGURATION = [...ARTICLE, 'finalarticlenumber'];
const JPEG_SUFFIX = '.JPG';

/** Rows of `{base_url}/api/odb.dll/odb`. */
export const ODB_ROUTES: readonly Route[] = [
  {
    operation: 'btg',
    path: '/btg',
    required: CONFIGURATION,
    optional: ['profile', 'reinitstring', 'metareinitstring'],
    answer: ({ query }, { range }) => jsonOr404(range.partsList(query), 'parts list'),
  },
  {
    operation: 'block',
    path: '/block/:name',
    answer: async ({ segments }, { range }) =>
      bytesOr404(await range.block(segments.name!), 'block', 'application/json; charset=utf-8'),
  },
  {
    operation: 'materials',
    path: '/materials/:manufacturer/:file',
    async answer({ segments }, { range }) {
      const file = segments.file!;
      if (!file.endsWith(JPEG_SUFFIX)) {
        throw new Refusal(404, `a material ends with ${JPEG_SUFFIX}`);
      }
      const name = file.slice(0, -JPEG_SUFFIX.length);
      const bytes = await range.material(segments.manufacturer!, name);
      return bytesOr404(bytes, 'material', 'image/jpeg');
    },
  },
  {
    // The specification deprecates it; clients still use it.
    operation: 'articlesimage',
    path: '/articlesimage.jpg',
    required: CONFIGURATION,
    optional: ['reinitstring'],
    answer: async ({ query }, { range }) => bytesOr404(await range.picture?.(query), 'picture'),
  },
  logoutRoute('odb'),
];
