/**
 * HTML sections: the details below the first screenful, one table or list of bars each.
 *
 * In: a report. Out: sections, those without content left out.
 */
import { fieldName } from './field-names.ts';
import { barCard, type Column, type Kind, type Part, tableSection } from './html-table.ts';
import { type Html, html, outputLink } from './html-text.ts';
import type { AssetRow, ChangeRow, FailureRow, GateFinding, RunReport } from './run-report.ts';
import { gateName } from './verdict.ts';
import { day, duration, size, whole } from './words.ts';

type Section = (report: RunReport) => Part | undefined;

/** The tables that somebody may have to act on, in the order of the page. */
export const FIRST_TABLES: readonly Section[] = [failures, gates, changes];

/** The tables that are good to know. */
export const LATER_TABLES: readonly Section[] = [slowest, largest, programs, drift, warnings];

/** The lists of bars, in the order of the page. */
export const BARS: readonly Section[] = [stages, statuses, losses, warningCodes];

type Named = Pick<
  AssetRow,
  'manufacturer' | 'program' | 'basearticlenumber' | 'finalarticlenumber' | 'reinitstring'
> & { glb?: string | undefined };

/** An article with its link and, smaller, all else that tells it apart. */
function articleCell(row: Named): Html {
  const { manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring, glb } = row;
  const number = finalarticlenumber || basearticlenumber;
  const name = html`<bdi>${number}</bdi>`;
  const linked = glb === undefined ? name : html`<a href="${outputLink(glb)}">${name}</a>`;
  const base = number === basearticlenumber ? undefined : html` · <bdi>${basearticlenumber}</bdi>`;
  const more = reinitstring === '' ? undefined : html` · <bdi>${reinitstring}</bdi>`;
  return html`<b class="wrap">${linked}</b><small class="wrap"><bdi>${manufacturer}</bdi> / <bdi>${program}</bdi>${base}${more}</small>`;
}

const ARTICLE: Column<Named> = { title: 'Article', cell: articleCell };
const BYTES: Column<AssetRow> = {
  title: 'Size',
  value: ({ bytes }) => bytes,
  cell: ({ bytes = 0 }) => size(bytes),
};
const TRIANGLES: Column<AssetRow> = {
  title: 'Triangles',
  value: ({ triangles }) => triangles,
  cell: ({ triangles = 0 }) => whole(triangles),
};
const TIME: Column<AssetRow> = {
  title: 'Time',
  value: ({ ms }) => ms,
  cell: ({ ms = 0 }) => duration(ms),
};

function failures(report: RunReport): Part | undefined {
  const quarantined = report.configurations.quarantined;
  const kinds: Kind[] = report.causes.map(({ code, count }) => ({ id: code, label: code, count }));
  const inQuarantine = { id: 'quarantine', label: 'In quarantine', count: quarantined };
  return tableSection<FailureRow>({
    id: 'failures',
    title: 'Failed',
    total: report.configurations.failed,
    rest: 'failures.jsonl',
    columns: [
      { title: 'Article', cell: failedArticle },
      { title: 'Cause', cell: failureCause },
      { title: 'Nights', value: ({ nights }) => nights, cell: ({ nights = 0 }) => whole(nights) },
      {
        title: 'Since',
        cell: ({ firstSeen }) => (firstSeen === undefined ? '–' : timeCell(firstSeen)),
      },
      {
        title: 'Next try',
        cell: ({ retryOn }) => (retryOn === undefined ? 'next run' : timeCell(retryOn)),
      },
    ],
    rows: report.failures,
    kinds: quarantined > 0 ? [...kinds, inQuarantine] : kinds,
    kindsOf: ({ code, quarantined: is }) => (is ? [code, 'quarantine'] : [code]),
  });
}

/** A day that sorts as a day, whatever it is called. */
function timeCell(iso: string): Html {
  return html`<time datetime="${iso}">${day(iso)}</time>`;
}

function failedArticle(row: FailureRow): Html {
  const tag = row.quarantined ? html`<span class="tag">quarantine</span>` : undefined;
  const old = row.lastGood === undefined ? undefined : html`<small>keeps its last good GLB</small>`;
  const name =
    row.what === undefined
      ? articleCell({ ...row, glb: row.lastGood })
      : html`<b class="wrap"><bdi>${row.what}</bdi></b>`;
  return html`${name}${old}${tag}`;
}

function failureCause({ code, message, help }: FailureRow): Html {
  return html`<code>${code}</code><span class="wrap message"><bdi>${message}</bdi></span><small>→ ${help}</small>`;
}

function gates(report: RunReport): Part | undefined {
  const { findings, byGate, count } = report.gates;
  const kinds = Object.entries(byGate).map(([gate, { warn, refuse }]): Kind => {
    return { id: gate, label: gateName(gate), count: warn + refuse };
  });
  return tableSection<GateFinding>({
    id: 'gates',
    title: 'Gate findings',
    total: count,
    note: gateNote(report),
    rest: 'the two manifests',
    columns: [
      {
        title: 'Article',
        cell: ({ article }) => html`<b class="wrap"><bdi>${rangeName(article)}</bdi></b>`,
      },
      { title: 'Gate', cell: gateCell },
      {
        title: 'Finding',
        cell: ({ message }) => html`<span class="wrap"><bdi>${message}</bdi></span>`,
      },
      { title: 'Before', value: ({ before }) => before, cell: ({ before }) => figure(before) },
      { title: 'Now', value: ({ now }) => now, cell: ({ now }) => figure(now) },
    ],
    rows: findings,
    kinds,
    kindsOf: ({ gate }) => [gate],
  });
}

/** What became of the findings. */
function gateNote({ gates: { accepted, refused }, published }: RunReport): string {
  if (refused && accepted) return 'Accepted with --accept.';
  if (refused) return 'Nothing was published. If all of this is meant, run again with --accept.';
  if (published) return 'Published all the same: no gate refuses at these thresholds.';
  return 'No gate refuses at these thresholds; nothing was published for another reason.';
}

/** A finding may be about all that was compared, or all of one manufacturer. */
function rangeName(article: string): string {
  if (article === '*') return 'the whole range';
  return article.endsWith('/*') ? `all of ${article.slice(0, -2)}` : article;
}

function gateCell({ gate, action }: GateFinding): Html {
  return html`${gateName(gate)} ${action === 'refuse' ? html`<span class="tag bad">refuses</span>` : undefined}`;
}

function figure(value: number): string {
  return Number.isInteger(value) ? whole(value) : value.toFixed(3);
}

type Moved = ChangeRow & { kind: 'new' | 'changed' | 'removed' };

const KIND_LABELS = { new: 'New', changed: 'Changed', removed: 'Removed' } as const;

function changes({ changes: { new: fresh, changed, removed } }: RunReport): Part | undefined {
  const of = { new: fresh, changed, removed };
  const kinds = (['new', 'changed', 'removed'] as const).filter((kind) => of[kind].count > 0);
  return tableSection<Moved>({
    id: 'changes',
    title: 'Changes',
    total: kinds.reduce((sum, kind) => sum + of[kind].count, 0),
    rest: 'manifest.jsonl',
    columns: [
      ARTICLE,
      {
        title: 'Change',
        cell: ({ kind }) => html`<span class="tag ${kind}">${KIND_LABELS[kind]}</span>`,
      },
      {
        title: 'Size',
        value: ({ bytes }) => bytes,
        cell: ({ bytes = 0, bytesBefore }) => html`${size(bytes)}${delta(bytesBefore, bytes)}`,
      },
      {
        title: 'Triangles',
        value: ({ triangles }) => triangles,
        cell: ({ triangles = 0, trianglesBefore }) =>
          html`${whole(triangles)}${delta(trianglesBefore, triangles)}`,
      },
      TIME,
    ],
    rows: kinds.flatMap((kind) => of[kind].rows.map((row) => ({ ...row, kind }))),
    kinds: kinds.map((kind) => ({ id: kind, label: KIND_LABELS[kind], count: of[kind].count })),
    kindsOf: ({ kind }) => [kind],
  });
}

/** `+12 %` beside a figure that was another before. */
function delta(before: number | undefined, now: number): Html | undefined {
  if (before === undefined || before === 0 || before === now) return undefined;
  const percent = Math.round(((now - before) * 100) / before);
  const told = percent === 0 ? '≈' : `${percent > 0 ? '+' : '−'}${whole(Math.abs(percent))} %`;
  return html` <small class="delta">${told}</small>`;
}

function slowest({ slowest: rows }: RunReport): Part | undefined {
  return tableSection({
    id: 'slowest',
    title: 'Slowest',
    columns: [ARTICLE, TIME, TRIANGLES, BYTES],
    rows,
  });
}

function largest({ largest: rows }: RunReport): Part | undefined {
  type Row = RunReport['largest'][number];
  const shared: Column<Row> = {
    title: 'Shared by',
    value: (row) => row.shared,
    cell: (row) => whole(row.shared),
  };
  return tableSection<Row>({
    id: 'largest',
    title: 'Largest files',
    columns: [ARTICLE, BYTES, TRIANGLES, shared],
    rows,
  });
}

function programs({ programs: { rows, count } }: RunReport): Part | undefined {
  type Row = RunReport['programs']['rows'][number];
  const number = (title: string, value: (row: Row) => number): Column<Row> => ({
    title,
    value,
    cell: (row) => whole(value(row)),
  });
  return tableSection<Row>({
    id: 'programs',
    title: 'Programs',
    total: count,
    rest: 'manifest.jsonl',
    columns: [
      {
        title: 'Program',
        cell: ({ program, manufacturer }) =>
          html`<b class="wrap"><bdi>${program}</bdi></b><small class="wrap"><bdi>${manufacturer}</bdi></small>`,
      },
      number('Configurations', (row) => row.configurations),
      number('New', (row) => row.new),
      number('Changed', (row) => row.changed),
      number('Failed', (row) => row.failed),
      number('Triangles', (row) => row.triangles),
      { title: 'Size', value: ({ bytes }) => bytes, cell: ({ bytes }) => size(bytes) },
    ],
    rows,
  });
}

function drift({ drift: rows }: RunReport): Part | undefined {
  type Row = RunReport['drift'][number];
  return tableSection<Row>({
    id: 'drift',
    title: 'Drift',
    note: 'Answers of the service that can be read but are not what its specification says.',
    columns: [
      {
        title: 'Field',
        cell: ({ operation, field }) =>
          html`<b class="wrap"><bdi>${field}</bdi></b><small>${operation}</small>`,
      },
      { title: 'Expected', cell: ({ expected }) => expected },
      { title: 'Found', cell: ({ found }) => html`<span class="wrap"><bdi>${found}</bdi></span>` },
      { title: 'Times', value: ({ count }) => count, cell: ({ count }) => whole(count) },
    ],
    rows,
  });
}

function warnings({
  articleWarnings,
  selectionWarnings,
  warnings: byCode,
}: RunReport): Part | undefined {
  const rows = [
    ...selectionWarnings.map((warning) => ({ ...warning, article: 'selection' })),
    ...articleWarnings,
  ];
  const all = Object.values(byCode).reduce((sum, count) => sum + count, 0);
  return tableSection<RunReport['articleWarnings'][number]>({
    id: 'warnings',
    title: 'Warnings',
    total: all,
    rest: 'manifest.jsonl',
    columns: [
      { title: 'Article', cell: ({ article }) => html`<b class="wrap"><bdi>${article}</bdi></b>` },
      { title: 'Code', cell: ({ code }) => html`<code>${code}</code>` },
      {
        title: 'Message',
        cell: ({ message }) => html`<span class="wrap"><bdi>${message}</bdi></span>`,
      },
    ],
    rows,
  });
}

function stages({ stageMs }: RunReport): Part | undefined {
  const bars = Object.entries(stageMs).map(([name, ms = 0]) => ({
    name,
    length: ms,
    told: duration(ms),
  }));
  return barCard(
    'stages',
    'Time by stage',
    'Stages overlap: each counts while an article is in it.',
    bars,
  );
}

const STATUS_TONES: readonly [RegExp, string][] = [
  [/^2/, 'good'],
  [/^3/, 'same'],
  [/^(4|5|none)/, 'failed'],
];

function statuses({ requests: { byStatus } }: RunReport): Part | undefined {
  const bars = Object.entries(byStatus).map(([status, count]) => ({
    name: status === 'none' ? 'no answer' : status,
    length: count,
    told: whole(count),
    tone: STATUS_TONES.find(([pattern]) => pattern.test(status))?.[1] ?? '',
  }));
  return barCard(
    'requests',
    'Requests by status',
    'Every attempt counts; what fails in passing is tried again.',
    bars,
  );
}

function byCount(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts).sort(([, a], [, b]) => b - a);
}

function losses(report: RunReport): Part | undefined {
  const bars = byCount(report.losses).map(([field, count]) => {
    const name = fieldName(field);
    const told =
      name === undefined ? html`<bdi>${field}</bdi>` : html`${name} <code>${field}</code>`;
    return { name: told, length: count, told: whole(count) };
  });
  return barCard(
    'losses',
    'Losses by material field',
    'What glTF could not say as the service does; btg2gltf explain tells each.',
    bars,
  );
}

function warningCodes(report: RunReport): Part | undefined {
  const bars = byCount(report.warnings).map(([code, count]) => {
    return { name: html`<code>${code}</code>`, length: count, told: whole(count) };
  });
  return barCard('warning-codes', 'Warnings by code', '', bars);
}
