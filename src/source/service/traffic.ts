/**
 * Traffic: decides when a request is sent, and whether it is sent again after a failure.
 *
 * All requests of a client share one state:
 *
 * | state   | begins after                                          | a request                 | ends when             |
 * | ------- | ----------------------------------------------------- | ------------------------- | --------------------- |
 * | open    |                                                       | is sent within the limits |                       |
 * | paused  | a 429, or a 503 with `Retry-After` (D-710)            | waits                     | all pauses are over   |
 * | probing | four failures in a row that may be an outage (D-843)  | waits, loses no attempt   | a probe is answered   |
 * | gone    | `giveUpAfterMs` without an answered probe, or refused | fails: `SERVICE_GONE`     | never                 |
 * |         | the same before the first answer (D-843)              | `SERVICE_UNREACHABLE`     | never                 |
 * |         | pauses of more than `maxTotalPauseMs` in all          | fails: `RATE_LIMITED`     | never                 |
 *
 * One loop makes a request ({@link Traffic.request}): it waits for a permit, the pause and the rate limit, and
 * is sent. A permit goes to the article that has the fewest. A failure is classified once; that decides whether the concurrency limit is halved (D-842), whether
 * the service is probed, and whether the request is sent again at once, after a back-off, or not (D-711).
 */
import { turnFor } from '../../support/budget.ts';
import { asConverterError, ConverterError } from '../../support/errors.ts';
import { FairBudget } from './budgets.ts';
import { classify, type Failure, interrupted } from './request-failure.ts';
import { concurrencyOf, type LimitShare, type Settings } from './service-config.ts';
import type { HttpResponse } from './transport.ts';

const FIRST_PAUSE_MS = 500;
const MAX_OWN_PAUSE_MS = 60_000;
const MAX_BACKOFF_MS = 30_000;
/** Most refusals (429) of one request. A 429 is no failure of the request, but retries must end at some time. */
const MAX_REFUSALS = 30;
/** Size from which an answer keeps its permit until it is decoded. */
const SMALL_BYTES = 64 * 1024;
/** Number of failures in a row, of any requests, before the service is probed: fewer than the usual attempts of one. */
const SUSPICIOUS_FAILURES = 4;
/** Number of rounds of refusals in a row without an answer after which a service may count as down. */
const HOPELESS_ROUNDS = 10;

interface TrafficOptions
  extends Pick<Settings, 'concurrency' | 'retries' | 'backoffMs' | 'giveUpAfterMs'>,
    Pick<Settings, 'maxPauseMs' | 'maxTotalPauseMs' | 'now' | 'random' | 'startTimer'>,
    Pick<Settings, 'waitsForFirstAnswer' | 'onPause' | 'onOutage'> {
  /** Whether `concurrency` is known to be allowed, so that it is not adapted. */
  isConcurrencyKnown?: boolean;
  /** Requests a second, if the limit of the service is known. */
  perSecond?: number | undefined;
  /** Sends a request that a live service always answers; rejects if there is no answer. */
  probe: () => Promise<unknown>;
  signal: AbortSignal;
}

type Arrived = (bytes: number) => Promise<void>;
type Work<T> = (arrived: Arrived) => Promise<T>;
/** Attempts a request; `arrived` waits until its answer of this many bytes may be decoded. */
export type Attempt<T> = (number: number, arrived: Arrived) => Promise<T>;

/** The articles that need a request (more may join while it waits), the signal that ends it, and its retries, if not the usual ones. */
export interface Demand {
  requesters: ReadonlySet<object>;
  signal: AbortSignal;
  retries?: number;
}

/** Controls all requests to one service. */
export class Traffic {
  readonly #options: TrafficOptions;
  #delayMs: () => number;
  #mostPermits: number;
  readonly #permits: FairBudget;
  readonly #ownDemand: Demand;

  /** Number of answers that have returned their permit and are not decoded yet. */
  #undecoded = 0;
  #answers = 0;
  /** Value of `#answers` when a requester halved the limit; removed by its next answer. */
  readonly #halvedAt = new WeakMap<object, number>();
  /** Counts changes of the limit: a request sent before the last change proves nothing about the new limit. */
  #limitRound = 0;
  #successes = 0;

  #pauses = 0;
  #pausesOver: Promise<unknown> = Promise.resolve();
  #ownPauses = 0;
  #pausedMs = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  #interruption: ConverterError | undefined;
  #hasAnswered = false;
  #failures = 0;
  #refusals = NO_REFUSALS;
  /** Pending while the service is probed; true if the service was down and is up again. */
  #probing: Promise<boolean> | undefined;
  #gone: ConverterError | undefined;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#delayMs = createRateLimit(options.perSecond, options.now);
    this.#mostPermits = options.concurrency;
    this.#permits = new FairBudget(options.concurrency);
    this.#ownDemand = { requesters: new Set(), signal: options.signal };
  }

  get state(): 'open' | 'paused' | 'probing' | 'gone' {
    if (this.#gone !== undefined) return 'gone';
    if (this.#pauses > 0) return 'paused';
    return this.#probing === undefined ? 'open' : 'probing';
  }

  /**
   * Limits this process to its share of the limits, since other processes send requests to the same service: together
   * they keep the limits. With more processes than requests in flight, a process whose share is 0 holds every request.
   *
   * @example `share({ index: 2, count: 3 }); // of 8 concurrent requests it has 2, the first two have 3`
   */
  share(share: LimitShare): void {
    const { concurrency, perSecond, now } = this.#options;
    const isFull = this.#permits.total === this.#mostPermits;
    this.#mostPermits = concurrencyOf({ concurrency }, share);
    this.#permits.total = isFull
      ? this.#mostPermits
      : Math.min(this.#permits.total, this.#mostPermits);
    const sending = Math.min(share.count, concurrency);
    // All processes change at the same time: the next request waits as if the last request had left now.
    this.#delayMs = createRateLimit(perSecond && perSecond / sending, now, now());
  }

  /** Holds every request for a time, as after a 429; ends them all if all pauses together are too long. */
  hold(announcedMs: number): void {
    const { maxPauseMs, maxTotalPauseMs, now } = this.#options;
    const ms = Math.min(announcedMs, maxPauseMs);
    const untilMs = now() + ms;
    // Pauses overlap: only the additional time of this pause counts.
    const addedMs = Math.max(0, Math.min(ms, untilMs - this.#pausedUntilMs));
    if (this.#pausedMs + addedMs > maxTotalPauseMs) {
      const expected = `expected pauses of at most ${maxTotalPauseMs / 1000} s in all`;
      const received = `received another one of ${Math.ceil(ms / 1000)} s after ${Math.ceil(this.#pausedMs / 1000)} s`;
      this.#gone ??= new ConverterError('RATE_LIMITED', `service: ${expected}, ${received}`);
      return;
    }
    this.#pausedMs += addedMs;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#pauses += 1;
    const over = this.#sleep(ms)
      .catch(() => {})
      .then(() => {
        this.#pauses -= 1;
      });
    this.#pausesOver = Promise.all([this.#pausesOver, over]);
  }

  get pausedMs(): number {
    const leftMs = Math.max(0, this.#pausedUntilMs - this.#options.now());
    return Math.max(0, this.#pausedMs - leftMs);
  }

  /**
   * Makes one exchange after every pause and at the rate limit; starts a pause if the answer demands one.
   *
   * @throws {@link ConverterError} `SERVICE_GONE`, `RATE_LIMITED`; the reason of the signal.
   */
  async send<T extends { response: Pick<HttpResponse, 'status' | 'retryAfter'> }>(
    exchange: () => Promise<T>,
  ): Promise<T> {
    // While a request waits for its turn, another answer may start a pause.
    do {
      while (this.#pauses > 0) await this.#pausesOver;
      const ms = this.#delayMs();
      if (ms > 0) await this.#sleep(ms).catch(() => {});
    } while (this.#pauses > 0);
    this.#options.signal.throwIfAborted();
    if (this.#gone !== undefined) throw this.#gone;
    const received = await exchange();
    const { status, retryAfter } = received.response;
    if (status === 429 || (status === 503 && retryAfter !== undefined)) this.#pause(retryAfter);
    else if (status < 500) this.#ownPauses = 0;
    return received;
  }

  /**
   * Makes a request: attempts it with a permit, repeatedly while that may help; attempts count from 1.
   *
   * @param attempt - Waits for `arrived` before it decodes an answer, so that the next request is sent first.
   * @param demand - Ends the request with its signal.
   * @throws {@link ConverterError} what the last attempt threw; `SERVICE_GONE`, `RATE_LIMITED`; `INTERRUPTED` once stopped.
   */
  request<T>(attempt: Attempt<T>, demand = this.#ownDemand): Promise<T> {
    return this.#run(attempt, true, demand);
  }

  /** Makes a login like {@link request}, but without a permit; a failure does not count as one of the service. */
  login<T>(attempt: Attempt<T>): Promise<T> {
    return this.#run(attempt, false, this.#ownDemand);
  }

  async #run<T>(attempt: Attempt<T>, isRequest: boolean, demand: Demand): Promise<T> {
    const { signal } = this.#options;
    const { retries = this.#options.retries } = demand;
    const throwIfStopped = () => {
      signal.throwIfAborted();
      demand.signal.throwIfAborted();
    };
    let number = 1;
    let backoffs = 0;
    try {
      for (;;) {
        throwIfStopped();
        if (isRequest && this.#gone !== undefined) throw this.#gone;
        if (isRequest) await this.#probing;
        const begunMs = this.#options.now();
        const work: Work<T> = async (arrived) => {
          throwIfStopped();
          return attempt(number, arrived);
        };
        const outcome = await (isRequest ? this.#withPermit(demand, work) : settle(work));
        if ('result' in outcome) {
          if (isRequest) {
            this.#answered();
            this.#refusals = NO_REFUSALS;
          }
          return outcome.result;
        }
        throwIfStopped();
        const { error, failure } = outcome;
        if (isRequest && (await this.#isBack(error, failure, begunMs))) continue;
        if (!failure.mayPass) throw error;
        // A refused request instead waits for the end of the pause, and loses no attempt.
        if (!failure.isRefusal || number >= MAX_REFUSALS) {
          if (backoffs >= retries) throw error;
          await this.#sleep(this.#backoffMs(backoffs++));
        }
        number += 1;
      }
    } catch (error) {
      if (!signal.aborted && !demand.signal.aborted) throw error;
      // All requests share one error: there may be 20,000 requests, and an error is cut, redacted and located.
      this.#interruption ??= interrupted();
      throw this.#interruption;
    }
  }

  async #withPermit<T>(demand: Demand, work: Work<T>): Promise<Outcome<T>> {
    const { taker: requester, giveBack } = await this.#permits.take(demand.requesters);
    const round = this.#limitRound;
    let isEarly = false;
    // Otherwise, when answers arrive together, all connections are idle until the last answer is decoded.
    const outcome = await settle(work, async (bytes) => {
      isEarly = bytes <= SMALL_BYTES && this.#undecoded < this.#permits.total;
      if (!isEarly) return;
      this.#undecoded += 1;
      giveBack();
      await turnFor();
    });
    if (!demand.signal.aborted) this.#adapt(requester, round, outcome);
    if (isEarly) this.#undecoded -= 1;
    else giveBack();
    return outcome;
  }

  /** Halves the concurrency limit after an overload; raises it by one after as many successes as the limit. */
  #adapt(requester: object, round: number, outcome: Outcome<unknown>): void {
    const isOverload = 'failure' in outcome && outcome.failure.isOverload;
    if (!isOverload) {
      this.#answers += 1;
      this.#halvedAt.delete(requester);
    }
    // Of all requests that fail together only the first one counts.
    if (this.#options.isConcurrencyKnown === true || round !== this.#limitRound) return;
    if (isOverload) {
      // An article that fails again, while others are answered, must not slow the others down.
      if (this.#answers > (this.#halvedAt.get(requester) ?? this.#answers)) return;
      this.#halvedAt.set(requester, this.#answers);
      this.#limitRound += 1;
      this.#successes = 0;
      const half = Math.max(1, Math.floor(this.#permits.total / 2));
      this.#permits.total = Math.min(half, this.#mostPermits);
      return;
    }
    this.#successes += 1;
    if (this.#successes >= this.#permits.total && this.#permits.total < this.#mostPermits) {
      this.#successes = 0;
      this.#permits.total += 1;
    }
  }

  #pause(retryAfter: string | undefined): void {
    const { maxPauseMs, now, random } = this.#options;
    const announcedMs = readRetryAfter(retryAfter, now());
    const ownMs =
      Math.min(FIRST_PAUSE_MS * 2 ** this.#ownPauses, MAX_OWN_PAUSE_MS) * (1 + random());
    // Only our own pauses grow, and only once for all requests that were refused together.
    if (announcedMs === undefined && this.#pauses === 0) this.#ownPauses += 1;
    const ms = Math.min(announcedMs ?? ownMs, maxPauseMs);
    this.#options.onPause?.(ms);
    this.hold(ms);
  }

  #answered(): void {
    this.#hasAnswered = true;
    this.#failures = 0;
  }

  /** Counts a failure, probes the service if it may be down, and returns whether to send the request again. */
  async #isBack(error: unknown, failure: Failure, begunMs: number): Promise<boolean> {
    if (failure.isRefusal) await this.#countRefusal(error, begunMs);
    else this.#refusals = NO_REFUSALS;
    if (!failure.mayBeOutage) {
      this.#answered();
      return false;
    }
    // An address that cannot be reached, or a failed login, is not the fault of one request.
    this.#failures += failure.isUnreachable ? SUSPICIOUS_FAILURES : 1;
    if (!this.#mayBeAway(failure)) return false;
    this.#probing ??= this.#probeUntilBack(error, failure);
    const wasAway = await this.#probing;
    // If the service was up all the time, a failed login is over by now; any other failure is the request's own.
    return wasAway || failure.wasSentAgain;
  }

  #mayBeAway({ isAddressWrong }: Failure): boolean {
    if (this.#hasAnswered) return this.#failures >= SUSPICIOUS_FAILURES;
    const { waitsForFirstAnswer = false, retries } = this.#options;
    if (!waitsForFirstAnswer || isAddressWrong) return false;
    // The first request is alone: it must not fail before this many failures.
    return this.#failures >= Math.min(SUSPICIOUS_FAILURES, retries + 1);
  }

  /** Returns whether the service was down and is up again; rejects once it counts as gone. */
  async #probeUntilBack(error: unknown, { isUnreachable }: Failure): Promise<boolean> {
    const { now, giveUpAfterMs, onOutage } = this.#options;
    const startedMs = now();
    let pausedMs = 0;
    let isAnnounced = false;
    const announce = () => {
      if (!isAnnounced) onOutage?.(asConverterError(error));
      isAnnounced = true;
    };
    // The probe shows whether any other failure is caused by the service; the probe may take as long as a login.
    if (isUnreachable && giveUpAfterMs > 0) announce();
    for (let probes = 0; (await this.#probe()) === 'down'; probes++) {
      // If the clock was set back, only the pauses count.
      const leftMs = giveUpAfterMs - Math.max(pausedMs, now() - startedMs);
      if (leftMs <= 0) throw this.#isGone(error);
      announce();
      const pauseMs = Math.min(this.#backoffMs(probes), leftMs);
      await this.#sleep(pauseMs);
      pausedMs += pauseMs;
    }
    if (isAnnounced) onOutage?.(undefined);
    this.#answered();
    this.#probing = undefined;
    return pausedMs > 0;
  }

  /** Counts a refusal. Requests refused together are one round: one sent before its first refusal adds nothing. */
  async #countRefusal(error: unknown, begunMs: number): Promise<void> {
    const { now, giveUpAfterMs } = this.#options;
    if (begunMs < this.#refusals.lastMs) return;
    const rounds = this.#refusals.rounds + 1;
    const firstMs = rounds === 1 ? begunMs : this.#refusals.firstMs;
    this.#refusals = { rounds, firstMs, lastMs: now() };
    if (rounds < HOPELESS_ROUNDS || this.#refusals.lastMs - firstMs < giveUpAfterMs) return;
    if ((await this.#probe()) === 'refusing') throw this.#isGone(error);
    this.#refusals = NO_REFUSALS;
  }

  async #probe(): Promise<'up' | 'refusing' | 'down'> {
    const outcome = await settle(this.#options.probe);
    if ('result' in outcome) return 'up';
    const { mayBeOutage, isRefusal } = outcome.failure;
    if (mayBeOutage) return 'down';
    return isRefusal ? 'refusing' : 'up';
  }

  #isGone(failure: unknown): ConverterError {
    const { message } = asConverterError(failure);
    const seconds = this.#options.giveUpAfterMs / 1000;
    const sentence = `service: expected a response within ${seconds} s, received none; the last failure was`;
    // A service that has never answered may have another address.
    const code = this.#hasAnswered ? 'SERVICE_GONE' : 'SERVICE_UNREACHABLE';
    this.#gone = new ConverterError(code, `${sentence}: ${message}`);
    return this.#gone;
  }

  #backoffMs(before: number): number {
    const { backoffMs, random } = this.#options;
    return Math.min(backoffMs * 2 ** before, MAX_BACKOFF_MS) * (0.5 + 0.5 * random());
  }

  async #sleep(ms: number): Promise<void> {
    const { startTimer, signal } = this.#options;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        stopTimer();
        reject(signal.reason);
      };
      const stopTimer = startTimer(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}

type Outcome<T> = { result: T } | { error: unknown; failure: Failure };

async function settle<T>(work: Work<T>, arrived: Arrived = async () => {}): Promise<Outcome<T>> {
  try {
    return { result: await work(arrived) };
  } catch (error) {
    return { error, failure: classify(error) };
  }
}

const NO_REFUSALS = { rounds: 0, firstMs: Number.NaN, lastMs: Number.NEGATIVE_INFINITY };

/**
 * Creates a rate limit: requests leave at equal distances, never in bursts (D-842). The function books the next
 * departure, and returns the milliseconds until then: 0, 100, 200 for 10 a second.
 *
 * @param lastMs - Time of the last departure before. @defaultValue none
 */
export function createRateLimit(
  perSecond: number | undefined,
  now: () => number,
  lastMs = Number.NEGATIVE_INFINITY,
): () => number {
  if (perSecond === undefined) return () => 0;
  const distanceMs = 1000 / perSecond;
  let seenMs = now();
  return () => {
    const nowMs = now();
    // A clock that was set back must not stop all requests until it reaches the earlier time again.
    if (nowMs < seenMs) lastMs -= seenMs - nowMs;
    seenMs = nowMs;
    lastMs = Math.max(nowMs, lastMs + distanceMs);
    return lastMs - nowMs;
  };
}

/** Reads `Retry-After`, seconds or a date, as milliseconds from now; undefined if it cannot be read. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = value === '' ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
