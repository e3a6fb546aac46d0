/** Quality gates between two runs: compares the new manifest with the published one. */

import type { AssetFigures } from '../../model/asset.ts';
import {
  configurationKey,
  configurationLabel,
  parseConfigurationKey,
} from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { ConverterError } from '../../support/errors.ts';
import { groupBy } from '../../support/group-by.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import type { PictureDifference } from '../file/gate-table.ts';
import { GATE_ROWS, GATE_TABLE, type Gate, type Gates } from '../file/gate-table.ts';
import { exceededFailures } from '../file/max-failures.ts';
import { compareShares, sharePercent } from '../file/percentage.ts';
import type { ManifestLine } from '../lists/manifest-line.ts';
import type { Run } from '../open/open-run.ts';
import { isPublished, type RunEnd } from '../open/run-end.ts';
import type { RunOptions } from '../open/run-options.ts';
import { publishedAsset } from '../output/publish.ts';
import type { Deliveries, GlbPair } from '../publishing/deliveries.ts';
import type { GateFinding, GateReport } from '../report/run-report.ts';

type GateAssessment = Omit<GateReport, 'accepted'>;

/** How the pictures of two GLBs differ; undefined where they were not compared. */
type DifferenceOf = (was: Digest, is: Digest) => PictureDifference | undefined;

/**
 * Compares the published manifest with the one that would replace it. What failed counts with its previous
 * figures, since its GLB stays published. @see D-850, D-851
 *
 * @param carts - Keys of the published lines that only carts selected, which are not compared.
 * @param differenceOf - Called for each configuration whose GLB is another one.
 */
export function assessGates(
  before: PackedMap<ManifestLine>,
  now: PackedMap<ManifestLine>,
  thresholds: Gates,
  carts: ReadonlySet<string> = new Set(),
  differenceOf: DifferenceOf = () => undefined,
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
    add(line.manufacturer, differences(line, now.get(successor), thresholds, differenceOf));
  };
  const gone: string[] = [];
  const seriesLeft = new Set<string>();
  for (const key of before.keys()) {
    if (carts.has(key)) continue;
    const isShared = now.isShared(key, before);
    if (isShared) add(parseConfigurationKey(key).manufacturer, []);
    else if (now.has(key)) compare(key, key);
    else gone.push(key);
    if (isShared || now.has(key)) seriesLeft.add(seriesOf(key));
  }
  const successors = successorsOf(gone, before, now);
  for (const key of gone) compare(key, successors.get(key) ?? '');
  const lost = gone.filter((key) => !successors.has(key) && publishedAsset(before.get(key)!));
  for (const key of successors.keys()) seriesLeft.add(seriesOf(key));
  const assessment = assessTallies(tallies, thresholds);
  if (assessment.removedFrom === undefined) return assessment;
  const series = seriesGone(lost.map(seriesOf).filter((one) => !seriesLeft.has(one)));
  assessment.count += series.length;
  assessment.findings.push(...series.slice(0, MOST_EXAMPLES));
  return assessment;
}

function seriesOf(key: string): string {
  const { manufacturer, program } = parseConfigurationKey(key);
  return `${manufacturer}/${program}`;
}

/** Findings on series of which nothing is left, however small: more often a mistake of the service than their end. */
function seriesGone(ofConfigurations: readonly string[]): GateFinding[] {
  const gone = groupBy(ofConfigurations, (series) => series);
  return Array.from(gone, ([series, { length: before }]) => {
    const all = `all ${before.toLocaleString('en-US')} configurations`;
    const [those, are] = before === 1 ? ['the only configuration', 'is'] : [all, 'are'];
    const message = `${those} of the series ${series} ${are} gone`;
    return {
      gate: 'articlesGone',
      action: 'warn',
      article: `${series}/*`,
      before,
      now: 0,
      message,
    };
  });
}

/** Maps keys that are gone to those that their requests resolve to now: a new property changes those of a series. */
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
  differenceOf: DifferenceOf,
): [Gate, Example][] {
  const article = configurationLabel(before);
  if (now === undefined) {
    // A configuration that was never published is no loss.
    const gone = { article, change: 1, before: 1, now: 0, message: 'no longer selected' };
    return publishedAsset(before) ? [['articlesGone', gone]] : [];
  }
  const [was, is] = [publishedFigures(before), publishedFigures(now)];
  if (was === undefined || is === undefined || was.sha256 === is.sha256) return [];
  const isKnown = was.sha256 !== undefined && is.sha256 !== undefined;
  const pictured = isKnown ? differenceOf(was.sha256!, is.sha256!) : undefined;
  return GATE_ROWS.flatMap(([gate, { comparison, picture }]): [Gate, Example][] => {
    if (picture !== undefined && pictured !== undefined) {
      const change = picture.change(pictured);
      if (change < thresholds[gate].change! || change === 0) return [];
      const message = `${picture.differs} ${sharePercent(change)}`;
      return [[gate, { article, change, before: 0, now: change, message }]];
    }
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

/** Configurations of a manufacturer that is a range of its own; a smaller one may change without stopping all others. */
const OWN_RANGE = 100;

/** What a gate finds in a range: `*` for all configurations, `MANUFACTURER/*` for those of one manufacturer. */
interface RangeFinding extends GateTally {
  range: string;
  compared: number;
  action: GateFinding['action'];
}

function assessTallies(tallies: ReadonlyMap<string, Tally>, thresholds: Gates): GateAssessment {
  const { articlesGone } = thresholds;
  const assessment: GateAssessment = {
    refused: false,
    count: 0,
    byGate: {},
    findings: [],
    removedFrom: articlesGone.warn ?? articlesGone.refuse,
  };
  for (const [gate] of GATE_ROWS) {
    const found = rangeFindings(gate, tallies, thresholds[gate]);
    if (found.length === 0) continue;
    const byAction = { warn: 0, refuse: 0 };
    for (const { action, affected } of found) byAction[action] += affected;
    assessment.byGate[gate] = byAction;
    assessment.refused ||= found.some(({ action }) => action === 'refuse');
    assessment.count += found.length + byAction.warn + byAction.refuse;
    assessment.findings.push(
      ...found.map((finding) => summary(gate, finding, thresholds)),
      ...found.flatMap(({ action, examples }) =>
        examples.map(({ change: _, ...example }) => ({ gate, action, ...example })),
      ),
    );
  }
  return assessment;
}

/** A finding of the whole range covers its parts, unless that of a part is graver. */
function rangeFindings(
  gate: Gate,
  tallies: ReadonlyMap<string, Tally>,
  thresholds: Gates[Gate],
): RangeFinding[] {
  const all = tallies.get('*')?.compared;
  const isOwn = (compared: number) => compared >= OWN_RANGE && compared !== all;
  const manufacturers = [...tallies.keys()].filter((range) => range !== '*').sort();
  const found = ['*', ...manufacturers].flatMap((range): RangeFinding[] => {
    const { compared, gates } = tallies.get(range) ?? emptyTally();
    if (range !== '*' && !isOwn(compared)) return [];
    const action = actionOf(gates[gate].affected / compared, gates[gate].affected, thresholds);
    return action === undefined ? [] : [{ ...gates[gate], range, compared, action }];
  });
  const [first] = found;
  if (first?.range !== '*') return found;
  const isGraver = ({ action }: RangeFinding) => action === 'refuse' && first.action === 'warn';
  return found.filter((finding) => finding === first || isGraver(finding));
}

function actionOf(
  share: number,
  affected: number,
  { warn, refuse, atLeast }: Gates[Gate],
): GateFinding['action'] | undefined {
  if (affected < atLeast) return undefined;
  if (refuse !== undefined && compareShares(share, refuse) >= 0) return 'refuse';
  return warn !== undefined && compareShares(share, warn) >= 0 ? 'warn' : undefined;
}

function summary(
  gate: Gate,
  { range, compared, affected, action }: RangeFinding,
  thresholds: Gates,
): GateFinding {
  const of = range === '*' ? '' : ` of ${range.slice(0, -2)}`;
  const count = `${affected.toLocaleString('en-US')} of ${compared.toLocaleString('en-US')}`;
  const verb = action === 'refuse' ? 'refused' : 'reported';
  const threshold = sharePercent(thresholds[gate][action]!);
  const share = `${sharePercent(affected / compared)}, ${verb} from ${threshold}`;
  const message = `${count} configurations${of} ${GATE_TABLE[gate].changed} (${share})`;
  return { gate, action, article: range, before: compared, now: compared - affected, message };
}

const ALL_DIFFERENT: PictureDifference = { tone: 1, edges: 1 };

/** Pictures are compared only where so many configurations have changed that a gate of pictures might act. */
async function assessPublication(
  run: Run,
  lines: PackedMap<ManifestLine>,
  deliveries: Deliveries | undefined,
): Promise<GateAssessment> {
  const { previous } = run.output;
  const assess = (differenceOf: DifferenceOf) =>
    assessGates(previous.lines, lines, run.options.pipeline.gates, previous.carts, differenceOf);
  const pairs = new Map<string, GlbPair>();
  const assessment = assess((was, is) => {
    pairs.set(`${was} ${is}`, [was, is]);
    return undefined;
  });
  if (pairs.size === 0) return assessment;
  const { byGate } = assess(() => ALL_DIFFERENT);
  if (!GATE_ROWS.some(([gate, { picture }]) => picture && byGate[gate])) return assessment;
  if (deliveries === undefined) return assessment;
  const { differences, notCompared } = await deliveries.comparePictures(run, [...pairs.values()]);
  const assessed = assess((was, is) => differences.get(`${was} ${is}`));
  return notCompared === undefined ? assessed : { ...assessed, notCompared };
}

/**
 * Assesses the new manifest: the gates first, then the number of failures. Carts do not count.
 *
 * @param notSelected - Number of entries of the selection that failed.
 * @param deliveries - Compares pictures, where a gate needs them.
 * @see D-850, D-853
 */
export async function assessRun(
  run: Run,
  lines: PackedMap<ManifestLine>,
  notSelected: number,
  end: RunEnd,
  deliveries?: Deliveries,
): Promise<{ gates?: GateReport; end: RunEnd }> {
  if (!isPublished(end)) return { end };
  const { options } = run;
  const found = await assessPublication(run, lines, deliveries);
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
  let of = notSelected;
  for (const { status, onlyCarts } of lines.values()) {
    if (onlyCarts) continue;
    of++;
    if (status === 'failed') failed++;
  }
  const message = exceededFailures(limit, { failed, of });
  return message === undefined ? undefined : new ConverterError('MAX_FAILURES', message);
}
