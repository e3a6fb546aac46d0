/** The durable table of the plannings behind permanent identifiers: no operation of the service answers them. */
import { Table } from './sqlite.ts';

/** The table `durable_permanent_ids`. A service is given by the base address of its API. @see Spec 9 rule 7; D-802. */
export class DurablePermanentIds extends Table {
  /** The top-level article as it was received; undefined if the identifier is not known. */
  get(service: string, id: string): unknown {
    const sql = 'SELECT article FROM durable_permanent_ids WHERE service = ? AND id = ?';
    const row = this.db.get<{ article: string }>(sql, permanentIdService(service), id);
    return row && this.db.json(row.article);
  }

  /** Stores a planning; it replaces the known one of the identifier. */
  put(service: string, id: string, topLevelArticle: unknown): void {
    const sql = 'INSERT OR REPLACE INTO durable_permanent_ids VALUES (?, ?, ?)';
    this.db.run(sql, permanentIdService(service), id, JSON.stringify(topLevelArticle));
  }
}

/** The system of a service, whatever its language, profile and currency: an address or an emulator. */
function permanentIdService(baseUrl: string): string {
  const address =
    /^https?:/i.test(baseUrl) && URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl;
  return address.replace(/\/+$/, '');
}
