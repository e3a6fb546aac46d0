/**
 * Collect totals: how many, how large, how much was saved, what geometry lost.
 */
import { articleKey } from '../model/configuration-id.ts';
import type { GeometryCounts } from '../model/scene.ts';
import { createCounts } from './counts.ts';
import { REPORT_LIMITS } from './report-limits.ts';
import type { ReportedLine } from './reported-line.ts';
import { assetRow } from './rows.ts';
import type { AssetRow, RunReport } from './run-report.ts';
import { createTopList } from './top-list.ts';

type Totals = Pick<
  RunReport,
  'articles' | 'objects' | 'triangles' | 'geometry' | 'slowest' | 'largest'
> & { configurations: Omit<RunReport['configurations'], 'quarantined'> };

const NO_GEOMETRY: GeometryCounts = {
  droppedTriangles: 0,
  duplicateTriangles: 0,
  flippedSurfaces: 0,
  splitVertices: 0,
  droppedLayers: 0,
  skippedNodes: 0,
};

/** Sums up configurations. */
export function collectTotals() {
  const statuses = createCounts();
  const articles = new Set<string>();
  const geometry = { configurations: 0, ...NO_GEOMETRY };
  const slowest = createTopList<AssetRow>(REPORT_LIMITS.slowest, ({ ms = 0 }) => ms);
  const objects = collectObjects();
  let triangles = 0;
  let kept = 0;
  return {
    add(line: ReportedLine): void {
      statuses.add(line.status);
      if (line.kept) kept++;
      articles.add(articleKey(line));
      triangles += line.triangles ?? 0;
      objects.add(line);
      if (line.counts !== undefined) addGeometry(geometry, line.counts);
      if ((line.ms ?? 0) > 0) slowest.add(assetRow(line));
    },
    value(notSelected: number): Totals {
      const fetched = statuses.of('fetched');
      const converted = statuses.of('converted');
      const unchanged = statuses.of('unchanged');
      const failed = statuses.of('failed') + notSelected;
      const selected = fetched + converted + unchanged + failed;
      return {
        configurations: { selected, fetched, converted, unchanged, kept, failed },
        articles: articles.size,
        triangles,
        geometry,
        slowest: slowest.items(),
        ...objects.value(),
      };
    },
  };
}

function addGeometry(sums: RunReport['geometry'], counts: GeometryCounts): void {
  sums.configurations++;
  for (const name of Object.keys(NO_GEOMETRY) as (keyof GeometryCounts)[]) {
    sums[name] += counts[name];
  }
}

/** The distinct GLBs; the first configuration that has one stands for all. */
function collectObjects() {
  const shared = new Map<string, number>();
  const largest = createTopList<AssetRow & { sha256: string }>(
    REPORT_LIMITS.largest,
    ({ bytes = 0 }) => bytes,
  );
  let bytes = 0;
  let together = 0;
  let files = 0;
  return {
    add(line: ReportedLine): void {
      if (line.sha256 === undefined) return;
      const size = line.bytes ?? 0;
      files++;
      together += size;
      const known = shared.get(line.sha256) ?? 0;
      shared.set(line.sha256, known + 1);
      if (known > 0) return;
      bytes += size;
      largest.add({ ...assetRow(line), sha256: line.sha256 });
    },
    value(): Pick<RunReport, 'objects' | 'largest'> {
      return {
        objects: {
          distinct: shared.size,
          bytes,
          savedFiles: files - shared.size,
          savedBytes: together - bytes,
        },
        largest: largest
          .items()
          .map(({ sha256, ...row }) => ({ ...row, shared: shared.get(sha256)! })),
      };
    },
  };
}
