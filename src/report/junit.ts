/** The JUnit file of a run, for CI servers. @see D-857 */
import { configurationLabel } from '../model/configuration-id.ts';
import { gateLabel } from './assessment.ts';
import type { FailureRow, FinishedRun, RunReport, SkippedRow } from './run-report.ts';
import { amount, integer, visibleText } from './text.ts';

interface Case {
  suite: string;
  name: string;
  seconds?: number;
  failure?: { type: string; message: string; text: string };
  skipped?: string;
  output?: string;
}

/**
 * Makes the JUnit XML of a run. The run, each gate, each program and each failure are a test case, so that
 * the file stays short; a configuration in quarantine or without geometry is skipped.
 *
 * @example
 * ```ts
 * junitXml({ pipeline: 'nightly', exitCode: 0, startedAt, endedAt, report });
 * // → '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="btg2gltf nightly" tests="3" …'
 * ```
 */
export function junitXml(run: FinishedRun): string {
  const { report, pipeline, startedAt, endedAt } = run;
  const cases = [runCase(run)];
  if (report !== undefined)
    cases.push(
      ...[...gateCases(report), ...programCases(report)],
      ...[...report.skipped.map(skippedCase), ...report.failures.map(failureCase)],
    );
  const timestamp = new Date(startedAt).toISOString();
  const head = `name="${xmlText(`btg2gltf ${pipeline}`)}" ${totals(cases)} time="${((endedAt - startedAt) / 1000).toFixed(3)}"`;
  const suites = [...bySuite(cases)].map(([name, of]) => suiteXml(name, of, timestamp));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${head}>\n${suites.join('')}</testsuites>\n`;
}

function runCase({ report, exitCode, error, startedAt, endedAt }: FinishedRun): Case {
  const seconds = (endedAt - startedAt) / 1000;
  const run = { suite: 'run', name: 'completes and publishes', seconds };
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
    const found = { suite: 'gates', name: gateLabel(gate) };
    if (refuse === 0 || !gates.refused || gates.accepted) return { ...found, output: text };
    const message = `${amount(warn + refuse, 'finding')}, of which ${integer(refuse)} refuse`;
    return { ...found, failure: { type: 'GATE_REFUSED', message, text } };
  });
}

function programCases({ programs }: RunReport): Case[] {
  return programs.rows
    .filter(({ configurations, failed }) => configurations > failed)
    .map(({ manufacturer, program, configurations, failed }) => ({
      suite: `${manufacturer}/${program}`,
      name: `${integer(configurations - failed)} of ${amount(configurations, 'configuration')}`,
    }));
}

function skippedCase(row: SkippedRow): Case {
  const { manufacturer, program, code, message } = row;
  const suite = `${manufacturer}/${program}`;
  return { suite, name: configurationName(row), skipped: `${code}: ${message}` };
}

function configurationName(row: SkippedRow | FailureRow): string {
  return [configurationLabel(row), row.reinitstring].filter((part) => part !== '').join(' ');
}

function failureCase(row: FailureRow): Case {
  const { manufacturer, program, code, message, help, quarantined, retryOn } = row;
  const name = row.what ?? configurationName(row);
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

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // In an attribute, a parser replaces it with a blank.
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Escapes a text for the content of an element or a quoted attribute. */
export function xmlText(text: string): string {
  return visibleText(text).replace(/[&<>"'\n\t]/g, (character) => ENTITIES[character]!);
}
