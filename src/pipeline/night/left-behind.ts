/**
 * Left behind: lines of before that stay, though a whole night did not come across them.
 *
 * In: what failed tonight. Out: the lines that the same night would have met had it not failed. What is
 * gone from the catalogue is not among them.
 */

import type { RangePart, Selection } from '../../fetch/selection.ts';
import type { ManifestLine } from '../../model/asset.ts';
import { articleKey, configurationKey } from '../../model/configuration-id.ts';
import type { OutcomeBook } from '../configuration/outcome-book.ts';
import type { RunContext } from '../context/run-context.ts';
import { pipelineServiceId } from '../context/service-setup.ts';

/**
 * Finds the lines that stay.
 *
 * Where a configuration of an article could not even be selected, the lines that the article had stay:
 * which of them it was cannot be told. The same holds for a part of the catalogue that is named and
 * cannot be read. Where a planning failed, so do those of its children that are
 * assets of their own: only its parts list tells of them.
 *
 * @see D-740.
 */
export function* leftBehind(
  run: RunContext,
  book: OutcomeBook,
  { failures, unread = [] }: Pick<Selection, 'failures' | 'unread'>,
): Iterable<ManifestLine> {
  const articles = new Set(failures.flatMap(({ article }) => article ?? []).map(articleKey));
  const children = childrenOfFailed(run, book);
  if (articles.size === 0 && children.size === 0 && unread.length === 0) return;
  for (const line of run.previous.byKey.values()) {
    const isChild = line.requested.some((request) => children.has(configurationKey(request)));
    const isUnknown = isChild || unread.some((part) => isIn(part, line));
    if (isUnknown || articles.has(articleKey(line))) yield line;
  }
}

function isIn({ manufacturer, program }: RangePart, line: ManifestLine): boolean {
  const same = (wanted: string, id: string) =>
    wanted === '' || wanted.toUpperCase() === id.toUpperCase();
  return same(manufacturer, line.manufacturer) && same(program, line.program);
}

/** Requests of the children, at any depth, that plannings had which failed tonight. */
function childrenOfFailed({ job, state }: RunContext, book: OutcomeBook): Set<string> {
  const service = pipelineServiceId(job.pipeline.service);
  const children = new Set<string>();
  const parents: string[] = [];
  for (const key of book.keys()) {
    for (const { outcome } of book.entriesOf(key)) {
      if (outcome.status === 'failed') parents.push(configurationKey(outcome.request));
    }
  }
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const { request } of state.snapshots.get(service, parent)?.unplaced ?? []) {
      const child = configurationKey(request);
      if (children.has(child)) continue;
      children.add(child);
      parents.push(child);
    }
  }
  return children;
}
