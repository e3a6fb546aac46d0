/**
 * Bodies: the JSON that clients post, checked for shape.
 *
 * In: bytes. Out: objects of the wire, or a refusal with status 400 (no such shape) or 422 (a shape
 * that breaks a rule). Nothing of a body is ever merged into an object of ours.
 */
import type { Json, PropertyChange } from '../sample/range.ts';
import { type Call, Refusal } from './route.ts';

/** Fields of POST articles, all required. */
const CHANGE_FIELDS = [
  'id',
  'rootid',
  'proptype',
  'propclass',
  'prop',
  'newvalue',
  'jsondata',
] as const;

const JSON_TYPE = /^application\/json\b/i;

/** Fields that a stored article must have. @see Spec 4.3 (reinit). */
const ARTICLE_FIELDS = ['id', 'rootid', 'manufacturer', 'program', 'basearticlenumber'] as const;

/**
 * Reads the body of POST articles, whatever its content type says.
 *
 * A number is taken for a value as its text; `jsondata` may be an object or its JSON text.
 *
 * @throws {@link Refusal} 400 for a body of another shape, 422 for a child or for identifiers that
 * are not those of the article.
 *
 * @see Spec 4.3, 3 rule 3; D-605, D-790, D-791.
 */
export function readChange(call: Call): PropertyChange {
  const body = jsonBody(call, CHANGE_FIELDS);
  const { id, rootid, proptype, propclass, prop, newvalue } = body;
  for (const [name, value] of Object.entries({ id, rootid, propclass, prop })) {
    if (typeof value !== 'string' || value === '') badBody(name, 'a text that is not empty');
  }
  if (proptype !== 'ocd' && proptype !== 'meta') badBody('proptype', '"ocd" or "meta"');
  if (typeof newvalue !== 'string' && typeof newvalue !== 'number') {
    badBody('newvalue', 'a text or a number');
  }
  const article = objectOf(body.jsondata, 'jsondata');
  checkTopLevel(article, 'jsondata');
  checkIdentifiers(String(id), String(rootid), article);
  return {
    proptype,
    propclass: String(propclass),
    prop: String(prop),
    newvalue: String(newvalue),
    article,
  };
}

/**
 * Reads the body of POST reinit: `{"json": …}` with a complete top-level article.
 *
 * @throws {@link Refusal} 400 for a body of another shape, 422 for a child or an incomplete article.
 */
export function readPlanningBody(call: Call): Json {
  if (!JSON_TYPE.test(String(call.headers['content-type'] ?? ''))) {
    throw new Refusal(400, 'Content-Type: expected application/json');
  }
  const article = objectOf(jsonBody(call, ['json']).json, 'json');
  checkTopLevel(article, 'json');
  return article;
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

/** A top-level article with all that a stored one must have. */
function checkTopLevel(article: Json, where: string): void {
  for (const field of ARTICLE_FIELDS) {
    const value = article[field];
    if (typeof value !== 'string' || value === '') {
      throw new Refusal(422, `${where}.${field}: expected a text that is not empty`);
    }
  }
  if (!Array.isArray(article.children)) {
    throw new Refusal(422, `${where}.children: expected an array`);
  }
  const { reinitstring } = (article.ocd ?? {}) as Json;
  if (typeof reinitstring !== 'string') {
    throw new Refusal(422, `${where}.ocd.reinitstring: expected a text`);
  }
  if (article.id !== article.rootid) {
    throw new Refusal(
      422,
      `${where}: ${article.id} is a child; expected its root ${article.rootid}`,
    );
  }
  checkChildren(article, where);
}

/** Every child, however deep, belongs to the root. */
function checkChildren(root: Json, where: string): void {
  const stack: unknown[] = [...(root.children as unknown[])];
  while (stack.length > 0) {
    const child = (stack.pop() ?? {}) as Json;
    if (child.rootid !== root.id) {
      throw new Refusal(422, `${where}.children: expected children with rootid ${root.id}`);
    }
    if (Array.isArray(child.children)) stack.push(...child.children);
  }
}

/** Only the root is reconfigured, as a whole. */
function checkIdentifiers(id: string, rootid: string, root: Json): void {
  if (rootid !== root.id) {
    throw new Refusal(422, `rootid: expected ${root.id}, the id of jsondata, received ${rootid}`);
  }
  if (id !== rootid) {
    throw new Refusal(422, `id: a child is never changed without its root; expected ${rootid}`);
  }
}
