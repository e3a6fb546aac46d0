/**
 * Breaker: when the service as a whole is gone, everybody waits, and no request loses an attempt.
 *
 * In: attempts at requests, and a question that a living service always answers. Out: what the
 * attempts come to; SERVICE_GONE for all of them once the service does not come back.
 * It must not know what is asked for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConverterError, isConverterError } from '../support/errors.ts';
import { mayBeOutage, wasSentAgain } from './failure.ts';
import { backoff, type RetryPolicy } from './retry.ts';

/** Failures in a row, of whatever requests, that raise the question: fewer than the usual attempts at one. */
const SUSPICIOUS = 4;

/** Rounds of refusals without an answer in between before a service that says "not so fast" counts as gone. */
const HOPELESS_ROUNDS = 10;

/** What a breaker is made of. */
export interface BreakerParts {
  /** Whether the service answers what it can always answer. */
  isThere: () => Promise<boolean>;
  /** Whether the service refuses that too, for it is asked too often. */
  isRefusing: () => Promise<boolean>;
  /** How long it may give no good answer before it counts as gone. */
  giveUpAfterMs: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** How fast these pauses grow. */
  policy: RetryPolicy;
}

/** Makes an attempt; makes it again where it failed because the service was gone for a while. */
export type Breaker = <T>(attempt: () => Promise<T>) => Promise<T>;

/**
 * Creates a closed breaker.
 *
 * A service that never answered yet is not waited for: it is the address that is wrong, or the
 * network, and whoever sits before the screen wants to know.
 *
 * @throws {@link ConverterError} (the breaker) `SERVICE_GONE`, from then on always; else what the
 * attempt throws.
 *
 * @see D-843.
 */
export function createBreaker(parts: BreakerParts): Breaker {
  const { isThere, isRefusing, giveUpAfterMs, now, policy } = parts;
  let hasAnswered = false;
  let failures = 0;
  let question: Promise<boolean> | undefined;
  let refused = NOT_REFUSED;

  const answered = (): void => {
    hasAnswered = true;
    failures = 0;
  };
  /** All that are refused together are one round: what began before its first refusal says nothing new. */
  const countRefusal = async (begunMs: number, failure: unknown): Promise<void> => {
    if (begunMs < refused.lastMs) return;
    const { rounds, firstMs = begunMs } = refused;
    refused = { rounds: rounds + 1, firstMs, lastMs: now() };
    if (refused.rounds < HOPELESS_ROUNDS || refused.lastMs - firstMs < giveUpAfterMs) return;
    if (await isRefusing()) throw gone(failure);
    refused = NOT_REFUSED;
  };
  /** Whether it was gone and is back. */
  const waitForService = async (failure: unknown): Promise<boolean> => {
    const startedMs = now();
    let pausedMs = 0;
    for (let asked = 0; !(await isThere()); asked++) {
      // The pauses alone count where the clock was set back.
      const leftMs = giveUpAfterMs - Math.max(pausedMs, now() - startedMs);
      if (leftMs <= 0) throw gone(failure);
      const pauseMs = Math.min(backoff(policy, asked), leftMs);
      await sleep(pauseMs, undefined, { signal: policy.signal });
      pausedMs += pauseMs;
    }
    answered();
    question = undefined;
    return pausedMs > 0;
  };

  return async (attempt) => {
    for (;;) {
      if (question !== undefined) await question;
      const begunMs = now();
      try {
        const result = await attempt();
        answered();
        refused = NOT_REFUSED;
        return result;
      } catch (error) {
        if (isRefusal(error)) await countRefusal(begunMs, error);
        else refused = NOT_REFUSED;
        if (!mayBeOutage(error)) {
          answered();
          throw error;
        }
        // That there is nobody, or no login, was not the fault of one request.
        failures += isConverterError(error, 'SERVICE_UNREACHABLE') ? SUSPICIOUS : 1;
        if (!hasAnswered || failures < SUSPICIOUS) throw error;
        question ??= waitForService(error);
        // A service that is there has logged us in by now; any other failure is the request's own.
        if (!(await question) && !wasSentAgain(error)) throw error;
      }
    }
  };
}

interface Refused {
  rounds: number;
  firstMs?: number;
  lastMs: number;
}

const NOT_REFUSED: Refused = { rounds: 0, lastMs: Number.NEGATIVE_INFINITY };

function isRefusal(error: unknown): boolean {
  return isConverterError(error) && error.status === 429;
}

/** The failure is told and not kept: only texts pass the door that takes the user's name out. */
function gone(failure: unknown): ConverterError {
  const last = isConverterError(failure) ? failure.message : 'no answer';
  const message = `the service is gone, it gave no good answer for a long time: ${last}`;
  return new ConverterError('SERVICE_GONE', message);
}
