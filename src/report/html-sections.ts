/** The sections of the page below its first screen: one table or list of bars each. */
import { configurationLabel } from '../model/configuration-id.ts';
import { detailOf, failuresByCode, fieldLabel, gateLabel } from './assessment.ts';
import {
  barSection,
  type Column,
  type Html,
  html,
  outputLink,
  type Section,
  tableSection,
} from './html-elements.ts';
import {
  type AssetRow,
  type Cause,
  CHANGES,
  type ChangeRow,
  type Description,
  type FailureRow,
  type GateFinding,
  type IncompleteRow,
  PROGRAM_COUNTS,
  type RunReport,
  type SkippedRow,
} from './run-report.ts';
import { capital, day, duration, integer, size } from './text.ts';

/** Names of configurations by their label, of all that the report describes. */
type Names = ReadonlyMap<string, string>;

type MakeSection = (report: RunReport, names: Names) => Section | undefined;

/** The sections in the order of the page; sections without content are left out. */
export function sectionsOf(report: RunReport): Record<'findings' | 'bars' | 'details', Section[]> {
  const names = namesIn(report);
  const make = (sections: readonly MakeSection[]) =>
    sections.flatMap((section) => section(report, names) ?? []);
  return {
    findings: make([causes, failures, gates, incomplete, changes]),
    bars: make([stages, statuses, losses, warningCodes]),
    details: make([slowest, largest, programs, skipped, drift, warnings]),
  };
}

type Named = Pick<
  AssetRow,
  'manufacturer' | 'program' | 'basearticlenumber' | 'finalarticlenumber' | 'reinitstring'
> &
  Description & { glb?: string | undefined };

function articleCell(row: Named): Html {
  const { manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring, glb } = row;
  const number = finalarticlenumber || basearticlenumber;
  const name = html`<bdi>${number}</bdi>`;
  const linked = glb === undefined ? name : html`<a href="${outputLink(glb)}">${name}</a>`;
  const base = number === basearticlenumber ? undefined : html` · <bdi>${basearticlenumber}</bdi>`;
  const more = reinitstring === '' ? undefined : html` · <bdi>${reinitstring}</bdi>`;
  return html`<b class="wrap">${linked}</b>${description(row)}<small class="wrap"><bdi>${manufacturer}</bdi> / <bdi>${program}</bdi>${base}${more}</small>`;
}

function description({ name, sizeMillimetres: of }: Description): Html | undefined {
  const size = of && `${integer(of.width)} × ${integer(of.depth)} × ${integer(of.height)} mm`;
  if (name === undefined && size === undefined) return undefined;
  const shown = size && html`<span class="size">${size}</span>`;
  return html`<span class="name wrap">${name && html`<bdi>${name}</bdi> `}${shown}</span>`;
}

function namesIn({ changes: of, ...report }: RunReport): Names {
  const { incomplete, skipped, failures, slowest, largest } = report;
  const changed = CHANGES.flatMap((kind): Named[] => of[kind].rows);
  const rows = changed.concat(incomplete.rows, skipped, failures, slowest, largest);
  return new Map(
    rows.flatMap((row) => (row.name === undefined ? [] : [[configurationLabel(row), row.name]])),
  );
}

/** A configuration of which the row has only the label. */
function labelCell(label: string, names: Names): Html {
  const name = names.get(label);
  return html`${bold(label)}${name && html`<span class="name wrap"><bdi>${name}</bdi></span>`}`;
}

const bold = (text: string) => html`<b class="wrap"><bdi>${text}</bdi></b>`;
const wrapped = (text: string) => html`<span class="wrap"><bdi>${text}</bdi></span>`;

function figures<T>(
  title: string,
  value: (row: T) => number | undefined,
  format: (figure: number) => Html | string = integer,
): Column<T> {
  return { title, value, cell: (row) => format(value(row) ?? 0) };
}

const ARTICLE: Column<Named> = { title: 'Article', cell: articleCell };
const BYTES = figures<AssetRow>('Size', ({ bytes }) => bytes, size);
const TRIANGLES = figures<AssetRow>('Triangles', ({ triangles }) => triangles);
const TIME = figures<AssetRow>('Time', ({ ms }) => ms, duration);

/** Each cause once, with examples; the table of failures has every row. */
function causes({ causes: rows }: RunReport, names: Names): Section | undefined {
  return tableSection<Cause>({
    id: 'causes',
    title: 'Causes of failures',
    columns: [
      {
        title: 'Cause',
        cell: ({ code, message, help }) =>
          html`<span class="wrap message"><bdi>${capital(message)}</bdi></span><code>${code}</code><small>${capital(help)}</small>`,
      },
      { title: 'Examples', cell: (cause) => causeExamples(cause, names) },
      figures('Failed', ({ count }) => count),
    ],
    rows,
  });
}

function causeExamples(cause: Cause, names: Names): Html {
  const { count, examples } = cause;
  const lines = examples.map((example) => {
    const { article, selectedBy = [] } = example;
    const detail = [names.get(article), ...selectedBy, detailOf(example, cause)].filter(
      (one) => one,
    );
    return html`<li><bdi>${article}</bdi>${detail.map((one) => html` <small><bdi>${one}</bdi></small>`)}</li>`;
  });
  const more = count - examples.length;
  const rest =
    more > 0 ? html`<li><a href="#failures">and ${integer(more)} more</a></li>` : undefined;
  return html`<ul class="examples wrap">${lines}${rest}</ul>`;
}

function failures(report: RunReport): Section | undefined {
  const { quarantined, failed } = report.configurations;
  const counts = Object.entries(failuresByCode(report));
  const kinds = counts.map(([code, count]) => ({ id: code, label: code, count }));
  const inQuarantine = { id: 'quarantine', label: 'In quarantine', count: quarantined };
  return tableSection<FailureRow>({
    id: 'failures',
    title: 'Failed',
    total: failed,
    rest: 'failures.jsonl',
    columns: [
      { title: 'Article', cell: failedArticle },
      { title: 'Cause', cell: failureCause },
      figures('Days', ({ nights }) => nights),
      { title: 'Since', cell: ({ firstSeen }) => (firstSeen ? timeCell(firstSeen) : '–') },
      { title: 'Next try', cell: ({ retryOn }) => (retryOn ? timeCell(retryOn) : '–') },
    ],
    rows: report.failures,
    kinds: quarantined > 0 ? [...kinds, inQuarantine] : kinds,
    kindsOf: ({ code, quarantined: is }) => (is ? [code, 'quarantine'] : [code]),
  });
}

function timeCell(iso: string): Html {
  return html`<time datetime="${iso}">${day(iso)}</time>`;
}

function failedArticle(row: FailureRow): Html {
  const tag = row.quarantined ? html`<span class="tag">quarantine</span>` : undefined;
  const old = row.lastGood === undefined ? undefined : html`<small>its last good GLB stays</small>`;
  const name = row.what === undefined ? articleCell({ ...row, glb: row.lastGood }) : bold(row.what);
  return html`${name}${old}${tag}`;
}

function failureCause({ code, message, selectedBy = [] }: FailureRow): Html {
  const by =
    selectedBy.length === 0
      ? undefined
      : html`<small class="wrap">selected by <bdi>${selectedBy.join(', ')}</bdi></small>`;
  return html`<code>${code}</code><span class="wrap message"><bdi>${message}</bdi></span>${by}`;
}

function gates(report: RunReport, names: Names): Section | undefined {
  const { findings, byGate, count } = report.gates;
  return tableSection<GateFinding>({
    id: 'gates',
    title: 'Gate findings',
    total: count,
    note: gateNote(report),
    rest: 'the two manifests',
    columns: [
      { title: 'Article', cell: ({ article }) => labelCell(rangeName(article), names) },
      { title: 'Gate', cell: gateCell },
      { title: 'Finding', cell: ({ message }) => wrapped(message) },
      figures('Before', ({ before }) => before, figure),
      figures('Now', ({ now }) => now, figure),
    ],
    rows: findings,
    kinds: Object.entries(byGate).map(([gate, { warn, refuse }]) => {
      return { id: gate, label: gateLabel(gate), count: warn + refuse };
    }),
    kindsOf: ({ gate }) => [gate],
  });
}

function gateNote({ gates: { accepted, refused }, published }: RunReport): string {
  if (refused && accepted) return 'Accepted with --accept.';
  if (refused)
    return 'Nothing was published. If the changes are intended, run again with --accept.';
  if (published) return 'Published: no gate refuses the result at these thresholds.';
  return 'No gate refuses the result at these thresholds; nothing was published for another reason.';
}

/** A finding may concern all configurations, or all of one manufacturer. */
function rangeName(article: string): string {
  if (article === '*') return 'the whole range';
  return article.endsWith('/*') ? `all of ${article.slice(0, -2)}` : article;
}

function gateCell({ gate, action }: GateFinding): Html {
  return html`${gateLabel(gate)} ${action === 'refuse' ? html`<span class="tag bad">refuses</span>` : undefined}`;
}

function figure(value: number): string {
  return Number.isInteger(value) ? integer(value) : value.toFixed(3);
}

type ChangedRow = ChangeRow & { kind: keyof RunReport['changes'] };

function changes({ changes: of }: RunReport): Section | undefined {
  const kinds = CHANGES.filter((kind) => of[kind].count > 0);
  return tableSection<ChangedRow>({
    id: 'changes',
    title: 'Changes',
    total: kinds.reduce((sum, kind) => sum + of[kind].count, 0),
    rest: 'manifest.jsonl',
    columns: [
      ARTICLE,
      {
        title: 'Change',
        cell: ({ kind }) => html`<span class="tag ${kind}">${capital(kind)}</span>`,
      },
      {
        ...BYTES,
        cell: ({ bytes = 0, bytesBefore }) => html`${size(bytes)}${delta(bytesBefore, bytes)}`,
      },
      {
        ...TRIANGLES,
        cell: ({ triangles = 0, trianglesBefore }) =>
          html`${integer(triangles)}${delta(trianglesBefore, triangles)}`,
      },
      TIME,
    ],
    rows: kinds.flatMap((kind) => of[kind].rows.map((row) => ({ ...row, kind }))),
    kinds: kinds.map((kind) => ({ id: kind, label: capital(kind), count: of[kind].count })),
    kindsOf: ({ kind }) => [kind],
  });
}

function delta(before: number | undefined, now: number): Html | undefined {
  if (before === undefined || before === 0 || before === now) return undefined;
  const percent = Math.round(((now - before) * 100) / before);
  const text =
    percent === 0 ? '< 1 %' : `${percent > 0 ? '+' : '−'}${integer(Math.abs(percent))} %`;
  return html` <small class="delta">${text}</small>`;
}

/** What is faster does not slow a run down, such as an unchanged configuration. */
const SLOW_MS = 100;

function slowest({ slowest: all }: RunReport): Section | undefined {
  const rows = all.filter(({ ms = 0 }) => ms >= SLOW_MS);
  const columns = [ARTICLE, TIME, TRIANGLES, BYTES];
  return tableSection({ id: 'slowest', title: 'Slowest', columns, rows });
}

function largest({ largest: rows }: RunReport): Section | undefined {
  const shared = figures<RunReport['largest'][number]>('Shared by', ({ shared }) =>
    shared > 1 ? shared : undefined,
  );
  const columns = [ARTICLE, BYTES, TRIANGLES, shared];
  return tableSection({ id: 'largest', title: 'Largest files', columns, rows });
}

/** The order of the columns: the counts of configurations first. */
const PROGRAM_COLUMNS = PROGRAM_COUNTS.filter((name) => name !== 'bytes');

function programs({ programs: { rows, count } }: RunReport): Section | undefined {
  return tableSection<RunReport['programs']['rows'][number]>({
    id: 'programs',
    title: 'Programs',
    total: count,
    rest: 'manifest.jsonl',
    columns: [
      {
        title: 'Program',
        cell: ({ program, manufacturer }) =>
          html`${bold(program)}<small class="wrap"><bdi>${manufacturer}</bdi></small>`,
      },
      ...PROGRAM_COLUMNS.map((name) =>
        figures<(typeof rows)[number]>(capital(name), (row) => row[name]),
      ),
      figures('Size', ({ bytes }) => bytes, size),
    ],
    rows,
  });
}

function incomplete({ incomplete: { count, rows } }: RunReport): Section | undefined {
  return tableSection<IncompleteRow>({
    id: 'incomplete',
    title: 'Not complete',
    total: count,
    rest: 'catalogue.jsonl',
    columns: [ARTICLE, { title: 'Finding', cell: ({ message }) => wrapped(message) }],
    rows,
  });
}

function skipped({ skipped: rows, configurations }: RunReport): Section | undefined {
  return tableSection<SkippedRow>({
    id: 'skipped',
    title: 'Skipped',
    total: configurations.skipped,
    rest: 'manifest.jsonl',
    columns: [ARTICLE, { title: 'Reason', cell: ({ message }) => wrapped(message) }],
    rows,
  });
}

function drift({ drift: rows }: RunReport): Section | undefined {
  return tableSection<RunReport['drift'][number]>({
    id: 'drift',
    title: 'Drift',
    note: 'Responses of the service that can be read but differ from its specification.',
    columns: [
      {
        title: 'Field',
        cell: ({ operation, field }) => html`${bold(field)}<small>${operation}</small>`,
      },
      { title: 'Expected', cell: ({ expected }) => expected },
      { title: 'Found', cell: ({ found }) => wrapped(found) },
      figures('Times', ({ count }) => count),
    ],
    rows,
  });
}

function warnings(report: RunReport, names: Names): Section | undefined {
  const { articleWarnings, selectionWarnings, warnings: byCode } = report;
  return tableSection({
    id: 'warnings',
    title: 'Warnings',
    total: Object.values(byCode).reduce((sum, count) => sum + count, 0),
    rest: 'manifest.jsonl',
    columns: [
      { title: 'Article', cell: ({ article }) => labelCell(article, names) },
      { title: 'Code', cell: ({ code }) => html`<code>${code}</code>` },
      { title: 'Message', cell: ({ message }) => wrapped(message) },
    ],
    rows: [
      ...selectionWarnings.map((warning) => ({ ...warning, article: 'selection' })),
      ...articleWarnings,
    ],
  });
}

function stages({ stageMs }: RunReport): Section | undefined {
  const note = 'Stages overlap: each counts while an article is in it.';
  const bars = Object.entries(stageMs).map(([name, ms = 0]) => {
    return { name, length: ms, label: duration(ms) };
  });
  return barSection('stages', 'Time by stage', note, bars);
}

const STATUS_TONES: readonly [RegExp, string][] = [
  [/^2/, 'good'],
  [/^3/, 'same'],
  [/^(4|5|none)/, 'failed'],
];

function statuses({ requests: { byStatus } }: RunReport): Section | undefined {
  const note = 'Every attempt counts; temporary errors are retried.';
  const bars = Object.entries(byStatus).map(([status, count]) => ({
    name: status === 'none' ? 'no response' : status,
    length: count,
    label: integer(count),
    tone: STATUS_TONES.find(([pattern]) => pattern.test(status))?.[1] ?? '',
  }));
  return barSection('requests', 'Requests by status', note, bars);
}

function countBars(counts: Record<string, number>, nameOf: (name: string) => Html) {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => ({ name: nameOf(name), length: count, label: integer(count) }));
}

function losses(report: RunReport): Section | undefined {
  const note = 'What glTF cannot represent exactly; see btg2gltf explain for each.';
  const bars = countBars(report.losses, (field) => {
    const label = fieldLabel(field);
    return label === undefined ? html`<bdi>${field}</bdi>` : html`${label} <code>${field}</code>`;
  });
  return barSection('losses', 'Losses by material field', note, bars);
}

function warningCodes(report: RunReport): Section | undefined {
  const bars = countBars(report.warnings, (code) => html`<code>${code}</code>`);
  return barSection('warning-codes', 'Warnings by code', '', bars);
}
