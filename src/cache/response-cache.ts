/**
 * Recall: the answer to one request, from wherever it is cheapest.
 *
 * In: a request and the way to send it. Out: its body by digest: shared with whoever asked in this
 * run, or remembered from an earlier one where it still holds, or asked for and stored.
 * It must not know what a body is. Bodies are never held, and of answers only the latest: the state
 * knows the others.
 */
import type { CatalogueNode } from '../model/catalogue.ts';
import type { Fetched } from '../model/snapshot.ts';
import type { ServiceClient, Validators } from '../service/client.ts';
import { decodeNodes } from '../service/wire-catalogue.ts';
import { type ConverterError, endsRun, isConverterError } from '../support/errors.ts';
import type { Recalled, Wanted } from './cacheable-request.ts';
import type { StoredResponse } from './cached-responses.ts';
import type { Voucher } from './cached-snapshots.ts';
import type { ContentStore } from './content-store.ts';
import type { CacheDatabase } from './database.ts';
import { dayOf, type Freshness, readFreshness } from './freshness.ts';
import {
  FRESHNESS_DEFAULT,
  FRESHNESS_POLICIES,
  type FreshnessPolicy,
  holds,
} from './freshness-policy.ts';
import { createLatest } from './latest.ts';
import { missingBecause } from './missing-body.ts';
import { answering, readAnswer } from './read-answer.ts';
import { joinKey } from './request-key.ts';

/** What a run fetches with. */
export interface RecallOptions {
  client: ServiceClient;
  /** Bodies by content. */
  store: ContentStore;
  state: CacheDatabase;
  /** When the run began, milliseconds since the epoch. */
  now: number;
  /** When the first of the interrupted runs began that this one continues. @defaultValue `now` */
  heldSince?: number;
  /** When the last of these began; later than `now` where the clock was set back. @defaultValue `now` */
  heldUntil?: number;
  /** When an answer of an earlier run is taken. @defaultValue 'convertdate' */
  freshness?: FreshnessPolicy;
  /** Names the service in the state. @defaultValue the client's id */
  service?: string;
  /** Asks once more for what the service did not have on an earlier night. @defaultValue false */
  retryMissing?: boolean;
  /** Asks for everything anew, also for what an interrupted run was answered. @defaultValue false */
  force?: boolean;
}

/** How often one operation was wanted, by what became of it. */
export interface RecallCount {
  /** Sent to the service. */
  asked: number;
  /** Of these: answered that what was stored still holds. */
  notModified: number;
  /** Remembered from an earlier run. */
  remembered: number;
  /** Asked for by another article of this run already. */
  shared: number;
  /** Size of the answers that were sent for. */
  bytes: number;
}

/** Answers of one run. */
export interface Recall {
  /** @throws {@link ConverterError} what the client throws. */
  recall(wanted: Wanted): Promise<Recalled>;
  /** Asks once more, whatever is stored: it turned out to be damaged. */
  renew(wanted: Wanted): Promise<Recalled>;
  /** Whether a request would be sent now; sends none but for the top of the catalogue. */
  wouldAsk(wanted: Pick<Wanted, 'operation' | 'request' | 'manufacturer'>): Promise<boolean>;
  /** Whether what someone vouched for still holds; asks at most for the top of the catalogue. */
  vouches(voucher: Voucher): Promise<boolean>;
  /** The topmost catalogue folder: asked once in every run. */
  topNodes(): Promise<CatalogueNode[]>;
  /** By operation. */
  readonly counts: ReadonlyMap<string, Readonly<RecallCount>>;
}

/**
 * Answers held in memory beside those in flight, and failures, which the state does not know. At half a
 * kilobyte each they stay below 15 MB; an answer that is looked up in the state takes 17 µs.
 */
const LATEST_ANSWERS = 20_000;
const LATEST_FAILURES = 5_000;

/** Opens the memory of one run. */
export function createRecall(options: RecallOptions): Recall {
  const { client, store, state, now, force = false } = options;
  const service = options.service ?? client.id;
  const policy = force ? 'always' : (options.freshness ?? FRESHNESS_DEFAULT);
  const { heldSince = now, heldUntil = now } = force ? {} : options;
  const run = { policy, now, heldSince, heldUntil };
  const fetchedOn = dayOf(now);
  const inFlight = new Map<string, Promise<Recalled>>();
  const answers = createLatest<Recalled>(LATEST_ANSWERS);
  const failures = createLatest<ConverterError>(LATEST_FAILURES);
  const counts = new Map<string, RecallCount>();
  let top: Promise<CatalogueNode[]> | undefined;
  let dates: Promise<Freshness> | undefined;

  const count = (operation: string): RecallCount => {
    const none = { asked: 0, notModified: 0, remembered: 0, shared: 0, bytes: 0 };
    const known = counts.get(operation) ?? none;
    counts.set(operation, known);
    return known;
  };

  const recall = async (wanted: Wanted): Promise<Recalled> => {
    const key = joinKey(wanted.operation, wanted.request);
    const running = inFlight.get(key);
    const known = answers.get(key);
    const failed = failures.get(key);
    if (running ?? known ?? failed) count(wanted.operation).shared++;
    if (failed !== undefined) throw failed;
    return running ?? known ?? settle(key, find(wanted));
  };

  const renew: Recall['renew'] = (wanted) => {
    const key = joinKey(wanted.operation, wanted.request);
    return inFlight.get(key) ?? settle(key, ask(wanted, undefined));
  };

  /** Keeps what became of a request, for whoever wants it next. */
  const settle = async (key: string, finding: Promise<Recalled>): Promise<Recalled> => {
    inFlight.set(key, finding);
    try {
      const recalled = await finding;
      answers.set(key, recalled);
      return recalled;
    } catch (error) {
      if (isConverterError(error)) failures.set(key, error);
      throw error;
    } finally {
      inFlight.delete(key);
    }
  };

  const wouldAsk: Recall['wouldAsk'] = async (wanted) => {
    const { operation, request } = wanted;
    const stored = state.responses.get({ service, operation, request });
    return stored === undefined || !(await mayTake(stored, wanted));
  };

  const find = async (wanted: Wanted): Promise<Recalled> => {
    const { operation, request, manufacturer } = wanted;
    const stored = state.responses.get({ service, operation, request });
    if (stored === undefined || !(await mayTake(stored, wanted))) return ask(wanted, stored);
    const asked = stored.askedAt === now;
    count(operation)[asked ? 'shared' : 'remembered']++;
    if ('digest' in stored.answer) state.bodies.use(stored.answer.digest, now);
    return { answer: stored.answer, asked, voucher: voucherOf(stored, manufacturer) };
  };

  const vouches = (voucher: Voucher): Promise<boolean> => holds(voucher, run, freshness);

  const mayTake = async (
    stored: StoredResponse,
    { always = false, manufacturer }: Pick<Wanted, 'always' | 'manufacturer'>,
  ): Promise<boolean> => {
    if (stored.askedAt === now) return true;
    if (always && policy !== 'never') return false;
    if (options.retryMissing && 'missing' in stored.answer && stored.askedAt < heldSince)
      return false;
    return (await vouches(voucherOf(stored, manufacturer))) && isWhole(stored.answer);
  };

  /** The cache may have lost a body, or part of it: then it is asked for again. */
  const isWhole = async (answer: Fetched): Promise<boolean> =>
    'missing' in answer || (await store.sizeOf(answer.digest)) === answer.bytes;

  const ask = async (wanted: Wanted, stored: StoredResponse | undefined): Promise<Recalled> => {
    const counted = count(wanted.operation);
    counted.asked++;
    try {
      const received = await wanted.send(await validatorsOf(stored));
      if ('notModified' in received) {
        counted.notModified++;
        return remember(wanted, stored!);
      }
      const { bytes, etag, lastModified } = received;
      const { digest } = await store.put(bytes);
      counted.bytes += bytes.length;
      return remember(wanted, { answer: { digest, bytes: bytes.length }, etag, lastModified });
    } catch (error) {
      if (wanted.missing === undefined || !isConverterError(error, wanted.missing)) throw error;
      const answer = { missing: missingBecause(error, wanted.subject) };
      return remember(wanted, { answer, etag: '', lastModified: '' });
    }
  };

  const validatorsOf = async (
    stored: StoredResponse | undefined,
  ): Promise<Validators | undefined> => {
    if (stored === undefined || !FRESHNESS_POLICIES[policy].conditional) return undefined;
    const { answer, etag, lastModified } = stored;
    if ('missing' in answer || (etag === '' && lastModified === '')) return undefined;
    return (await isWhole(answer)) ? { etag, lastModified } : undefined;
  };

  const remember = async (
    { operation, request, manufacturer, vouchedBy = manufacturer, always }: Wanted,
    { answer, etag, lastModified }: Pick<StoredResponse, 'answer' | 'etag' | 'lastModified'>,
  ): Promise<Recalled> => {
    // What is asked in every run needs no one to vouch for it; the top of the catalogue is where the dates come from.
    const known = always ? undefined : await freshness();
    const owner = known?.stateOf(manufacturer) === '' ? vouchedBy : manufacturer;
    const convertdate = known?.stateOf(owner) ?? '';
    const vouched = { manufacturer: owner, convertdate, fetchedOn, askedAt: now };
    const key = { service, operation, request };
    if ('digest' in answer) state.bodies.put({ ...answer, usedAt: now });
    state.responses.put({ ...key, answer, etag, lastModified, ...vouched });
    return { answer, asked: true, voucher: voucherOf(vouched, manufacturer) };
  };

  const topNodes = (): Promise<CatalogueNode[]> => {
    top ??= readTopNodes();
    return top;
  };

  const readTopNodes = async (): Promise<CatalogueNode[]> => {
    const ids = { operation: 'getNodes', request: joinKey(''), manufacturer: '' } as const;
    const wanted = { ...ids, subject: 'the top of the catalogue', always: true };
    const send = async (validators?: Validators) =>
      answering(await client.getNodes('', validators), ({ nodes }) => nodes);
    return (await readAnswer(wanted, send, decodeNodes, { recall, renew, store })).answer;
  };

  const freshness = (): Promise<Freshness> => {
    dates ??= topNodes().then(readFreshness, (error: unknown) => {
      // Without the catalogue nobody vouches for anything, so that everything is asked for.
      if (isConverterError(error) && !endsRun(error.code)) return readFreshness([]);
      throw error;
    });
    return dates;
  };

  return { recall, renew, wouldAsk, vouches, topNodes, counts };
}

function voucherOf(
  {
    manufacturer,
    convertdate,
    fetchedOn,
    askedAt,
  }: Pick<StoredResponse, 'manufacturer' | 'convertdate' | 'fetchedOn' | 'askedAt'>,
  owner: string,
): Voucher {
  return { owner, manufacturer, convertdate, fetchedOn, askedAt };
}
