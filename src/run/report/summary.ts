/** The report as one screen of text. */
import { groupBy } from '../../support/group-by.ts';
import { visibleLines } from '../../support/visible.ts';
import {
  assess,
  changedParts,
  detailOf,
  gateLabel,
  lossSentences,
  workersByState,
} from './assessment.ts';
import { type Cause, CHANGES, type RunReport } from './run-report.ts';
import { amount, deliveryText, duration, integer, size, wrapped } from './text.ts';

const SHOWN_CAUSES = 10;
const SHOWN_WARNINGS = 5;
const LABEL_WIDTH = 16;

interface SummaryOptions {
  /** Folder of the run, if it has one. */
  runFolder?: string | undefined;
  /** Characters of a line. Lines are wrapped at blanks; paths are not. @defaultValue unlimited */
  columns?: number;
  /** Whether the summary says why a run without a selection ended. @defaultValue `true` */
  withReason?: boolean;
}

/**
 * Summarises a report.
 *
 * @returns Lines of text without colours.
 */
export function summarise(report: RunReport, options: SummaryOptions = {}): string {
  const { runFolder, columns = Number.POSITIVE_INFINITY, withReason = true } = options;
  const { articleWarnings, selectionWarnings, causes } = report;
  const shown = ROWS.filter(([label]) => withReason || label !== REASON);
  const rows = shown
    .map(([label, text]) => [label, [text(report)].flat()] as const)
    .filter(([, lines]) => lines.some((line) => line !== ''))
    .flatMap(([label, lines]) =>
      lines.flatMap((line, i) => {
        const row = `  ${(i === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`;
        return PATHS.has(label) ? [row] : wrapped(row, columns, LABEL_WIDTH + 2);
      }),
    );
  // The report has the first warnings only, so their number is unknown.
  const moreWarnings = () => 'more in report.json and the manifest';
  const inReport = (more: number) => `${integer(more)} more in report.json`;
  const file = runFolder === undefined ? '' : ' in failures.jsonl of the report';
  const inFailures = (more: number) => `${amount(more, 'other cause')}${file}`;
  const equalWarnings = [...groupBy(articleWarnings, ({ code, message }) => `${code} ${message}`)];
  const lists = [
    listLines('Warnings', equalWarnings, SHOWN_WARNINGS, moreWarnings, ([, [first, ...others]]) => {
      const { article, code, message } = first!;
      const more = others.length === 0 ? '' : ` and ${integer(others.length)} more`;
      return [`${article}${more}  ${code}  ${message}`];
    }),
    listLines('Selection', selectionWarnings, SHOWN_WARNINGS, inReport, (warning) => [
      `${warning.code}  ${warning.message}`,
    ]),
    listLines('Failed', causes, SHOWN_CAUSES, inFailures, (cause) => causeLines(cause, file)),
  ];
  const wrap = (line: string) => wrapped(line, columns, line.search(/[^ ]|$/) + 2);
  return visibleLines([
    ...['', ...wrap(headline(report)), '', ...rows, ...lists.flat().flatMap(wrap)],
    '',
  ]);
}

function causeLines(cause: Cause, file: string): string[] {
  const { code, count, onlyCarts, message, help, examples } = cause;
  const more = count - examples.length;
  return [
    `${code}  ${integer(count)}${onlyCarts ? ' of carts' : ''} failed${count === 1 ? '' : ' for one reason'}: ${message}`,
    ...examples.map((example) => {
      const facts = [...(example.selectedBy ?? []), detailOf(example, cause)];
      const text = facts.filter((fact) => fact !== '').join('; ');
      return `  ${example.article}${text === '' ? '' : `  ${text}`}`;
    }),
    ...(more > 0 ? [`  … and ${integer(more)} more${file}`] : []),
    `  → ${help}`,
  ];
}

function headline(report: RunReport): string {
  const { pipeline, service, articles, stop, configurations } = report;
  const { failed, selected } = configurations;
  const { headline: text } = assess(report);
  const whole = text.charAt(0).toLowerCase() + text.slice(1);
  const finished = failed < selected ? `finished, ${integer(failed)} failed` : 'all failed';
  const result = stop === undefined && failed > 0 ? finished : whole;
  // A failed selection has no article.
  const of = articles === 0 ? '' : ` of ${amount(articles, 'article')}`;
  const what = selected === 0 ? [] : [`${amount(selected, 'configuration')}${of}`];
  return `  ${[`${pipeline}: ${result}`, ...what, service].join(' · ')}`;
}

function listLines<T>(
  title: string,
  items: readonly T[],
  limit: number,
  rest: (more: number) => string,
  linesOf: (item: T) => string[],
): string[] {
  if (items.length === 0) return [];
  const more = items.length - limit;
  const lines = items.slice(0, limit).flatMap(linesOf);
  if (more > 0) lines.push(`… and ${rest(more)}`);
  return ['', `  ${title}`, ...lines.map((line) => `    ${line}`)];
}

const REASON = 'Reason';
/** Rows of paths, which are copied. */
const PATHS: ReadonlySet<string> = new Set(['Gallery', 'Output']);

/** A row is left out if its text is empty; it may have several lines. */
const ROWS: [label: string, text: (report: RunReport) => string | string[]][] = [
  [REASON, nothingSelectedText],
  ['Configurations', configurationsText],
  ['Changes', changesText],
  ['GLB files', objectsText],
  ['Damaged', damagedText],
  ['Triangles', ({ triangles }) => (triangles === 0 ? '' : integer(triangles))],
  ['Requests', requestsText],
  ['Time', timeText],
  ['Workers', workersText],
  ['Gates', gatesText],
  ['Warnings', ({ warnings }) => countsText(Object.entries(warnings))],
  ['Losses', lossesText],
  ['Delivered', filesText],
  ['Gallery', ({ delivered }) => delivered?.gallery ?? ''],
  ['Drift', driftText],
  ['Output', ({ command, outputDir, cacheDir }) => (command === 'fetch' ? cacheDir : outputDir)],
];

function nothingSelectedText({ stop }: RunReport): string[] {
  if (stop?.code !== 'NOTHING_SELECTED') return [];
  return [...stop.message.split('\n'), `→ ${stop.help}`];
}

function configurationsText({ command, configurations }: RunReport): string {
  const { fetched, converted, unchanged, skipped, failed, quarantined } = configurations;
  const { failedCarts, selected } = configurations;
  if (selected === 0) return '';
  const carts = failedCarts === 0 ? '' : ` · ${integer(failedCarts)} of carts failed`;
  if (command === 'fetch') return `${integer(fetched)} fetched · ${integer(failed)} failed${carts}`;
  const inQuarantine = quarantined === 0 ? '' : ` (${integer(quarantined)} in quarantine)`;
  const without = skipped === 0 ? '' : ` · ${integer(skipped)} skipped, without geometry`;
  return `${integer(converted)} converted · ${integer(unchanged)} unchanged${without} · ${integer(failed)} failed${inQuarantine}${carts}`;
}

function changesText(report: RunReport): string[] {
  const { changes } = report;
  if (CHANGES.every((kind) => changes[kind].count === 0)) return [];
  const counts = CHANGES.map((kind) => `${integer(changes[kind].count)} ${kind}`).join(' · ');
  return [counts, ...changedParts(report)];
}

function objectsText({ objects }: RunReport): string {
  if (objects.distinct === 0) return '';
  const { distinct, bytes, savedFiles, savedBytes } = objects;
  if (savedFiles === 0) return `${integer(distinct)}, ${size(bytes)}`;
  return `${integer(distinct)} different, ${size(bytes)} (equal ones are stored once: ${amount(savedFiles, 'file')}, ${size(savedBytes)} saved)`;
}

function damagedText({ damaged: { count } }: RunReport): string {
  if (count === 0) return '';
  return `${amount(count, 'configuration')} with a published file that was changed or removed`;
}

function requestsText({ requests, configurations: { kept } }: RunReport): string {
  const { sent, bytesReceived, fromCache } = requests;
  if (sent + fromCache + kept === 0) return '';
  const received = `${integer(sent)} sent, ${size(bytesReceived)} received`;
  const cached = fromCache === 0 ? [] : [`${amount(fromCache, 'response')} from the cache`];
  const none =
    kept === 0
      ? []
      : [`${amount(kept, 'configuration')} unchanged: its data was not fetched again`];
  return [received, ...cached, ...none].join(' · ');
}

function timeText({ totalMs, stageMs }: RunReport): string {
  const stages = Object.entries(stageMs).map(([stage, ms]) => `${stage} ${duration(ms ?? 0)}`);
  const overlap = stages.length > 1 ? 'stages, which overlap: ' : '';
  return `${duration(totalMs)} (${overlap}${stages.join(' · ')})`;
}

function workersText({ workers }: RunReport): string {
  if (workers === undefined) return '';
  const chunks = workers.reduce((sum, worker) => sum + worker.chunks, 0);
  const states = countsText(Object.entries(workersByState(workers)));
  return [integer(workers.length), amount(chunks, 'chunk'), states]
    .filter((text) => text)
    .join(' · ');
}

function gatesText({ gates }: RunReport): string[] {
  const { byGate, refused, accepted, notCompared = '' } = gates;
  const counts = Object.entries(byGate).map(
    ([gate, { warn, refuse }]) => [gateLabel(gate), warn + refuse] as const,
  );
  const end = refused ? ' · refused' : '';
  const found = counts.length === 0 ? '' : `${countsText(counts)}${accepted ? ' · accepted' : end}`;
  return [found, notCompared].filter((line) => line !== '');
}

function lossesText(report: RunReport): string[] {
  const sentences = lossSentences(report);
  if (sentences.length === 0) return [];
  return [
    ...sentences,
    'btg2gltf explain ARTICLE lists the values that glTF cannot express exactly; the report says how many there are',
  ];
}

/** Deliveries whose files stand for no GLB. */
const WITHOUT_SHARE: readonly string[] = ['pictures', 'swatches', 'embed'];

/** What was delivered, the first failures, and where the gallery is. */
export function deliveredText({ delivered }: Pick<RunReport, 'delivered'>): string[] {
  const { gallery } = delivered ?? {};
  return [...filesText({ delivered }), ...(gallery === undefined ? [] : [`gallery: ${gallery}`])];
}

function filesText({ delivered }: Pick<RunReport, 'delivered'>): string[] {
  if (delivered === undefined) return [];
  const { deliveries, failures, splits, omitted, notes = [] } = delivered;
  const open = failures.filter(({ isAccepted }) => !isAccepted);
  const causes = [...groupBy(open, ({ delivery, code }) => `${delivery} ${code}`).values()];
  const more = causes.length - SHOWN_CAUSES;
  return [
    ...deliveries.map(({ name, made, unchanged, failed, bytes, masterBytes, ...rest }) => {
      const counts = [`${integer(made)} made`, `${integer(unchanged)} unchanged`];
      if (rest.omitted > 0) counts.push(`${integer(rest.omitted)} left out`);
      if (rest.accepted > 0) counts.push(`${integer(rest.accepted)} failed as accepted`);
      const percent = Math.round((100 * bytes) / Math.max(1, masterBytes));
      const isShare = masterBytes > 0 && !WITHOUT_SHARE.includes(name);
      const share = isShare ? `, ${integer(percent)} % of the size of their GLBs` : '';
      // Of feeds and the webhook.
      const written = bytes > 0 ? ` · ${size(bytes)}` : '';
      return `${deliveryText(name)}: ${counts.join(' · ')} · ${integer(failed)} failed${written}${share}`;
    }),
    ...splitsText(splits),
    ...omitted,
    ...notes,
    ...causes.slice(0, SHOWN_CAUSES).map(([first, ...others]) => {
      const { article, delivery, code, message } = first!;
      // Not all are listed.
      const which = others.length === 0 ? article : `${article} and others`;
      return [delivery, code, which, message].filter((part) => part !== '').join('  ');
    }),
    ...(more > 0 ? [`… and ${amount(more, 'other cause')} in report.json`] : []),
  ];
}

/** Articles whose variants need several files, and the most frequent reasons; the report has all of them. */
function splitsText(splits: NonNullable<RunReport['delivered']>['splits']): string[] {
  if (splits.length === 0) return [];
  const all = splits.reduce((sum, { count }) => sum + count, 0);
  const causes = splits.map(({ splitBy }) => splitBy.join(' or '));
  const more = causes.length - SHOWN_CAUSES;
  const others = more > 0 ? `; and ${integer(more)} more in the report` : '';
  const shown = causes.slice(0, SHOWN_CAUSES).join('; ');
  return [
    `variants: ${amount(all, 'article')} ${all === 1 ? 'needs' : 'need'} several files, since a file can change materials but not its shape. The shape depends on: ${shown}${others}`,
  ];
}

/** The most frequent drift; the report has all of it. */
function driftText({ drift: rows }: RunReport): string {
  const [first] = rows.toSorted((a, b) => b.count - a.count);
  if (first === undefined) return '';
  const { operation, field, expected, found, count } = first;
  const example = `${operation} ${field}: expected ${expected}, received ${found} (${amount(count, 'time')})`;
  const others = rows.length - 1;
  return others === 0 ? example : `${example} · ${amount(others, 'other field')} in the report`;
}

function countsText(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([name, count]) => `${name} ${integer(count)}`).join(' · ');
}
