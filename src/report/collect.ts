/** Collects what a report says about configurations. Memory grows by a few bytes for each of them. */
import type { ArticleKey } from '../model/article.ts';
import type { ManifestLine } from '../model/asset.ts';
import {
  articleKey,
  configurationId,
  configurationKey,
  configurationLabel,
  sortConfigurationKeys,
} from '../model/configuration-id.ts';
import type { GeometryCounts } from '../model/scene.ts';
import type { Warning } from '../model/snapshot.ts';
import { helpFor } from '../support/errors.ts';
import { createPackedMap } from '../support/packed-map.ts';
import {
  type AssetRow,
  type Cause,
  CHANGES,
  type ChangeRow,
  type FailureRow,
  GEOMETRY_COUNTS,
  PROGRAM_COUNTS,
  type RunReport,
  type SkippedRow,
} from './run-report.ts';

/** Lengths of the lists of a report; the manifest has every line. @see D-855 */
const LIMITS = {
  causes: 100,
  changes: 1000,
  failures: 1000,
  skipped: 1000,
  incomplete: 1000,
  articleWarnings: 200,
  slowest: 50,
  largest: 50,
  programs: 500,
};

/** Examples of a cause. */
const EXAMPLES = 3;

/** How often and since when a configuration has failed, over all runs. */
export type FailureHistory = Pick<
  FailureRow,
  'attempts' | 'nights' | 'firstSeen' | 'lastSeen' | 'quarantined' | 'retryOn'
>;

/** A line of the manifest, or of a configuration that was only fetched, with what else the run found. */
export type ReportedLine = ArticleKey &
  Pick<
    ManifestLine,
    | 'glb'
    | 'sha256'
    | 'bytes'
    | 'triangles'
    | 'warnings'
    | 'losses'
    | 'reason'
    | 'error'
    | 'lastGood'
  > & {
    status: ManifestLine['status'] | 'fetched';
    counts?: GeometryCounts | undefined;
    /** Which properties need a value and have none, in words. */
    incomplete?: string | undefined;
    /** Unchanged because its snapshot was fresh, without a request. */
    isFresh?: boolean | undefined;
    /** Time spent on it, milliseconds. */
    ms?: number | undefined;
    /** Compared with the published line of the previous run. */
    change?: 'new' | 'changed' | 'same' | undefined;
    /** Figures of the published line of the previous run. */
    before?: Partial<Pick<ManifestLine, 'bytes' | 'triangles'>> | undefined;
    history?: FailureHistory | undefined;
    selectedBy?: readonly string[] | undefined;
  };

/** Creates a collector of the configurations of a run, which are added one at a time. */
export function createCollector(helpOf: (code: string) => string = helpFor) {
  const totals = collectTotals();
  const objects = collectObjects();
  const changes = collectChanges();
  const failures = collectFailures(helpOf);
  const programs = collectPrograms();
  const warnings = collectWarnings();
  const losses = createCounts();
  const skipped: SkippedRow[] = [];
  return {
    add(line: ReportedLine): void {
      if (line.reason !== undefined && skipped.length < LIMITS.skipped)
        skipped.push({ ...configurationId(line), ...line.reason });
      for (const part of [totals, objects, changes, failures, programs, warnings]) part.add(line);
      for (const { field, expected } of line.losses) if (!expected) losses.add(field);
    },
    addRemoved: (key: ArticleKey) => changes.put('removed', () => configurationId(key)),
    addNotSelected: failures.addNotSelected,
    addSelectionWarning: warnings.addSelectionWarning,
    collected: () => ({
      ...totals.value(failures.counts()),
      ...objects.value(),
      changes: changes.value(),
      programs: programs.value(),
      ...failures.value(),
      skipped,
      ...warnings.value(),
      losses: losses.sorted(),
    }),
    /** Every failure: those of the selection, then the others in order of their keys. */
    failures: failures.all,
  };
}

function collectTotals() {
  const statuses = createCounts();
  const articles = new Set<string>();
  const geometry = { configurations: 0, ...zeros(GEOMETRY_COUNTS) };
  const slowest = createTopList<AssetRow>(LIMITS.slowest, ({ ms = 0 }) => ms);
  let triangles = 0;
  let kept = 0;
  return {
    add(line: ReportedLine): void {
      statuses.add(line.status);
      if (line.isFresh && line.status === 'unchanged') kept++;
      articles.add(articleKey(line));
      triangles += line.triangles ?? 0;
      if (line.counts !== undefined) {
        geometry.configurations++;
        for (const name of GEOMETRY_COUNTS) geometry[name] += line.counts[name];
      }
      if ((line.ms ?? 0) > 0) slowest.add(assetRow(line));
    },
    value({ notSelected, quarantined }: { notSelected: number; quarantined: number }) {
      const done = {
        fetched: statuses.of('fetched'),
        converted: statuses.of('converted'),
        unchanged: statuses.of('unchanged'),
      };
      const skipped = statuses.of('skipped');
      const failed = statuses.of('failed') + notSelected;
      const selected = done.fetched + done.converted + done.unchanged + skipped + failed;
      return {
        configurations: { selected, ...done, kept, skipped, failed, quarantined },
        articles: articles.size,
        triangles,
        geometry,
        slowest: slowest.items(),
      };
    },
  };
}

/** The distinct GLBs; the first configuration that has one represents it. */
function collectObjects() {
  const shared = createCounts();
  const largest = createTopList<AssetRow & { sha256: string }>(
    LIMITS.largest,
    ({ bytes = 0 }) => bytes,
  );
  const sums = { distinct: 0, bytes: 0, savedFiles: 0, savedBytes: 0 };
  return {
    add(line: ReportedLine): void {
      const { sha256, bytes = 0 } = line;
      if (sha256 === undefined) return;
      shared.add(sha256);
      if (shared.of(sha256) > 1) {
        sums.savedFiles++;
        sums.savedBytes += bytes;
        return;
      }
      sums.distinct++;
      sums.bytes += bytes;
      largest.add({ ...assetRow(line), sha256 });
    },
    value: () => ({
      objects: sums,
      largest: largest.items().map(({ sha256, ...row }) => ({ ...row, shared: shared.of(sha256) })),
    }),
  };
}

/** New, changed and removed configurations; a failed one keeps its published line and is none of them. */
function collectChanges() {
  const lists = CHANGES.map((kind) => [kind, { count: 0, rows: [] as ChangeRow[] }] as const);
  const changes = Object.fromEntries(lists) as RunReport['changes'];
  const put = (kind: keyof RunReport['changes'], row: () => ChangeRow) => {
    if (changes[kind].count++ < LIMITS.changes) changes[kind].rows.push(row());
  };
  return {
    put,
    add(line: ReportedLine): void {
      const { status, change } = line;
      if (status === 'failed' || change === undefined || change === 'same') return;
      const { bytes: bytesBefore, triangles: trianglesBefore } = line.before ?? {};
      put(change, () => ({ ...assetRow(line), ...defined({ bytesBefore, trianglesBefore }) }));
    },
    value: () => changes,
  };
}

/** Failures by cause and one by one; rows are packed, because nearly all configurations may fail. */
function collectFailures(helpOf: (code: string) => string) {
  const notSelected: FailureRow[] = [];
  const rows = createPackedMap<FailureRow>();
  const causes = new Map<string, Cause>();
  let quarantined = 0;

  const addCause = (row: FailureRow) => {
    const { code, help } = row;
    const reason = reasonOf(row.message);
    const kind = `${code} ${patternOf(reason)}`;
    const key = causes.has(kind) || causes.size < LIMITS.causes ? kind : code;
    const article = row.what ?? configurationLabel(row);
    const cause = causes.get(key) ?? {
      ...{ code, count: 0, help, example: article, message: reason, examples: [] },
    };
    causes.set(key, cause);
    cause.message = commonReason(cause.message, reason);
    if (cause.count++ >= EXAMPLES) return;
    const { message, selectedBy } = row;
    cause.examples.push({ article, message, ...defined({ selectedBy }) });
  };

  function* all(): Generator<FailureRow> {
    yield* notSelected;
    for (const key of sortConfigurationKeys(rows.keys())) yield rows.get(key)!;
  }

  return {
    add(line: ReportedLine): void {
      const { error, history, lastGood, selectedBy } = line;
      if (error === undefined) return;
      const row: FailureRow = {
        ...{ ...configurationId(line), ...error, help: helpOf(error.code), ...history },
        ...defined({ lastGood: lastGood?.glb, selectedBy: selectedBy && [...selectedBy] }),
      };
      rows.set(configurationKey(line), row);
      addCause(row);
      if (row.quarantined) quarantined++;
    },
    addNotSelected(row: FailureRow): void {
      notSelected.push(row);
      addCause(row);
    },
    counts: () => ({ notSelected: notSelected.length, quarantined }),
    all,
    value: (): Pick<RunReport, 'causes' | 'failures'> => ({
      causes: [...causes.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
      failures: first(LIMITS.failures, all()),
    }),
  };
}

/** The sentence of a message `where: sentence`, without what it concerns. */
export function reasonOf(message: string): string {
  const [, reason] = /^.*?: (.+)$/s.exec(message) ?? [];
  return reason ?? message;
}

/** What two reasons of one cause have in common: without the values that differ. */
function commonReason(a: string, b: string): string {
  if (a === b) return a;
  const [expected, other] = [a, b].map((reason) => reason.replace(/, received .*$/s, ''));
  if (expected === other) return expected!;
  const [pattern, otherPattern] = [expected, other].map((reason) => patternOf(reason!));
  return pattern === otherPattern ? pattern! : 'several reasons';
}

/** Equal for messages of one kind: hints, names, quoted texts and numbers are left out, not the status of an answer. */
function patternOf(reason: string): string {
  return reason
    .replace(/; .*$/s, '')
    .replace(/"[^"]*"|\S*(?:::|\/)\S*/g, '…')
    .replace(/(?<!status )\d+(?:[.,]\d+)*/g, '…');
}

function collectPrograms() {
  type Row = RunReport['programs']['rows'][number];
  const rows = new Map<string, Row>();
  return {
    add(line: ReportedLine): void {
      const { manufacturer, program } = line;
      const key = JSON.stringify([manufacturer, program]);
      const row = rows.get(key) ?? { manufacturer, program, ...zeros(PROGRAM_COUNTS) };
      rows.set(key, row);
      row.configurations++;
      row.bytes += line.bytes ?? 0;
      row.triangles += line.triangles ?? 0;
      if (line.status === 'failed') row.failed++;
      else if (line.change === 'new') row.new++;
      else if (line.change === 'changed') row.changed++;
    },
    value(): RunReport['programs'] {
      const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
      return { count: rows.size, rows: sorted.slice(0, LIMITS.programs) };
    },
  };
}

function collectWarnings() {
  const codes = createCounts();
  const articleWarnings: RunReport['articleWarnings'] = [];
  const selectionWarnings: Warning[] = [];
  const incomplete: RunReport['incomplete'] = { count: 0, rows: [] };
  return {
    add(line: ReportedLine): void {
      if (line.incomplete !== undefined && incomplete.count++ < LIMITS.incomplete)
        incomplete.rows.push({ ...configurationId(line), message: line.incomplete });
      for (const { code, message } of line.warnings) {
        codes.add(code);
        if (articleWarnings.length === LIMITS.articleWarnings) continue;
        articleWarnings.push({ code, message, article: configurationLabel(line) });
      }
    },
    addSelectionWarning(warning: Warning): void {
      codes.add(warning.code);
      selectionWarnings.push(warning);
    },
    value: () => ({ warnings: codes.sorted(), articleWarnings, selectionWarnings, incomplete }),
  };
}

function assetRow(line: ReportedLine): AssetRow {
  const { bytes, triangles, ms } = line;
  const glb = line.glb ?? line.lastGood?.glb;
  return { ...configurationId(line), ...defined({ glb, bytes, triangles, ms }) };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

function zeros<N extends string>(names: readonly N[]): Record<N, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<N, number>;
}

function first<T>(limit: number, items: Iterable<T>): T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.length === limit) break;
    taken.push(item);
  }
  return taken;
}

function createCounts() {
  const counts = new Map<string, number>();
  return {
    add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    of: (name: string) => counts.get(name) ?? 0,
    /** By name, so that the order of the configurations has no influence. */
    sorted: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Keeps the `limit` largest items, largest first; of equal ones the first added. */
function createTopList<T>(limit: number, sizeOf: (item: T) => number) {
  let largest: T[] = [];
  const cut = () => {
    largest = largest.sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, limit);
  };
  return {
    add(item: T): void {
      largest.push(item);
      if (largest.length >= limit * 4) cut();
    },
    items(): T[] {
      cut();
      return [...largest];
    },
  };
}
