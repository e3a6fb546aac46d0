/** What follows a publication: feeds, the list of changes, and the webhook that receives it. */
import { join } from 'node:path';
import {
  type ChangeLine,
  changesBetween,
  changesMessage,
  type PublishedLine,
} from '../deliver/changes.ts';
import {
  addressAt,
  FEED_KINDS,
  type FeedItem,
  type FeedKind,
  feedFile,
  feedRows,
} from '../deliver/feeds.ts';
import { postSigned } from '../deliver/webhook.ts';
import {
  configurationId,
  configurationKey,
  sortConfigurationKeys,
} from '../model/configuration-id.ts';
import { readTextIfExists } from '../support/files.ts';
import { registerSecret } from '../support/redact.ts';
import { visibleJson } from '../support/visible.ts';
import { manifestLines, openCatalogue, writeTexts } from '../write/manifest.ts';
import type { NewLists } from '../write/publication.ts';
import { publishedAsset } from '../write/publish.ts';
import {
  CHANGES_FILE,
  type DeliveryLine,
  FEEDS_FOLDER,
  isSharedPath,
  PUBLISHED_FILE,
} from './deliveries.ts';
import type { Run } from './open-run.ts';
import { runId } from './run-options.ts';

/**
 * Writes what the pipeline asks for after a publication.
 *
 * @returns Sentences of what was left out; and `announce`, which calls the webhook once the lists are replaced, and
 *   returns a sentence if it was not received: no error of the run.
 * @throws {@link ConverterError} an error of the output folder; the reason of the signal.
 */
export async function afterPublish(
  run: Run,
  lists: NewLists,
  deliveries: readonly DeliveryLine[],
): Promise<{ omitted: string[]; announce: () => Promise<string[]> }> {
  const { outputDir, deliver } = run.options.pipeline;
  const { published, onlyCarts } = await publishedFiles(outputDir, deliveries);
  const omitted = await writeFeeds(run, lists, published, onlyCarts);
  const before = await readPublished(outputDir);
  const urlOf = deliver?.feeds && ((path: string) => addressAt(deliver.feeds!.baseUrl, path));
  const changes = () => changesBetween(before, published, urlOf);
  await writeTexts(lists, CHANGES_FILE, () => jsonTexts(changes()));
  const all = () => Array.from(sortConfigurationKeys(published.keys()), (k) => published.get(k));
  // Last: what is cut off before is compared with the older publication again.
  await writeTexts(lists, PUBLISHED_FILE, () => jsonTexts(all()));
  const announce = async () => {
    const problem = await callWebhook(run, changes(), urlOf?.(CHANGES_FILE));
    return problem === undefined ? [] : [problem];
  };
  return { omitted, announce };
}

/** The files of each published configuration, and the configurations that only carts select. */
async function publishedFiles(outputDir: string, deliveries: readonly DeliveryLine[]) {
  const published = new Map<string, PublishedLine>();
  const onlyCarts = new Set<string>();
  for await (const line of manifestLines(outputDir)) {
    const key = configurationKey(line);
    if (line.onlyCarts) onlyCarts.add(key);
    const asset = publishedAsset(line);
    if (asset === undefined) continue;
    const master = { delivery: 'articles', path: asset.glb, sha256: asset.sha256 };
    published.set(key, { ...configurationId(line), files: [master] });
  }
  const sorted = deliveries.toSorted((a, b) => (a.delivery < b.delivery ? -1 : 1));
  for (const { delivery, files, ...id } of sorted) {
    const made = files.map(({ path, sha256 }) => ({ delivery, path, sha256 }));
    published.get(configurationKey(id))?.files.push(...made);
  }
  return { published, onlyCarts };
}

/** Returns sentences of what is in no feed. What only carts select is the planning of one customer: no feed has it. */
async function writeFeeds(
  { options }: Run,
  lists: NewLists,
  published: ReadonlyMap<string, PublishedLine>,
  onlyCarts: ReadonlySet<string>,
): Promise<string[]> {
  const { outputDir, deliver } = options.pipeline;
  const kinds: readonly FeedKind[] = deliver?.feeds?.kinds ?? [];
  for (const kind of FEED_KINDS) {
    if (!kinds.includes(kind)) lists.remove(`${FEEDS_FOLDER}/${feedFile(kind)}`);
  }
  if (kinds.length === 0) return [];
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

/** A line that cannot be read counts as new: it is reported once more, and never too seldom. */
async function readPublished(outputDir: string): Promise<Map<string, PublishedLine>> {
  const text = (await readTextIfExists(join(outputDir, PUBLISHED_FILE))) ?? '';
  const lines = new Map<string, PublishedLine>();
  for (const line of text.split('\n')) {
    try {
      const read = JSON.parse(line) as PublishedLine;
      if (Array.isArray(read.files)) lines.set(configurationKey(read), read);
    } catch {}
  }
  return lines;
}

function* jsonTexts(values: Iterable<unknown>): Iterable<string> {
  for (const value of values) yield visibleJson(JSON.stringify(value));
}

/** @returns Why the webhook has not received the changes; undefined if it has, or if there is none. */
async function callWebhook(
  { options, environment, startedAt }: Run,
  changes: Iterable<ChangeLine>,
  url: string | undefined,
): Promise<string | undefined> {
  const { name, deliver } = options.pipeline;
  if (deliver?.afterPublish === undefined) return undefined;
  const { webhook, secretVariable, ...sending } = deliver.afterPublish;
  const secret = environment.env[secretVariable] ?? '';
  registerSecret(secret);
  const { signal } = environment;
  const summary = {
    pipeline: name,
    run: runId(startedAt),
    file: CHANGES_FILE,
    ...(url && { url }),
  };
  const problem =
    secret === ''
      ? `variable ${secretVariable}: expected the key of the signature, received nothing`
      : await postSigned(changesMessage(summary, changes), {
          url: webhook,
          secret,
          ...sending,
          signal,
        });
  if (problem === undefined) return undefined;
  const sentence = `the webhook has not received the changes, which are in ${CHANGES_FILE}: ${problem}`;
  environment.log.warn(sentence);
  return sentence;
}
