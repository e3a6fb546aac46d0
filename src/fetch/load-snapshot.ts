/**
 * Load a snapshot: what an article was made of when it was last fetched, without a network.
 *
 * In: what a user asks for. Out: its snapshot, from state and store alone.
 */

import type { ContentStore } from '../cache/content-store.ts';
import type { CacheDatabase } from '../cache/database.ts';
import type { ArticleRequest } from '../model/article.ts';
import { articleLabel, configurationKey } from '../model/configuration-id.ts';
import type { ArticleSnapshot } from '../model/snapshot.ts';
import { decodeArticle } from '../service/wire-article.ts';
import { ConverterError } from '../support/errors.ts';
import type { KeptSnapshot } from './fetch-article.ts';
import { snapshotOf } from './snapshot-record.ts';

/** Where snapshots were kept. */
export interface SnapshotSource {
  /** Name of the service in the state: the client's id. */
  service: string;
  state: CacheDatabase;
  /** Bodies by content. */
  store: ContentStore;
}

/**
 * Loads the snapshot that a request had when it was last fetched.
 *
 * @throws {@link ConverterError} `SNAPSHOT_MISSING` where it never was; `STORE_DAMAGED` where its article is lost.
 *
 * @example
 * ```ts
 * await loadSnapshot({ service: client.id, state, store }, request);   // → equal to what fetch() answered
 * ```
 */
export async function loadSnapshot(
  { service, state, store }: SnapshotSource,
  request: ArticleRequest,
): Promise<ArticleSnapshot> {
  const record = state.snapshots.get(service, configurationKey(request));
  if (record === undefined) {
    const article = articleLabel(request);
    throw new ConverterError('SNAPSHOT_MISSING', `${article} was never fetched`, { article });
  }
  return snapshotOf(record, decodeArticle(await store.get(record.article)));
}

/**
 * What an article was when it was last fetched, without a look at its bodies.
 *
 * @returns Undefined where it never was, and where only {@link loadSnapshot} tells: something of it failed,
 *   or children of it have no place.
 */
export function keptSnapshot(
  { service, state }: Pick<SnapshotSource, 'service' | 'state'>,
  request: ArticleRequest,
): KeptSnapshot | undefined {
  const kept = state.snapshots.kept(service, configurationKey(request));
  return kept && { key: kept.key, inputs: kept.inputs };
}
