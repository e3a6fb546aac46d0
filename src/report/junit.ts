/**
 * JUnit: a run as a test report, for servers that show such.
 *
 * In: how a run ended. Out: XML. The run, each gate, each program and each failure are a test case: a
 * program passes with the number of its good configurations, a failure names its article. A
 * configuration in quarantine is skipped. So 50,000 configurations make no file of 50,000 cases.
 *
 * @see D-857.
 */
import { configurationLabel } from '../model/configuration-id.ts';
import type { Ending } from './ending.ts';
import type { FailureRow, RunReport } from './run-report.ts';
import { gateName, isRefused } from './verdict.ts';
import { visibleText } from './visible.ts';
import { amount, whole } from './words.ts';

interface Case {
  suite: string;
  name: string;
  seconds?: number;
  /** Kind of what went wrong, a sentence, and more of it. */
  failure?: { type: string; message: string; text: string };
  skipped?: string;
  /** What is worth telling of one that passed. */
  output?: string;
}

/**
 * Makes the JUnit XML of a run.
 *
 * @example
 * ```ts
 * junitXml({ pipeline: 'nightly', exitCode: 0, startedAt, endedAt, report });
 * // → '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="btg2gltf nightly" tests="3" …'
 * ```
 */
export function junitXml(ending: Ending): string {
  const { report, pipeline, startedAt, endedAt } = ending;
  const cases = [runCase(ending), ...(report === undefined ? [] : casesOf(report))];
  const timestamp = new Date(startedAt).toISOString();
  const head = `name="${xmlText(`btg2gltf ${pipeline}`)}" ${totals(cases)} time="${inSeconds(endedAt - startedAt)}"`;
  const suites = [...bySuite(cases)].map(([name, of]) => suiteXml(name, of, timestamp));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${head}>\n${suites.join('')}</testsuites>\n`;
}

function casesOf(report: RunReport): Case[] {
  return [...gateCases(report), ...programCases(report), ...report.failures.map(failureCase)];
}

function runCase({ report, exitCode, error, startedAt, endedAt }: Ending): Case {
  const seconds = (endedAt - startedAt) / 1000;
  const run = { suite: 'run', name: 'comes to its end and publishes', seconds };
  if (error !== undefined)
    return { ...run, failure: { type: error.code, message: error.message, text: error.message } };
  const selected =
    report === undefined ? '' : amount(report.configurations.selected, 'configuration');
  return { ...run, output: `exit code ${exitCode}\n${selected}` };
}

function gateCases({ gates }: RunReport): Case[] {
  return Object.entries(gates.byGate).map(([gate, { warn, refuse }]) => {
    const findings = gates.findings.filter((finding) => finding.gate === gate);
    const text = findings.map(({ article, message }) => `${article}: ${message}`).join('\n');
    const found = { suite: 'gates', name: gateName(gate) };
    if (refuse === 0 || !isRefused(gates)) return { ...found, output: text };
    const message = `${amount(warn + refuse, 'finding')}, of which ${whole(refuse)} refuse`;
    return { ...found, failure: { type: 'GATE_REFUSED', message, text } };
  });
}

function programCases({ programs }: RunReport): Case[] {
  return programs.rows
    .filter(({ configurations, failed }) => configurations > failed)
    .map(({ manufacturer, program, configurations, failed }) => ({
      suite: `${manufacturer}/${program}`,
      name: `${whole(configurations - failed)} of ${amount(configurations, 'configuration')}`,
    }));
}

function failureCase(row: FailureRow): Case {
  const { manufacturer, program, code, message, help, reinitstring, quarantined, retryOn } = row;
  const name =
    row.what ?? [configurationLabel(row), reinitstring].filter((part) => part !== '').join(' ');
  const suite = row.what === undefined ? `${manufacturer}/${program}` : 'selection';
  if (quarantined)
    return { suite, name, skipped: `${code}: in quarantine until ${retryOn ?? 'later'}` };
  return { suite, name, failure: { type: code, message, text: `${message}\n→ ${help}` } };
}

function bySuite(cases: readonly Case[]): Map<string, Case[]> {
  const suites = new Map<string, Case[]>();
  for (const one of cases) {
    const known = suites.get(one.suite);
    if (known === undefined) suites.set(one.suite, [one]);
    else known.push(one);
  }
  return suites;
}

function totals(cases: readonly Case[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((one) => one.skipped !== undefined).length;
  return `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
}

function suiteXml(name: string, cases: readonly Case[], timestamp: string): string {
  const head = `name="${xmlText(name)}" ${totals(cases)} timestamp="${timestamp}"`;
  return `<testsuite ${head}>\n${cases.map(caseXml).join('')}</testsuite>\n`;
}

function caseXml({ suite, name, seconds, failure, skipped, output }: Case): string {
  const time = seconds === undefined ? '' : ` time="${seconds.toFixed(3)}"`;
  const inside = [
    failure &&
      `<failure type="${xmlText(failure.type)}" message="${xmlText(failure.message)}">${xmlText(failure.text)}</failure>`,
    skipped && `<skipped message="${xmlText(skipped)}"/>`,
    output && `<system-out>${xmlText(output)}</system-out>`,
  ].filter((part) => part !== undefined && part !== '');
  return `<testcase classname="${xmlText(suite)}" name="${xmlText(name)}"${time}>${inside.join('')}</testcase>\n`;
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // A parser would make a blank of it in an attribute.
  '\n': '&#10;',
  '\t': '&#9;',
};

/**
 * Escapes any text for the content of an element and for an attribute in quotes.
 *
 * @example
 * ```ts
 * xmlText('a<b\u0000'); // → 'a&lt;b\\u0000'
 * ```
 */
export function xmlText(text: string): string {
  return visibleText(text).replace(/[&<>"'\n\t]/g, (character) => ENTITIES[character]!);
}
