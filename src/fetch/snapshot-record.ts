/**
 * Snapshot records: a snapshot as state keeps it, and back.
 */

import type { SnapshotRecord } from '../cache/cached-snapshots.ts';
import type { Article } from '../model/article.ts';
import type { ArticleSnapshot, Digest } from '../model/snapshot.ts';

/** Takes out the article, which the store keeps as it was received. */
export function recordOf(snapshot: ArticleSnapshot, article: Digest): SnapshotRecord {
  const { key, partsList, blocks, images, warnings, unplaced } = snapshot;
  const bodies = { article, partsList, blocks: [...blocks], images: [...images] };
  return { key, ...bodies, warnings, ...(unplaced && { unplaced }) };
}

/** Puts the article back. */
export function snapshotOf(record: SnapshotRecord, article: Article): ArticleSnapshot {
  const { key, partsList, warnings, unplaced } = record;
  const [blocks, images] = [new Map(record.blocks), new Map(record.images)];
  return { key, article, partsList, blocks, images, warnings, ...(unplaced && { unplaced }) };
}
