/**
 * Quarantine: what of a selection is tried tonight, and what the night teaches about the rest.
 *
 * In: what was selected, then outcomes. Out: what is tried; an outcome, failed as before, for what is
 * not; and a ledger that knows of this night.
 */

import type { SelectionFailure } from '../../fetch/selection.ts';
import type { ArticleRequest } from '../../model/article.ts';
import type { ManifestLine } from '../../model/asset.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { Collect } from '../configuration/each-configuration.ts';
import type { Outcome } from '../configuration/manifest-lines.ts';
import type { OutcomeBook } from '../configuration/outcome-book.ts';
import type { Screen } from '../configuration/work-on.ts';
import type { RunContext } from '../context/run-context.ts';
import { type FailureLedger, openFailureLedger } from '../failures/failure-ledger.ts';

/** The failures of one night among those of all others. */
export interface Quarantine extends Pick<FailureLedger, 'rowOf'> {
  /** What of the selection is tried: all, or what failed (`--failed`), without what waits. */
  choose: Screen;
  /** What of the children is tried that a planning turns up. */
  screen: Screen;
  /** Enters an outcome into the book. */
  collect: Collect<Outcome>;
  /**
   * Notes what failed and what no longer does.
   *
   * @param isWhole - Whether everything that the pipeline selects was met.
   */
  note(notSelected: readonly SelectionFailure[], isWhole: boolean): void;
}

/** Place of what was not tried: before all that was. */
const NOT_TRIED = -1;

/**
 * Opens the quarantine of a night.
 *
 * @param asksNobody - Whether the night sends no requests: then nothing has to wait.
 *
 * @see D-852
 */
export function openQuarantine(
  run: RunContext,
  book: OutcomeBook,
  asksNobody: boolean,
): Quarantine {
  const { job, state, startedAt, previous } = run;
  const { outputDir, failures: policy, convert } = job.pipeline;
  const ledger = openFailureLedger(state.failures, {
    ...{ outputDir, policy, convert, now: startedAt },
    published: previous.byKey.size,
  });
  // Whoever asks for single articles, for failures or for everything anew gets them all.
  const isAskedFor = job.only !== undefined || job.failedOnly === true || job.force === true;
  const everything = isAskedFor || asksNobody;
  const roots = new Map<string, ArticleRequest>();

  const screen: Screen = (articles) => {
    const { due, quarantined } = ledger.due(articles, everything);
    for (const { request, error } of quarantined) {
      book.add({ request, status: 'failed', key: undefined, error }, { place: NOT_TRIED, ms: 0 });
    }
    return due;
  };
  return {
    rowOf: ledger.rowOf,
    screen,
    choose: (articles) => {
      if (!job.failedOnly) return screen(articles);
      const failing = ledger.failing(articles, failedBefore(previous.byKey.values()));
      // Of those that failed, not of all among which they are looked for.
      return screen(failing.slice(0, job.limit));
    },
    collect(outcome, origin) {
      const root = roots.get(configurationKey(outcome.request)) ?? outcome.request;
      for (const { request } of outcome.unplaced ?? []) roots.set(configurationKey(request), root);
      book.add(outcome, origin);
    },
    note(notSelected, isWhole) {
      for (const key of book.keys()) {
        for (const { outcome, place } of book.entriesOf(key)) {
          if (place === NOT_TRIED) continue;
          const error = outcome.status === 'failed' ? outcome.error : undefined;
          ledger.record(outcome.request, error, roots.get(configurationKey(outcome.request)));
        }
      }
      for (const { what, code, message } of notSelected) ledger.record({ what }, { code, message });
      ledger.save(isWhole);
    },
  };
}

function* failedBefore(lines: Iterable<ManifestLine>): Iterable<ArticleRequest> {
  for (const { status, requested } of lines) if (status === 'failed') yield* requested;
}
