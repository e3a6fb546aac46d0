/** The operations of the API: catalogue, article and graphics group (Spec 4.2 to 4.4). */

import { parseJsonExactly } from './json-text.ts';
import {
  type Answer,
  ARTICLE,
  bytesOr404,
  type Call,
  found,
  jsonOr404,
  Refusal,
  type Route,
  type RouteContext,
} from './route.ts';
import type { Json, PropertyChange, Query } from './sample/range.ts';
import type { ApiGroup } from './tokens.ts';

const PLANNING_LIMIT_BYTES = 8_388_608;

const CONFIGURATION = [...ARTICLE, 'finalarticlenumber'];
const JPEG_SUFFIX = '.JPG';

const PREVIEW: Route = {
  operation: 'preview',
  path: '/preview/:manufacturer/:program/:name',
  async answer({ segments }, { range }) {
    const { manufacturer, program, name } = segments;
    return bytesOr404(await range.preview?.(manufacturer!, program!, name!), 'preview');
  },
};

const RESTORE: Route = {
  operation: 'ocdreinit',
  method: 'POST',
  path: '/reinit',
  required: [...ARTICLE, 'ocdreinitstring'],
  answer: restore,
};

/** Rows of `{base_url}/api/<group>.dll/<group>`, by group. */
export const API_ROUTES: Readonly<Record<ApiGroup | 'ocd', readonly Route[]>> = {
  xcf: [
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
    { operation: 'search', path: '/search/:manufacturer', required: ['q'], answer: search },
    { operation: 'ressource', path: '/ressource/*', answer: resource },
    { operation: 'ressources', path: '/ressources/*', answer: resource },
    logoutRoute('xcf'),
  ],
  ofml: [
    {
      operation: 'getarticles',
      path: '/articles',
      required: ARTICLE,
      optional: ['profile', 'currency', 'varcode', 'ocdreinitstring', 'getallproperties'],
      answer: ({ query }, { range }) => jsonOr404(range.article(query), 'article'),
    },
    {
      operation: 'postarticles',
      method: 'POST',
      path: '/articles',
      required: ARTICLE,
      optional: ['ocdreinitstring'],
      bodyLimitBytes: PLANNING_LIMIT_BYTES,
      answer: change,
    },
    PREVIEW,
    {
      operation: 'reinit',
      method: 'POST',
      path: '/reinit',
      bodyLimitBytes: PLANNING_LIMIT_BYTES,
      answer: store,
    },
    { ...RESTORE, path: '/ocd/reinit' },
  ],
  // The same operations at the addresses that `ocd/…` names may mean: D-604, D-782.
  ocd: [PREVIEW, RESTORE],
  odb: [
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
    { operation: 'materials', path: '/materials/:manufacturer/:file', answer: material },
    {
      // The specification deprecates this operation; clients still use it.
      operation: 'articlesimage',
      path: '/articlesimage.jpg',
      required: CONFIGURATION,
      optional: ['reinitstring'],
      answer: async ({ query }, { range }) => bytesOr404(await range.picture?.(query), 'picture'),
    },
    logoutRoute('odb'),
  ],
};

/** The row that ends the session of a token at one group. */
function logoutRoute(group: 'xcf' | 'odb'): Route {
  return {
    operation: `logout${group}`,
    method: 'POST',
    path: '/logout/:token',
    token: 'none',
    answer({ segments }, { tokens }) {
      if (!tokens.logout(segments.token!, group)) throw new Refusal(401, 'token is not valid');
      return { kind: 'empty' };
    },
  };
}

/** The parent of a listing. Any node id may be a parent, even that of a search result. @see Spec 2.1; D-721 */
function parentOf({ parentnode = '' }: Query, { searchResults }: RouteContext): string {
  return searchResults.get(parentnode) || parentnode;
}

function search({ query, segments }: Call, { range, searchResults }: RouteContext): Answer {
  const manufacturer = segments.manufacturer!;
  const nodes = range.search(manufacturer, query.q!, query).map((node, index) => {
    // These are the ids that the specification shows; the index starts at 0 (D-721).
    const nodeid = `${manufacturer};SEARCHRESULT${index}`;
    searchResults.set(nodeid, String(node.nodeid));
    return { ...node, nodeid };
  });
  return { kind: 'json', json: nodes };
}

async function resource({ segments }: Call, { range }: RouteContext): Promise<Answer> {
  const path = segments['*']!.split('/');
  const isPath = path.every((segment) => !['', '.', '..'].includes(segment));
  return bytesOr404(isPath ? await range.resource?.(path) : undefined, 'resource');
}

async function material({ segments }: Call, { range }: RouteContext): Promise<Answer> {
  const file = segments.file!;
  if (!file.endsWith(JPEG_SUFFIX)) throw new Refusal(404, `a material ends with ${JPEG_SUFFIX}`);
  const name = file.slice(0, -JPEG_SUFFIX.length);
  return bytesOr404(await range.material(segments.manufacturer!, name), 'material', 'image/jpeg');
}

function change(call: Call, { range }: RouteContext): Answer {
  const requested = readChange(call);
  if (range.configure === undefined) throw new Refusal(422, 'a recording cannot be configured');
  return jsonOr404(range.configure(call.query, requested), 'article');
}

/** Stores a planning. The specification does not show how the identifier is returned: it has its own name (D-792). */
function store(call: Call, { range, storePlanning }: RouteContext): Answer {
  const article = readPlanningBody(call);
  range.checkPlanning?.(article);
  return { kind: 'json', json: { permanentid: storePlanning(article) } };
}

/** Returns one article without its children, which are not restored (D-782). */
function restore({ query }: Call, { range }: RouteContext): Answer {
  const article = found(range.article(query), 'article');
  const alone = { rootid: article.id, reinit: '', children: [], propclasses: [] };
  return { kind: 'json', json: { ...article, ...alone } };
}

/** Fields of POST articles, all required. */
const CHANGE_FIELDS = ['id', 'rootid', 'proptype', 'propclass', 'prop', 'newvalue', 'jsondata'];

const JSON_TYPE = /^application\/json\b/i;

/**
 * Reads the body of POST articles; its content type is ignored.
 *
 * A number is accepted as a value and read as its text; `jsondata` may be an object or its JSON
 * text. A body of another shape is a 400, a body that breaks a rule a 422.
 *
 * @see Spec 4.3, 3 rule 3; D-605, D-790, D-791.
 */
function readChange(call: Call): PropertyChange {
  const body = jsonBody(call, CHANGE_FIELDS);
  const { id, rootid, proptype, propclass, prop, newvalue } = body;
  for (const [name, value] of Object.entries({ id, rootid })) {
    if (!isId(value)) badBody(name, 'an id');
  }
  for (const [name, value] of Object.entries({ propclass, prop })) {
    if (!isText(value)) badBody(name, 'a text that is not empty');
  }
  if (proptype !== 'ocd' && proptype !== 'meta') badBody('proptype', '"ocd" or "meta"');
  if (typeof newvalue !== 'string' && typeof newvalue !== 'number') {
    badBody('newvalue', 'a text or a number');
  }
  const article = topLevelArticle(body.jsondata, 'jsondata');
  // Only the root is reconfigured, as a whole; a property of a child is changed within it.
  checkRule(
    areSame(rootid, article.id),
    `rootid: expected ${article.id}, the id of jsondata, received ${rootid}`,
  );
  const isPart = [article, ...descendantsOf(article)].some((part) => areSame(part.id, id));
  checkRule(isPart, `id: expected ${rootid} or one of its children, received ${id}`);
  const names = { id: String(id), propclass: String(propclass), prop: String(prop) };
  return { proptype, ...names, newvalue: String(newvalue), article };
}

/** Reads the body of POST reinit: `{"json": …}` with a complete top-level article. */
function readPlanningBody(call: Call): Json {
  if (!JSON_TYPE.test(String(call.headers['content-type'] ?? ''))) {
    throw new Refusal(400, 'Content-Type: expected application/json');
  }
  return topLevelArticle(jsonBody(call, ['json']).json, 'json');
}

function jsonBody(call: Call, fields: readonly string[]): Json {
  const body = objectOf(bodyText(call), 'body');
  const missing = fields.find((field) => !Object.hasOwn(body, field));
  if (missing !== undefined) throw new Refusal(400, `${missing}: required`);
  const unknown = Object.keys(body).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw new Refusal(400, `${unknown}: no such field`);
  return body;
}

function bodyText({ body }: Call): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return badBody('body', 'text in UTF-8');
  }
}

/** An object, or the JSON text of one. */
function objectOf(value: unknown, name: string): Json {
  const object = typeof value === 'string' ? parsed(value, name) : value;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    badBody(name, 'a JSON object');
  }
  return object as Json;
}

function parsed(text: string, name: string): unknown {
  try {
    return parseJsonExactly(text);
  } catch {
    return badBody(name, 'JSON');
  }
}

function badBody(name: string, expected: string): never {
  throw new Refusal(400, `${name}: expected ${expected}`);
}

function checkRule(isKept: boolean, sentence: string): void {
  if (!isKept) throw new Refusal(422, sentence);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Whether a value is an id. The specification shows no type: a number counts as its text. */
function isId(value: unknown): boolean {
  return typeof value === 'number' || isText(value);
}

function areSame(id: unknown, other: unknown): boolean {
  return isId(id) && String(id) === String(other);
}

/** A top-level article as POST reinit requires it, or its JSON text; all its children belong to it. */
function topLevelArticle(value: unknown, where: string): Json {
  const article = objectOf(value, where);
  const { id, rootid, children } = article;
  for (const field of ['id', 'rootid']) {
    checkRule(isId(article[field]), `${where}.${field}: expected an id`);
  }
  for (const field of ARTICLE) {
    checkRule(isText(article[field]), `${where}.${field}: expected a text that is not empty`);
  }
  checkRule(Array.isArray(children), `${where}.children: expected an array`);
  const { reinitstring } = (article.ocd ?? {}) as Json;
  checkRule(typeof reinitstring === 'string', `${where}.ocd.reinitstring: expected a text`);
  checkRule(areSame(id, rootid), `${where}: ${id} is a child; expected its root ${rootid}`);
  const isOwn = descendantsOf(article).every((child) => areSame(child.rootid, id));
  checkRule(isOwn, `${where}.children: expected children with rootid ${id}`);
  return article;
}

/** All children, however deep; a child that is no object counts as an empty one. */
function descendantsOf({ children }: Json): Json[] {
  const all: Json[] = [];
  const stack: unknown[] = Array.isArray(children) ? [...children] : [];
  while (stack.length > 0) {
    const child = (stack.pop() ?? {}) as Json;
    all.push(child);
    if (Array.isArray(child.children)) for (const inner of child.children) stack.push(inner);
  }
  return all;
}
