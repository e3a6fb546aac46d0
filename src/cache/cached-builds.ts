/** The tables of what was built from which sources, and of why each configuration was or was not built. */

import type { Built } from '../model/asset.ts';
import type { Decision } from '../model/result.ts';
import type { Digest } from '../model/snapshot.ts';
import { EVICTED_AFTER_MS, isUseStale } from './eviction.ts';
import { Table } from './sqlite.ts';

/** The table `cached_builds`: GLBs by the digest of their sources, also of runs that published no manifest. */
export class CachedBuilds extends Table {
  /** Recorded use of each build that was used since the table was opened. */
  readonly #used = new Map<Digest, number>();

  get(source: Digest): Built | undefined {
    const sql = 'SELECT record, used_at FROM cached_builds WHERE source = ?';
    const row = this.db.get<{ record: string; used_at: number }>(sql, source);
    if (row === undefined) return undefined;
    this.#used.set(source, row.used_at);
    return this.db.json(row.record);
  }

  put(source: Digest, built: Built): void {
    const sql = 'INSERT OR REPLACE INTO cached_builds (source, record) VALUES (?, ?)';
    this.db.run(sql, source, JSON.stringify(built));
  }

  /** Records what was used since the table was opened, and evicts what was not used for long. */
  evict(now: number): void {
    this.db.transaction(() => {
      for (const [source, usedAt] of this.#used) {
        if (!isUseStale(usedAt, now)) continue;
        this.db.run('UPDATE cached_builds SET used_at = ? WHERE source = ?', now, source);
      }
      this.#used.clear();
      this.db.run('UPDATE cached_builds SET used_at = ? WHERE used_at = 0', now);
      this.db.run('DELETE FROM cached_builds WHERE used_at < ?', now - EVICTED_AFTER_MS);
    });
  }
}

/** A decision and the run that made it. */
export interface StoredDecision extends Decision {
  /** Id of the run; for `kept` the first that found it so. */
  run: string;
}

/** The table `cached_decisions`: of the last run that processed a configuration, by output folder. */
export class CachedDecisions extends Table {
  get(outputDir: string, key: string): StoredDecision | undefined {
    const sql = 'SELECT run, tier, why FROM cached_decisions WHERE output = ? AND key = ?';
    const row = this.db.get<Omit<StoredDecision, 'why'> & { why: string }>(sql, outputDir, key);
    return row && { run: row.run, tier: row.tier, why: this.db.json(row.why) };
  }

  /** Stores the decisions of one run in one step; a `kept` that follows a `kept` is not written again. */
  putAll(outputDir: string, run: string, decisions: Iterable<[key: string, Decision]>): void {
    this.db.transaction(() => {
      const kept = new Set(this.#keys(outputDir, "AND tier = 'kept'"));
      for (const [key, { tier, why }] of decisions) {
        if (tier === 'kept' && kept.has(key)) continue;
        const sql = 'INSERT OR REPLACE INTO cached_decisions VALUES (?, ?, ?, ?, ?)';
        this.db.run(sql, outputDir, key, run, tier, JSON.stringify(why));
      }
    });
  }

  /** Deletes the decisions of an output folder about configurations that no longer exist. */
  keepOnly(outputDir: string, known: { has(key: string): boolean }): void {
    this.db.transaction(() => {
      for (const key of this.#keys(outputDir)) {
        if (known.has(key)) continue;
        this.db.run('DELETE FROM cached_decisions WHERE output = ? AND key = ?', outputDir, key);
      }
    });
  }

  #keys(outputDir: string, condition = ''): string[] {
    const sql = `SELECT key FROM cached_decisions WHERE output = ? ${condition}`;
    return this.db.all<{ key: string }>(sql, outputDir).map(({ key }) => key);
  }
}
