/** Responses of the service: deduplicated within a run, cached between runs, requested if they are not fresh. */

import type { CatalogueNode } from '../../model/catalogue.ts';
import type { Digest, Fetched } from '../../model/snapshot.ts';
import { ConverterError, endsRun, isConverterError } from '../../support/errors.ts';
import { recent } from '../../support/recent.ts';
import type { Body, NotModified, ServiceClient } from '../service/client.ts';
import {
  type AnswerOf,
  OPERATIONS,
  type OperationName,
  requestKey,
  type Values,
} from '../service/operations.ts';
import type { Demand } from '../service/traffic.ts';
import type { Validators } from '../service/transport.ts';
import type { SharedResponses, StoredResponse } from './cached-responses.ts';
import type { ContentStore } from './content-store.ts';
import type { CacheDatabase } from './database.ts';
import type { Dependencies } from './dependencies.ts';
import { isListing, nodesExpected } from './doubted-listings.ts';
import {
  ConversionDates,
  dayOf,
  FRESHNESS_DEFAULT,
  FRESHNESS_POLICIES,
  type FreshnessContext,
  type FreshnessPolicy,
  type FreshnessStamp,
  isFresh,
} from './freshness.ts';
import { missingBecause } from './missing-body.ts';
import { DecodedBodies, RequestsInFlight } from './shared-in-run.ts';

export interface ResponseCacheOptions
  extends Partial<Pick<FreshnessContext, 'interruptedSince' | 'interruptedUntil'>> {
  client: ServiceClient;
  store: ContentStore;
  database: CacheDatabase;
  /** Start of the run, milliseconds since the epoch. */
  now: number;
  /** When a response of an earlier run is used. @defaultValue 'convertdate' */
  freshness?: FreshnessPolicy;
  /** Name of the service in the database. @defaultValue the client's id */
  service?: string;
  /** Names of the same service by language, for the languages that requests may name. */
  languages?: Readonly<Record<string, string>>;
  /** Responses that other machines have received. */
  shared?: SharedResponses | undefined;
  /** Requests again the data that the service did not have in an earlier run. @defaultValue false */
  retryMissing?: boolean;
  /** Requests everything, also the data that an interrupted run has requested. @defaultValue false */
  force?: boolean;
  /** Requests listings again that were requested up to this time, milliseconds since the epoch: they led to nothing. */
  listingsRefusedAt?: number | undefined;
}

/** A request whose response can be cached. */
export interface CacheableRequest<Name extends OperationName = OperationName> {
  operation: Name;
  /** Values by our names; the row of the operation says which of them are sent and which identify the request. */
  values: Values;
  /** Language, if it is not that of the client. */
  lang?: string;
  /** Manufacturer of the requested data. */
  owner: string;
  /** Manufacturer of the article: its conversion dates apply if the catalogue lacks the owner. */
  datedBy?: string;
  /** What is requested, in words, if a 404 is an answer to cache; any other error is thrown. */
  subject?: string;
  /** Whether the request is sent in every run, unless the policy uses every cached response. */
  always?: boolean;
  /** Whether to send even if a cached response is fresh, without retries: no other request waits for it or fails with it. */
  once?: boolean;
  /** Sends the request if its values are not enough to send it. */
  send?(by: Pick<ResponseCacheOptions, 'client' | 'store'>): Promise<Received<Name>>;
}

interface CachedResponse {
  answer: Fetched;
  fromService: boolean;
  stamp: FreshnessStamp;
}

/** A response that has just arrived, with its decoded answer; only callers that wait for the request receive it. */
interface LiveResponse<Name extends OperationName> extends CachedResponse {
  decoded?: AnswerOf<Name>;
}

type Pending<Name extends OperationName> = Promise<LiveResponse<Name>>;
type Received<Name extends OperationName> = Body & { answer: AnswerOf<Name> };

/** Requests of an operation by their outcome, and the size of the bodies that were received. */
const NO_REQUESTS = {
  sent: 0,
  /** Sent requests whose answer was not modified. */
  notModified: 0,
  /** Responses that an earlier run requested. */
  cached: 0,
  /** Requests that were already sent earlier in this run. */
  deduplicated: 0,
  bytes: 0,
};

/** Number of entries in memory; the database has the others. At half a kilobyte each they stay below 15 MB. */
const MAX_RESPONSES = 20_000;
const MAX_FAILURES = 5_000;

/** The responses of one run: each is requested once, and not at all if a cached one is fresh. @see D-730, D-731, D-845. */
export class ResponseCache {
  readonly service: string;
  /** Parts lists and blocks that were decoded in this run and are still in memory. */
  readonly decoded = new DecodedBodies();
  readonly #options: ResponseCacheOptions;
  readonly #run: FreshnessContext;
  readonly #today: string;
  readonly #counts = new Map<string, typeof NO_REQUESTS>();
  readonly #inFlight = new RequestsInFlight();
  readonly #responses = recent<CachedResponse>(MAX_RESPONSES);
  /** ETags of the responses of other machines, by key, until the responses are replaced. */
  readonly #etags = recent<string>(MAX_RESPONSES);
  readonly #failures = recent<ConverterError>(MAX_FAILURES);
  #topNodes: Promise<CatalogueNode[]> | undefined;
  #conversionDates: Promise<ConversionDates> | undefined;

  constructor(options: ResponseCacheOptions) {
    const { client, now, freshness = FRESHNESS_DEFAULT, force = false } = options;
    const { interruptedSince = now, interruptedUntil = now } = force ? {} : options;
    const policy = force ? 'always' : freshness;
    this.#options = options;
    this.service = options.service ?? client.id;
    this.#run = { policy, now, interruptedSince, interruptedUntil };
    this.#today = dayOf(now);
  }

  get counts(): ReadonlyMap<string, Readonly<typeof NO_REQUESTS>> {
    return this.#counts;
  }

  /**
   * Gets the response to a request, from the cheapest source.
   *
   * @param dependencies - Collects the response, and ends the wait for it with `INTERRUPTED`.
   */
  get<Name extends OperationName>(
    request: CacheableRequest<Name>,
    dependencies?: Dependencies,
  ): Pending<Name> {
    const response = this.#find(request, dependencies?.signal);
    return dependencies?.track(request.operation, response) ?? response;
  }

  /** Gets the decoded answer to a request, and the digest of its body. A damaged body is requested again. */
  async read<Name extends OperationName>(
    request: CacheableRequest<Name>,
    dependencies?: Dependencies,
  ): Promise<{ answer: AnswerOf<Name>; digest: Digest }> {
    try {
      return await this.#decode(request, await this.get(request, dependencies));
    } catch (error) {
      if (!isConverterError(error, 'STORE_DAMAGED')) throw error;
      const response = this.#join(keyOf(request), dependencies?.signal, (demand) =>
        this.#send(request, undefined, demand),
      );
      const tracked = dependencies?.track(request.operation, response) ?? response;
      return this.#decode(request, await tracked);
    }
  }

  /** Whether a request would be sent now. This method sends at most the request for the top of the catalogue. */
  async wouldRequest(request: CacheableRequest): Promise<boolean> {
    const stored = this.#stored(request);
    return stored === undefined || !(await this.#isUsable(stored, request));
  }

  /** Whether a response with this stamp is fresh. This method requests at most the top of the catalogue. */
  isFresh(stamp: FreshnessStamp): Promise<boolean> {
    return isFresh(stamp, this.#run, () => this.conversionDates());
  }

  /** The nodes of the topmost catalogue folder, which every run requests once. */
  topNodes(): Promise<CatalogueNode[]> {
    const request = { operation: 'getNodes', values: { parentnode: '' }, owner: '' } as const;
    this.#topNodes ??= this.read({ ...request, always: true }).then(({ answer }) => answer);
    return this.#topNodes;
  }

  async #find<Name extends OperationName>(
    request: CacheableRequest<Name>,
    signal: AbortSignal | undefined,
  ): Pending<Name> {
    const key = keyOf(request);
    const { now, policy } = this.#run;
    const stored = request.once ? this.#stored(request) : undefined;
    const isFinal = stored && (stored.requestedAt === now || policy === 'never');
    if (request.once && !isFinal) {
      const own = signal ?? new AbortController().signal;
      const demand = { requesters: new Set([own]), signal: own, retries: 0 };
      return this.#keep(key, await this.#send(request, stored, demand));
    }
    const failure = this.#failures.get(key);
    const known = this.#responses.get(key);
    if (known || failure || this.#inFlight.has(key)) this.#count(request).deduplicated++;
    if (failure !== undefined) throw failure;
    if (known !== undefined && !this.#inFlight.has(key)) return known;
    return this.#join(key, signal, (demand) => this.#fromDatabaseOrService(request, demand));
  }

  /** Waits for a request, and keeps its result for the rest of the run. */
  #join<Name extends OperationName>(
    key: string,
    signal: AbortSignal | undefined,
    begin: (demand: Demand) => Pending<Name>,
  ): Pending<Name> {
    return this.#inFlight.join(key, signal, async (demand) => {
      try {
        return this.#keep(key, await begin(demand));
      } catch (error) {
        if (isConverterError(error) && !demand.signal.aborted) this.#failures.set(key, error);
        throw error;
      }
    });
  }

  #keep<Live extends CachedResponse>(key: string, response: Live): Live {
    const { answer, fromService, stamp } = response;
    this.#responses.set(key, { answer, fromService, stamp });
    return response;
  }

  async #fromDatabaseOrService<Name extends OperationName>(
    request: CacheableRequest<Name>,
    demand: Demand,
  ): Pending<Name> {
    const { database, now } = this.#options;
    let stored = this.#stored(request);
    if (stored === undefined || !(await this.#isUsable(stored, request))) {
      const received = await this.#fromOtherMachine(request);
      if (received === undefined) return this.#send(request, stored, demand);
      stored = received;
    }
    const { answer } = stored;
    const fromService = stored.requestedAt === now;
    this.#count(request)[fromService ? 'deduplicated' : 'cached']++;
    if ('digest' in answer) database.bodies.use(answer.digest, now);
    return { answer, fromService, stamp: stampOf(stored, request.owner) };
  }

  /** Returns the usable response of another machine, and caches it here too. */
  async #fromOtherMachine(request: CacheableRequest): Promise<StoredResponse | undefined> {
    const { database, now, shared } = this.#options;
    const found = await shared?.get(this.#rowOf(request));
    if (found === undefined) return undefined;
    const { response, etag } = found;
    this.#etags.set(keyOf(request), etag);
    if (!(await this.#isUsable(response, request))) return undefined;
    if ('digest' in response.answer) database.bodies.put({ ...response.answer, usedAt: now });
    database.responses.put(response);
    return response;
  }

  #stored(request: CacheableRequest): StoredResponse | undefined {
    return this.#options.database.responses.get(this.#rowOf(request));
  }

  #rowOf({ operation, values, lang }: CacheableRequest) {
    const service = lang === undefined ? this.service : this.#options.languages![lang]!;
    return { service, operation, request: requestKey(operation, values) };
  }

  async #isUsable(stored: StoredResponse, { operation, always = false, owner }: CacheableRequest) {
    const { now, policy, interruptedSince } = this.#run;
    const { retryMissing, listingsRefusedAt = -Infinity } = this.#options;
    const { answer, requestedAt, expectedNodes } = stored;
    if (requestedAt === now) return true;
    const isDoubted =
      expectedNodes !== undefined || (isListing(operation) && requestedAt <= listingsRefusedAt);
    if ((always || isDoubted) && policy !== 'never') return false;
    const isRetried = retryMissing && requestedAt < interruptedSince;
    if (isRetried && 'missing' in answer) return false;
    return (await this.isFresh(stampOf(stored, owner))) && this.#isIntact(answer);
  }

  async #isIntact(answer: Fetched): Promise<boolean> {
    if ('missing' in answer) return true;
    return (await this.#options.store.sizeOf(answer.digest)) === answer.bytes;
  }

  async #send<Name extends OperationName>(
    request: CacheableRequest<Name>,
    stored: StoredResponse | undefined,
    demand: Demand,
  ): Pending<Name> {
    const { operation, subject, lang } = request;
    const values = lang === undefined ? request.values : { ...request.values, lang };
    const counts = this.#count(request);
    counts.sent++;
    try {
      const validators = await this.#validatorsOf(stored);
      const received: Received<Name> | NotModified = await (request.send?.(this.#options) ??
        this.#options.client.call(operation, values, { validators, demand }));
      if ('notModified' in received) {
        counts.notModified++;
        return this.#put(request, stored!, await this.#nodesExpected(request, stored));
      }
      const { etag, lastModified, answer: decoded } = received;
      const bytes = received.bytes.length;
      const { digest } = await this.#options.store.put(received.bytes);
      counts.bytes += bytes;
      this.decoded.keep(operation, digest, decoded, bytes);
      const answer = { digest, bytes };
      const expectedNodes = await this.#nodesExpected(request, stored, { digest, decoded });
      const put = await this.#put(request, { answer, etag, lastModified }, expectedNodes);
      return { ...put, decoded };
    } catch (error) {
      const code = OPERATIONS[operation].missing;
      if (subject === undefined || !isConverterError(error, code)) throw error;
      const answer = { missing: missingBecause(error, subject) };
      return this.#put(request, { answer, etag: '', lastModified: '' });
    }
  }

  /** Number of nodes that a listing too short to be believed had before; undefined for any other answer. */
  #nodesExpected(
    { operation, always }: CacheableRequest,
    stored: StoredResponse | undefined,
    received?: { digest: Digest; decoded: unknown },
  ): Promise<number | undefined> | undefined {
    if (always || !isListing(operation)) return undefined;
    const stateOf = async (manufacturer: string) =>
      (await this.conversionDates()).stateOf(manufacturer);
    const listing = { operation, received, today: this.#today, stateOf };
    return nodesExpected(listing, stored, this.#options.store);
  }

  async #validatorsOf(stored: StoredResponse | undefined): Promise<Validators | undefined> {
    if (stored === undefined || !FRESHNESS_POLICIES[this.#run.policy].conditional) return undefined;
    const { answer, etag, lastModified } = stored;
    if ('missing' in answer || (etag === '' && lastModified === '')) return undefined;
    return (await this.#isIntact(answer)) ? { etag, lastModified } : undefined;
  }

  async #put(
    request: CacheableRequest,
    received: Pick<StoredResponse, 'answer' | 'etag' | 'lastModified'>,
    expectedNodes?: number,
  ): Promise<CachedResponse> {
    const { database, now, shared } = this.#options;
    const { answer, etag, lastModified } = received;
    const { owner, datedBy: fallback = owner, always } = request;
    // The dates come from the top of the catalogue, so its own response cannot be stamped with them.
    const dates = always ? undefined : await this.conversionDates();
    const datedBy = dates?.stateOf(owner) === '' ? fallback : owner;
    const convertdate = dates?.stateOf(datedBy) ?? '';
    const stamp = { datedBy, convertdate, fetchedOn: this.#today, requestedAt: now };
    const key = this.#rowOf(request);
    if ('digest' in answer) database.bodies.put({ ...answer, usedAt: now });
    const row = { ...key, answer, etag, lastModified, ...stamp, expectedNodes };
    database.responses.put(row);
    await shared?.put(row, this.#etags.get(keyOf(request)));
    return { answer, fromService: true, stamp: { owner, ...stamp } };
  }

  async #decode<Name extends OperationName>(
    { operation }: CacheableRequest<Name>,
    { answer: body, decoded }: LiveResponse<Name>,
  ): Promise<{ answer: AnswerOf<Name>; digest: Digest }> {
    if ('missing' in body) {
      throw new ConverterError('INTERNAL', `expected a body, received: ${body.missing.message}`);
    }
    const { digest } = body;
    const known = decoded ?? this.decoded.get(operation, digest);
    if (known !== undefined) return { answer: known, digest };
    const bytes = await this.#options.store.get(digest);
    const answer: AnswerOf<Name> = OPERATIONS[operation].decode(bytes);
    this.decoded.keep(operation, digest, answer, bytes.length);
    return { answer, digest };
  }

  /** The conversion dates of the catalogue; none if it cannot be read. */
  conversionDates(): Promise<ConversionDates> {
    this.#conversionDates ??= this.topNodes().then(
      (nodes) => new ConversionDates(nodes),
      (error: unknown) => {
        // Without the catalogue nothing has a date, so that everything is requested.
        if (isConverterError(error) && !endsRun(error.code)) return new ConversionDates([]);
        throw error;
      },
    );
    return this.#conversionDates;
  }

  #count({ operation }: CacheableRequest): typeof NO_REQUESTS {
    const counts = this.#counts.get(operation) ?? { ...NO_REQUESTS };
    this.#counts.set(operation, counts);
    return counts;
  }
}

function keyOf({ operation, values, lang = '' }: CacheableRequest): string {
  return `${operation} ${lang} ${requestKey(operation, values)}`;
}

function stampOf({ datedBy, convertdate, fetchedOn, requestedAt }: StoredResponse, owner: string) {
  return { owner, datedBy, convertdate, fetchedOn, requestedAt };
}
