/** Collects what a report says about configurations. Memory grows by a few bytes for each of them. */
import type { ArticleKey } from '../../model/article.ts';
import { type GeometryCounts, NO_GEOMETRY_COUNTS } from '../../model/asset.ts';
import {
  type ArticleId,
  articleKey,
  configurationId,
  configurationKey,
  configurationLabel,
  sortConfigurationKeys,
} from '../../model/configuration-id.ts';
import type { Warning } from '../../model/warning.ts';
import { PackedMap } from '../../support/packed-map.ts';
import { cutText, MAX_WARNINGS, moreWarnings, TEXT_LIMITS } from '../../support/text-limits.ts';
import { GEOMETRY_COUNTS, type ManifestLine, PARTS, type Part } from '../lists/manifest-line.ts';
import { helpFor } from '../lists/messages.ts';
import {
  type AssetRow,
  type Cause,
  type CHANGES,
  each,
  type FailureRow,
  type LossKind,
  lossKindOf,
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

const EXAMPLES = 3;

/** How often and since when something has failed, over all runs. */
export type FailedBefore = Pick<
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
  ms?: number | undefined;
  /** Since the last publication. */
  change?: (typeof CHANGES)[number] | undefined;
  what?: readonly Part[] | undefined;
  /** Figures of the published line of the previous run. */
  before?: Partial<Pick<ManifestLine, 'bytes' | 'triangles'>> | undefined;
  history?: FailedBefore | undefined;
  selectedBy?: readonly string[] | undefined;
}

/** What a report says about configurations. */
export type Collected = ReturnType<Collector['collected']>;

/** Collects the configurations of a run, which are added one at a time. */
export class Collector {
  readonly #configurations = {
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
  readonly #articles = new Set<string>();
  readonly #geometry = { configurations: 0, ...NO_GEOMETRY_COUNTS };
  #triangles = 0;
  readonly #slowest = topList<AssetRow>(LIMITS.slowest);
  readonly #objects = collectObjects();
  readonly #programs = collectPrograms();
  readonly #failures: CollectedFailures;
  readonly #changes = collectChanges();
  readonly #skipped = rowList<RunReport['skipped'][number]>(LIMITS.skipped);
  readonly #incomplete = rowList<RunReport['incomplete']['rows'][number]>(LIMITS.incomplete);
  readonly #damaged = rowList<RunReport['damaged']['rows'][number]>(LIMITS.damaged);
  readonly #articleWarnings = rowList<RunReport['articleWarnings'][number]>(LIMITS.articleWarnings);
  readonly #selectionWarnings = rowList<Warning>(MAX_WARNINGS);
  readonly #warnings = countNames();
  readonly #losses = countNames(LIMITS.fields);
  readonly #articlesWithLosses = new Map<LossKind, Set<string>>();

  /** @param helpOf - Returns the action that helps against an error with a code. */
  constructor(helpOf: (code: string) => string = helpFor) {
    this.#failures = new CollectedFailures(helpOf);
  }

  add(line: ReportedLine): void {
    this.#countLine(line);
    this.#changes.add(line, () => {
      const { bytes, triangles } = line.before ?? {};
      return { ...assetRow(line), bytesBefore: bytes, trianglesBefore: triangles };
    });
    this.#addFindings(line);
    for (const part of [this.#objects, this.#programs, this.#failures]) part.add(line);
  }

  /** Adds what has changed of a configuration that is removed or was not processed. */
  addChange(found: Pick<ReportedLine, 'change' | 'what'>, of: () => RowSource): void {
    this.#changes.add({ ...found, ...configurationId(of()) }, () => assetRow(of()));
  }

  addDamaged(row: RunReport['damaged']['rows'][number]): void {
    this.#damaged.add(() => row);
  }

  addNotSelected(row: FailureRow): void {
    this.#configurations.selected++;
    this.#configurations[row.onlyCarts ? 'failedCarts' : 'failed']++;
    this.#failures.addNotSelected(row);
  }

  addSelectionWarning({ code, message }: Warning): void {
    this.#warnings.add(code);
    this.#selectionWarnings.add(() => ({ code, message: cutText(message, TEXT_LIMITS.message) }));
  }

  collected() {
    const { count, rows } = this.#selectionWarnings.shown;
    return {
      configurations: this.#configurations,
      articles: this.#articles.size,
      triangles: this.#triangles,
      geometry: this.#geometry,
      slowest: this.#slowest.items(),
      ...this.#objects.value(),
      ...this.#changes.value(),
      programs: this.#programs.value(),
      ...this.#failures.value(),
      skipped: this.#skipped.shown.rows,
      warnings: this.#warnings.sorted(),
      articleWarnings: this.#articleWarnings.shown.rows,
      selectionWarnings: [...rows, ...moreWarnings(count - rows.length)],
      incomplete: this.#incomplete.shown,
      damaged: this.#damaged.shown,
      losses: this.#losses.sorted(),
      articlesWithLosses: Object.fromEntries(
        Array.from(this.#articlesWithLosses, ([kind, { size }]) => [kind, size] as const).sort(),
      ),
    };
  }

  /** Every failure: those of the selection, then the others in order of their keys. */
  failures(): Iterable<FailureRow> {
    return this.#failures.all();
  }

  #countLine(line: ReportedLine): void {
    const { status, isFresh, error, history, onlyCarts, counts, ms = 0 } = line;
    const configurations = this.#configurations;
    configurations.selected++;
    if (status === 'failed' && onlyCarts) configurations.failedCarts++;
    else configurations[status]++;
    if (isFresh && status === 'unchanged') configurations.kept++;
    if (error !== undefined && history?.quarantined && !onlyCarts) configurations.quarantined++;
    this.#articles.add(articleKey(line));
    this.#triangles += line.triangles ?? 0;
    if (ms > 0) this.#slowest.add(ms, () => assetRow(line));
    if (counts === undefined) return;
    this.#geometry.configurations++;
    for (const name of GEOMETRY_COUNTS) this.#geometry[name] += counts[name];
  }

  #addFindings(line: ReportedLine): void {
    const { reason, incomplete: message } = line;
    if (reason !== undefined) this.#skipped.add(() => ({ ...configurationId(line), ...reason }));
    if (message !== undefined) this.#incomplete.add(() => ({ ...configurationId(line), message }));
    for (const { code, message } of line.warnings) {
      this.#warnings.add(code);
      this.#articleWarnings.add(() => ({ code, message, article: configurationLabel(line) }));
    }
    for (const { field, expected } of line.losses) {
      if (expected) continue;
      this.#losses.add(field);
      const kind = lossKindOf(field);
      const articles = this.#articlesWithLosses.get(kind) ?? new Set();
      this.#articlesWithLosses.set(kind, articles.add(articleKey(line)));
    }
  }
}

/** What differs from the last publication, and of how many articles each part has changed. */
function collectChanges() {
  type Row = RunReport['changes']['new']['rows'][number];
  const lists = {
    new: rowList<Row>(LIMITS.changes),
    changed: rowList<Row>(LIMITS.changes),
    removed: rowList<Row>(LIMITS.changes),
  };
  const articles = new Map(PARTS.map((part) => [part, new Set<string>()]));
  return {
    add(
      { change, what = [], ...id }: ArticleId & Pick<ReportedLine, 'change' | 'what'>,
      row: () => Omit<Row, 'what'>,
    ): void {
      if (change === undefined) return;
      lists[change].add(() => ({ ...row(), what: [...what] }));
      if (change !== 'changed') return;
      for (const part of what) articles.get(part)!.add(articleKey(id));
    },
    value: () => ({
      changes: {
        new: lists.new.shown,
        changed: lists.changed.shown,
        removed: lists.removed.shown,
      },
      changedArticles: Object.fromEntries(
        Array.from(articles, ([part, keys]) => [part, keys.size]),
      ) as Record<Part, number>,
    }),
  };
}

/** The distinct GLBs; the first configuration that has one represents it. */
function collectObjects() {
  const shared = countNames();
  const largest = topList<AssetRow & { sha256: string }>(LIMITS.largest);
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
class CollectedFailures {
  readonly #helpOf: (code: string) => string;
  readonly #notSelected: FailureRow[] = [];
  readonly #rows = new PackedMap<FailureRow>();
  readonly #causes = new Map<string, Cause>();

  constructor(helpOf: (code: string) => string) {
    this.#helpOf = helpOf;
  }

  add(line: ReportedLine): void {
    const { error, history, lastGood, selectedBy, onlyCarts } = line;
    if (error === undefined) return;
    const row: FailureRow = {
      ...configurationId(line),
      ...(onlyCarts && { onlyCarts }),
      ...error,
      help: this.#helpOf(error.code),
      ...history,
      lastGood: lastGood?.glb,
      selectedBy: selectedBy && firstNames(selectedBy),
    };
    this.#rows.set(configurationKey(line), row);
    this.#addCause(row);
  }

  addNotSelected(row: FailureRow): void {
    this.#notSelected.push(row);
    this.#addCause(row);
  }

  *all(limit = Number.POSITIVE_INFINITY): Generator<FailureRow> {
    yield* this.#notSelected.slice(0, limit);
    const others = Math.max(0, limit - this.#notSelected.length);
    for (const key of sortConfigurationKeys(this.#rows.keys()).slice(0, others))
      yield this.#rows.get(key)!;
  }

  value(): Pick<RunReport, 'causes' | 'failures'> {
    const causes = [...this.#causes.values()];
    const listed = rowList<FailureRow>(LIMITS.failures);
    for (const row of this.all(LIMITS.failures)) listed.add(() => row);
    return {
      causes: causes.sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
      failures: listed.shown.rows,
    };
  }

  #addCause({ code, help, message, selectedBy, what, onlyCarts, ...id }: FailureRow): void {
    const causes = this.#causes;
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
  }
}

/** The sentence of a message `where: sentence`. @param numbers - Of the place, which may contain `: ` themselves. */
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
      const row = rows.get(key) ?? { manufacturer, program, ...each(PROGRAM_COUNTS, 0) };
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

type RowSource = ArticleKey &
  Partial<Pick<ReportedLine, 'glb' | 'lastGood' | 'bytes' | 'triangles' | 'ms'>>;

function assetRow(line: RowSource): AssetRow {
  const { bytes, triangles, ms } = line;
  const glb = line.glb ?? line.lastGood?.glb;
  return { ...configurationId(line), glb, bytes, triangles, ms };
}

/** The first rows of a list; `shown` is what the report has. */
function rowList<T>(limit: number) {
  const shown: { count: number; rows: T[] } = { count: 0, rows: [] };
  /** Of the rows as JSON. */
  let characters = 0;
  return {
    shown,
    add(makeRow: () => T): void {
      if (shown.count++ >= limit || characters >= LIMITS.characters) return;
      const row = makeRow();
      characters += JSON.stringify(row).length;
      if (characters < LIMITS.characters) shown.rows.push(row);
    },
  };
}

function firstNames(names: readonly string[]): string[] {
  const listed = names.slice(0, LIMITS.selectedBy).map((name) => cutText(name, TEXT_LIMITS.name));
  const more = names.length - listed.length;
  return more > 0 ? [...listed, `${more} more`] : listed;
}

/** How often each name was added. @param limit - Of different names; further ones are counted together. */
function countNames(limit = Number.POSITIVE_INFINITY) {
  const counts = new Map<string, number>();
  return {
    add(name: string): void {
      const counted = counts.has(name) || counts.size < limit ? name : OTHER_FIELDS;
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
    },
    of: (name: string) => counts.get(name) ?? 0,
    /** By name, so that the order of the configurations has no influence. */
    sorted: (): Record<string, number> =>
      Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Keeps the `limit` largest items, largest first; of equal ones the first added. */
function topList<T>(limit: number) {
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
