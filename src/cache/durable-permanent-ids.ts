/**
 * Permanent identifiers: the planning behind each one that we have seen. Owns the table `permanent_ids`.
 *
 * In: an identifier with its top-level article. Out: that article, since no operation of the service
 * tells it. It must not know who stored the planning nor what becomes of it.
 */
import type { Database } from './sqlite.ts';

/** The table `permanent_ids`. */
export interface PermanentIds {
  /**
   * The planning that an identifier stands for, as it was received; undefined where it is not known.
   *
   * @param service - See {@link ledgerService}.
   */
  get(service: string, id: string): unknown;
  /** Keeps a planning, instead of what was known of the identifier. */
  put(service: string, id: string, topLevelArticle: unknown): void;
}

/** Schema of the table, in SQL. */
export const PERMANENT_IDS_V1 = `
  CREATE TABLE permanent_ids (
    service TEXT NOT NULL,
    id TEXT NOT NULL,
    article TEXT NOT NULL,
    PRIMARY KEY (service, id)
  ) STRICT, WITHOUT ROWID;`;

/**
 * Names the service to which identifiers belong: languages, profile and currency do not matter, the
 * system does.
 *
 * @param baseUrl - Base address of the API, or what an emulator of ours is called.
 *
 * @example
 * ```ts
 * ledgerService('HTTPS://API.example.com/base/');   // → 'https://api.example.com/base'
 * ledgerService('emulator:sample');                 // → 'emulator:sample'
 * ```
 *
 * @see Spec 9 rule 7; D-802.
 */
export function ledgerService(baseUrl: string): string {
  const address =
    /^https?:/i.test(baseUrl) && URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl;
  return address.replace(/\/+$/, '');
}

/** Opens the table. */
export function openPermanentIds(db: Database): PermanentIds {
  const select = db.prepare('SELECT article FROM permanent_ids WHERE service = ? AND id = ?');
  const replace = db.prepare('INSERT OR REPLACE INTO permanent_ids VALUES (?, ?, ?)');
  return {
    get: (service, id) => {
      const row = select.get(ledgerService(service), id);
      return row && db.json(row.article);
    },
    put: (service, id, topLevelArticle) =>
      replace.run(ledgerService(service), id, JSON.stringify(topLevelArticle)),
  };
}
