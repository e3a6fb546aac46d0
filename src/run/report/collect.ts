/** Collects what a report says about configurations. Memory grows by a few bytes for each of them. */
import type { ArticleKey } from '../../model/article.ts';
import {
  GEOMETRY_COUNTS,
  type ManifestLine,
  NO_GEOMETRY_COUNTS,
  PARTS,
  type Part,
} from '../../model/asset.ts';
import {
  type ArticleId,
  articleKey,
  configurationId,
  configurationKey,
  configurationLabel,
  sortConfigurationKeys,
} from '../../model/configuration-id.ts';
import type { GeometryCounts } from '../../model/scene.ts';
import type { Warning } from '../../model/warning.ts';
import { helpFor } from '../../support/errors.ts';
import { PackedMap } from '../../support/packed-map.ts';
import { cutText, MAX_WARNINGS, moreWarnings, TEXT_LIMITS } from '../../support/text-limits.ts';
import {
  type AssetRow,
  type Cause,
  type CHANGES,
  type FailureRow,
  PROGRAM_COUNTS,
  type RunReport,
} from './run-report.ts';

/** Lengths of the lists of a report; the manifest has every line. @see D-855 */
const LIMITS = {
  causes: 100,
  changes: 1000,
  failures: 1000,
  skipped: 1000,
  incomplete: 1000,
  damaged: 1000,
  articleWarnings: 200,
  slowest: 50,
  largest: 50,
  programs: 500,
  fields: 500,
  selectedBy: 20,
  /** Of all rows of a list together. */
  characters: 2_000_000,
};

/** Where the fields of losses beyond the limit are counted. */
const OTHER_FIELDS = '…';

/** Examples of a cause. */
const EXAMPLES = 3;

/** How often and since when a configuration has failed, over all runs. */
type FailureHistory = Pick<
  FailureRow,
  'attempts' | 'nights' | 'firstSeen' | 'lastSeen' | 'quarantined' | 'retryOn'
>;

/** A line of the manifest, or of a configuration that was only fetched, with what else the run found. */
export interface ReportedLine
  extends Omit<ManifestLine, 'status' | 'convertdate' | 'source' | 'requested'> {
  status: ManifestLine['status'] | 'fetched';
  counts?: GeometryCounts | undefined;
  /** Which properties need a value and have none, in words. */
  incomplete?: string | undefined;
  /** Unchanged because its snapshot was fresh, without a request. */
  isFresh?: boolean | undefined;
  /** Time spent on it, milliseconds. */
  ms?: number | undefined;
  /** Since the last publication. */
  change?: (typeof CHANGES)[number] | undefined;
  /** What of it has changed. */
  what?: readonly Part[] | undefined;
  /** Figures of the published line of the previous run. */
  before?: Partial<Pick<ManifestLine, 'bytes' | 'triangles'>> | undefined;
  history?: FailureHistory | undefined;
  selectedBy?: readonly string[] | undefined;
}

/** Creates a collector of the configurations of a run, which are added one at a time. */
export function createCollector(helpOf: (code: string) => string = helpFor) {
  const configurations = {
    selected: 0,
    fetched: 0,
    converted: 0,
    unchanged: 0,
    kept: 0,
    skipped: 0,
    failed: 0,
    quarantined: 0,
    failedCarts: 0,
  };
  const articles = new Set<string>();
  const geometry = { configurations: 0, ...NO_GEOMETRY_COUNTS };
  const slowest = createTopList<AssetRow>(LIMITS.slowest);
  let triangles = 0;
  const objects = collectObjects();
  const programs = collectPrograms();
  const failures = collectFailures(helpOf);
  const changes = collectChanges();
  const skipped = emptyList<RunReport['skipped'][number]>();
  const incomplete = emptyList<RunReport['incomplete']['rows'][number]>();
  const damaged = emptyList<RunReport['damaged']['rows'][number]>();
  const articleWarnings = emptyList<RunReport['articleWarnings'][number]>();
  const selectionWarnings = emptyList<Warning>();
  const warnings = createCounts();
  const losses = createCounts(LIMITS.fields);

  const countLine = (line: ReportedLine) => {
    const { status, isFresh, error, history, counts, ms = 0 } = line;
    configurations.selected++;
    if (status === 'failed' && line.onlyCarts) configurations.failedCarts++;
    else configurations[status]++;
    if (isFresh && status === 'unchanged') configurations.kept++;
    if (error !== undefined && history?.quarantined && !line.onlyCarts)
      configurations.quarantined++;
    articles.add(articleKey(line));
    triangles += line.triangles ?? 0;
    if (ms > 0) slowest.add(ms, () => assetRow(line));
    if (counts === undefined) return;
    geometry.configurations++;
    for (const name of GEOMETRY_COUNTS) geometry[name] += counts[name];
  };
  const addFindings = (line: ReportedLine) => {
    const { reason, incomplete: message } = line;
    if (reason !== undefined)
      addRow(skipped, LIMITS.skipped, () => ({ ...configurationId(line), ...reason }));
    if (message !== undefined)
      addRow(incomplete, LIMITS.incomplete, () => ({ ...configurationId(line), message }));
    for (const { code, message } of line.warnings) {
      const row = () => ({ code, message, article: configurationLabel(line) });
      warnings.add(code);
      addRow(articleWarnings, LIMITS.articleWarnings, row);
    }
    for (const { field, expected } of line.losses) if (!expected) losses.add(field);
  };
  return {
    add(line: ReportedLine): void {
      countLine(line);
      changes.add(line, () => {
        const { bytes, triangles } = line.before ?? {};
        return { ...assetRow(line), bytesBefore: bytes, trianglesBefore: triangles };
      });
      addFindings(line);
      for (const part of [objects, programs, failures]) part.add(line);
    },
    /** Adds what has changed of a configuration that is removed or was not processed. */
    addChange: (found: Pick<ReportedLine, 'change' | 'what'>, of: () => RowSource) =>
      changes.add({ ...found, ...configurationId(of()) }, () => assetRow(of())),
    addDamaged: (row: RunReport['damaged']['rows'][number]) =>
      addRow(damaged, LIMITS.damaged, () => row),
    addNotSelected(row: FailureRow): void {
      configurations.selected++;
      configurations[row.onlyCarts ? 'failedCarts' : 'failed']++;
      failures.addNotSelected(row);
    },
    addSelectionWarning(warning: Warning): void {
      warnings.add(warning.code);
      const { code, message } = warning;
      const row = () => ({ code, message: cutText(message, TEXT_LIMITS.message) });
      addRow(selectionWarnings, MAX_WARNINGS, row);
    },
    collected: () => ({
      configurations,
      articles: articles.size,
      triangles,
      geometry,
      slowest: slowest.items(),
      ...objects.value(),
      ...changes.value(),
      programs: programs.value(),
      ...failures.value(),
      skipped: skipped.rows,
      warnings: warnings.sorted(),
      articleWarnings: articleWarnings.rows,
      selectionWarnings: [
        ...selectionWarnings.rows,
        ...moreWarnings(selectionWarnings.count - selectionWarnings.rows.length),
      ],
      incomplete: shown(incomplete),
      damaged: shown(damaged),
      losses: losses.sorted(),
    }),
    /** Every failure: those of the selection, then the others in order of their keys. */
    failures: failures.all,
  };
}

/** What differs from the last publication, and of how many articles each part has changed. */
function collectChanges() {
  type Row = RunReport['changes']['new']['rows'][number];
  const lists = { new: emptyList<Row>(), changed: emptyList<Row>(), removed: emptyList<Row>() };
  const articles = new Map(PARTS.map((part) => [part, new Set<string>()]));
  return {
    add(
      { change, what = [], ...id }: ArticleId & Pick<ReportedLine, 'change' | 'what'>,
      row: () => Omit<Row, 'what'>,
    ): void {
      if (change === undefined) return;
      addRow(lists[change], LIMITS.changes, () => ({ ...row(), what: [...what] }));
      if (change !== 'changed') return;
      for (const part of what) articles.get(part)!.add(articleKey(id));
    },
    value: () => ({
      changes: {
        new: shown(lists.new),
        changed: shown(lists.changed),
        removed: shown(lists.removed),
      },
      changedArticles: Object.fromEntries(
        Array.from(articles, ([part, keys]) => [part, keys.size]),
      ) as Record<Part, number>,
    }),
  };
}

/** The distinct GLBs; the first configuration that has one represents it. */
function collectObjects() {
  const shared = createCounts();
  const largest = createTopList<AssetRow & { sha256: string }>(LIMITS.largest);
  const objects = { distinct: 0, bytes: 0, savedFiles: 0, savedBytes: 0 };
  return {
    add(line: ReportedLine): void {
      const { sha256, bytes = 0 } = line;
      if (sha256 === undefined) return;
      shared.add(sha256);
      if (shared.of(sha256) > 1) {
        objects.savedFiles++;
        objects.savedBytes += bytes;
        return;
      }
      objects.distinct++;
      objects.bytes += bytes;
      largest.add(bytes, () => ({ ...assetRow(line), sha256 }));
    },
    value: () => ({
      objects,
      largest: largest.items().map(({ sha256, ...row }) => ({ ...row, shared: shared.of(sha256) })),
    }),
  };
}

/** Failures by cause and one by one; rows are packed, because nearly all configurations may fail. */
function collectFailures(helpOf: (code: string) => string) {
  const notSelected: FailureRow[] = [];
  const rows = new PackedMap<FailureRow>();
  const causes = new Map<string, Cause>();

  const addCause = ({ code, help, message, selectedBy, what, onlyCarts, ...id }: FailureRow) => {
    const reason = reasonOf(message, [id.basearticlenumber, id.finalarticlenumber]);
    const of = onlyCarts ? `cart ${code}` : code;
    const kind = `${of} ${patternOf(reason)}`;
    const key = causes.has(kind) || causes.size < LIMITS.causes ? kind : of;
    const article = what ?? configurationLabel(id);
    const cause = causes.get(key) ?? {
      code,
      count: 0,
      ...(onlyCarts && { onlyCarts }),
      help,
      example: article,
      message: reason,
      examples: [],
    };
    causes.set(key, cause);
    cause.message = commonReason(cause.message, reason);
    if (cause.count++ < EXAMPLES) cause.examples.push({ article, message, selectedBy });
  };

  function* all(limit = Number.POSITIVE_INFINITY): Generator<FailureRow> {
    yield* notSelected.slice(0, limit);
    const others = Math.max(0, limit - notSelected.length);
    for (const key of sortConfigurationKeys(rows.keys()).slice(0, others)) yield rows.get(key)!;
  }

  const first = (): FailureRow[] => {
    const listed = emptyList<FailureRow>();
    for (const row of all(LIMITS.failures)) addRow(listed, LIMITS.failures, () => row);
    return listed.rows;
  };

  return {
    add(line: ReportedLine): void {
      const { error, history, lastGood, selectedBy, onlyCarts } = line;
      if (error === undefined) return;
      const row: FailureRow = {
        ...configurationId(line),
        ...(onlyCarts && { onlyCarts }),
        ...error,
        help: helpOf(error.code),
        ...history,
        lastGood: lastGood?.glb,
        selectedBy: selectedBy && firstNames(selectedBy),
      };
      rows.set(configurationKey(line), row);
      addCause(row);
    },
    addNotSelected(row: FailureRow): void {
      notSelected.push(row);
      addCause(row);
    },
    all: () => all(),
    value: () => ({
      causes: [...causes.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
      failures: first(),
    }),
  };
}

/**
 * The sentence of a message `where: sentence`, without what it concerns.
 *
 * @param numbers - Article numbers of the place, which may contain `: ` themselves.
 */
function reasonOf(message: string, numbers: readonly string[]): string {
  const colon = message.indexOf(': ');
  const number = numbers.find((text) => {
    const start = message.indexOf(text);
    return text.includes(': ') && start >= 0 && start < colon;
  });
  const end = number === undefined ? 0 : message.indexOf(number) + number.length;
  const [, reason] = /^.*?: (.+)$/s.exec(message.slice(end)) ?? [];
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
  const isName = (word: string) => /^".*"$|::|\//s.test(word);
  return reason
    .replace(/; .*$/s, '')
    .replace(/"[^"]*"|[^\s"]+|"/g, (word) => (isName(word) ? '…' : word))
    .replace(/(status \d+)|\d+(?:[.,]\d+)*/g, (_, status?: string) => status ?? '…');
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
    value() {
      const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
      return { count: rows.size, rows: sorted.slice(0, LIMITS.programs) };
    },
  };
}

/** What a row is made of. */
type RowSource = ArticleKey &
  Partial<Pick<ReportedLine, 'glb' | 'lastGood' | 'bytes' | 'triangles' | 'ms'>>;

function assetRow(line: RowSource): AssetRow {
  const { bytes, triangles, ms } = line;
  const glb = line.glb ?? line.lastGood?.glb;
  return { ...configurationId(line), glb, bytes, triangles, ms };
}

/** The number of rows, and the first of them. */
interface List<T> {
  count: number;
  rows: T[];
  /** Of the rows as JSON. */
  characters: number;
}

function emptyList<T>(): List<T> {
  return { count: 0, rows: [], characters: 0 };
}

function addRow<T>(list: List<T>, limit: number, makeRow: () => T): void {
  if (list.count++ >= limit || list.characters >= LIMITS.characters) return;
  const row = makeRow();
  list.characters += JSON.stringify(row).length;
  if (list.characters < LIMITS.characters) list.rows.push(row);
}

/** A list as the report has it. */
function shown<T>({ count, rows }: List<T>): Pick<List<T>, 'count' | 'rows'> {
  return { count, rows };
}

/** The first names, each cut, and how many more there are. */
function firstNames(names: readonly string[]): string[] {
  const listed = names.slice(0, LIMITS.selectedBy).map((name) => cutText(name, TEXT_LIMITS.name));
  const more = names.length - listed.length;
  return more > 0 ? [...listed, `${more} more`] : listed;
}

function zeros<N extends string>(names: readonly N[]): Record<N, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<N, number>;
}

/** @param limit - Of different names; further ones are counted together. */
function createCounts(limit = Number.POSITIVE_INFINITY) {
  const counts = new Map<string, number>();
  return {
    add(name: string): void {
      const counted = counts.has(name) || counts.size < limit ? name : OTHER_FIELDS;
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
    },
    of: (name: string) => counts.get(name) ?? 0,
    /** By name, so that the order of the configurations has no influence. */
    sorted: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Keeps the `limit` largest items, largest first; of equal ones the first added. */
function createTopList<T>(limit: number) {
  const top: { size: number; item: T }[] = [];
  return {
    items: () => top.map(({ item }) => item),
    add(size: number, makeItem: () => T): void {
      const last = top[limit - 1];
      if (last !== undefined && size <= last.size) return;
      top.push({ size, item: makeItem() });
      top.sort((a, b) => b.size - a.size).splice(limit);
    },
  };
}
