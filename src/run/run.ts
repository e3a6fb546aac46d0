/** Executes a pipeline: `run`, its halves `fetch` and `build`, and the dry run. */

import type { ArticleRequest } from '../model/article.ts';
import type { Decision } from '../model/asset.ts';
import { configurationKey, configurationLabel } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Warning } from '../model/warning.ts';
import type { SelectedArticle, Selection } from '../source/fetch/selection.ts';
import { loadSnapshot } from '../source/fetch/snapshot.ts';
import { asConverterError, ConverterError } from '../support/errors.ts';
import { exists } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { type Processor, Results } from './articles/results.ts';
import { selectFetched, selectLive } from './articles/select.ts';
import type { Executor, RunParts, Sharing } from './executor.ts';
import { assessRun } from './failures/gates.ts';
import type { KilledWork } from './failures/history.ts';
import { Quarantine } from './failures/quarantine.ts';
import type { ManifestLine } from './lists/manifest-line.ts';
import { withLockedRun } from './locked-run.ts';
import { makeReport, writeReport } from './make-report.ts';
import { type Run, withFetch, withReadingRun } from './open/open-run.ts';
import { isPublished, type RunEnd, type RunResult } from './open/run-end.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import { executorOf, isPartial, type RunOptions, runId } from './open/run-options.ts';
import { publishedAsset } from './output/publish.ts';
import { type Execute, inThisProcess, processAll } from './processing.ts';
import {
  convertFetched,
  fetchAndConvert,
  fetchOnly,
  snapshotSource,
} from './processor/configuration.ts';
import { type AfterPublication, followPublication } from './publishing/after-publication.ts';
import type { Begun } from './publishing/deliveries.ts';
import { LastPublication } from './publishing/last-publication.ts';
import { newLines, publishResults } from './publishing/lines.ts';
import { removeOutdated } from './publishing/retention.ts';

/**
 * Converts what a pipeline selects: service → GLBs.
 *
 * @returns A report that lists the failures of single articles, and how the run ended.
 * @throws {@link ConverterError} an error before the run began, such as `OUTPUT_LOCKED`.
 *
 * @example
 * ```ts
 * const { report } = await runPipeline({ pipeline: await loadPipeline('demo.yaml', {}) }, environment);
 * report.configurations; // → { selected: 72, converted: 72, unchanged: 0, failed: 0 }
 * ```
 */
export function runPipeline(
  options: RunOptions,
  environment: RunEnvironment,
  parts: RunParts = {},
): Promise<RunResult> {
  const plan = { command: 'run', select: selectLive, processor: fetchAndConvert } as const;
  return executeLocked(options, environment, plan, parts);
}

/** Builds what was fetched: snapshots → GLBs, without a network. */
export function buildPipeline(
  options: RunOptions,
  environment: RunEnvironment,
  parts: RunParts = {},
): Promise<RunResult> {
  const plan = { command: 'build', select: selectFetched, processor: convertFetched } as const;
  return executeLocked(options, environment, plan, parts);
}

/** Fetches what a pipeline selects: service → snapshots in the cache. */
export function fetchPipeline(
  options: RunOptions,
  environment: RunEnvironment,
  { sharing }: RunParts = {},
): Promise<RunResult> {
  const execute = async (run: Run, killed: readonly KilledWork[]): Promise<RunResult> => {
    const results = new Results(run.output.previous, run.output.spool);
    const quarantine = new Quarantine(run, results, 'fetch', killed);
    const { selection, tried } = await quarantine.select(await selectLive(run, quarantine));
    const fetchAll = inThisProcess(run, await fetchOnly(run));
    const { done, total } = await processAll(run, tried, fetchAll, quarantine);
    const isWhole = done === total && !isPartial(options) && !hasFailedOnly(selection);
    quarantine.record(selection.failures, isWhole);
    const end: RunEnd = { kind: 'complete' };
    const fetched = Array.from(results.all(), ({ result }) => result);
    const { report } = await makeReport(run, { command: 'fetch', end, selection, fetched });
    await run.sources.session.finish(isPartial(options));
    return { report, runFolder: undefined, end };
  };
  const noted = (run: Run) => unlessKilled(run, execute);
  return withFetch(options, environment, noted, sharing?.open);
}

/** What `--dry-run` shows: what is selected, and an estimate of the requests that a run would send after that. */
export interface DryRun {
  selection: Omit<Selection, 'articles'> & { articles: readonly SelectedArticle[] };
  /** Requests sent to select. */
  sent: number;
  /** Requests of a run by what they are for, and their sum. */
  estimate: Record<'articles' | 'partsLists' | 'bodies' | 'unknown', number>;
  requests: number;
  /** Duration of the requests and mean of one, milliseconds; a mean is undefined if nothing was measured. */
  requestsMs: number;
  meanMs: number | undefined;
  concurrency: number;
}

/** Selects, and estimates the requests of a run; fetches neither parts lists nor geometry. @see D-807. */
export function dryRunPipeline(
  options: RunOptions,
  environment: RunEnvironment,
  { sharing }: RunParts = {},
): Promise<DryRun> {
  const estimateRun = async (run: Run): Promise<DryRun> => {
    const { output, sources, metrics } = run;
    const results = new Results(output.previous, output.spool);
    const quarantine = new Quarantine(run, results, 'run');
    const { selection, tried } = await quarantine.select(await selectLive(run, quarantine));
    const fetcher = await sources.session.fetcher();
    const wanted = tried.flatMap(({ request, alike = [] }) => [request, ...alike]);
    const estimate = await fetcher.estimate(wanted);
    const requests = estimate.articles + estimate.partsLists + estimate.bodies;
    const { concurrency } = options.pipeline.service;
    const meanMs = metrics.requests.meanMs();
    const requestsMs = ((meanMs ?? 0) * requests) / Math.min(concurrency, requests || 1);
    await sources.session.finish(true);
    return {
      selection: { ...selection, articles: tried },
      sent: metrics.requests.totals().sent,
      estimate,
      requests,
      requestsMs,
      meanMs,
      concurrency,
    };
  };
  return withReadingRun(options, environment, estimateRun, sharing?.open);
}

interface RunPlan {
  command: 'run' | 'build';
  select(run: Run, quarantine: Quarantine): Promise<Selection>;
  processor(run: Run): Promise<Processor>;
}

function executeLocked(
  options: RunOptions,
  environment: RunEnvironment,
  plan: RunPlan,
  parts: RunParts,
): Promise<RunResult> {
  return withLockedRun(options, environment, parts, (run) =>
    unlessKilled(run, async (_, killed) => {
      const begun = options.pipeline.deliver && (await parts.deliveries?.begin(run));
      const closing: (() => Promise<void>)[] = [async () => begun?.close()];
      const executing = executeRun(run, plan, killed, { ...parts, begun, closing });
      return executing.finally(async () => {
        for (const close of closing) await close();
      });
    }),
  );
}

interface BegunParts extends RunParts {
  /** Deliveries that make files of each GLB that the run builds. */
  begun?: Begun | undefined;
  /** What is closed when the run has ended, in this order. */
  closing: (() => Promise<void>)[];
}

/** Removes the notes of what is in work when the run ends by itself or is interrupted; a kill leaves them. */
async function unlessKilled(
  run: Run,
  work: (run: Run, killed: readonly KilledWork[]) => Promise<RunResult>,
): Promise<RunResult> {
  const { signal } = run.environment;
  const stop = () => run.notes.stop();
  signal.addEventListener('abort', stop);
  try {
    return await work(run, run.notes.begin());
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/**
 * Executes a run: select → process → assess → publish → record → report.
 *
 * The published state stays valid until the new one is complete: objects → gates → links → lists → deliveries and
 * their lists → changes → report → former files. A report is written however the run ends; what it compares is then the
 * last publication.
 *
 * @see D-998 (order), D-834 (deadline), D-850 (gates), D-852 (failures).
 */
async function executeRun(
  run: Run,
  plan: RunPlan,
  killed: readonly KilledWork[],
  parts: BegunParts,
): Promise<RunResult> {
  const { deliveries, page } = parts;
  const { options, metrics } = run;
  const results = new Results(run.output.previous, run.output.spool);
  const quarantine = new Quarantine(run, results, plan.command, killed);
  const {
    selection,
    end: processed,
    distribution,
  } = await selectAndProcess(run, plan, quarantine, parts);
  const isWhole = processed.kind === 'complete' && !isPartial(options) && !hasFailedOnly(selection);
  const lines = newLines(run, results, selection, !isWhole, (request) =>
    quarantine.isOfCart(request),
  );
  const notSelected = selection.failures.filter(({ onlyCarts }) => !onlyCarts).length;
  const { gates, end: assessed } = await assessRun(run, lines, notSelected, processed, deliveries);
  const last = new LastPublication(run, deliveries?.urlOf(options.pipeline));
  const read = { results, names: selection.names };
  const published = await endAfter(assessed, 'publishFailed', isPublished(assessed), () =>
    metrics.stopwatch.during('publish', async () => {
      await last.begin();
      await publishResults(run, lines, read, isWhole);
    }),
  );
  const recorded = await endAfter(published, 'recordFailed', isPublished(processed), async () => {
    if (isPublished(published)) recordDecisions(run, results, isWhole ? lines : undefined);
    quarantine.record(selection.failures, isWhole);
    await run.output.published?.saveState();
  });
  let after: AfterPublication | undefined;
  const delivered = await endAfter(recorded, 'recordFailed', isPublished(recorded), async () => {
    after = await followPublication(run, last, deliveries);
  });
  const surveyWarnings = isWhole ? await contradictedSurvey(run, lines, parts.surveys) : [];
  const changes = after?.changes ?? (await last.changesBy(lines, read));
  const outcome = { lines, results, quarantine, changes };
  const report = async (end: RunEnd) => {
    const made = await makeReport(run, {
      command: plan.command,
      end,
      selection,
      gates,
      outcome,
      delivered: after?.delivered,
      distribution,
      deliveries,
      surveyWarnings,
    });
    const runFolder = await writeReport(run, made, page).catch((error: unknown) => {
      // It must not hide the error that ended the run.
      if (end.kind === 'complete') throw error;
      return undefined;
    });
    return { report: made.report, runFolder };
  };
  let reported = await report(delivered);
  // Without a report, the next run compares with the same publication.
  const settled = reported.runFolder === undefined ? undefined : after;
  const end = await endAfter(delivered, 'recordFailed', settled !== undefined, async () =>
    settled?.settle(),
  );
  if (end !== delivered) reported = await report(end);
  if (end.kind === 'complete') {
    await run.sources.session.finish(isPartial(options));
    await distribution?.remove();
  } else if (end.kind === 'refused') {
    // The next run processes all again: causes of its failures may be gone by then.
    run.sources.session.refuse();
    await distribution?.remove();
  }
  if (settled !== undefined) await removeOutdatedUnlessFails(run, deliveries?.folders ?? []);
  return { ...reported, end };
}

/** What the articles say against the record of a survey beside the pipeline file, if there is one. It ends no run. */
async function contradictedSurvey(
  run: Run,
  lines: PackedMap<ManifestLine>,
  surveys: RunParts['surveys'],
): Promise<Warning[]> {
  const { surveyFile } = run.options.pipeline;
  if (surveys === undefined || surveyFile === undefined || !(await exists(surveyFile))) return [];
  try {
    const source = snapshotSource(run);
    const load = (request: ArticleRequest) => loadSnapshot(source, request);
    const sentences = await surveys.contradictions(run, surveyFile, lines, load);
    return sentences.map((message) => ({ code: 'SURVEY_CONTRADICTED', message }));
  } catch (thrown) {
    return [{ code: 'SURVEY_NOT_COMPARED', message: asConverterError(thrown).message }];
  }
}

/** The run has succeeded: what it could not remove, the next one removes. */
async function removeOutdatedUnlessFails(run: Run, folders: readonly string[]): Promise<void> {
  await removeOutdated(run, folders).catch(({ message }: Error) =>
    run.environment.log.warn('what is outdated could not be removed', { message }),
  );
}

/** Hands each GLB that is built to the deliveries. */
function delivering(execute: Execute, begun: Begun): Execute {
  return (articles, progress, first, collect) =>
    execute(articles, progress, first, (result, origin) => {
      collect(result, origin);
      if (result.status === 'converted') begun.add(result.built);
    });
}

/** If every entry failed, it is not known what is still selected: everything published stays. */
function hasFailedOnly({ articles, failures }: Selection): boolean {
  return articles.length === 0 && failures.length > 0;
}

async function selectAndProcess(
  run: Run,
  plan: RunPlan,
  quarantine: Quarantine,
  { sharing, begun, closing }: BegunParts,
): Promise<{ selection: Selection; end: RunEnd; distribution?: Executor['distribution'] }> {
  let selection: Selection = { articles: [], failures: [], warnings: [] };
  let executor: Executor | undefined;
  let selecting: Promise<Selection> | undefined;
  let opening: Promise<Executor> | undefined;
  const ended = (end: RunEnd) => ({ selection, end, distribution: executor?.distribution });
  try {
    await findDamage(run);
    selecting = plan.select(run, quarantine);
    opening = openExecutor(run, plan, selecting, sharing);
    const [selected, opened] = await Promise.all([selecting, opening]);
    executor = opened;
    // Workers of the run make its deliveries, too.
    closing.push(() => opened.close());
    if (opened.workers !== undefined) begun?.share(opened.workers);
    const chosen = await quarantine.select(selected);
    selection = chosen.selection;
    const execute = begun ? delivering(executor.execute, begun) : executor.execute;
    const { done, total } = await processAll(run, chosen.tried, execute, quarantine);
    await run.sources.session.close();
    if (done === total) return ended({ kind: 'complete' });
    const message = `the deadline passed: ${done} of ${total} configurations were processed; the others are unchanged`;
    const error = new ConverterError('OUT_OF_TIME', message);
    return ended({ kind: 'outOfTime', error });
  } catch (thrown) {
    const end = stoppedBy(run, asConverterError(thrown));
    // Without a queue, nothing has to be selected any more.
    await run.sources.session.close();
    await selecting?.catch(() => {});
    if (executor === undefined)
      // One that has not opened closes by itself.
      await opening?.then(
        ({ close }) => close(),
        () => {},
      );
    return ended(end);
  }
}

/** A queue is connected while the run selects its articles. */
async function openExecutor(
  run: Run,
  { processor }: RunPlan,
  selected: Promise<unknown>,
  sharing: Sharing | undefined,
): Promise<Executor> {
  if (executorOf(run.options) !== 'local' && sharing) return sharing.executor(run, selected);
  await selected;
  return { execute: inThisProcess(run, await processor(run)), close: async () => {} };
}

/** After the deadline the session is closed: its requests then fail as interrupted. */
function stoppedBy({ environment: { signal }, isOutOfTime }: Run, thrown: ConverterError): RunEnd {
  if (thrown.code !== 'INTERRUPTED') return { kind: 'failed', error: thrown };
  // What ends a run from outside, such as a cancellation, interrupts requests: it is the cause, and not they.
  const error = signal.reason instanceof ConverterError ? signal.reason : thrown;
  if (error.code !== 'INTERRUPTED') return { kind: 'failed', error };
  if (signal.aborted || !isOutOfTime()) return { kind: 'interrupted', error };
  const message = 'the deadline passed during the selection: nothing was processed';
  return { kind: 'notSelected', error: new ConverterError('OUT_OF_TIME', message) };
}

const CHECKS_AT_ONCE = 8;
/** Damaged objects, and names of configurations that share one, in the log; the report lists all. */
const LOGGED_DAMAGES = 20;

/** Finds published GLBs that something else has changed or removed: the run treats them as missing. @see D-836 */
async function findDamage({ environment, output }: Run): Promise<void> {
  const { previous, checks, damages } = output;
  const found = new Map<Digest, { problem: string; sharedBy: string[] }>();
  await inParallel(previous.objects.keys(), CHECKS_AT_ONCE, async (object) => {
    environment.signal.throwIfAborted();
    const { problem } = await checks.check(object);
    if (problem !== undefined) found.set(object, { problem, sharedBy: [] });
  });
  if (found.size === 0) return;
  for (const line of previous.lines.values()) {
    const asset = publishedAsset(line);
    const damage = asset && found.get(asset.sha256);
    if (damage === undefined) continue;
    damages.set(configurationKey(line), { object: asset!.sha256, problem: damage.problem });
    damage.sharedBy.push(configurationLabel(line));
  }
  const inOrder = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [object, { problem, sharedBy }] of inOrder.slice(0, LOGGED_DAMAGES)) {
    const configurations = sharedBy.length;
    const names = sharedBy.slice(0, LOGGED_DAMAGES);
    environment.log.warn(`a published GLB is ${problem}`, { object, configurations, names });
  }
  const more = inOrder.length - LOGGED_DAMAGES;
  if (more > 0) environment.log.warn('more published GLBs are damaged or missing', { more });
}

async function endAfter(
  end: RunEnd,
  kind: 'publishFailed' | 'recordFailed',
  isTaken: boolean,
  step: () => Promise<void>,
): Promise<RunEnd> {
  try {
    if (isTaken) await step();
    return end;
  } catch (thrown) {
    const error = asConverterError(thrown);
    if (!isPublished(end)) return end;
    if (kind === 'publishFailed' && error.code === 'INTERRUPTED')
      return { kind: 'interrupted', error };
    return { kind, error, isComplete: end.kind === 'complete' };
  }
}

/** Stores what decided about each configuration, for `explain`. @param all - If the run met all. */
function recordDecisions(
  { options, sources, output, startedAt }: Run,
  results: Results,
  all: PackedMap<ManifestLine> | undefined,
): void {
  const { outputDir } = options.pipeline;
  const { decisions } = sources.database;
  decisions.putAll(outputDir, runId(startedAt), decisionsOf(results));
  if (all === undefined) return;
  decisions.keepOnly(outputDir, all);
  output.checks.forgetOthers();
}

const KEPT: Decision = { tier: 'kept', why: [] };

function* decisionsOf(results: Results): Iterable<[key: string, decision: Decision]> {
  for (const key of results.keys()) {
    if (results.onlyFreshOf(key) !== undefined) {
      yield [key, KEPT];
      continue;
    }
    const { result } = results.of(key)[0]!;
    const tier = result.status === 'fresh' ? 'kept' : 'failed';
    yield [key, 'decision' in result ? result.decision : { tier, why: [] }];
  }
}
