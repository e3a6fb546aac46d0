/**
 * Night verdict: whether the result of a night may be published.
 *
 * In: the lines of the new manifest, those of before, and what the operator allows. Out: what the gates
 * found, and the reason where it may not.
 */
import type { Selection } from '../../fetch/selection.ts';
import type { ManifestLine } from '../../model/asset.ts';
import type { GateReport } from '../../report/run-report.ts';
import { ConverterError } from '../../support/errors.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import type { RunContext } from '../context/run-context.ts';
import { exceededFailures } from '../failures/failure-limit.ts';
import { judgeNight } from '../gates/gates.ts';

/** What is to be said of a night before it is published. */
export interface NightVerdict {
  gates: GateReport;
  /** Why nothing may be published; undefined where it may, or was accepted. */
  refusal: ConverterError | undefined;
}

/**
 * Judges a night: the gates first, then the number of failures (`--max-failures`).
 *
 * @see D-850, D-853.
 */
export function judge(
  { job, previous }: RunContext,
  lines: PackedMap<ManifestLine>,
  selection: Selection,
): NightVerdict {
  const found = judgeNight(previous.byKey, lines, job.pipeline.gates);
  const tooMany = tooManyFailures(job.maxFailures, lines, selection.failures.length);
  const refusal = found.refused ? gateRefusal(found) : tooMany;
  const accepted = job.accept === true && refusal !== undefined;
  return { gates: { ...found, accepted }, refusal: accepted ? undefined : refusal };
}

function gateRefusal({ findings }: { findings: GateReport['findings'] }): ConverterError {
  const reasons = findings.filter(({ action }) => action === 'refuse');
  const [first] = reasons;
  const message = `a gate refuses the result: ${first?.message ?? 'see the report'}`;
  return new ConverterError('GATE_REFUSED', message);
}

function tooManyFailures(
  limit: RunContext['job']['maxFailures'],
  lines: PackedMap<ManifestLine>,
  notSelected: number,
): ConverterError | undefined {
  if (limit === undefined) return undefined;
  let failed = notSelected;
  for (const { status } of lines.values()) if (status === 'failed') failed++;
  const message = exceededFailures(limit, { failed, of: lines.size + notSelected });
  return message === undefined ? undefined : new ConverterError('MAX_FAILURES', message);
}
