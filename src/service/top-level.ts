/**
 * Top level: whether an article is the topmost one of its planning.
 *
 * In: the JSON of an article. Out: nothing, or an error: only a planning as a whole is stored and
 * configured, never one of its children on its own.
 */
import { ConverterError } from '../support/errors.ts';
import { describe, isRecord, type JsonRecord } from './wire-value.ts';

/**
 * Checks that a JSON value is a top-level article: its `id` equals its `rootid`.
 *
 * @param rootid - Where given, the id that it has to have.
 * @throws {@link ConverterError} `CART_INVALID` if it is no article; `CHILD_WITHOUT_ROOT` if it is
 * not the topmost one.
 *
 * @example
 * ```ts
 * expectTopLevel({ id: '2', rootid: '1' }, 'storePlanning'); // throws CHILD_WITHOUT_ROOT
 * ```
 *
 * @see Spec 3 (rule 3), 4.6 (rules).
 */
export function expectTopLevel(article: unknown, operation: string, rootid?: string): void {
  if (!isRecord(article)) {
    const message = `${operation}: expected the JSON of an article, received ${describe(article)}`;
    throw new ConverterError('CART_INVALID', message, { operation });
  }
  const id = idOf(article, 'id', operation);
  const root = idOf(article, 'rootid', operation);
  if (id === root && (rootid === undefined || rootid === id)) return;
  const message = `${operation}: expected the topmost article, received ${id} of the planning ${rootid ?? root}`;
  throw new ConverterError('CHILD_WITHOUT_ROOT', message, { operation });
}

function idOf(article: JsonRecord, field: 'id' | 'rootid', operation: string): string {
  const value = article[field];
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
    return String(value);
  }
  const message = `${operation}: ${field}: expected an id, received ${describe(value)}`;
  throw new ConverterError('CART_INVALID', message, { operation });
}
