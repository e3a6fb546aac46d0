/** Converts addresses and carts of v1 and v2 to v2.5, without any request. */
import { isRecord, type JsonRecord, mismatch } from '../../convert/wire/value.ts';
import { ConverterError } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import { checkCart, idOf } from '../servers/cart.ts';
import { ARTICLE_NAMES } from '../servers/planning-url.ts';
import { type Hint, type Migration, migrateUrl, V1_NAMES } from './migrate-url.ts';

/** Additional input of a migration. */
export interface MigrateOptions {
  /** `{frontend_url}` of v2.5; required for every address except those of the API. */
  frontendUrl?: string;
  /** For a cart: the answer of GET articles for it, which has the real `id`. */
  loaded?: unknown;
}

/**
 * Converts an address or a cart entry to v2.5; a result of this function is returned unchanged.
 *
 * A v1 cart has no `id`, which only the service assigns. Without `loaded` the result has a generated
 * id, the same for the same entry, and a hint.
 *
 * @throws {@link ConverterError} `USAGE` for an address that is not of the service, or that needs
 *   `frontendUrl`; `CART_INVALID` for an invalid cart, or if `loaded` is another article.
 *
 * @example
 * ```ts
 * migrate('https://old.example/planning?token=T&lang=en', { frontendUrl: 'https://plan.example' });
 * // → { from: 'v2', after: 'https://plan.example/planning?token=T&lang=en', changes: […], hints: [], … }
 * migrate({ manuid: 'ACME', seriesid: 'DESK', baseartnmbr: 'D1', reinitstring: '' }).after.program; // → 'DESK'
 * ```
 *
 * @see Spec 9; D-815, D-816.
 */
export function migrate(input: string, options?: MigrateOptions): Migration<string>;
export function migrate(input: JsonRecord, options?: MigrateOptions): Migration<JsonRecord>;
export function migrate(
  input: string | JsonRecord,
  options: MigrateOptions = {},
): Migration<string> | Migration<JsonRecord> {
  return typeof input === 'string'
    ? migrateUrl(input, options.frontendUrl)
    : migrateCart(input, options.loaded);
}

type V1Name = keyof typeof V1_NAMES;

const V1_KEYS = Object.keys(V1_NAMES) as V1Name[];
const REQUIRED = ['manuid', 'seriesid', 'baseartnmbr'] as const;

/** Names in a cart, in which both are fields of the commercial data, not parameters. */
const CART_NAMES: Readonly<Record<V1Name, string>> = {
  ...V1_NAMES,
  finalartnmbr: 'ocd.finalarticlenumber',
  reinitstring: 'ocd.reinitstring',
};

const MADE_UP: Hint = {
  code: 'CART_ID_MADE_UP',
  message:
    'a v1 cart has no id: this one is generated. Before you change the article or store it at the service, load it (GET articles with ocdreinitstring) and pass the response to get the real id',
};
const CHILD: Hint = {
  code: 'CART_IS_A_CHILD',
  message: 'id is not rootid: reconfigure a child through its root (Spec 9.5)',
};

function migrateCart(entry: unknown, loaded: unknown): Migration<JsonRecord> {
  if (!isRecord(entry)) throw mismatch('CART_INVALID', 'cart', 'an object', entry);
  if (entry.id !== undefined && entry.rootid !== undefined) {
    const hints = String(entry.id) === String(entry.rootid) ? [] : [CHILD];
    return { from: 'v2.5', before: entry, after: entry, changes: [], hints };
  }
  const missing = REQUIRED.filter((name) => idOf(entry, name) === undefined);
  if (missing.length > 0) {
    const sentence = `expected a cart of v1 or v2.5, received one without ${missing.join(', ')}`;
    throw new ConverterError('CART_INVALID', `cart: ${sentence}`);
  }
  const names = V1_KEYS.filter((name) => Object.hasOwn(entry, name));
  const why = 'Spec 9.3, 9.5';
  const changes = names.map((before) => ({ before, after: CART_NAMES[before], why }));
  const made = toArticle(entry);
  const [after, hints] = loaded === undefined ? [made, [MADE_UP]] : [checkLoaded(loaded, made), []];
  return { from: 'v1', before: entry, after, changes, hints };
}

/** Converts the fields of the identity; the other fields of the entry are kept. */
function toArticle(entry: JsonRecord): JsonRecord {
  const { manuid, seriesid, baseartnmbr, finalartnmbr, reinitstring, ...rest } = entry;
  const identity = V1_KEYS.map((name) => idOf(entry, name) ?? '');
  const [manufacturer, program, basearticlenumber, finalarticlenumber, configuration] = identity;
  const id = `v1-${sha256Hex(JSON.stringify(identity)).slice(0, 16)}`;
  return {
    ...rest,
    id,
    rootid: id,
    basearticlenumber,
    manufacturer: manufacturer?.toUpperCase(),
    program: program?.toUpperCase(),
    propclasses: [],
    children: [],
    ocd: { ...(finalarticlenumber && { finalarticlenumber }), reinitstring: configuration },
  };
}

function checkLoaded(loaded: unknown, expected: JsonRecord): JsonRecord {
  const { article } = checkCart(loaded);
  for (const name of ARTICLE_NAMES) {
    if (String(article[name]) === expected[name]) continue;
    throw mismatch('CART_INVALID', `cart: loaded.${name}`, `"${expected[name]}"`, article[name]);
  }
  return article;
}
