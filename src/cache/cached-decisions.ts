/**
 * Decisions: why each configuration was or was not built in the last run that saw it. Owns the table
 * `decisions`.
 *
 * In: a run's decisions, all at once. Out: one of them, for `explain`.
 */
import type { Database } from './sqlite.ts';

/** What decided, the cheapest first. */
export type Tier =
  /** Nothing was asked: the data is known to be in the same state. */
  | 'kept'
  /** The parts list was asked for and is the same; blocks and images are known to hold. */
  | 'parts-list'
  /** Bodies were asked for, and have the same content. */
  | 'digest'
  /** It was built. */
  | 'built'
  /** It failed. */
  | 'failed';

/** Why a configuration was or was not built. */
export interface Decision {
  tier: Tier;
  /** Why it was built, in words; else empty. */
  why: string[];
}

/** A decision and the run that took it. */
export interface StoredDecision extends Decision {
  /** Id of the run; of one that is kept the first that found it so. */
  run: string;
}

/** The table `decisions`. */
export interface Decisions {
  /** @param key - Names the configuration. */
  get(outputDir: string, key: string): StoredDecision | undefined;
  /** Stores the decisions of one run in one step; what is kept again stays as it is. */
  putAll(outputDir: string, run: string, decisions: Iterable<[key: string, Decision]>): void;
  /** Forgets the configurations of an output folder that are no more. */
  keepOnly(outputDir: string, known: { has(key: string): boolean }): void;
}

/** Schema of the table, in SQL. */
export const DECISIONS_V1 = `
  CREATE TABLE decisions (
    output TEXT NOT NULL,
    key TEXT NOT NULL,
    run TEXT NOT NULL,
    tier TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (output, key)
  ) STRICT, WITHOUT ROWID;`;

/** Opens the table. */
export function openDecisions(db: Database): Decisions {
  const select = db.prepare('SELECT run, tier, why FROM decisions WHERE output = ? AND key = ?');
  const keys = db.prepare('SELECT key FROM decisions WHERE output = ?');
  const remove = db.prepare('DELETE FROM decisions WHERE output = ? AND key = ?');
  const keptOnes = db.prepare("SELECT key FROM decisions WHERE output = ? AND tier = 'kept'");
  const replace = db.prepare('INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?)');
  return {
    get: (outputDir, key) => {
      const row = select.get(outputDir, key);
      if (row === undefined) return undefined;
      const why = JSON.parse(String(row.why)) as string[];
      return { run: String(row.run), tier: String(row.tier) as Tier, why };
    },
    putAll: (outputDir, run, decisions) =>
      db.transaction(() => {
        const kept = new Set(keptOnes.all(outputDir).map((row) => row.key));
        for (const [key, { tier, why }] of decisions) {
          if (tier === 'kept' && kept.has(key)) continue;
          replace.run(outputDir, key, run, tier, JSON.stringify(why));
        }
      }),
    keepOnly: (outputDir, known) =>
      db.transaction(() => {
        const all = keys.all(outputDir).map((row) => String(row.key));
        for (const key of all) if (!known.has(key)) remove.run(outputDir, key);
      }),
  };
}
