/**
 * Recording: keeps the answers of a service, so that they can be replayed without it.
 *
 * In: answers as they come. Out: a folder in the form that `serve --recording` reads: recording.json,
 * xcf/nodes.json, records of articles, parts lists and plannings, raw blocks and images.
 * It must not know why anything is asked. The same answers give the same bytes, in any order.
 */
import { join } from 'node:path';
import { OPERATIONS } from '../service/operations.ts';
import type { RawAnswer } from '../service/service-config.ts';
import { queryOf } from '../service/target.ts';
import { encodeFileName, replaceFile } from '../support/files.ts';
import { redact } from '../support/redact.ts';
import { planningFile } from './recording-plannings.ts';
import {
  isSearchListing,
  RECORDING_RULES,
  type RecordingRule,
  recordFile,
} from './recording-rules.ts';
import { withoutSecrets } from './recording-secrets.ts';

const FORMAT = 1;

/** What a recording holds. */
export interface RecordingContent {
  /** How many by operation; `plannings` are those behind permanent identifiers. */
  answers: Record<string, number>;
  bytes: number;
  /** Answers out of which a secret was taken: they are not what the service sent. */
  redacted: number;
}

/** Writes one recording. */
export interface Recorder {
  /** Takes an answer; one that is no success, or that a run does not need, is left alone. */
  answer(raw: RawAnswer): Promise<void>;
  /** Takes the planning behind a permanent identifier. */
  planning(id: string, topLevelArticle: unknown): Promise<void>;
  /** Writes what belongs to all of it; a recording is complete only then. */
  finish(name: string): Promise<RecordingContent>;
}

/** The text of a body without its secrets, and what it says. */
interface Cleaned {
  text: string;
  value: unknown;
  redacted: boolean;
}

type RuleOf<Keep> = Extract<RecordingRule, { keep: Keep }>;

/**
 * Opens a recorder.
 *
 * @param dir - A folder of its own, empty.
 *
 * @example
 * ```ts
 * const recorder = createRecorder('recording');
 * const client = createClient({ …, onAnswer: recorder.answer });
 * await client.getBlock('ACME::DESK::LEG');   // writes odb/block/ACME/DESK/LEG.json
 * await recorder.finish('showroom');
 * ```
 *
 * @see D-724, D-820, D-821, D-822.
 */
export function createRecorder(dir: string): Recorder {
  const listings = new Map<string, unknown[]>();
  const kept = new Map<string, { operation: string; bytes: number; redacted: boolean }>();

  const note = (
    { operation, bytes }: { operation: string; bytes: Uint8Array },
    place: string,
    redacted: boolean,
  ): void => {
    kept.set(place, { operation, bytes: bytes.length, redacted });
  };

  const listing = async (raw: RawAnswer, rule: RuleOf<'listing'>): Promise<void> => {
    const answer = readJson(raw.bytes);
    if (answer === undefined || !Array.isArray(answer.value)) return;
    const id = redact(rule.id(raw.values));
    listings.set(id, answer.value);
    note(raw, `listing ${id}`, answer.redacted);
  };

  const record = async (raw: RawAnswer, rule: RuleOf<'record'>): Promise<void> => {
    const answer = readJson(raw.bytes);
    if (answer === undefined || !isObject(answer.value)) return;
    const query = Object.fromEntries(queryOf(OPERATIONS[raw.operation], raw.values));
    const more = rule.more?.(JSON.parse(raw.sent ?? '{}')) ?? {};
    const request = Object.fromEntries(
      Object.entries({ ...query, ...more }).map(([name, value]) => [name, redact(value)]),
    );
    const file = `${rule.folder}/${recordFile(rule.identity, request)}`;
    // The response stands as it was spelled: it may be nested deeper than a writer can go (D-113).
    const text = `{"request":${JSON.stringify(request)},"response":${answer.text}}\n`;
    await replaceFile(join(dir, file), text);
    note(raw, file, answer.redacted);
  };

  const body = async (raw: RawAnswer, rule: RuleOf<'body'>): Promise<void> => {
    const answer = rule.json ? (readJson(raw.bytes) ?? readPage(raw.bytes)) : undefined;
    const redacted = answer?.redacted ?? false;
    const names = rule.segments(raw.values).map((name) => encodeFileName(redact(name)));
    const file = `${rule.folder}/${names.join('/')}${rule.suffix}`;
    await replaceFile(join(dir, file), redacted ? answer!.text : raw.bytes);
    note(raw, file, redacted);
  };

  return {
    async answer(raw) {
      const rule = RECORDING_RULES[raw.operation];
      if (rule.keep === 'nothing' || raw.status < 200 || raw.status > 299) return;
      if (rule.keep === 'listing') await listing(raw, rule);
      else if (rule.keep === 'record') await record(raw, rule);
      else await body(raw, rule);
    },
    async planning(id, topLevelArticle) {
      if (!isObject(topLevelArticle)) return;
      const bytes = new TextEncoder().encode(JSON.stringify(topLevelArticle));
      const planning = readJson(bytes)!;
      const request = JSON.stringify({ permanentid: redact(id) });
      const file = planningFile(id);
      await replaceFile(join(dir, file), `{"request":${request},"response":${planning.text}}\n`);
      note({ operation: 'plannings', bytes }, file, planning.redacted);
    },
    async finish(name) {
      const convertdate = latestDate(listings.get('') ?? []);
      await replaceFile(join(dir, 'xcf', 'nodes.json'), json(sortedListings(listings)));
      const head = { format: FORMAT, name: redact(name), convertdate };
      await replaceFile(join(dir, 'recording.json'), json(head));
      return contentOf([...kept.values()]);
    },
  };
}

/** A JSON body without its secrets; undefined where it is none. */
function readJson(bytes: Uint8Array): Cleaned | undefined {
  try {
    const received = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const text = withoutSecrets(received);
    return { text, value: JSON.parse(text), redacted: text !== received };
  } catch {
    return undefined;
  }
}

/** A body that should be JSON and is not: an error page, say, which may hold anything. */
function readPage(bytes: Uint8Array): Cleaned {
  const received = new TextDecoder().decode(bytes);
  const text = redact(received);
  return { text, value: undefined, redacted: text !== received };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Folders by id, then searches by theirs. */
function sortedListings(listings: ReadonlyMap<string, unknown[]>) {
  return [...listings]
    .map(([parentnode, nodes]) => ({ parentnode, nodes }))
    .sort((a, b) => {
      const kinds = Number(isSearchListing(a.parentnode)) - Number(isSearchListing(b.parentnode));
      return kinds || (a.parentnode < b.parentnode ? -1 : 1);
    });
}

/**
 * The latest conversion date; empty where one of the folders has none, since replay gives such a
 * folder the date of the recording, and it had none.
 */
function latestDate(nodes: readonly unknown[]): string {
  const dates = nodes.map((node) => (node as { convertdate?: unknown } | null)?.convertdate);
  const texts = dates.filter((date): date is string => typeof date === 'string' && date !== '');
  return texts.length < dates.length ? '' : (texts.sort().at(-1) ?? '');
}

function contentOf(
  all: readonly { operation: string; bytes: number; redacted: boolean }[],
): RecordingContent {
  const answers: Record<string, number> = {};
  for (const { operation } of all) answers[operation] = (answers[operation] ?? 0) + 1;
  return {
    answers: Object.fromEntries(Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1))),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    redacted: all.filter(({ redacted }) => redacted).length,
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
