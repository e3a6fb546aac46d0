/** Reads the rows of a cache database without the code of the converter. */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { temporaryFolder } from './temporary.ts';

/** What a state holds. */
export interface StateRows {
  /** Every answer that was stored, as `<operation of the emulator> <name>`, with the start of the run that asked. */
  answers: Map<string, number>;
  /** Runs that were begun and did not come to their end. */
  unfinished: number;
  /** Sources of what was built, and whether {@link markBuilds} has marked their rows since. */
  builds: Map<string, boolean>;
}

/** Names of operations, and what of a request's key is the name of the thing, as a counted range tallies it. */
const NAMES: Readonly<Record<string, (key: string[]) => string>> = {
  getNodes: ([parentnode]) => `getnodes ${parentnode}`,
  getArticle: ([, , number]) => `getarticles ${number}`,
  getPartsList: ([, , number]) => `btg ${number}`,
  getBlock: ([name]) => `block ${name}`,
  getMaterial: ([manufacturer, name]) => `materials ${manufacturer}/${name}`,
};

/** Reads the state of a killed process from a copy, so that its own files stay as they were left. */
export async function readStateRows(cacheDir: string): Promise<StateRows> {
  const folder = await temporaryFolder();
  try {
    for (const name of ['state.db', 'state.db-wal']) {
      await copyFile(join(cacheDir, name), join(folder, name)).catch(() => undefined);
    }
    return rowsOf(join(folder, 'state.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Marks each row of what was built: the mark is gone once it is built again. */
export function markBuilds(cacheDir: string): void {
  const db = new Libsql(join(cacheDir, 'state.db'));
  db.exec(`UPDATE cached_builds SET record = json_set(record, '$.marked', 1)`);
  db.close();
}

function rowsOf(file: string): StateRows {
  const db = new Libsql(file);
  try {
    const answers = new Map<string, number>();
    const builds = new Map<string, boolean>();
    for (const { operation, request, requested_at } of select(db, 'cached_responses')) {
      const name = NAMES[operation!]?.(JSON.parse(request!));
      if (name !== undefined) answers.set(name, Number(requested_at));
    }
    for (const { source, record } of select(db, 'cached_builds')) {
      builds.set(source!, (JSON.parse(record!) as { marked?: number }).marked === 1);
    }
    return { answers, builds, unfinished: select(db, 'durable_runs').length };
  } finally {
    db.close();
  }
}

/** Every row of a table; none where it was not made yet. */
function select(db: Libsql.Database, table: string): Record<string, string>[] {
  if (!hasTable(db, table)) return [];
  return db.prepare(`SELECT * FROM ${table}`).all() as Record<string, string>[];
}

function hasTable(db: Libsql.Database, table: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) !== undefined;
}
