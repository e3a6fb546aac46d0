/** Deliveries of a publication as a whole: feeds, and the webhook that receives its changes. */

import { sortConfigurationKeys } from '../model/configuration-id.ts';
import {
  type DeliveryLine,
  FEEDS_FOLDER,
  isSharedPath,
  OUTBOX_FILE,
} from '../run/lists/delivered-files.ts';
import type { Run } from '../run/open/open-run.ts';
import { openCatalogue, writeTexts } from '../run/output/manifest.ts';
import type { NewLists } from '../run/output/publication.ts';
import type {
  Delivered,
  Deliveries,
  DeliveryFailure,
  SentChanges,
} from '../run/publishing/deliveries.ts';
import { publishedNow } from '../run/publishing/last-publication.ts';
import { ConverterError } from '../support/errors.ts';
import {
  FEED_KINDS,
  type FeedItem,
  type FeedKind,
  feedFile,
  feedName,
  feedRows,
} from './feeds/feeds.ts';
import { type Sending, sendChanges } from './outbox.ts';
import { type DeliverSection, sectionOf } from './section.ts';

/** Name of the webhook among the deliveries. */
const WEBHOOK = 'webhook';

/** Sends the changes of a publication to the webhook of the pipeline. @throws as {@link sendChanges} */
export async function sendToWebhook(
  run: Run,
  ...publication: Parameters<NonNullable<Awaited<ReturnType<Deliveries['sender']>>>>
): Promise<SentChanges> {
  const { settle, ...sending } = await sendChanges(run, ...publication);
  return { sent: sentBy(run, sending), settle };
}

function sentBy(
  { options }: Run,
  { sent, waiting, problem }: Omit<Sending, 'settle'>,
): SentChanges['sent'] {
  const { afterPublish } = sectionOf(options.pipeline) ?? {};
  if (afterPublish === undefined || sent + waiting === 0) return undefined;
  const counts = countsOf(WEBHOOK, sent);
  if (problem === undefined) return { counts, failures: [] };
  const message = `the webhook has not received the changes, which wait in ${OUTBOX_FILE}: ${problem}`;
  const error = new ConverterError('WEBHOOK_FAILED', message);
  return failedAsAWhole(counts, afterPublish.accept, waiting, error);
}

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
): { counts: Counts; failures: DeliveryFailure[] } {
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

/** A feed that was written. */
interface WrittenFeed {
  counts: Counts;
  failures: DeliveryFailure[];
  /** Sentences about products that the feed lacks. */
  leftOut: string[];
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
  deliveries: readonly DeliveryLine[],
): Promise<WrittenFeed[]> {
  const { outputDir } = run.options.pipeline;
  const kinds: readonly FeedKind[] = feeds?.kinds ?? [];
  for (const kind of FEED_KINDS) {
    if (!kinds.includes(kind)) lists.remove(`${FEEDS_FOLDER}/${feedFile(kind)}`);
  }
  if (feeds === undefined) return [];
  const { lines: published, onlyCarts } = await publishedNow(run, deliveries);
  const catalogue = await openCatalogue(outputDir);
  const keys = sortConfigurationKeys(catalogue.keys()).filter((key) => !onlyCarts.has(key));
  const items = function* (): Iterable<FeedItem> {
    for (const key of keys) {
      const made = published
        .get(key)
        ?.files.filter(({ delivery, path }) => delivery !== 'articles' && !isSharedPath(path));
      yield { line: catalogue.get(key)!, files: made ?? [] };
    }
  };
  const written: WrittenFeed[] = [];
  for (const kind of new Set(kinds)) {
    let leftOut = new Map<string, number>();
    await writeTexts(lists, `${FEEDS_FOLDER}/${feedFile(kind)}`, () => {
      leftOut = new Map();
      return feedRows(kind, items(), feeds, leftOut);
    });
    written.push(writtenFeed(kind, feeds.accept, keys.length, leftOut));
  }
  return written;
}

/** A feed without any row is a failure. */
function writtenFeed(
  kind: FeedKind,
  accepted: readonly string[],
  all: number,
  leftOut: ReadonlyMap<string, number>,
): WrittenFeed {
  const name = feedName(kind);
  const omitted = [...leftOut.values()].reduce((sum, count) => sum + count, 0);
  const reasons = Array.from(leftOut, ([missing, count]) => `${count} without ${missing}`);
  const counts = countsOf(name, all - omitted);
  if (all > omitted) {
    const leftOutTexts = reasons.map((reason) => `${name}: ${reason}, which it requires`);
    return { counts: { ...counts, omitted }, failures: [], leftOut: leftOutTexts };
  }
  const why = reasons.join(', ') || 'no article is published';
  const error = new ConverterError('FEED_EMPTY', `expected rows, received none: ${why}`);
  return { ...failedAsAWhole(counts, accepted, Math.max(1, all), error), leftOut: [] };
}
