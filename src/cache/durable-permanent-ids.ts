/** The durable table of the plannings behind permanent identifiers: no operation of the service answers them. */
import { Table } from './sqlite.ts';

/** The table `durable_permanent_ids`. Identifiers belong to a service: see {@link permanentIdService}. */
export class DurablePermanentIds extends Table {
  /** The top-level article as it was received; undefined if the identifier is not known. */
  get(service: string, id: string): unknown {
    const sql = 'SELECT article FROM durable_permanent_ids WHERE service = ? AND id = ?';
    const row = this.db.get(sql, permanentIdService(service), id);
    return row && this.db.json(row.article);
  }

  /** Stores a planning; it replaces the known one of the identifier. */
  put(service: string, id: string, topLevelArticle: unknown): void {
    const sql = 'INSERT OR REPLACE INTO durable_permanent_ids VALUES (?, ?, ?)';
    this.db.run(sql, permanentIdService(service), id, JSON.stringify(topLevelArticle));
  }
}

/**
 * Names the service to which identifiers belong: its system, whatever language, profile and currency.
 *
 * @param baseUrl - Base address of the API, or the name of an emulator.
 *
 * @example
 * ```ts
 * permanentIdService('HTTPS://API.example.com/base/');   // → 'https://api.example.com/base'
 * permanentIdService('emulator:sample');                 // → 'emulator:sample'
 * ```
 *
 * @see Spec 9 rule 7; D-802.
 */
function permanentIdService(baseUrl: string): string {
  const address =
    /^https?:/i.test(baseUrl) && URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl;
  return address.replace(/\/+$/, '');
}
