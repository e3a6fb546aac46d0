/** The outbox of the webhook: changes are kept until the receiver has accepted them. */

import { join } from 'node:path';
import type { ArticleRequest } from '../model/article.ts';
import {
  configurationId,
  configurationKey,
  parseConfigurationKey,
  sortConfigurationKeys,
} from '../model/configuration-id.ts';
import type { Run } from '../run/open/open-run.ts';
import { runId } from '../run/open/run-options.ts';
import { changeOf, type PublishedLine } from '../run/output/changes.ts';
import { CHANGES_FILE, OUTBOX_FILE } from '../run/output/delivered-files.ts';
import { writeTexts } from '../run/output/manifest.ts';
import { eachList } from '../run/output/publication.ts';
import { readTextIfExists } from '../support/files.ts';
import { PackedMap } from '../support/packed-map.ts';
import { registerSecret } from '../support/redact.ts';
import { visibleJson } from '../support/visible.ts';
import { postSigned } from './feeds/webhook.ts';
import { sectionOf } from './section.ts';

/** A change that the receiver has not accepted; a line of `outbox.jsonl`. */
type Waiting = ArticleRequest & {
  /** Id of the change, the same for each repetition: a receiver ignores an id that it has received before. */
  id: string;
  /** Sequence number, greater than those of all earlier changes. */
  sequence: number;
  /** The version that the receiver has; null if it has none. */
  known: PublishedLine | null;
  now: PublishedLine | null;
  /** Files of a message that the receiver may have, since there was no answer: then the change lists all files. */
  maybe?: PublishedLine['files'];
};

interface Outbox {
  sequence: number;
  waiting: PackedMap<Waiting>;
}

type UrlOf = ((path: string) => string) | undefined;

interface Sending {
  sent: number;
  waiting: number;
  /** Why the receiver has not accepted all changes. */
  problem?: string;
  /** Removes accepted changes from the outbox; to be called after the commit of the publication. */
  settle(): Promise<void>;
}

/**
 * Adds the changes of a publication to the outbox, one net change for each configuration, and sends what is in it.
 *
 * The outbox is written before the first message is sent, and before `published.jsonl`: after an interruption, changes
 * are sent again with the same ids.
 *
 * @param urlOf - Returns the address of a published file, if there are addresses.
 * @throws {@link ConverterError} An error of the output folder; the reason of the signal.
 * @see D-997
 */
export async function sendChanges(
  run: Run,
  last: PackedMap<PublishedLine>,
  now: PackedMap<PublishedLine>,
  urlOf: UrlOf,
): Promise<Sending> {
  const { outputDir } = run.options.pipeline;
  const { afterPublish } = sectionOf(run.options.pipeline) ?? {};
  const outbox = await addChanges(run, last, now);
  const { waiting } = outbox;
  const write = async (as?: typeof unsure): Promise<void> => {
    await writeTexts(eachList(outputDir), OUTBOX_FILE, () => outboxTexts(outbox, as));
  };
  const settle = () => write();
  const secret = run.environment.env[afterPublish?.secretVariable ?? ''] ?? '';
  registerSecret(secret);
  if (afterPublish === undefined || secret === '') {
    await settle();
    const expected = 'expected the key of the signature, received nothing';
    const problem = afterPublish && `variable ${afterPublish.secretVariable}: ${expected}`;
    return { sent: 0, waiting: waiting.size, ...(problem && { problem }), settle };
  }
  // If this process is killed, the receiver may have received any of the changes.
  await write(unsure);
  await run.output.published?.publish();
  const { webhook: url, secretVariable: _, accept: __, ...sending } = afterPublish;
  const { signal } = run.environment;
  const all = waiting.size;
  for (const { body, names } of messagesOf(run, urlOf, waiting)) {
    const refused = await postSigned(body, {
      ...{ url, secret, ...sending, signal },
      now: run.environment.now,
    });
    if (refused !== undefined) {
      if (refused.isUnsure) for (const key of names) waiting.set(key, unsure(waiting.get(key)!));
      const sent = all - waiting.size;
      return { sent, waiting: waiting.size, problem: refused.problem, settle };
    }
    for (const key of names) waiting.delete(key);
  }
  return { sent: all, waiting: 0, settle };
}

/** The waiting changes after a publication: a change that was undone is dropped, unless the receiver may know of it. */
async function addChanges(
  { options, output, startedAt }: Run,
  last: PackedMap<PublishedLine>,
  now: PackedMap<PublishedLine>,
): Promise<Outbox> {
  const before = await readOutbox(options.pipeline.outputDir);
  const waiting = new PackedMap<Waiting>(output.spool);
  let { sequence } = before;
  const keys = [...before.waiting.keys(), ...last.keys(), ...now.keys()];
  for (const key of sortConfigurationKeys(new Set(keys))) {
    const earlier = before.waiting.get(key);
    const known = earlier === undefined ? (last.get(key) ?? null) : earlier.known;
    const current = now.get(key) ?? null;
    if (earlier !== undefined && JSON.stringify(earlier.now) === JSON.stringify(current)) {
      waiting.set(key, earlier);
      continue;
    }
    const of = configurationId(current ?? known ?? earlier ?? parseConfigurationKey(key));
    const { maybe } = earlier ?? {};
    const one = { ...of, known, now: current, ...(maybe && { maybe }) };
    if (netChange(one) === undefined) continue;
    sequence++;
    waiting.set(key, { ...of, id: `${runId(startedAt)}.${sequence}`, sequence, ...one });
  }
  return { sequence, waiting };
}

function netChange({ known, now, maybe, ...id }: Omit<Waiting, 'id' | 'sequence'>, urlOf?: UrlOf) {
  if (maybe === undefined) return changeOf(known ?? undefined, now ?? undefined, urlOf);
  const listed = [...(known?.files ?? []), ...maybe];
  const files = [...new Map(listed.map((file) => [file.path, file])).values()];
  const before = { ...(known ?? configurationId(id)), files };
  const change = changeOf(before, now ?? undefined, urlOf, false);
  // The receiver may not have received the earlier change.
  return change && known === null && now !== null ? { ...change, change: 'new' as const } : change;
}

/** The change after a message with it had no answer. */
function unsure(one: Waiting): Waiting {
  const files = [...(one.maybe ?? []), ...(one.now?.files ?? [])];
  return { ...one, maybe: [...new Map(files.map((file) => [file.path, file])).values()] };
}

/** The messages with the oldest changes first, so that no change waits forever. */
function messagesOf({ options, startedAt }: Run, urlOf: UrlOf, waiting: Outbox['waiting']) {
  const counts = { new: 0, changed: 0, removed: 0 };
  const sequences = new Map<string, number>();
  for (const key of waiting.keys()) {
    const { id: _, sequence, ...one } = waiting.get(key)!;
    counts[netChange(one)!.change]++;
    sequences.set(key, sequence);
  }
  const inOrder = [...sequences].sort(([, a], [, b]) => a - b);
  const changes = function* () {
    for (const [key] of inOrder) {
      const { id, sequence, ...one } = waiting.get(key)!;
      yield [key, { id, sequence, ...netChange(one, urlOf)! }] as const;
    }
  };
  const summary = {
    pipeline: options.pipeline.name,
    run: runId(startedAt),
    file: CHANGES_FILE,
    ...(urlOf && { url: urlOf(CHANGES_FILE) }),
    changes: counts,
  };
  return changesMessages(summary, changes());
}

/** The first line has the last sequence number; the other lines are the waiting changes. */
function* outboxTexts(
  { sequence, waiting }: Outbox,
  as = (one: Waiting): Waiting => one,
): Iterable<string> {
  yield JSON.stringify({ sequence });
  for (const key of waiting.keys()) yield visibleJson(JSON.stringify(as(waiting.get(key)!)));
}

async function readOutbox(outputDir: string): Promise<Outbox> {
  const [head = '', ...lines] = (
    (await readTextIfExists(join(outputDir, OUTBOX_FILE))) ?? ''
  ).split('\n');
  const waiting = new PackedMap<Waiting>();
  let sequence = parsed(head)?.sequence ?? 0;
  for (const line of lines) {
    const one = parsed(line);
    if (one?.id === undefined) continue;
    waiting.set(configurationKey(one), one);
    sequence = Math.max(sequence, one.sequence);
  }
  return { sequence, waiting };
}

function parsed(line: string): Waiting | undefined {
  try {
    const read = JSON.parse(line) as Waiting;
    return Number.isSafeInteger(read.sequence) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Many web servers accept 1 MiB. */
const MOST_MESSAGE_BYTES = 512 * 1024;

/**
 * Makes JSON messages of a summary and changes: as many as are needed, so that the changes of none have more than
 * 512 KiB unless one alone has. `complete` is false where another message follows.
 *
 * @param changes - With the name of each, such as its key.
 * @returns Each message with the names of its changes; at least one.
 * @example
 * ```ts
 * [...changesMessages({ pipeline: 'shop' }, [])];
 * // → [{ body: '{"pipeline":"shop","complete":true,"configurations":[]}', names: [] }]
 * ```
 */
export function* changesMessages(
  summary: Readonly<Record<string, unknown>>,
  changes: Iterable<readonly [name: string, change: object]>,
): Iterable<{ body: string; names: string[] }> {
  let texts: string[] = [];
  let names: string[] = [];
  let bytes = 0;
  const message = (complete: boolean) => {
    const head = JSON.stringify({ ...summary, complete }).slice(0, -1);
    return { body: `${head},"configurations":[${texts.join(',')}]}`, names };
  };
  for (const [name, change] of changes) {
    const text = JSON.stringify(change);
    const more = Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes + more > MOST_MESSAGE_BYTES) {
      yield message(false);
      [texts, names, bytes] = [[], [], 0];
    }
    texts.push(text);
    names.push(name);
    bytes += more;
  }
  yield message(true);
}
