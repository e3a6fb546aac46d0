/**
 * The article group: loading, changing, storing and restoring an article; previews.
 *
 * @see Spec 4.3.
 */
import { readChange, readPlanningBody } from './bodies.ts';
import {
  type Answer,
  type Call,
  fileOr404,
  jsonOr404,
  PLANNING_LIMIT_BYTES,
  Refusal,
  type Route,
  type RouteContext,
  refusedAs422,
} from './route.ts';

const TOKEN = { in: 'query', group: 'ofml' } as const;
const ARTICLE = ['manufacturer', 'program', 'basearticlenumber'] as const;

const PREVIEW = {
  method: 'GET',
  path: '/preview/:manufacturer/:program/:name',
  token: TOKEN,
  required: [],
  optional: [],
  answer: async ({ segments }, { range }) => {
    const { manufacturer, program, name } = segments;
    return fileOr404(await range.preview?.(manufacturer!, program!, name!), 'preview');
  },
} as const satisfies Partial<Route>;

const RESTORE = {
  method: 'POST',
  token: TOKEN,
  required: [...ARTICLE, 'ocdreinitstring'],
  optional: [],
  answer: restore,
} as const satisfies Partial<Route>;

/** Rows of `{base_url}/api/ofml.dll/ofml`. */
export const OFML_ROUTES: readonly Route[] = [
  {
    operation: 'getarticles',
    method: 'GET',
    path: '/articles',
    token: TOKEN,
    required: ARTICLE,
    optional: ['profile', 'currency', 'varcode', 'ocdreinitstring', 'getallproperties'],
    answer: ({ query }, { range }) =>
      jsonOr404(
        refusedAs422(() => range.article(query)),
        'article',
      ),
  },
  {
    operation: 'postarticles',
    method: 'POST',
    path: '/articles',
    token: TOKEN,
    required: ARTICLE,
    optional: ['ocdreinitstring'],
    bodyLimitBytes: PLANNING_LIMIT_BYTES,
    answer: change,
  },
  { ...PREVIEW, operation: 'preview' },
  {
    operation: 'reinit',
    method: 'POST',
    path: '/reinit',
    token: TOKEN,
    required: [],
    optional: [],
    bodyLimitBytes: PLANNING_LIMIT_BYTES,
    answer: store,
  },
  { ...RESTORE, operation: 'ocdreinit', path: '/ocd/reinit' },
];

/**
 * Rows of `{base_url}/api/ocd.dll`: the same things at the addresses that `ocd/…` names can mean.
 *
 * @see D-604, D-793.
 */
export const OCD_ROUTES: readonly Route[] = [
  { ...PREVIEW, operation: 'preview' },
  { ...RESTORE, operation: 'ocdreinit', path: '/reinit' },
];

function change(call: Call, { range }: RouteContext): Answer {
  const wanted = readChange(call);
  if (range.configure === undefined) throw new Refusal(422, 'a recording cannot be configured');
  return jsonOr404(
    refusedAs422(() => range.configure!(call.query, wanted)),
    'article',
  );
}

/** How the identifier comes back is not shown; it is given by its own name (D-792). */
function store(call: Call, { range, permanentIds }: RouteContext): Answer {
  const article = readPlanningBody(call);
  refusedAs422(() => range.checkPlanning?.(article));
  return { kind: 'json', json: { permanentid: permanentIds.store(article) } };
}

/** One article of its own: what a planning has beside it is not restored (D-793). */
function restore({ query }: Call, { range }: RouteContext): Answer {
  const article = refusedAs422(() => range.article(query));
  if (article === undefined) throw new Refusal(404, 'article not found');
  return {
    kind: 'json',
    json: { ...article, rootid: article.id, reinit: '', children: [], propclasses: [] },
  };
}
