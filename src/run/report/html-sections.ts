/** The sections of the page below its first screen: one table or list of bars each. */
import { configurationLabel } from '../../model/configuration-id.ts';
import {
  changedParts,
  detailOf,
  FIELD_LABELS,
  failuresByCode,
  gateLabel,
  lossSentences,
} from './assessment.ts';
import {
  barSection,
  type Column,
  outputLink,
  type Section,
  tableSection,
} from './html-elements.ts';
import { type Html, html } from './markup.ts';
import {
  type AssetRow,
  type Cause,
  CHANGES,
  DELIVERY_FAILURES,
  type FailureRow,
  PROGRAM_COUNTS,
  type RunReport,
} from './run-report.ts';
import { capital, day, deliveryText, duration, integer, size } from './text.ts';

/** Names of configurations by their label, of all that the report describes. */
type Names = ReadonlyMap<string, string>;

type MakeSection = (report: RunReport, names: Names) => Section | undefined;

/** The sections in the order of the page; sections without content are left out. */
export function sectionsOf(report: RunReport): Record<'findings' | 'bars' | 'details', Section[]> {
  const names = namesIn(report);
  const make = (...sections: MakeSection[]) =>
    sections.flatMap((section) => section(report, names) ?? []);
  return {
    findings: make(causes, failures, deliveries, gates, damaged, incomplete, changes),
    bars: make(stages, statuses, losses),
    details: make(
      ...[delivered, slowest, slowestDelivered, largest, programs, workers],
      ...[splits, skipped, drift, warnings],
    ),
  };
}

type Named = Omit<AssetRow, 'metareinitstring' | 'bytes' | 'triangles' | 'ms'>;

function namesIn({ changes: of, ...report }: RunReport): Names {
  const { damaged, incomplete, skipped, failures, slowest, largest } = report;
  const changed = CHANGES.flatMap((kind): Named[] => of[kind].rows);
  const rows = changed.concat(damaged.rows, incomplete.rows, skipped, failures, slowest, largest);
  return new Map(
    rows.flatMap((row) => (row.name === undefined ? [] : [[configurationLabel(row), row.name]])),
  );
}

function articleCell(row: Named): Html {
  const { manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring, glb } = row;
  const number = finalarticlenumber || basearticlenumber;
  const name = html`<bdi>${number}</bdi>`;
  const linked = glb === undefined ? name : html`<a href="${outputLink(glb)}">${name}</a>`;
  const base = number === basearticlenumber ? '' : basearticlenumber;
  const more = [base, reinitstring].filter((text) => text !== '');
  return html`<b class="wrap">${linked}</b>${description(row)}<small class="wrap"><bdi>${manufacturer}</bdi> / <bdi>${program}</bdi>${more.map((text) => html` · <bdi>${text}</bdi>`)}</small>`;
}

function description({ name, sizeMillimetres: of }: Named): Html | undefined {
  const size = of && `${integer(of.width)} × ${integer(of.depth)} × ${integer(of.height)} mm`;
  if (name === undefined && size === undefined) return undefined;
  const shown = size && html`<span class="size">${size}</span>`;
  return html`<span class="name wrap">${name && html`<bdi>${name}</bdi> `}${shown}</span>`;
}

const bold = (text: string) => html`<b class="wrap"><bdi>${text}</bdi></b>`;

/** A column of a configuration of which the rows have only the label. */
function labels<T extends { article: string }>(names: Names): Column<T> {
  const cell = ({ article }: T) => {
    const name = names.get(article);
    return html`${bold(rangeName(article))}${name && html`<span class="name wrap"><bdi>${name}</bdi></span>`}`;
  };
  return { title: 'Article', cell };
}

function texts<F extends string>(title: string, field: F): Column<Record<F, string>> {
  return { title, cell: (row) => html`<span class="wrap"><bdi>${row[field]}</bdi></span>` };
}

function figures<F extends string>(
  title: string,
  field: F,
  format: (figure: number) => string = integer,
): Column<{ [name in F]?: number | undefined }> {
  return { title, value: (row) => row[field], cell: (row) => format(row[field] ?? 0) };
}

/** Of the cells with a size. */
const ARTICLE_TITLE = 'Article (width × depth × height of the model)';
const ARTICLE: Column<Named> = { title: ARTICLE_TITLE, cell: articleCell };
const BYTES = figures('Size', 'bytes', size);
const TRIANGLES = figures('Triangles', 'triangles');
const TIME = figures('Time', 'ms', duration);

/** Each cause once, with examples; the table of failures has every row. */
function causes({ causes: rows }: RunReport, names: Names): Section | undefined {
  const cause = ({ code, message, help }: Cause) =>
    html`<span class="wrap message"><bdi>${capital(message)}</bdi></span><code>${code}</code><small>${capital(help)}</small>`;
  const columns = [
    { title: 'Cause', cell: cause },
    { title: 'Examples', cell: (row: Cause) => causeExamples(row, names) },
    figures('Failed', 'count'),
  ];
  return tableSection('causes', 'Causes of failures', { columns, rows });
}

function causeExamples(cause: Cause, names: Names): Html {
  const { count, examples } = cause;
  const lines = examples.map((example) => {
    const { article, selectedBy = [] } = example;
    const detail = [names.get(article), ...selectedBy, detailOf(example, cause)];
    const small = detail.map((text) => text && html` <small><bdi>${text}</bdi></small>`);
    return html`<li><bdi>${article}</bdi>${small}</li>`;
  });
  const more = count - examples.length;
  const rest = html`<li><a href="#failures">and ${integer(more)} more</a></li>`;
  return html`<ul class="examples wrap">${lines}${more > 0 ? rest : undefined}</ul>`;
}

function failures(report: RunReport): Section | undefined {
  const { quarantined, failed, failedCarts } = report.configurations;
  const kinds = kindsByCode(failuresByCode(report));
  const inQuarantine = { id: 'quarantine', label: 'In quarantine', count: quarantined };
  const ofCarts = { id: 'carts', label: 'Of carts', count: failedCarts };
  return tableSection('failures', 'Failed', {
    rows: report.failures,
    columns: [
      { title: ARTICLE_TITLE, cell: failedArticle },
      { title: 'Cause', cell: failureCause },
      figures('Days', 'nights'),
      { title: 'Since', cell: ({ firstSeen }) => dayCell(firstSeen) },
      { title: 'Next try', cell: ({ retryOn }) => dayCell(retryOn) },
    ],
    total: failed + failedCarts,
    rest: 'failures.jsonl',
    kinds: [...kinds, inQuarantine, ofCarts].filter(({ count }) => count > 0),
    kindsOf: ({ code, onlyCarts, quarantined: is }) => {
      if (onlyCarts) return ['carts'];
      return is ? [code, 'quarantine'] : [code];
    },
  });
}

function kindsByCode(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([code, count]) => ({ id: code, label: code, count }));
}

function dayCell(iso: string | undefined): Html | string {
  return iso === undefined ? '–' : html`<time datetime="${iso}">${day(iso)}</time>`;
}

function failedArticle(row: FailureRow): Html {
  const tag = row.quarantined ? html`<span class="tag">quarantine</span>` : undefined;
  const old = row.lastGood && html`<small>its last good GLB stays</small>`;
  const name = row.what === undefined ? articleCell({ ...row, glb: row.lastGood }) : bold(row.what);
  return html`${name}${old}${tag}`;
}

function failureCause({ code, message, selectedBy }: FailureRow): Html {
  const by =
    selectedBy && html`<small class="wrap">selected by <bdi>${selectedBy.join(', ')}</bdi></small>`;
  return html`<code>${code}</code><span class="wrap message"><bdi>${message}</bdi></span>${by}`;
}

function gates(report: RunReport, names: Names): Section | undefined {
  const { findings: rows, byGate, count: total } = report.gates;
  const refuses = html` <span class="tag bad">refuses</span>`;
  return tableSection('gates', 'Gate findings', {
    rows,
    columns: [
      labels(names),
      {
        title: 'Gate',
        cell: ({ gate, action }) =>
          html`${gateLabel(gate)}${action === 'refuse' ? refuses : undefined}`,
      },
      texts('Finding', 'message'),
      figures('Before', 'before', decimal),
      figures('Now', 'now', decimal),
    ],
    total,
    rest: 'the two manifests',
    note: gateNote(report),
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

function decimal(value: number): string {
  return Number.isInteger(value) ? integer(value) : value.toFixed(3);
}

function changes(report: RunReport): Section | undefined {
  const { changes: of } = report;
  const kinds = CHANGES.filter((kind) => of[kind].count > 0);
  return tableSection('changes', 'Changes', {
    rows: kinds.flatMap((kind) => of[kind].rows.map((row) => ({ ...row, kind }))),
    columns: [
      ARTICLE,
      {
        title: 'Change',
        cell: ({ kind, what }) =>
          html`<span class="tag ${kind}">${capital(kind)}</span>${kind === 'changed' ? html`<small>${what.join(', ')}</small>` : undefined}`,
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
    total: kinds.reduce((sum, kind) => sum + of[kind].count, 0),
    rest: report.published ? 'changes.jsonl' : 'manifest.jsonl',
    note: changedParts(report).join(' · '),
    kinds: kinds.map((kind) => ({ id: kind, label: capital(kind), count: of[kind].count })),
    kindsOf: ({ kind }) => [kind],
  });
}

function delta(before: number | undefined, now: number): Html | undefined {
  if (before === undefined || before === 0 || before === now) return undefined;
  const percent = Math.round(((now - before) * 100) / before);
  const text = percent === 0 ? '< 1' : `${percent > 0 ? '+' : '−'}${integer(Math.abs(percent))}`;
  return html` <small class="delta">${text} %</small>`;
}

/** What is faster does not slow a run down, such as an unchanged configuration. */
const SLOW_MS = 100;

function slowest({ slowest: all }: RunReport): Section | undefined {
  const rows = all.filter(({ ms = 0 }) => ms >= SLOW_MS);
  return tableSection('slowest', 'Slowest', { rows, columns: [ARTICLE, TIME, TRIANGLES, BYTES] });
}

function largest({ largest: rows }: RunReport): Section | undefined {
  // One configuration is no news.
  const all = rows.map((row) => ({ ...row, shared: row.shared > 1 ? row.shared : undefined }));
  const columns = [ARTICLE, BYTES, TRIANGLES, figures('Shared by', 'shared')];
  return tableSection('largest', 'Largest files', { rows: all, columns });
}

function programs({ programs: { rows, count: total } }: RunReport): Section | undefined {
  type Row = (typeof rows)[number];
  const name = ({ program, manufacturer }: Row) =>
    html`${bold(program)}<small class="wrap"><bdi>${manufacturer}</bdi></small>`;
  const counts = PROGRAM_COUNTS.filter((field) => field !== 'bytes');
  const columns = [
    { title: 'Program', cell: name },
    ...counts.map((field) => figures(capital(field), field)),
    figures('Size', 'bytes', size),
  ];
  return tableSection('programs', 'Programs', { rows, columns, total, rest: 'manifest.jsonl' });
}

/** The states of a worker that a person should look at. */
const LOST_STATES: ReadonlySet<string> = new Set(['lost', 'refused']);

function workers({ workers: rows = [] }: RunReport): Section | undefined {
  type Row = (typeof rows)[number];
  const tone = ({ state }: Row) => (LOST_STATES.has(state) ? 'tag bad' : 'tag');
  const columns = [
    { title: 'Worker', cell: ({ name }: Row) => bold(name) },
    { title: 'State', cell: (row: Row) => html`<span class="${tone(row)}">${row.state}</span>` },
    figures('Chunks', 'chunks'),
    figures('Configurations', 'configurations'),
    figures('Made of GLBs', 'made'),
    figures('Failed', 'failed'),
    figures('Requests', 'requests'),
    figures('Memory', 'peakBytes', size),
  ];
  const note = 'What each worker of this run did, and the most memory that it had.';
  return tableSection('workers', 'Workers', { rows, columns, note });
}

function foundSection(id: 'damaged' | 'incomplete', title: string, rest: string): MakeSection {
  const columns = [ARTICLE, texts('Finding', 'message')];
  return ({ [id]: { rows, count: total } }) =>
    tableSection(id, title, { rows, columns, total, rest });
}

const damaged = foundSection('damaged', 'Changed or removed files', 'the log');
const incomplete = foundSection('incomplete', 'Not complete', 'catalogue.jsonl');

const DELIVERY_COUNTS = {
  Made: 'made',
  Unchanged: 'unchanged',
  Failed: 'failed',
  Accepted: 'accepted',
  'Left out': 'omitted',
} as const;

function delivered({ delivered: made }: RunReport): Section | undefined {
  const hasTimes = made?.deliveries.some(({ ms = 0 }) => ms > 0);
  const counts = Object.entries(DELIVERY_COUNTS);
  const shown = counts.filter(([, key]) => made?.deliveries.some((one) => (one[key] ?? 0) > 0));
  const titles = new Intl.ListFormat('en').format(shown.map(([title]) => `“${title}”`));
  const are = shown.length === 1 ? 'is a number' : 'are numbers';
  return tableSection('delivered', 'Deliveries', {
    rows: made?.deliveries ?? [],
    columns: [
      { title: 'Delivery', cell: ({ name }) => bold(deliveryText(name)) },
      ...counts.map(([title, key]) => figures(title, key)),
      // Of feeds and the webhook there is none.
      { title: 'Size', value: ({ bytes }) => bytes || undefined, cell: ({ bytes }) => size(bytes) },
      { title: 'Time', value: ({ ms }) => ms || undefined, cell: ({ ms = 0 }) => duration(ms) },
    ],
    note: [
      ...(shown.length > 0 ? [`${titles} ${are} of configurations.`] : []),
      ...(hasTimes ? ['Time is the work of all processors together; waiting is not counted.'] : []),
      ...[...(made?.omitted ?? []), ...(made?.notes ?? [])].map((text) => `${capital(text)}.`),
    ].join(' '),
  });
}

function slowestDelivered({ delivered: made }: RunReport, names: Names): Section | undefined {
  const all = (made?.deliveries ?? []).flatMap(({ name: delivery, slowest: own = [] }) =>
    own.map((one) => ({ ...one, delivery })),
  );
  return tableSection('slowest-delivered', 'Slowest files of deliveries', {
    rows: all.toSorted((a, b) => b.ms - a.ms),
    columns: [labels(names), texts('Delivery', 'delivery'), TIME],
  });
}

function deliveries({ delivered }: RunReport, names: Names): Section | undefined {
  const { deliveries: all = [], failures: rows = [] } = delivered ?? {};
  const totals = all.map(({ name, failed, accepted }) => {
    const listed = rows.filter(({ delivery }) => delivery === name).length;
    return listed < DELIVERY_FAILURES ? listed : Math.max(listed, failed + accepted);
  });
  return tableSection('deliveries', 'Failed deliveries', {
    rows,
    total: totals.reduce((sum, count) => sum + count, 0),
    columns: [
      labels(names),
      texts('Delivery', 'delivery'),
      {
        title: 'Code',
        cell: ({ code, isAccepted }) =>
          html`<code>${code}</code>${isAccepted ? html`<small>accepted</small>` : undefined}`,
      },
      texts('Message', 'message'),
    ],
    rest: 'deliveries.jsonl',
  });
}

function splits({ delivered }: RunReport): Section | undefined {
  return tableSection('splits', 'Shapes', {
    rows: delivered?.splits ?? [],
    columns: [
      { title: 'Property', cell: ({ splitBy }) => bold(splitBy.join(' or ')) },
      figures('Articles', 'count'),
      { title: 'Such as', cell: ({ articles }) => bold(articles.join(', ')) },
    ],
    note: 'Properties that change the shape: their values are in different files with finishes.',
  });
}

function skipped({ skipped: rows, configurations }: RunReport): Section | undefined {
  const columns = [ARTICLE, texts('Reason', 'message')];
  const { skipped: total } = configurations;
  return tableSection('skipped', 'Skipped', { rows, columns, total, rest: 'manifest.jsonl' });
}

function drift({ drift: rows }: RunReport): Section | undefined {
  return tableSection('drift', 'Drift', {
    rows,
    columns: [
      {
        title: 'Field',
        cell: ({ operation, field }) => html`${bold(field)}<small>${operation}</small>`,
      },
      texts('Expected', 'expected'),
      texts('Found', 'found'),
      figures('Times', 'count'),
    ],
    note: 'Responses of the service that can be read but differ from its specification.',
  });
}

function warnings(report: RunReport, names: Names): Section | undefined {
  const { articleWarnings, selectionWarnings, warnings: byCode } = report;
  const ofSelection = selectionWarnings.map((row) => ({ ...row, article: 'selection' }));
  return tableSection('warnings', 'Warnings', {
    rows: [...ofSelection, ...articleWarnings],
    columns: [
      labels(names),
      { title: 'Code', cell: ({ code }) => html`<code>${code}</code>` },
      texts('Message', 'message'),
    ],
    total: Object.values(byCode).reduce((a, b) => a + b, 0),
    rest: 'manifest.jsonl',
    kinds: kindsByCode(byCode),
    kindsOf: ({ code }) => [code],
  });
}

function stages({ stageMs }: RunReport): Section | undefined {
  const note =
    'Stages can run at the same time, so the sum of their times can be more than the time of the run.';
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

function losses(report: RunReport): Section | undefined {
  const sentences = lossSentences(report).map((text) => `${text}.`);
  const note = `${sentences.join(' ')} Each bar is one field in the data of the service. The number beside it counts the values that cannot be stored exactly in glTF; btg2gltf explain ARTICLE lists them.`;
  const counts = Object.entries(report.losses).sort(([, a], [, b]) => b - a);
  const bars = counts.map(([field, count]) => {
    const label = FIELD_LABELS.get(field);
    const name =
      label === undefined ? html`<bdi>${field}</bdi>` : html`${label} <code>${field}</code>`;
    return { name, length: count, label: integer(count) };
  });
  return barSection('losses', 'Losses: what may look different', note, bars);
}
