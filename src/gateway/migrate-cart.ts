/**
 * Migrate cart: a cart entry of v1 as a top-level article of v2.5.
 *
 * In: the stored entry, and what GET articles answers for it where that was asked. Out: an article
 * that can be loaded, changed and selected. It must not ask the service itself.
 */
import { describe, isRecord, type JsonRecord } from '../service/wire-value.ts';
import { ConverterError } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';
import { checkCart } from './cart.ts';
import { type Change, type Hint, type Migration, V1_NAMES, type V1Name } from './migration.ts';

const REQUIRED = ['manuid', 'seriesid', 'baseartnmbr'] as const;

/**
 * Gives a cart entry of v1 the shape of v2.5; one of v2.5 comes back as it is.
 *
 * A v1 entry holds no `id`, which only the service gives. Without `loaded` the result has one of
 * ours, the same for the same entry, and a hint says so.
 *
 * @param entry - `manuid`, `seriesid`, `baseartnmbr`, `reinitstring`; what else it holds is kept.
 * @param loaded - Answer of GET articles for this article with its reinit string.
 * @throws {@link ConverterError} `CART_INVALID` where it is neither, or `loaded` is another article.
 *
 * @example
 * ```ts
 * migrateCart({ manuid: 'ACME', seriesid: 'DESK', baseartnmbr: 'D1', reinitstring: 'D1;W=2::' }).after;
 * // → { id: 'v1-…', rootid: 'v1-…', manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1',
 * //     propclasses: [], children: [], ocd: { reinitstring: 'D1;W=2::' } }
 * ```
 *
 * @see Spec 9.5; D-816.
 */
export function migrateCart(entry: unknown, loaded?: unknown): Migration<JsonRecord> {
  if (!isRecord(entry)) throw invalid(`expected an object, received ${describe(entry)}`);
  if (entry.id !== undefined && entry.rootid !== undefined) return unchanged(entry);
  const missing = REQUIRED.filter((name) => textOf(entry, name) === '');
  if (missing.length > 0) throw invalid(`${missing.join(', ')} missing; and no v2.5 cart either`);
  const article = toArticle(entry);
  if (loaded === undefined) {
    return {
      from: 'v1',
      before: entry,
      after: article,
      changes: changesOf(entry),
      hints: [MADE_UP],
    };
  }
  const { article: after } = checkCart(loaded);
  for (const name of REQUIRED) {
    const expected = article[V1_NAMES[name]];
    const received = after[V1_NAMES[name]];
    if (String(received) !== expected) {
      throw invalid(
        `loaded.${V1_NAMES[name]}: expected "${expected}", received ${describe(received)}`,
      );
    }
  }
  return { from: 'v1', before: entry, after, changes: changesOf(entry), hints: [] };
}

const MADE_UP: Hint = {
  code: 'CART_ID_MADE_UP',
  message:
    'a v1 cart has no id: this one is ours. Load the article (GET articles with ocdreinitstring) and hand the answer in to get the real one before it is changed or stored at the service',
};

function unchanged(entry: JsonRecord): Migration<JsonRecord> {
  const isRoot = String(entry.id) === String(entry.rootid);
  const message = 'id is not rootid: a child is reconfigured through its root alone (Spec 9.5)';
  const hints: Hint[] = isRoot ? [] : [{ code: 'CART_IS_A_CHILD', message }];
  return { from: 'v2.5', before: entry, after: entry, changes: [], hints };
}

function toArticle(entry: JsonRecord): JsonRecord {
  const { manuid, seriesid, baseartnmbr, finalartnmbr, reinitstring, ...rest } = entry;
  const text = (name: V1Name) => textOf(entry, name);
  const identity = (Object.keys(V1_NAMES) as V1Name[]).map(text);
  const id = `v1-${sha256Hex(JSON.stringify(identity)).slice(0, 16)}`;
  const finalNumber = text('finalartnmbr');
  return {
    ...rest,
    id,
    rootid: id,
    manufacturer: text('manuid'),
    program: text('seriesid'),
    basearticlenumber: text('baseartnmbr'),
    propclasses: [],
    children: [],
    ocd: {
      ...(finalNumber === '' ? {} : { finalarticlenumber: finalNumber }),
      reinitstring: text('reinitstring'),
    },
  };
}

/** In a cart the configuration string is a field of the commercial data, not a parameter. */
const PLACES: Readonly<Record<V1Name, string>> = {
  ...V1_NAMES,
  finalartnmbr: 'ocd.finalarticlenumber',
  reinitstring: 'ocd.reinitstring',
};

function changesOf(entry: JsonRecord): Change[] {
  return (Object.keys(PLACES) as V1Name[])
    .filter((name) => Object.hasOwn(entry, name))
    .map((name) => ({ before: name, after: PLACES[name], why: 'Spec 9.3, 9.5' }));
}

/** Old shops stored numbers as numbers. */
function textOf(entry: JsonRecord, name: V1Name): string {
  const value = Object.hasOwn(entry, name) ? entry[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function invalid(sentence: string): ConverterError {
  return new ConverterError('CART_INVALID', `cart: ${sentence}`);
}
