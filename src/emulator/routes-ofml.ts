/** The article group: loading, changing, storing and restoring an article; previews (Spec 4.3). */
import type { Json, PropertyChange } from '../sample/range.ts';
import {
  type Answer,
  ARTICLE,
  bytesOr404,
  type Call,
  jsonOr404,
  loadArticle,
  PLANNING_LIMIT_BYTES,
  Refusal,
  type Route,
  type RouteContext,
  refusedAs422,
} from './route.ts';

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

/** Rows of `{base_url}/api/ofml.dll/ofml`. */
export const OFML_ROUTES: readonly Route[] = [
  {
    operation: 'getarticles',
    path: '/articles',
    required: ARTICLE,
    optional: ['profile', 'currency', 'varcode', 'ocdreinitstring', 'getallproperties'],
    answer: ({ query }, { range }) => ({ kind: 'json', json: loadArticle(query, range) }),
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
];

/**
 * Rows of `{base_url}/api/ocd.dll/ocd`: the same operations at the addresses that `ocd/…` names can mean.
 *
 * @see D-604, D-782.
 */
export const OCD_ROUTES: readonly Route[] = [PREVIEW, RESTORE];

function change(call: Call, { range }: RouteContext): Answer {
  const requested = readChange(call);
  if (range.configure === undefined) throw new Refusal(422, 'a recording cannot be configured');
  const article = refusedAs422(() => range.configure!(call.query, requested));
  return jsonOr404(article, 'article');
}

/** The specification does not show how the identifier comes back: it has its own name here (D-792). */
function store(call: Call, { range, storePlanning }: RouteContext): Answer {
  const article = readPlanningBody(call);
  refusedAs422(() => range.checkPlanning?.(article));
  return { kind: 'json', json: { permanentid: storePlanning(article) } };
}

/** One article without its children: they are not restored (D-782). */
function restore({ query }: Call, { range }: RouteContext): Answer {
  const article = loadArticle(query, range);
  const alone = { rootid: article.id, reinit: '', children: [], propclasses: [] };
  return { kind: 'json', json: { ...article, ...alone } };
}

/** Fields of POST articles, all required. */
const CHANGE_FIELDS = ['id', 'rootid', 'proptype', 'propclass', 'prop', 'newvalue', 'jsondata'];

const JSON_TYPE = /^application\/json\b/i;

/**
 * Reads the body of POST articles, whatever its content type says.
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
  // Only the root is reconfigured, as a whole; a child's property is changed within it.
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
  const body = objectOf(new TextDecoder().decode(call.body), 'body');
  const missing = fields.find((field) => !Object.hasOwn(body, field));
  if (missing !== undefined) throw new Refusal(400, `${missing}: required`);
  const unknown = Object.keys(body).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw new Refusal(400, `${unknown}: no such field`);
  return body;
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
    return JSON.parse(text);
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

/** The type of an id is not shown: a number counts as its text. */
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

/** All children, however deep; what is no object counts as an empty one. */
function descendantsOf({ children }: Json): Json[] {
  const all: Json[] = [];
  const stack: unknown[] = Array.isArray(children) ? [...children] : [];
  while (stack.length > 0) {
    const child = (stack.pop() ?? {}) as Json;
    all.push(child);
    if (Array.isArray(child.children)) stack.push(...child.children);
  }
  return all;
}
