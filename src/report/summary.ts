/**
 * Summary: a report as one screen of text.
 *
 * In: a report. Out: lines for a person. It must not know whether there is a terminal.
 */
import { configurationLabel } from '../model/configuration-id.ts';
import { fieldName } from './field-names.ts';
import type { RunReport } from './run-report.ts';
import { gateName, verdictOf } from './verdict.ts';
import { amount, duration, size, whole } from './words.ts';

/** Failures shown; all of them stand in `failures.jsonl`. */
const SHOWN_FAILURES = 10;
/** Warnings shown, of configurations and of the selection. */
const SHOWN_WARNINGS = 5;
const LABEL_WIDTH = 16;

/**
 * Words a report.
 *
 * @param runFolder - Folder of the run, where there is one.
 * @returns Lines, ended, without colours.
 */
export function summarise(report: RunReport, runFolder: string | undefined): string {
  const rows = [
    ...ROWS.flatMap(([label, words]) => {
      const text = words(report);
      return text === '' ? [] : [row(label, text)];
    }),
    ...(runFolder === undefined ? [] : [row('Report', runFolder)]),
  ];
  const told = [
    ...rows,
    ...warningLines(report),
    ...selectionLines(report),
    ...failureLines(report, runFolder),
  ];
  return ['', headline(report), '', ...told, ''].join('\n');
}

function headline(report: RunReport): string {
  const { pipeline, service, configurations, articles } = report;
  const what = `${amount(configurations.selected, 'configuration')} of ${amount(articles, 'article')}`;
  return `  ${pipeline}: ${outcome(report)} · ${what} · ${service}`;
}

function outcome(report: RunReport): string {
  const { failed, selected } = report.configurations;
  if (report.stop !== undefined || failed === 0 || failed === selected)
    return inSentence(verdictOf(report).headline);
  return `finished, ${whole(failed)} failed`;
}

function inSentence(headline: string): string {
  return headline.charAt(0).toLowerCase() + headline.slice(1);
}

const ROWS: [label: string, words: (report: RunReport) => string][] = [
  [
    'Configurations',
    ({ command, configurations: c }) => {
      if (command === 'fetch') return `${whole(c.fetched)} fetched · ${whole(c.failed)} failed`;
      const quarantined = c.quarantined === 0 ? '' : ` (${whole(c.quarantined)} in quarantine)`;
      return `${whole(c.converted)} converted · ${whole(c.unchanged)} unchanged · ${whole(c.failed)} failed${quarantined}`;
    },
  ],
  ['Since last time', ({ changes }) => changesTold(changes)],
  [
    'GLB files',
    ({ objects }) => {
      if (objects.distinct === 0) return '';
      const saved = `deduplication saved ${amount(objects.savedFiles, 'file')}, ${size(objects.savedBytes)}`;
      return `${whole(objects.distinct)} distinct, ${size(objects.bytes)} (${saved})`;
    },
  ],
  ['Triangles', ({ triangles }) => (triangles === 0 ? '' : whole(triangles))],
  [
    'Requests',
    ({ requests, configurations: { kept } }) => {
      const none = kept === 0 ? '' : ` · none for ${amount(kept, 'configuration')}`;
      return `${whole(requests.sent)} sent, ${size(requests.bytesReceived)} received · ${whole(requests.fromCache)} answered from the cache${none}`;
    },
  ],
  [
    'Time',
    ({ totalMs, stageMs }) => {
      const stages = Object.entries(stageMs).map(([stage, ms]) => `${stage} ${duration(ms ?? 0)}`);
      return `${duration(totalMs)} (${stages.join(' · ')})`;
    },
  ],
  ['Gates', ({ gates }) => gatesTold(gates)],
  ['Warnings', ({ warnings }) => counts(warnings)],
  ['Losses', ({ losses }) => lossesTold(losses)],
  ['Drift', ({ drift }) => driftTold(drift)],
  ['Output', ({ command, outputDir, cacheDir }) => (command === 'fetch' ? cacheDir : outputDir)],
];

function changesTold({ new: fresh, changed, removed }: RunReport['changes']): string {
  const moved = fresh.count + changed.count + removed.count;
  if (moved === 0) return '';
  return `${whole(fresh.count)} new · ${whole(changed.count)} changed · ${whole(removed.count)} removed`;
}

function gatesTold({ byGate, refused, accepted }: RunReport['gates']): string {
  const told = Object.entries(byGate).map(
    ([gate, { warn, refuse }]) => `${gateName(gate)} ${whole(warn + refuse)}`,
  );
  if (told.length === 0) return '';
  const end = accepted ? ' · accepted' : refused ? ' · refused' : '';
  return `${told.join(' · ')}${end}`;
}

/** What was lost, the most frequent first. */
function lossesTold(losses: RunReport['losses']): string {
  const rows = Object.entries(losses).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return '';
  const all = rows.reduce((sum, [, count]) => sum + count, 0);
  const fields = rows.map(([field, count]) => {
    const name = fieldName(field);
    return `${name === undefined ? field : `${name} (${field})`} ${whole(count)}`;
  });
  const what = `${amount(all, 'value')} of the service not carried over exactly`;
  return `${what}: ${fields.join(' · ')}; see btg2gltf explain`;
}

/** One line: the most frequent stands for all; they are in `report.json`. */
function driftTold(rows: RunReport['drift']): string {
  const [worst] = rows.toSorted((a, b) => b.count - a.count);
  if (worst === undefined) return '';
  const { operation, field, expected, found, count } = worst;
  const example = `${operation} ${field}: expected ${expected}, found ${found} (${whole(count)} times)`;
  const others = rows.length - 1;
  return others === 0 ? example : `${example} · ${amount(others, 'other field')} in the report`;
}

function failureLines({ failures }: RunReport, runFolder: string | undefined): string[] {
  if (failures.length === 0) return [];
  const shown = failures
    .slice(0, SHOWN_FAILURES)
    .flatMap((failure) => [
      `    ${failure.what ?? configurationLabel(failure)}  ${failure.code}`,
      `      ${failure.message}`,
      `      → ${failure.help}`,
    ]);
  const more = failures.length - SHOWN_FAILURES;
  const where = runFolder === undefined ? '' : ' in failures.jsonl of the report';
  return ['', '  Failed', ...shown, ...(more > 0 ? [`    … and ${whole(more)} more${where}`] : [])];
}

/** Whose the warnings are, the first few. */
function warningLines({ articleWarnings }: RunReport): string[] {
  if (articleWarnings.length === 0) return [];
  const shown = articleWarnings
    .slice(0, SHOWN_WARNINGS)
    .map(({ code, article, message }) => `    ${article}  ${code}  ${message}`);
  const more = articleWarnings.length - SHOWN_WARNINGS;
  const rest = more > 0 ? ['    … and more in report.json and the manifest'] : [];
  return ['', '  Warnings', ...shown, ...rest];
}

/** What the selection has to say that concerns no configuration. */
function selectionLines({ selectionWarnings }: RunReport): string[] {
  if (selectionWarnings.length === 0) return [];
  const shown = selectionWarnings
    .slice(0, SHOWN_WARNINGS)
    .map(({ code, message }) => `    ${code}  ${message}`);
  const more = selectionWarnings.length - SHOWN_WARNINGS;
  const rest = more > 0 ? [`    … and ${whole(more)} more in report.json`] : [];
  return ['', '  Selection', ...shown, ...rest];
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${text}`;
}

function counts(byName: Record<string, number>): string {
  return Object.entries(byName)
    .map(([name, count]) => `${name} ${whole(count)}`)
    .join(' · ');
}
