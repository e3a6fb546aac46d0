/**
 * Gate verdict: what the gates say of what was counted.
 *
 * In: a tally a manufacturer, and thresholds. Out: findings: what happened to a range, then examples.
 * It must not know what becomes of the verdict.
 */
import type { GateFinding, GateReport } from '../../report/run-report.ts';
import { GATE_FIGURES } from './gate-figures.ts';
import { GATES, type Gate, type Gates, type GateThresholds } from './gate-schema.ts';
import { type Tally, together } from './gate-tally.ts';
import { isAtLeast, sharePercent } from './share.ts';

/** What the gates say of a night. */
export type GateVerdict = Omit<GateReport, 'accepted'>;

/**
 * Smallest manufacturer that is a range of its own, in configurations. A small one may turn itself
 * inside out without stopping the night of all others.
 */
export const OWN_RANGE = 100;

/**
 * Judges the whole range, and each large manufacturer in it.
 *
 * @param tallies - By manufacturer.
 *
 * @see D-850.
 */
export function judgeTallies(tallies: ReadonlyMap<string, Tally>, thresholds: Gates): GateVerdict {
  const whole = together(tallies.values());
  const own = [...tallies]
    .filter(([, { compared }]) => compared >= OWN_RANGE && compared < whole.compared)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const ranges: [string, Tally][] = [['*', whole], ...own.map(asRange)];
  const judged = GATES.flatMap((gate) => judgeGate(gate, ranges, thresholds[gate]));
  const findings = judged.flatMap((of) => of.findings);
  return {
    refused: findings.some(({ action }) => action === 'refuse'),
    count: judged.reduce((sum, { affected, summaries }) => sum + affected + summaries, 0),
    byGate: Object.fromEntries(judged.map(({ gate, byAction }) => [gate, byAction])),
    findings,
  };
}

function asRange([manufacturer, tally]: [string, Tally]): [string, Tally] {
  return [`${manufacturer}/*`, tally];
}

interface JudgedGate {
  gate: Gate;
  byAction: Record<GateFinding['action'], number>;
  affected: number;
  summaries: number;
  findings: GateFinding[];
}

/** The whole range speaks for its parts, unless one of them has worse to say. */
function judgeGate(
  gate: Gate,
  ranges: readonly [string, Tally][],
  thresholds: GateThresholds,
): JudgedGate[] {
  const all = ranges.flatMap(([range, tally]) => {
    const action = actionOf(tally, gate, thresholds);
    return action === undefined ? [] : [{ range, tally, action }];
  });
  const whole = all.find(({ range }) => range === '*');
  const told = all.filter((of) => of === whole || whole === undefined || worse(of, whole));
  if (told.length === 0) return [];
  const findings: GateFinding[] = [];
  const byAction = { warn: 0, refuse: 0 };
  for (const { range, tally, action } of told) {
    const { affected } = tally.gates[gate];
    byAction[action] += affected;
    const now = tally.compared - affected;
    const message = summary(gate, range, tally, thresholds[action]!, action);
    findings.push({ gate, action, article: range, before: tally.compared, now, message });
  }
  for (const { tally, action } of told) {
    const examples = tally.gates[gate].examples;
    findings.push(...examples.map(({ change: _, ...example }) => ({ gate, action, ...example })));
  }
  const affected = byAction.warn + byAction.refuse;
  return [{ gate, byAction, affected, summaries: told.length, findings }];
}

function worse(a: { action: GateFinding['action'] }, b: { action: GateFinding['action'] }) {
  return a.action === 'refuse' && b.action === 'warn';
}

function actionOf(
  { compared, gates }: Tally,
  gate: Gate,
  { warn, refuse, atLeast }: GateThresholds,
): GateFinding['action'] | undefined {
  const { affected } = gates[gate];
  if (affected < atLeast) return undefined;
  const from = (share: number | undefined) =>
    share !== undefined && isAtLeast(affected / compared, share);
  if (from(refuse)) return 'refuse';
  return from(warn) ? 'warn' : undefined;
}

function summary(
  gate: Gate,
  range: string,
  { compared, gates }: Tally,
  threshold: number,
  action: GateFinding['action'],
): string {
  const { affected } = gates[gate];
  const what = gate === 'articlesGone' ? 'are gone' : GATE_FIGURES[gate].what;
  const of = range === '*' ? '' : ` of ${range.slice(0, -2)}`;
  const count = `${affected.toLocaleString('en-US')} of ${compared.toLocaleString('en-US')}`;
  const verb = action === 'refuse' ? 'refused' : 'told';
  const share = `${sharePercent(affected / compared)}, ${verb} from ${sharePercent(threshold)}`;
  return `${count} configurations${of} ${what} (${share})`;
}
