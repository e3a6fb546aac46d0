/** What sources know of a store that several machines share. */
import type { ArticleRequest } from '../../model/article.ts';
import type { SharedResponses } from '../../source/cache/cached-responses.ts';
import type { ContentStore, SharedDerivedData } from '../../source/cache/content-store.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';

/** The responses, bodies and snapshots of a store. */
export interface SharedSources {
  /** For people: its address, or its folder. */
  readonly name: string;
  readonly responses: SharedResponses;
  readonly derived: SharedDerivedData;
  /** Puts the bodies of this machine before those of the store; `flush` waits until the store has all. */
  bodies(own: ContentStore): ContentStore & { flush(): Promise<void> };
  /** Takes the snapshots of the series of a request into the database. @param service - Its name there. */
  loadSnapshots(database: CacheDatabase, service: string, request: ArticleRequest): Promise<void>;
}
