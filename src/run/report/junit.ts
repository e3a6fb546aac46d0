/** The JUnit file of a run, for CI servers. @see D-857 */
import type { ArticleKey } from '../../model/article.ts';
import { configurationLabel } from '../../model/configuration-id.ts';
import { gateLabel } from './assessment.ts';
import { type Html, html as xml } from './markup.ts';
import type { FailureRow, FinishedRun, RunReport } from './run-report.ts';
import { amount, integer } from './text.ts';

interface Case {
  suite: string;
  name: string;
  seconds?: number;
  failure?: { type: string; message: string; text: string };
  skipped?: string;
  output?: string;
}

/**
 * Makes the JUnit XML of a run. The run, each gate, each program, each delivery and each failure are a test case, so
 * that the file stays short; a configuration in quarantine or without geometry is skipped.
 *
 * @example
 * ```ts
 * junitXml({ pipeline: 'nightly', exitCode: 0, startedAt, endedAt, report });
 * // → '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="btg2gltf nightly" tests="3" …'
 * ```
 */
export function junitXml(run: FinishedRun): string {
  const { report, pipeline, startedAt, endedAt } = run;
  const cases = [runCase(run), ...(report === undefined ? [] : reportCases(report))];
  const timestamp = new Date(startedAt).toISOString();
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((name) => {
    const own = cases.filter(({ suite }) => suite === name);
    const head = xml`name="${name}" ${totals(own)} timestamp="${timestamp}"`;
    return xml`<testsuite ${head}>\n${own.map(caseXml)}</testsuite>\n`;
  });
  const seconds = ((endedAt - startedAt) / 1000).toFixed(3);
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="btg2gltf ${pipeline}" ${totals(cases)} time="${seconds}">
${suites}</testsuites>
`.html;
}

function runCase({ report, exitCode, error, startedAt, endedAt }: FinishedRun): Case {
  const seconds = (endedAt - startedAt) / 1000;
  const run = { suite: 'run', name: 'completes and publishes', seconds };
  if (error !== undefined)
    return { ...run, failure: { type: error.code, message: error.message, text: error.message } };
  const selected = report && amount(report.configurations.selected, 'configuration');
  return { ...run, output: `exit code ${exitCode}\n${selected ?? ''}` };
}

function reportCases(report: RunReport): Case[] {
  const skipped = report.skipped.map((row): Case => {
    return { ...named(row), skipped: `${row.code}: ${row.message}` };
  });
  const configurations = [...skipped, ...report.failures.map(failureCase)];
  const ofRun = [...gateCases(report), ...programCases(report)];
  return [...ofRun, ...configurations, ...deliveryCases(report)];
}

/** Each delivery is a test case, and each of its failures; what is accepted is skipped. */
function deliveryCases({ delivered }: RunReport): Case[] {
  const suite = 'deliveries';
  const { deliveries = [], failures = [] } = delivered ?? {};
  const made = deliveries.map(({ name, made, unchanged, failed, accepted }) => ({
    suite,
    name: `${name}: ${integer(made + unchanged)} of ${integer(made + unchanged + failed + accepted)}`,
  }));
  const failed = failures.map(({ article, delivery, code, message, help, isAccepted }): Case => {
    const name = article === '' ? delivery : `${delivery}: ${article}`;
    if (isAccepted) return { suite, name, skipped: `${code}: ${message}` };
    return { suite, name, failure: { type: code, message, text: `${message}\n→ ${help}` } };
  });
  return [...made, ...failed];
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

function named(id: ArticleKey): Pick<Case, 'suite' | 'name'> {
  const name = [configurationLabel(id), id.reinitstring].filter((part) => part !== '').join(' ');
  return { suite: `${id.manufacturer}/${id.program}`, name };
}

function failureCase(row: FailureRow): Case {
  const { what, code, message, help, quarantined, retryOn, onlyCarts } = row;
  const failed = what === undefined ? named(row) : { suite: 'selection', name: what };
  if (onlyCarts) return { ...failed, skipped: `${code}: ${message}` };
  if (quarantined)
    return { ...failed, skipped: `${code}: in quarantine until ${retryOn ?? 'later'}` };
  return { ...failed, failure: { type: code, message, text: `${message}\n→ ${help}` } };
}

function totals(cases: readonly Case[]): Html {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((one) => one.skipped !== undefined).length;
  return xml`tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
}

function caseXml({ suite, name, seconds, failure, skipped, output }: Case): Html {
  const time = seconds === undefined ? undefined : xml` time="${seconds.toFixed(3)}"`;
  const inside = [
    failure &&
      xml`<failure type="${failure.type}" message="${failure.message}">${failure.text}</failure>`,
    skipped && xml`<skipped message="${skipped}"/>`,
    output && xml`<system-out>${output}</system-out>`,
  ];
  return xml`<testcase classname="${suite}" name="${name}"${time}>${inside}</testcase>\n`;
}
