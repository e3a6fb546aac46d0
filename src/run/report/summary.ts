/** The report as one screen of text. */
import { groupBy } from '../../support/group-by.ts';
import { visibleLines } from '../../support/visible.ts';
import {
  assess,
  changedParts,
  detailOf,
  FIELD_LABELS,
  gateLabel,
  workersByState,
} from './assessment.ts';
import { type Cause, CHANGES, type RunReport } from './run-report.ts';
import { amount, duration, integer, size } from './text.ts';

const SHOWN_CAUSES = 10;
const SHOWN_WARNINGS = 5;
const LABEL_WIDTH = 16;

/**
 * Summarises a report.
 *
 * @param runFolder - Folder of the run, if it has one.
 * @returns Lines of text without colours.
 */
export function summarise(report: RunReport, runFolder: string | undefined): string {
  const { causes, articleWarnings, selectionWarnings } = report;
  const rows = ROWS.map(([label, text]) => [label, [text(report)].flat()] as const)
    .filter(([, lines]) => lines.some((line) => line !== ''))
    .flatMap(([label, lines]) =>
      lines.map((line, i) => `  ${(i === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`),
    );
  // The report has the first warnings only, so their number is unknown.
  const moreWarnings = () => 'more in report.json and the manifest';
  const inReport = (more: number) => `${integer(more)} more in report.json`;
  const file = runFolder === undefined ? '' : ' in failures.jsonl of the report';
  const inFailures = (more: number) => `${amount(more, 'other cause')}${file}`;
  return visibleLines([
    ...['', headline(report), '', ...rows],
    ...listLines('Warnings', articleWarnings, SHOWN_WARNINGS, moreWarnings, (warning) => [
      `${warning.article}  ${warning.code}  ${warning.message}`,
    ]),
    ...listLines('Selection', selectionWarnings, SHOWN_WARNINGS, inReport, (warning) => [
      `${warning.code}  ${warning.message}`,
    ]),
    ...listLines('Failed', causes, SHOWN_CAUSES, inFailures, (cause) => causeLines(cause, file)),
    '',
  ]);
}

function causeLines(cause: Cause, file: string): string[] {
  const { code, count, onlyCarts, message, help, examples } = cause;
  const more = count - examples.length;
  return [
    `${code}  ${integer(count)}${onlyCarts ? ' of carts' : ''} failed: ${message}`,
    ...examples.map((example) => {
      const parts = [example.article, ...(example.selectedBy ?? []), detailOf(example, cause)];
      return `  ${parts.filter((part) => part !== '').join('  ')}`;
    }),
    ...(more > 0 ? [`  … and ${integer(more)} more${file}`] : []),
    `  → ${help}`,
  ];
}

function headline(report: RunReport): string {
  const { pipeline, service, articles, stop, configurations } = report;
  const { failed, selected } = configurations;
  const isPart = stop === undefined && failed > 0 && failed < selected;
  const { headline: text } = assess(report);
  const whole = text.charAt(0).toLowerCase() + text.slice(1);
  const result = isPart ? `finished, ${integer(failed)} failed` : whole;
  const what = `${amount(selected, 'configuration')} of ${amount(articles, 'article')}`;
  return `  ${pipeline}: ${result} · ${what} · ${service}`;
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

/** A row is left out if its text is empty; it may have several lines. */
const ROWS: [label: string, text: (report: RunReport) => string | string[]][] = [
  ['Reason', nothingSelectedText],
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
  ['Delivered', deliveredText],
  ['Drift', driftText],
  ['Output', ({ command, outputDir, cacheDir }) => (command === 'fetch' ? cacheDir : outputDir)],
];

function nothingSelectedText({ stop }: RunReport): string[] {
  if (stop?.code !== 'NOTHING_SELECTED') return [];
  return [...stop.message.split('\n'), `→ ${stop.help}`];
}

function configurationsText({ command, configurations }: RunReport): string {
  const { fetched, converted, unchanged, skipped, failed, quarantined } = configurations;
  const { failedCarts } = configurations;
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
  const saved = `deduplication saved ${amount(objects.savedFiles, 'file')}, ${size(objects.savedBytes)}`;
  return `${integer(objects.distinct)} distinct, ${size(objects.bytes)} (${saved})`;
}

function damagedText({ damaged: { count } }: RunReport): string {
  if (count === 0) return '';
  return `${amount(count, 'configuration')} with a published file that was changed or removed`;
}

function requestsText({ requests, configurations: { kept } }: RunReport): string {
  const none = kept === 0 ? '' : ` · none for ${amount(kept, 'fresh configuration')}`;
  return `${integer(requests.sent)} sent, ${size(requests.bytesReceived)} received · ${amount(requests.fromCache, 'response')} from the cache${none}`;
}

function timeText({ totalMs, stageMs }: RunReport): string {
  const stages = Object.entries(stageMs).map(([stage, ms]) => `${stage} ${duration(ms ?? 0)}`);
  return `${duration(totalMs)} (${stages.join(' · ')})`;
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

function lossesText({ losses }: RunReport): string {
  const rows = Object.entries(losses).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return '';
  const all = rows.reduce((sum, [, count]) => sum + count, 0);
  const fields = rows.map(([field, count]) => {
    const label = FIELD_LABELS.get(field);
    return [label === undefined ? field : `${label} (${field})`, count] as const;
  });
  return `${amount(all, 'value')} of the service not converted exactly: ${countsText(fields)}; see btg2gltf explain`;
}

/** Deliveries of pictures, which stand for no GLB. */
const PICTURES: readonly string[] = ['pictures', 'swatches'];

/** What was delivered, and the first failures. */
export function deliveredText({ delivered }: Pick<RunReport, 'delivered'>): string[] {
  if (delivered === undefined) return [];
  const { deliveries, failures, splits, omitted, notes = [], gallery } = delivered;
  const open = failures.filter(({ isAccepted }) => !isAccepted);
  const causes = [...groupBy(open, ({ delivery, code }) => `${delivery} ${code}`).values()];
  const more = causes.length - SHOWN_CAUSES;
  return [
    ...deliveries.map(({ name, made, unchanged, failed, bytes, masterBytes, ...rest }) => {
      const counts = [`${integer(made)} made`, `${integer(unchanged)} unchanged`];
      if (rest.omitted > 0) counts.push(`${integer(rest.omitted)} left out`);
      if (rest.accepted > 0) counts.push(`${integer(rest.accepted)} failed as accepted`);
      const percent = Math.round((100 * bytes) / Math.max(1, masterBytes));
      const isShare = masterBytes > 0 && !PICTURES.includes(name);
      const share = isShare ? `, ${integer(percent)} % of the GLBs` : '';
      // Of feeds and the webhook.
      const written = bytes > 0 ? ` · ${size(bytes)}` : '';
      return `${name}: ${counts.join(' · ')} · ${integer(failed)} failed${written}${share}`;
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
    ...(gallery === undefined ? [] : [`gallery: ${gallery}`]),
  ];
}

/** The most frequent properties that divide articles; the report has all of them. */
function splitsText(splits: NonNullable<RunReport['delivered']>['splits']): string[] {
  if (splits.length === 0) return [];
  const all = splits.reduce((sum, { count }) => sum + count, 0);
  const counts = splits.map(({ splitBy, count }) => [splitBy.join(' or '), count] as const);
  const others = counts.slice(SHOWN_CAUSES).reduce((sum, [, count]) => sum + count, 0);
  const more = others === 0 ? '' : ` · others ${integer(others)}`;
  const shown = countsText(counts.slice(0, SHOWN_CAUSES));
  return [`variants: ${amount(all, 'article')} of several shapes, by ${shown}${more}`];
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
