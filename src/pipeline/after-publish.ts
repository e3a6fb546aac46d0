/** What follows a publication: feeds, the list of changes, and the webhook that receives it. */
import { FEED_KINDS, type FeedItem, type FeedKind, feedFile, feedRows } from '../deliver/feeds.ts';
import { sortConfigurationKeys } from '../model/configuration-id.ts';
import { openCatalogue, writeTexts } from '../write/manifest.ts';
import type { NewLists } from '../write/publication.ts';
import { type DeliveryLine, FEEDS_FOLDER, isSharedPath, OUTBOX_FILE } from './deliveries.ts';
import { type Changes, type LastPublication, publishedNow } from './last-publication.ts';
import type { Run } from './open-run.ts';
import { hasOutbox, sendChanges } from './outbox.ts';
import { removeFormerFiles } from './publication-end.ts';

/** What follows a publication, for the report. */
interface AfterPublish {
  changes: Changes;
  /** A sentence about a webhook that has not accepted the changes: no error of the run. */
  problem?: string;
  /**
   * Makes this publication the last one, and removes the files that no list names any more; what is cut off before is
   * compared, and sent, again.
   */
  settle(): Promise<void>;
}

/**
 * Lists what has changed since the last publication, and calls the webhook of the pipeline.
 *
 * @throws {@link ConverterError} an error of the output folder; the reason of the signal.
 */
export async function afterPublish(run: Run, last: LastPublication): Promise<AfterPublish> {
  const { log } = run.environment;
  const { published } = run.stores;
  const keepsOutbox = await hasOutbox(run);
  const isSame = !keepsOutbox && (await last.isSame());
  const now = isSame ? undefined : (await publishedNow(run)).lines;
  const changes = await last.writeChanges(now);
  const outbox = keepsOutbox && now ? await sendChanges(run, last, now) : undefined;
  const problem =
    outbox?.problem &&
    `the webhook has not received the changes, which wait in ${OUTBOX_FILE}: ${outbox.problem}`;
  if (problem !== undefined) log.warn(problem);
  const settle = async () => {
    if (now !== undefined) await last.commit(now);
    await outbox?.settle();
    await published?.publish();
    await removeFormerFiles(run);
  };
  return { changes, ...(problem !== undefined && { problem }), settle };
}

/** Returns sentences of what is in no feed. What only carts select is the planning of one customer: no feed has it. */
export async function writeFeeds(
  run: Run,
  lists: NewLists,
  deliveries: readonly DeliveryLine[],
): Promise<string[]> {
  const { outputDir, deliver } = run.options.pipeline;
  const kinds: readonly FeedKind[] = deliver?.feeds?.kinds ?? [];
  for (const kind of FEED_KINDS) {
    if (!kinds.includes(kind)) lists.remove(`${FEEDS_FOLDER}/${feedFile(kind)}`);
  }
  if (kinds.length === 0) return [];
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
  const omitted: string[] = [];
  for (const kind of new Set(kinds)) {
    let leftOut = new Map<string, number>();
    await writeTexts(lists, `${FEEDS_FOLDER}/${feedFile(kind)}`, () => {
      leftOut = new Map();
      return feedRows(kind, items(), deliver!.feeds!, leftOut);
    });
    for (const [missing, count] of leftOut)
      omitted.push(`feed ${kind}: without ${missing}, which it requires: ${count} left out`);
  }
  return omitted;
}
