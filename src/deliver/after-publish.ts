/** Deliveries of a publication as a whole: feeds with what they lack, and the webhook that receives its changes. */

import { sortConfigurationKeys } from '../model/configuration-id.ts';
import type { Run } from '../run/open/open-run.ts';
import {
  type DeliveryLines,
  FEEDS_FOLDER,
  isSharedPath,
  OUTBOX_FILE,
} from '../run/output/delivered-files.ts';
import { writeTexts } from '../run/output/manifest.ts';
import type { NewLists } from '../run/output/publication.ts';
import type { Delivered, Deliveries } from '../run/publishing/deliveries.ts';
import { publishedNow } from '../run/publishing/last-publication.ts';
import { ConverterError } from '../support/errors.ts';
import {
  effectTexts,
  FEED_KINDS,
  type FeedFindings,
  type FeedKind,
  feedFile,
  feedName,
  feedRows,
  noFindings,
} from './feeds/feeds.ts';
import type { FeedItem } from './feeds/product.ts';
import { sendChanges } from './outbox.ts';
import { type DeliverSection, sectionOf } from './section.ts';

const WEBHOOK = 'webhook';
/** A language that the pipeline does not name, as BCP 47 spells it. */
const UNKNOWN = 'und';

/** Opens the webhook of a pipeline. @throws as {@link sendChanges} */
export const openSender: Deliveries['sender'] =
  async (run) =>
  async (...publication) => {
    const { settle, sent, waiting, problem } = await sendChanges(run, ...publication);
    const { afterPublish } = sectionOf(run.options.pipeline) ?? {};
    if (afterPublish === undefined || sent + waiting === 0) return { settle };
    const counts = countsOf(WEBHOOK, sent);
    if (problem === undefined) return { sent: { counts, failures: [] }, settle };
    const message = `the webhook has not received the changes, which wait in ${OUTBOX_FILE}: ${problem}`;
    const error = new ConverterError('WEBHOOK_FAILED', message);
    return { sent: failedAsAWhole(counts, afterPublish.accept, waiting, error), settle };
  };

type Counts = Delivered['deliveries'][number];

/** Counts of a delivery that does not make a file of each configuration. */
function countsOf(name: string, made: number): Counts {
  return {
    ...{ name, made, unchanged: 0, failed: 0, accepted: 0, omitted: 0, byCode: {} },
    ...{ bytes: 0, masterBytes: 0 },
  };
}

/** One failure for all configurations. @param accepted - Codes of failures that the pipeline file accepts. */
function failedAsAWhole(
  counts: Counts,
  accepted: readonly string[],
  count: number,
  { code, message, help }: ConverterError,
): { counts: Counts; failures: Delivered['failures'] } {
  const { name } = counts;
  const isAccepted = accepted.includes(code);
  const failure = { article: '', delivery: name, code, message, help, isAccepted };
  return {
    counts: {
      ...counts,
      [isAccepted ? 'accepted' : 'failed']: count,
      byCode: { [code]: count },
    },
    failures: [failure],
  };
}

interface WrittenFeed {
  counts: Counts;
  failures: Delivered['failures'];
  /** Sentences on configurations without a row. */
  leftOut: string[];
  /** Sentences on what limits of platforms changed. */
  notes: string[];
}

/**
 * Writes the feeds. An article that only carts select is the planning of one customer: no feed contains it.
 *
 * @param feeds - The feeds of the pipeline file; feeds that it does not name are removed.
 */
export async function writeFeeds(
  run: Run,
  feeds: DeliverSection['feeds'],
  lists: NewLists,
  deliveries: DeliveryLines,
): Promise<WrittenFeed[]> {
  const kinds: readonly FeedKind[] = feeds?.kinds ?? [];
  for (const kind of FEED_KINDS) {
    if (!kinds.includes(kind)) lists.remove(`${FEEDS_FOLDER}/${feedFile(kind)}`);
  }
  if (feeds === undefined) return [];
  const { lines: published, catalogues, onlyCarts } = await publishedNow(run, deliveries);
  const [[language, first] = []] = [...catalogues];
  const { name: pipelineName, service } = run.options.pipeline;
  const { currency } = service;
  const catalogue = { pipelineName, language, currency };
  const keys = sortConfigurationKeys(first!.keys()).filter((key) => !onlyCarts.has(key));
  const items = function* (): Iterable<FeedItem> {
    for (const key of keys) {
      const made = published
        .get(key)
        ?.files.filter(({ delivery, path }) => delivery !== 'articles' && !isSharedPath(path));
      const lines = Array.from(catalogues, ([lang, one]) => [lang || UNKNOWN, one.get(key)]);
      const languages = Object.fromEntries(lines);
      yield { line: first!.get(key)!, languages, files: made ?? [] };
    }
  };
  const written: WrittenFeed[] = [];
  for (const kind of new Set(kinds)) {
    let findings = noFindings();
    const isOther = await writeTexts(lists, `${FEEDS_FOLDER}/${feedFile(kind)}`, () => {
      findings = noFindings();
      return feedRows(kind, items(), { ...feeds, ...catalogue }, findings);
    });
    const { counts, ...feed } = writtenFeed(kind, feeds.accept, keys.length, findings);
    const { made } = counts;
    written.push({ ...feed, counts: isOther ? counts : { ...counts, made: 0, unchanged: made } });
  }
  return written;
}

/** A feed without any row is a failure. */
function writtenFeed(
  kind: FeedKind,
  accepted: readonly string[],
  all: number,
  findings: FeedFindings,
): WrittenFeed {
  const name = feedName(kind);
  const { leftOut, merged } = findings;
  const omitted = [...leftOut.values()].reduce((sum, count) => sum + count, merged);
  const reasons = Array.from(leftOut, ([missing, count]) => `${count} without ${missing}`);
  const counts = countsOf(name, all - omitted);
  if (all > omitted) {
    const leftOutTexts = reasons.map((reason) => `${name}: ${reason}, which it requires`);
    const notes = effectTexts(findings).map((text) => `${name}: ${text}`);
    if (merged > 0)
      notes.push(`${name}: ${merged} without a row: another has the same final article number`);
    return { counts: { ...counts, omitted }, failures: [], leftOut: leftOutTexts, notes };
  }
  const why = reasons.join(', ') || 'no article is published';
  const error = new ConverterError('FEED_EMPTY', `expected rows, received none: ${why}`);
  return { ...failedAsAWhole(counts, accepted, Math.max(1, all), error), leftOut: [], notes: [] };
}

/**
 * Names the feeds that lack a published configuration, and the property that they require.
 *
 * @example `await leftOutOf(pipeline, withoutPrice, []); // → [{ feed: 'feed google', requires: 'a price' }]`
 */
export const leftOutOf: Deliveries['leftOut'] = async (pipeline, line, deliveries) => {
  const { feeds } = sectionOf(pipeline) ?? {};
  if (feeds === undefined) return [];
  const files = deliveries.flatMap(({ delivery, files }) =>
    files.map((file) => ({ ...file, delivery })),
  );
  return [...new Set(feeds.kinds)].flatMap((kind) => {
    const findings = noFindings();
    for (const _ of feedRows(kind, [{ line, languages: {}, files }], feeds, findings));
    const missing = [...findings.leftOut.keys()];
    return missing.map((requires) => ({ feed: feedName(kind), requires }));
  });
};
