/** The tables of what was built from which sources, and of why each configuration was or was not built. */

import type { Built } from '../model/asset.ts';
import type { Decision, Tier } from '../model/result.ts';
import type { Digest } from '../model/snapshot.ts';
import { EVICTED_AFTER_MS, isUseStale } from './eviction.ts';
import type { Sqlite } from './sqlite.ts';

/**
 * The table `cached_builds`: GLBs by the digest of their sources.
 *
 * A run publishes its manifest at the end; the next one finds here what an interrupted run has built.
 */
export class CachedBuilds {
  readonly #db: Sqlite;
  readonly #select;
  readonly #replace;
  readonly #use;
  readonly #addUses;
  readonly #evict;
  /** Recorded use of each build that was used since the table was opened. */
  readonly #used = new Map<Digest, number>();

  constructor(db: Sqlite) {
    this.#db = db;
    this.#select = db.prepare('SELECT record, used_at FROM cached_builds WHERE source = ?');
    this.#replace = db.prepare(
      'INSERT OR REPLACE INTO cached_builds (source, record) VALUES (?, ?)',
    );
    this.#use = db.prepare('UPDATE cached_builds SET used_at = ? WHERE source = ?');
    this.#addUses = db.prepare('UPDATE cached_builds SET used_at = ? WHERE used_at = 0');
    this.#evict = db.prepare('DELETE FROM cached_builds WHERE used_at < ?');
  }

  get(source: Digest): Built | undefined {
    const row = this.#select.get(source);
    if (row === undefined) return undefined;
    this.#used.set(source, Number(row.used_at));
    return this.#db.json(row.record);
  }

  put(source: Digest, built: Built): void {
    this.#replace.run(source, JSON.stringify(built));
  }

  /** Records what was used since the table was opened, and evicts what was not used for long. */
  evict(now: number): void {
    this.#db.transaction(() => {
      for (const [source, usedAt] of this.#used) {
        if (isUseStale(usedAt, now)) this.#use.run(now, source);
      }
      this.#used.clear();
      this.#addUses.run(now);
      this.#evict.run(now - EVICTED_AFTER_MS);
    });
  }
}

/** A decision and the run that made it. */
export interface StoredDecision extends Decision {
  /** Id of the run; for `kept` the first that found it so. */
  run: string;
}

/** The table `cached_decisions`: of the last run that processed a configuration, by output folder. */
export class CachedDecisions {
  readonly #db: Sqlite;
  readonly #select;
  readonly #keys;
  readonly #keptKeys;
  readonly #replace;
  readonly #delete;

  constructor(db: Sqlite) {
    this.#db = db;
    this.#select = db.prepare(
      'SELECT run, tier, why FROM cached_decisions WHERE output = ? AND key = ?',
    );
    this.#keys = db.prepare('SELECT key FROM cached_decisions WHERE output = ?');
    this.#keptKeys = db.prepare(
      "SELECT key FROM cached_decisions WHERE output = ? AND tier = 'kept'",
    );
    this.#replace = db.prepare('INSERT OR REPLACE INTO cached_decisions VALUES (?, ?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM cached_decisions WHERE output = ? AND key = ?');
  }

  get(outputDir: string, key: string): StoredDecision | undefined {
    const row = this.#select.get(outputDir, key);
    if (row === undefined) return undefined;
    const why = JSON.parse(String(row.why)) as string[];
    return { run: String(row.run), tier: String(row.tier) as Tier, why };
  }

  /** Stores the decisions of one run in one step; a `kept` that follows a `kept` is not written again. */
  putAll(outputDir: string, run: string, decisions: Iterable<[key: string, Decision]>): void {
    this.#db.transaction(() => {
      const kept = new Set(this.#keptKeys.all(outputDir).map((row) => row.key));
      for (const [key, { tier, why }] of decisions) {
        if (tier === 'kept' && kept.has(key)) continue;
        this.#replace.run(outputDir, key, run, tier, JSON.stringify(why));
      }
    });
  }

  /** Deletes the decisions of an output folder about configurations that no longer exist. */
  keepOnly(outputDir: string, known: { has(key: string): boolean }): void {
    this.#db.transaction(() => {
      const all = this.#keys.all(outputDir).map((row) => String(row.key));
      for (const key of all) if (!known.has(key)) this.#delete.run(outputDir, key);
    });
  }
}
