import { afterEach } from 'vitest';
import { type CacheDatabase, openCacheDatabase } from '../../src/source/cache/database.ts';
import { folderPerTest } from './folder-per-test.ts';

/** Gives each test a folder, as {@link folderPerTest}, and what opens cache databases in it that are closed after it. */
export function cachePerTest() {
  const at = folderPerTest();
  const opened: CacheDatabase[] = [];
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
  });
  const open = async (...names: string[]): Promise<CacheDatabase> => {
    const database = await openCacheDatabase(at(...names));
    opened.push(database);
    return database;
  };
  return { at, open };
}
