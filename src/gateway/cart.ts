/**
 * Cart: what a cart post holds, checked at the door.
 *
 * In: the bytes of a post. Out: the top-level article, whole, with what identifies it.
 * It must not interpret the article beyond its identity: the rest passes through untouched.
 */
import { isTooDeep } from '../service/wire-depth.ts';
import { parseJson } from '../service/wire-fields.ts';
import { describe, isRecord, type JsonRecord } from '../service/wire-value.ts';
import { asConverterError, ConverterError } from '../support/errors.ts';

/** A cart that can be stored. */
export interface Cart {
  /** The top-level article as it was sent, children included. */
  article: JsonRecord;
  id: string;
  /** Permanent identifier, where the post carries one. */
  permanentid: string | undefined;
  /** What is odd about it, without being wrong. */
  warnings: string[];
}

/** Deeper than any planning, and well within what JSON can be written again from. */
const DEEPEST = 500;
const LONGEST_SHOWN = 80;
const NAMES = ['manufacturer', 'program', 'basearticlenumber'] as const;

/**
 * Reads a cart post: an object whose `json` is the top-level article, or the JSON text of it.
 *
 * @throws {@link ConverterError} `CART_INVALID`; `CHILD_WITHOUT_ROOT` where `id` is not `rootid`.
 *
 * @example
 * ```ts
 * readCartPost(utf8('{"json":{"id":"7","rootid":"7","manufacturer":"ACME", …}}')).id; // → '7'
 * ```
 *
 * @see Spec 4.6; D-811, D-813.
 */
export function readCartPost(bytes: Uint8Array): Cart {
  const body = parsed(bytes, 'body');
  if (!isRecord(body) || !Object.hasOwn(body, 'json')) {
    const received = isRecord(body) ? `one with ${names(body)}` : describe(body);
    throw invalid(`body: expected an object with the property json, received ${received}`);
  }
  const { json } = body;
  const cart = checkCart(typeof json === 'string' ? parsed(Buffer.from(json), 'json') : json);
  return { ...cart, permanentid: cart.permanentid ?? idOf(body, 'permanentid') };
}

/**
 * Checks a top-level article.
 *
 * @throws {@link ConverterError} as {@link readCartPost}.
 */
export function checkCart(article: unknown): Cart {
  if (!isRecord(article)) {
    throw invalid(`json: expected the top-level article, received ${describe(article)}`);
  }
  checkDepth(article);
  const id = requiredText(article, 'id');
  const rootid = requiredText(article, 'rootid');
  if (id !== rootid) {
    throw new ConverterError(
      'CHILD_WITHOUT_ROOT',
      `json: article ${shown(id)} is a child of ${shown(rootid)}; post the top-level article, which holds it`,
    );
  }
  for (const name of NAMES) requiredText(article, name);
  checkChildren(article);
  return { article, id, permanentid: idOf(article, 'permanentid'), warnings: warningsOf(article) };
}

function parsed(bytes: Uint8Array, where: string): unknown {
  // Before it is parsed: the depth that is checked below is that of a text which a parser survived.
  if (isTooDeep(bytes)) throw invalid(`${where}: nested deeper than ${DEEPEST} levels`);
  try {
    return parseJson(bytes);
  } catch (cause) {
    const { message } = asConverterError(cause);
    throw new ConverterError('CART_INVALID', `${where}: ${message}`, { cause });
  }
}

/** By a loop: what is checked here is that recursion is safe afterwards. */
function checkDepth(root: JsonRecord): void {
  let level: unknown[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > DEEPEST) throw invalid(`json: nested deeper than ${DEEPEST} levels`);
    level = level.flatMap((value) => Object.values(value as object).filter(isNested));
  }
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function checkChildren({ children }: JsonRecord): void {
  if (children === undefined || children === null) return;
  if (!Array.isArray(children)) {
    throw invalid(`json.children: expected an array, received ${describe(children)}`);
  }
  const at = children.findIndex((child) => !isRecord(child));
  if (at >= 0) {
    throw invalid(`json.children[${at}]: expected an article, received ${describe(children[at])}`);
  }
}

/** A cart is not refused for these: a shop would lose what its customer planned. */
function warningsOf({ ocd }: JsonRecord): string[] {
  if (isRecord(ocd) && typeof ocd.reinitstring === 'string') return [];
  return ['json.ocd.reinitstring: missing, so only the default configuration can be loaded'];
}

function requiredText(article: JsonRecord, name: string): string {
  const value = idOf(article, name);
  if (value !== undefined) return value;
  throw invalid(`json.${name}: expected a text, received ${describe(article[name])}`);
}

/** A number in the place of an identifier is read as its own spelling. */
function idOf(record: JsonRecord, name: string): string | undefined {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
    ? String(value)
    : undefined;
}

function names(record: JsonRecord): string {
  const keys = Object.keys(record).slice(0, 5);
  return keys.length === 0 ? 'none' : keys.map(shown).join(', ');
}

function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

function invalid(sentence: string): ConverterError {
  return new ConverterError('CART_INVALID', sentence);
}
