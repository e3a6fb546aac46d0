/** Quality gates between two runs: compares the new manifest with the published one. */
import type { AssetFigures, ManifestLine } from '../model/asset.ts';
import {
  configurationKey,
  configurationLabel,
  parseConfigurationKey,
} from '../model/configuration-id.ts';
import type { GateFinding, GateReport } from '../report/run-report.ts';
import { ConverterError } from '../support/errors.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { publishedAsset } from '../write/publish.ts';
import { exceededFailures } from './failures.ts';
import { GATE_ROWS, GATE_TABLE, type Gate, type Gates, type GateThresholds } from './gate-table.ts';
import type { Run } from './open-run.ts';
import { isPublished, type RunEnd } from './run-end.ts';
import type { RunOptions } from './run-options.ts';
import { isAtLeast, sharePercent } from './share.ts';

type GateAssessment = Omit<GateReport, 'accepted'>;

/**
 * Compares the result of a run with what is published.
 *
 * @param before - The published manifest.
 * @param now - The manifest that would replace it. What failed counts with its previous figures, since its
 *   GLB stays published.
 *
 * @see D-850, D-851.
 */
export function assessGates(
  before: PackedMap<ManifestLine>,
  now: PackedMap<ManifestLine>,
  thresholds: Gates,
): GateAssessment {
  const tallies = new Map<string, Tally>();
  const add = (manufacturer: string, examples: readonly [Gate, Example][]) => {
    for (const range of ['*', `${manufacturer}/*`]) {
      const tally = tallies.get(range) ?? emptyTally();
      tallies.set(range, tally);
      tally.compared++;
      for (const [gate, example] of examples) addExample(tally.gates[gate], example);
    }
  };
  const compare = (key: string, successor: string) => {
    const line = before.get(key)!;
    add(line.manufacturer, differences(line, now.get(successor), thresholds));
  };
  const gone: string[] = [];
  for (const key of before.keys()) {
    // Equal lines share their bytes.
    if (before.bytesOf(key) === now.bytesOf(key)) add(parseConfigurationKey(key).manufacturer, []);
    else if (now.has(key)) compare(key, key);
    else gone.push(key);
  }
  const successors = successorsOf(gone, before, now);
  for (const key of gone) compare(key, successors.get(key) ?? '');
  return assessTallies(tallies, thresholds);
}

/**
 * Maps keys that are gone to those that their requests resolve to now: if a property is added, or another
 * value becomes the default, every article of a series gets another configuration string.
 */
function successorsOf(
  gone: readonly string[],
  before: PackedMap<ManifestLine>,
  now: PackedMap<ManifestLine>,
): ReadonlyMap<string, string> {
  const successors = new Map<string, string>();
  const keys = new Map<string, string>();
  for (const key of gone) {
    for (const request of before.get(key)!.requested) keys.set(configurationKey(request), key);
  }
  for (const line of keys.size === 0 ? [] : now.values()) {
    for (const request of line.requested) {
      const key = keys.get(configurationKey(request));
      if (key !== undefined) successors.set(key, configurationKey(line));
    }
  }
  return successors;
}

/** Returns in which gates a configuration counts. @param now - Undefined if it is no longer selected. */
function differences(
  before: ManifestLine,
  now: ManifestLine | undefined,
  thresholds: Gates,
): [Gate, Example][] {
  const article = configurationLabel(before);
  if (now === undefined) {
    // A configuration that was never published is no loss.
    const gone = { article, change: 1, before: 1, now: 0, message: 'no longer selected' };
    return publishedAsset(before) ? [['articlesGone', gone]] : [];
  }
  const [was, is] = [publishedFigures(before), publishedFigures(now)];
  if (was === undefined || is === undefined || was.sha256 === is.sha256) return [];
  return GATE_ROWS.flatMap(([gate, { comparison }]): [Gate, Example][] => {
    const [figure, other] = [comparison?.figure(was), comparison?.figure(is)];
    if (comparison === undefined || figure === undefined || other === undefined) return [];
    const change = comparison.change(was, is);
    if (change < thresholds[gate].change! || change === 0) return [];
    const message = `${comparison.format(was)} before, ${comparison.format(is)} now`;
    return [[gate, { article, change, before: figure, now: other, message }]];
  });
}

/** Figures of the published GLB: what fails keeps its last good one. */
function publishedFigures(line: ManifestLine): Partial<AssetFigures> | undefined {
  return line.sha256 === undefined ? line.lastGood : line;
}

type Example = Omit<GateFinding, 'gate' | 'action'> & { change: number };

/** What counts for one gate, with the configurations that differ most. */
interface GateTally {
  affected: number;
  examples: Example[];
}

interface Tally {
  compared: number;
  gates: Record<Gate, GateTally>;
}

const MOST_EXAMPLES = 20;

function emptyTally(): Tally {
  const gates = GATE_ROWS.map(([gate]) => [gate, { affected: 0, examples: [] }]);
  return { compared: 0, gates: Object.fromEntries(gates) as Tally['gates'] };
}

function addExample(tally: GateTally, example: Example): void {
  tally.affected++;
  const last = tally.examples[MOST_EXAMPLES - 1];
  if (last !== undefined && compareExamples(example, last) >= 0) return;
  tally.examples = [...tally.examples, example].sort(compareExamples).slice(0, MOST_EXAMPLES);
}

/** The most different first, then by name, so that the order of the lines does not matter. */
function compareExamples(a: Example, b: Example): number {
  if (a.change !== b.change) return b.change - a.change;
  if (a.article !== b.article) return a.article < b.article ? -1 : 1;
  return a.message < b.message ? -1 : 1;
}

/**
 * Number of configurations from which a manufacturer is a range of its own. A smaller one may change
 * entirely without stopping the run of all others.
 */
export const OWN_RANGE = 100;

type Action = GateFinding['action'];

/** `*` for all configurations, `MANUFACTURER/*` for those of one manufacturer. */
type Range = [range: string, tally: Tally];

function assessTallies(tallies: ReadonlyMap<string, Tally>, thresholds: Gates): GateAssessment {
  const whole = tallies.get('*') ?? emptyTally();
  const isOwn = ([, { compared }]: Range) => compared >= OWN_RANGE && compared < whole.compared;
  const own = [...tallies].filter(isOwn).sort(([a], [b]) => (a < b ? -1 : 1));
  const ranges: Range[] = [['*', whole], ...own];
  const assessed = GATE_ROWS.flatMap(([gate]) => assessGate(gate, ranges, thresholds[gate]));
  const findings = assessed.flatMap((of) => of.findings);
  return {
    refused: findings.some(({ action }) => action === 'refuse'),
    count: assessed.reduce((sum, { affected, summaries }) => sum + affected + summaries, 0),
    byGate: Object.fromEntries(assessed.map(({ gate, byAction }) => [gate, byAction])),
    findings,
    removedFrom: thresholds.articlesGone.warn ?? thresholds.articlesGone.refuse,
  };
}

/** A finding of the whole range covers its parts, unless that of a part is graver. */
function assessGate(gate: Gate, ranges: readonly Range[], thresholds: GateThresholds) {
  const all = ranges.flatMap(([range, tally]) => {
    const action = actionOf(tally, gate, thresholds);
    return action === undefined ? [] : [{ range, tally, action }];
  });
  const whole = all.find(({ range }) => range === '*');
  const reported = all.filter(
    (of) =>
      of === whole || whole === undefined || (of.action === 'refuse' && whole.action === 'warn'),
  );
  if (reported.length === 0) return [];
  const byAction = { warn: 0, refuse: 0 };
  const summaries = reported.map(({ range, tally, action }): GateFinding => {
    const { affected } = tally.gates[gate];
    byAction[action] += affected;
    const message = summary(gate, range, tally, thresholds[action]!, action);
    const counts = { before: tally.compared, now: tally.compared - affected };
    return { gate, action, article: range, ...counts, message };
  });
  const examples = reported.flatMap(({ tally, action }) =>
    tally.gates[gate].examples.map(({ change: _, ...example }) => ({ gate, action, ...example })),
  );
  const affected = byAction.warn + byAction.refuse;
  const findings = [...summaries, ...examples];
  return [{ gate, byAction, affected, summaries: summaries.length, findings }];
}

function actionOf(
  { compared, gates }: Tally,
  gate: Gate,
  { warn, refuse, atLeast }: GateThresholds,
): Action | undefined {
  const { affected } = gates[gate];
  if (affected < atLeast) return undefined;
  const reaches = (share: number | undefined) =>
    share !== undefined && isAtLeast(affected / compared, share);
  if (reaches(refuse)) return 'refuse';
  return reaches(warn) ? 'warn' : undefined;
}

function summary(
  gate: Gate,
  range: string,
  { compared, gates }: Tally,
  threshold: number,
  action: Action,
): string {
  const { affected } = gates[gate];
  const of = range === '*' ? '' : ` of ${range.slice(0, -2)}`;
  const count = `${affected.toLocaleString('en-US')} of ${compared.toLocaleString('en-US')}`;
  const verb = action === 'refuse' ? 'refused' : 'reported';
  const share = `${sharePercent(affected / compared)}, ${verb} from ${sharePercent(threshold)}`;
  return `${count} configurations${of} ${GATE_TABLE[gate].changed} (${share})`;
}

/** Assesses the new manifest: the gates first, then the number of failures. @see D-850, D-853 */
export function assessRun(
  { options, stores }: Run,
  lines: PackedMap<ManifestLine>,
  notSelected: number,
  end: RunEnd,
): { gates?: GateReport; end: RunEnd } {
  if (!isPublished(end)) return { end };
  const found = assessGates(stores.previous.lines, lines, options.pipeline.gates);
  const first = found.findings.find(({ action }) => action === 'refuse');
  const message = `gate ${first?.gate}: ${first?.message}; the previous result stays published`;
  const error = found.refused
    ? new ConverterError('GATE_REFUSED', message)
    : tooManyFailures(options.maxFailures, lines, notSelected);
  const gates = { ...found, accepted: options.accept === true && error !== undefined };
  if (error === undefined || gates.accepted) return { gates, end };
  return { gates, end: { kind: 'refused', error, isComplete: end.kind === 'complete' } };
}

function tooManyFailures(
  limit: RunOptions['maxFailures'],
  lines: PackedMap<ManifestLine>,
  notSelected: number,
): ConverterError | undefined {
  if (limit === undefined) return undefined;
  let failed = notSelected;
  for (const { status } of lines.values()) if (status === 'failed') failed++;
  const message = exceededFailures(limit, { failed, of: lines.size + notSelected });
  return message === undefined ? undefined : new ConverterError('MAX_FAILURES', message);
}
