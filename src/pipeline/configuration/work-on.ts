/**
 * Work on: everything that was selected, and what that turns up.
 *
 * In: a selection and what to do with one article. Out: an outcome for each request. A planning tells
 * only once its parts list is there which of its children become assets of their own.
 */

import type { SelectedArticle } from '../../fetch/selection.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { UnplacedChild } from '../../model/snapshot.ts';
import type { RunContext } from '../context/run-context.ts';
import { type Collect, eachConfiguration, type Work } from './each-configuration.ts';

/** Tells which of some articles are worked on. */
export type Screen = (articles: readonly SelectedArticle[]) => readonly SelectedArticle[];

/**
 * Works on each selected article in all its spellings, then on the children without a place.
 *
 * @param collect - Handed the outcome of each; places count in the order of the selection, those of
 *   children behind.
 * @param screen - Tells which children are worked on tonight.
 * @returns How many were worked on of those that should have been: fewer where the run is out of time.
 * @throws {@link ConverterError} what ends a run.
 *
 * @see D-800, D-804.
 */
export async function workOn<T extends { unplaced?: UnplacedChild[] }>(
  run: RunContext,
  articles: readonly SelectedArticle[],
  work: Work<T>,
  collect: Collect<T>,
  screen: Screen = (children) => children,
): Promise<{ done: number; total: number }> {
  const progress = { total: 0, done: 0, failed: 0 };
  const seen = new Set<string>();
  const unseen = ({ request }: SelectedArticle) => {
    const key = configurationKey(request);
    const known = seen.has(key);
    seen.add(key);
    return !known;
  };
  let round: readonly SelectedArticle[] = articles.flatMap(everySpelling).filter(unseen);
  while (round.length > 0) {
    const children: { place: number; child: UnplacedChild }[] = [];
    const notice: Collect<T> = (outcome, origin) => {
      for (const child of outcome.unplaced ?? []) children.push({ place: origin.place, child });
      collect(outcome, origin);
    };
    await eachConfiguration(run, round, work, notice, progress);
    children.sort((a, b) => a.place - b.place);
    round = screen(children.map(({ child }) => asSelected(child)).filter(unseen));
  }
  return { done: progress.done, total: progress.total };
}

/** Each request that was asked for has an outcome of its own, though they share a line. */
function everySpelling({ alike = [], ...selected }: SelectedArticle): SelectedArticle[] {
  return [selected, ...alike.map((request) => ({ ...selected, request }))];
}

function asSelected({ request, children }: UnplacedChild): SelectedArticle {
  return { request, why: ['child without a place in its planning'], children };
}
