/**
 * Reported line: what a report takes from one configuration.
 */
import type { ArticleKey } from '../model/article.ts';
import type { ManifestLine } from '../model/asset.ts';
import type { GeometryCounts } from '../model/scene.ts';
import type { FailureRow } from './run-report.ts';

/** How often and since when a configuration has failed, over all nights. */
export type FailureHistory = Pick<
  FailureRow,
  'attempts' | 'nights' | 'firstSeen' | 'lastSeen' | 'quarantined' | 'retryOn'
>;

/** A line of the manifest, or one that was only fetched, with what the run knows beside it. */
export type ReportedLine = ArticleKey &
  Pick<
    ManifestLine,
    'glb' | 'sha256' | 'bytes' | 'triangles' | 'warnings' | 'losses' | 'error' | 'lastGood'
  > & {
    status: ManifestLine['status'] | 'fetched';
    counts?: GeometryCounts | undefined;
    /** Known to hold, so that nothing was asked nor looked at. */
    kept?: boolean | undefined;
    /** Time spent on it, milliseconds. */
    ms?: number | undefined;
    /** Compared with what was published before. */
    change?: 'new' | 'changed' | 'same' | undefined;
    /** What was published before, of one that changed. */
    before?: Partial<Pick<ManifestLine, 'bytes' | 'triangles'>> | undefined;
    /** Of one that failed. */
    history?: FailureHistory | undefined;
  };
