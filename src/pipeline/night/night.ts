/**
 * Night: one run over an output folder, from the selection to the report.
 *
 * In: an open run, and how it selects and works. Out: objects, links, manifest, catalogue and a report.
 * The order keeps yesterday whole until today is known to be good: objects → gates → links → manifest
 * → report.
 */

import type { Decision } from '../../cache/cached-builds.ts';
import type { Selection } from '../../fetch/selection.ts';
import { asConverterError, ConverterError, type ErrorCode } from '../../support/errors.ts';
import type { Work } from '../configuration/each-configuration.ts';
import type { Outcome } from '../configuration/manifest-lines.ts';
import { createOutcomeBook, type OutcomeBook } from '../configuration/outcome-book.ts';
import { workOn } from '../configuration/work-on.ts';
import { type RunContext, runId } from '../context/run-context.ts';
import { verifyOutput } from '../output/verify.ts';
import { isPartial } from '../select/select.ts';
import { nightLines, removedKeys } from './night-lines.ts';
import { judge } from './night-verdict.ts';
import { newLines, publishLines } from './publish-outcomes.ts';
import { openQuarantine, type Quarantine } from './quarantine.ts';
import { makeReport, type RunFacts, writeReport } from './report.ts';
import type { RunResult } from './run-result.ts';

/** How a night selects and works. */
export interface NightPlan {
  command: 'run' | 'build';
  select(run: RunContext): Promise<Selection>;
  work(run: RunContext): Promise<Work<Outcome>>;
}

/** What a night knows when its work is over. */
interface Worked {
  selection: Selection;
  /** Configurations that were worked on, and those that should have been. */
  done: number;
  total: number;
  /** What ended it before that. */
  error?: ConverterError;
}

/**
 * Works through a night.
 *
 * Whatever ends it, a report is written: an error, the deadline and a refusal stand in it, and are
 * handed back as `stop` for the exit code. Only a night without an error publishes.
 *
 * @see D-740 (order), D-834 (deadline), D-850 (gates), D-852 (failures).
 */
export async function workThroughNight(run: RunContext, plan: NightPlan): Promise<RunResult> {
  const { job } = run;
  const book = createOutcomeBook(run.previous);
  const quarantine = openQuarantine(run, book, plan.command === 'build');
  const worked = await work(run, plan, quarantine);
  const { selection } = worked;
  const isComplete = worked.error === undefined && worked.done === worked.total;
  const lines = newLines(run, book, selection, isPartial(job) || !isComplete);
  const verdict = worked.error === undefined ? judge(run, lines, selection) : undefined;
  const cannot = worked.error ?? verdict?.refusal;
  const broken =
    cannot ??
    (await errorOf(() => run.stopwatch.during('publish', () => publishLines(run, lines, book))));
  const isWhole = isComplete && !isPartial(job);
  const unnoted = await errorOf(async () => {
    if (broken === undefined) noteDecisions(run, book, isWhole ? lines : undefined);
    if (worked.error === undefined) quarantine.note(selection.failures, isWhole);
  });
  const stop = broken ?? unnoted ?? (isComplete ? undefined : outOfTime(worked));
  if (stop !== undefined) run.leaveUnfinished();
  if (isPartial(job)) run.leaveOthersUnfinished();
  const facts: RunFacts = {
    ended: endOf(worked.error, broken, isComplete),
    published: broken === undefined,
    removed: removedKeys(run.previous.byKey, lines),
    ...(verdict === undefined ? {} : { gates: verdict.gates }),
    historyOf: (what) => quarantine.rowOf({ what }),
    ...(stop === undefined ? {} : { stop }),
  };
  const hits = await run.cacheHits();
  const told = nightLines({ before: run.previous.byKey, lines, book, quarantine });
  const made = makeReport(run, plan.command, selection, told, hits, facts);
  return { report: made.report, runFolder: await writtenReport(made, stop), stop };
}

/** Selects and works; what ends that is handed back, so that it can be reported. */
async function work(run: RunContext, plan: NightPlan, quarantine: Quarantine): Promise<Worked> {
  const worked: Worked = {
    selection: { articles: [], failures: [], warnings: [] },
    done: 0,
    total: 0,
  };
  const error = await errorOf(async () => {
    const { job } = run;
    if (job.repair) await noteDamage(run);
    worked.selection = await plan.select(run);
    const due = quarantine.choose(worked.selection.articles);
    const { collect, screen } = quarantine;
    const progress = await workOn(run, due, await plan.work(run), collect, screen);
    Object.assign(worked, progress);
    await run.closeService();
  });
  return error === undefined ? worked : { ...worked, error: reasonOf(run, error) };
}

/** A service that was closed since the time is up: whoever still asked it is told of the time. */
function reasonOf({ tools, isOutOfTime }: RunContext, error: ConverterError): ConverterError {
  if (error.code !== 'INTERRUPTED' || tools.signal.aborted || !isOutOfTime()) return error;
  const message = 'the time is up: the articles were not chosen yet, and nothing was worked on';
  return new ConverterError('OUT_OF_TIME', message);
}

async function noteDamage(run: RunContext): Promise<void> {
  if (run.previous.byKey.size === 0) return;
  const { problems } = await verifyOutput(run.job.pipeline.outputDir, run.tools.signal);
  for (const { object } of problems) if (object !== undefined) run.noteDamaged(object);
  if (problems.length > 0) run.tools.log.warn('damaged or missing', { files: problems.length });
}

/** @param all - Every configuration that there is, where that is known. */
function noteDecisions(
  { job, state, startedAt }: RunContext,
  book: OutcomeBook,
  all: { has(key: string): boolean } | undefined,
): void {
  const { outputDir } = job.pipeline;
  state.decisions.putAll(outputDir, runId(startedAt), decisionsOf(book));
  if (all !== undefined) state.decisions.keepOnly(outputDir, all);
}

/** What decided about each configuration, for `explain`. */
function* decisionsOf(book: OutcomeBook): Iterable<[key: string, decision: Decision]> {
  for (const key of book.keys()) {
    const [entry] = book.entriesOf(key);
    if (entry !== undefined) yield [key, decisionOf(entry.outcome)];
  }
}

function decisionOf(outcome: Outcome): Decision {
  if ('decision' in outcome) return outcome.decision;
  return { tier: outcome.status, why: [] };
}

/** What ended the work or the publishing by itself; a refusal ended neither. */
const ENDS: Partial<Record<ErrorCode, NonNullable<RunFacts['ended']>>> = {
  INTERRUPTED: 'interrupted',
  OUT_OF_TIME: 'until',
};

function endOf(
  worked: ConverterError | undefined,
  broken: ConverterError | undefined,
  isComplete: boolean,
): NonNullable<RunFacts['ended']> {
  const error = worked ?? broken;
  const known = error && ENDS[error.code];
  if (known !== undefined) return known;
  if (worked !== undefined) return 'stopped';
  return isComplete ? 'complete' : 'until';
}

function outOfTime({ done, total }: Worked): ConverterError {
  const message = `the time is up: ${done} of ${total} configurations were worked on; the others stay as they were`;
  return new ConverterError('OUT_OF_TIME', message);
}

/** The report of a night that ends by an error must not hide that error. */
async function writtenReport(
  made: Parameters<typeof writeReport>[0],
  stop: ConverterError | undefined,
): Promise<string | undefined> {
  try {
    return await writeReport(made);
  } catch (thrown) {
    if (stop === undefined) throw thrown;
    return undefined;
  }
}

async function errorOf(work: () => Promise<unknown>): Promise<ConverterError | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return asConverterError(thrown);
  }
}
