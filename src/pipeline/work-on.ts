/**
 * Work on: everything that was selected, and what that turns up.
 *
 * In: a selection and what to do with one article. Out: an outcome for each request. A planning tells
 * only once its parts list is there which of its children become assets of their own.
 */
import { requestKey } from '../fetch/request-key.ts';
import type { SelectedArticle, Selection } from '../fetch/select-articles.ts';
import type { UnplacedChild } from '../model/snapshot.ts';
import { eachConfiguration, type Work } from './each-configuration.ts';
import type { RunContext } from './run-context.ts';

/**
 * Works on each selected article in all its spellings, then on the children without a place.
 *
 * @returns Outcomes in the order of the selection, those of children behind.
 * @throws {@link ConverterError} what ends a run.
 *
 * @see D-800, D-804.
 */
export async function workOn<T extends object & { unplaced?: UnplacedChild[] }>(
  run: RunContext,
  { articles, failures }: Selection,
  work: Work<T>,
): Promise<T[]> {
  run.tools.log.info('selected', { configurations: articles.length, failed: failures.length });
  const outcomes: T[] = [];
  const progress = { total: 0, done: 0, failed: 0 };
  const seen = new Set<string>();
  const unseen = ({ request }: SelectedArticle) => {
    const key = requestKey(request);
    const known = seen.has(key);
    seen.add(key);
    return !known;
  };
  let round = articles.flatMap(everySpelling).filter(unseen);
  while (round.length > 0) {
    const done = await eachConfiguration(run, round, work, progress);
    outcomes.push(...done);
    round = done.flatMap(({ unplaced = [] }) => unplaced.map(asSelected)).filter(unseen);
  }
  return outcomes;
}

/** Each request that was asked for has an outcome of its own, though they share a line. */
function everySpelling({ alike = [], ...selected }: SelectedArticle): SelectedArticle[] {
  return [selected, ...alike.map((request) => ({ ...selected, request }))];
}

function asSelected({ request, children }: UnplacedChild): SelectedArticle {
  return { request, why: ['child without a place in its planning'], children };
}
