/**
 * Migrate: addresses and carts of v1 and v2, as v2.5 takes them.
 *
 * In: an address or a stored cart entry. Out: its new form, what changed, what to look at.
 * It must not ask anybody: the same input gives the same result.
 */
import type { JsonRecord } from '../service/wire-value.ts';
import { migrateCart } from './migrate-cart.ts';
import { migrateUrl } from './migrate-url.ts';
import type { Migration } from './migration.ts';

/** What a migration has to be told. */
export interface MigrateOptions {
  /** `{frontend_url}` of v2.5; needed for every address but those of the API. */
  frontendUrl?: string;
  /** For a cart: the answer of GET articles for it, which has the real `id`. */
  loaded?: unknown;
}

/**
 * Gives an address or a cart entry its v2.5 form; applied to its own result it changes nothing.
 *
 * @throws {@link ConverterError} `USAGE` for an address that is none of the service's, or without a
 *   base to move to; `CART_INVALID` for a cart that is none.
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
