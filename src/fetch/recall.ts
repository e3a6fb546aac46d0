/**
 * Recall: the answer to one request, from wherever it is cheapest.
 *
 * In: a request and the way to send it. Out: its body by digest: shared with whoever asked in this
 * run, or remembered from an earlier one where it still holds, or asked for and stored.
 * It must not know what a body is. Bodies are never held: memory grows by a digest a request.
 */
import type { CatalogueNode } from '../model/catalogue.ts';
import type { Fetched } from '../model/snapshot.ts';
import type { Body, ServiceClient } from '../service/client.ts';
import { decodeNodes } from '../service/wire-catalogue.ts';
import type { StoredResponse } from '../state/responses.ts';
import type { State } from '../state/state.ts';
import type { ContentStore } from '../store/content-store.ts';
import { ConverterError, type ErrorCode, endsRun, isConverterError } from '../support/errors.ts';
import { missingBecause } from './failures.ts';
import { dayOf, type Freshness, readFreshness } from './freshness.ts';
import { joinKey } from './request-key.ts';

/** What a run fetches with. */
export interface RecallOptions {
  client: ServiceClient;
  /** Bodies by content. */
  store: ContentStore;
  state: State;
  /** When the run began, milliseconds since the epoch. */
  now: number;
  /** Names the service in the state. @defaultValue the client's id */
  service?: string;
  /** Asks for everything anew. @defaultValue false */
  force?: boolean;
}

/** One request. */
export interface Wanted {
  operation:
    | 'getNodes'
    | 'search'
    | 'getArticle'
    | 'changeProperty'
    | 'getPartsList'
    | 'getBlock'
    | 'getMaterial';
  /** All that the answer depends on, as one text. */
  request: string;
  /** What is asked for, in words for a message. */
  subject: string;
  /** Whose data it is, by name. */
  manufacturer: string;
  /** Who vouches for it where the catalogue does not know that manufacturer: the article's own. */
  vouchedBy?: string;
  /** The 404 that is an answer worth remembering; any other error is thrown. */
  missing?: ErrorCode;
  /** Whether it is asked in every run. */
  always?: boolean;
  send(): Promise<Body>;
}

/** How often one operation was wanted, by what became of it. */
export interface RecallCount {
  /** Sent to the service. */
  asked: number;
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
  recall(wanted: Wanted): Promise<Fetched>;
  /** Whether a request would be sent now; sends none but for the top of the catalogue. */
  wouldAsk(wanted: Pick<Wanted, 'operation' | 'request' | 'manufacturer'>): Promise<boolean>;
  /** The topmost catalogue folder: asked once in every run. */
  topNodes(): Promise<CatalogueNode[]>;
  /** By operation. */
  readonly counts: ReadonlyMap<string, Readonly<RecallCount>>;
}

/** Opens the memory of one run. */
export function createRecall(options: RecallOptions): Recall {
  const { client, store, state, force = false } = options;
  const service = options.service ?? client.id;
  const fetchedOn = dayOf(options.now);
  const inRun = new Map<string, Promise<Fetched>>();
  const counts = new Map<string, RecallCount>();
  let top: Promise<CatalogueNode[]> | undefined;
  let dates: Promise<Freshness> | undefined;

  const count = (operation: string): RecallCount => {
    const known = counts.get(operation) ?? { asked: 0, remembered: 0, shared: 0, bytes: 0 };
    counts.set(operation, known);
    return known;
  };

  const recall = (wanted: Wanted): Promise<Fetched> => {
    const key = joinKey(wanted.operation, wanted.request);
    const running = inRun.get(key);
    if (running !== undefined) {
      count(wanted.operation).shared++;
      return running;
    }
    const answer = find(wanted);
    inRun.set(key, answer);
    return answer;
  };

  const wouldAsk: Recall['wouldAsk'] = async (wanted) => {
    const { operation, request } = wanted;
    if (inRun.has(joinKey(operation, request))) return false;
    const stored = force ? undefined : state.responses.get({ service, operation, request });
    return stored === undefined || !(await holds(stored, wanted));
  };

  const find = async (wanted: Wanted): Promise<Fetched> => {
    const { operation, request } = wanted;
    const stored = force ? undefined : state.responses.get({ service, operation, request });
    if (stored !== undefined && (await holds(stored, wanted))) {
      count(operation).remembered++;
      return stored.answer;
    }
    return ask(wanted);
  };

  const holds = async (
    stored: StoredResponse,
    wanted: Pick<Wanted, 'always' | 'manufacturer'>,
  ): Promise<boolean> => {
    if (wanted.always) return false;
    const fresh = (await freshness()).isFresh(stored, wanted.manufacturer);
    if (!fresh || 'missing' in stored.answer) return fresh;
    // The cache may have lost a body, or part of it: then it is asked for again.
    return (await store.sizeOf(stored.answer.digest)) === stored.answer.bytes;
  };

  const ask = async (wanted: Wanted): Promise<Fetched> => {
    const counted = count(wanted.operation);
    counted.asked++;
    try {
      const { bytes, etag, lastModified } = await wanted.send();
      const { digest } = await store.put(bytes);
      counted.bytes += bytes.length;
      return remember(wanted, { digest, bytes: bytes.length }, etag, lastModified);
    } catch (error) {
      if (wanted.missing === undefined || !isConverterError(error, wanted.missing)) throw error;
      return remember(wanted, { missing: missingBecause(error, wanted.subject) }, '', '');
    }
  };

  const remember = async (
    { operation, request, manufacturer, vouchedBy = manufacturer, always }: Wanted,
    answer: Fetched,
    etag: string,
    lastModified: string,
  ): Promise<Fetched> => {
    const key = { service, operation, request };
    const entry = { ...key, answer, etag, lastModified, fetchedOn };
    // What is asked in every run needs no one to vouch for it; the top of the catalogue is where the dates come from.
    const known = always ? undefined : await freshness();
    const owner = known?.stateOf(manufacturer) === '' ? vouchedBy : manufacturer;
    const convertdate = known?.stateOf(owner) ?? '';
    state.responses.put({ ...entry, manufacturer: owner, convertdate });
    return answer;
  };

  const topNodes = (): Promise<CatalogueNode[]> => {
    top ??= readTopNodes();
    return top;
  };

  const readTopNodes = async (): Promise<CatalogueNode[]> => {
    let nodes: CatalogueNode[] | undefined;
    const fetched = await recall({
      operation: 'getNodes',
      request: joinKey(''),
      subject: 'the top of the catalogue',
      manufacturer: '',
      always: true,
      send: async () => {
        const answer = await client.getNodes('');
        nodes = answer.nodes;
        return answer;
      },
    });
    return nodes ?? decodeNodes(await store.get(digestOf(fetched)));
  };

  const freshness = (): Promise<Freshness> => {
    dates ??= topNodes().then(readFreshness, (error: unknown) => {
      // Without the catalogue nobody vouches for anything, so that everything is asked for.
      if (isConverterError(error) && !endsRun(error.code)) return readFreshness([]);
      throw error;
    });
    return dates;
  };

  return { recall, wouldAsk, topNodes, counts };
}

/** The digest of an answer that cannot be missing. */
export function digestOf(fetched: Fetched): string {
  if ('digest' in fetched) return fetched.digest;
  throw new ConverterError('INTERNAL', `expected a body, received: ${fetched.missing.message}`);
}
