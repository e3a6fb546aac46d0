/** Parses cart posts: checks the identity of the top-level article and leaves the rest untouched. */
import { isRecord, type JsonRecord, mismatch, parseCart } from '../../convert/wire/value.ts';
import { asConverterError, ConverterError } from '../../support/errors.ts';
import { ARTICLE_NAMES } from './planning-url.ts';

export interface Cart {
  /** The top-level article as it was sent, children included. */
  article: JsonRecord;
  id: string;
  /** Permanent identifier, where the post carries one. */
  permanentid: string | undefined;
  warnings: string[];
}

/** Deeper than any planning, and far less than the depth at which `JSON.stringify` fails. */
const MAX_DEPTH = 500;
const EXPECTED_BODY = 'the top-level article, or an object with it as the property json';
const LONGEST_ID = 200;
const IDENTITY = ['id', 'rootid', ...ARTICLE_NAMES] as const;

/**
 * Reads a cart post: an object whose `json` is the top-level article, or the JSON text of it; or the article itself.
 *
 * @throws {@link ConverterError} `CART_INVALID`; `CHILD_WITHOUT_ROOT` where `id` is not `rootid`.
 * @see Spec 4.6; D-811, D-813.
 */
export function readCartPost(bytes: Uint8Array, maxValues?: number): Cart {
  const body = parsed(bytes, 'body', maxValues);
  if (!isRecord(body)) throw unexpected('body', EXPECTED_BODY, body);
  if (!Object.hasOwn(body, 'json')) {
    if (IDENTITY.some((name) => Object.hasOwn(body, name))) return checkCart(body, 'body');
    const names = Object.keys(body).slice(0, 5).map(shown).join(', ') || 'none';
    throw invalid(`body: expected ${EXPECTED_BODY}, received an object with ${names}`);
  }
  const { json } = body;
  const cart = checkCart(
    typeof json === 'string' ? parsed(Buffer.from(json), 'json', maxValues) : json,
  );
  return { ...cart, permanentid: cart.permanentid ?? checkedId(body, 'permanentid', 'body') };
}

/** Checks a top-level article; `where` is its place in an error. @throws {@link ConverterError} as {@link readCartPost}. */
export function checkCart(article: unknown, where = 'json'): Cart {
  if (!isRecord(article)) throw unexpected(where, 'the top-level article', article);
  checkDepth(article, where);
  const [id = '', rootid] = IDENTITY.map((name) => {
    const value = checkedId(article, name, where);
    if (value === undefined) throw unexpected(`${where}.${name}`, 'a text', article[name]);
    return value;
  });
  if (id !== rootid) {
    const received = `${shown(id)}, a child of ${shown(`${rootid}`)}`;
    const message = `${where}: expected the top-level article, received ${received}`;
    throw new ConverterError('CHILD_WITHOUT_ROOT', message);
  }
  checkChildren(article, where);
  const { ocd } = article;
  // The shop would lose the planning of its customer if this was a reason to refuse a cart.
  const warnings =
    isRecord(ocd) && typeof ocd.reinitstring === 'string'
      ? []
      : [`${where}.ocd.reinitstring: missing, so only the default configuration can be loaded`];
  return { article, id, permanentid: checkedId(article, 'permanentid', where), warnings };
}

function parsed(bytes: Uint8Array, where: string, maxValues: number | undefined): unknown {
  try {
    return parseCart(bytes, maxValues);
  } catch (thrown) {
    const { message, help } = asConverterError(thrown);
    throw new ConverterError('CART_INVALID', `${where}: ${message}`, { cause: thrown, help });
  }
}

/** Checks that recursion is safe afterwards; the check makes no lists, since a cart may have a million values. */
function checkDepth(value: object, where: string, depth = 1): void {
  if (depth > MAX_DEPTH)
    throw invalid(`${where}: expected at most ${MAX_DEPTH} nested levels, received more`);
  const check = (inner: unknown) => {
    if (typeof inner === 'object' && inner !== null) checkDepth(inner, where, depth + 1);
  };
  if (Array.isArray(value)) value.forEach(check);
  else for (const name in value) check((value as JsonRecord)[name]);
}

function checkChildren({ children }: JsonRecord, where: string): void {
  if (children === undefined || children === null) return;
  if (!Array.isArray(children)) throw unexpected(`${where}.children`, 'an array', children);
  const at = children.findIndex((child) => !isRecord(child));
  if (at >= 0) throw unexpected(`${where}.children[${at}]`, 'an article', children[at]);
}

/** A text that is not empty; a number is converted to text. */
export function idOf(record: JsonRecord, name: string): string | undefined {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function checkedId(record: JsonRecord, name: string, where: string): string | undefined {
  const value = idOf(record, name);
  if (value === undefined || value.length <= LONGEST_ID) return value;
  const expected = `expected at most ${LONGEST_ID} characters, received ${value.length}`;
  throw invalid(`${where}.${name}: ${expected}`);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function unexpected(where: string, expected: string, received: unknown): ConverterError {
  return mismatch('CART_INVALID', where, expected, received);
}

function invalid(sentence: string): ConverterError {
  return new ConverterError('CART_INVALID', sentence);
}
