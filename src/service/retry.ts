/**
 * Retries: sends a whole request again, ever later, as long as its failure may pass.
 *
 * In: a function that makes one attempt. Out: its result, or its last error.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RetryContext } from 'p-retry';
import { ConverterError } from '../support/errors.ts';
import { mayPass } from './failure.ts';
import { interrupted } from './http.ts';

const LONGEST_BACKOFF_MS = 30_000;
/** "Too many requests" is no failure of the request, but it must end some day. */
const MOST_REFUSALS = 30;

/** How often and how fast a request is sent again. */
export interface RetryPolicy {
  /** Attempts after the first; 0 = never. */
  retries: number;
  /** Pause before the first of them; doubles each time. */
  backoffMs: number;
  /** 0 to 1: spreads a pause over its upper half. */
  random: () => number;
  signal: AbortSignal;
}

/**
 * Calls a function until it succeeds, its failure is final, or its retries are used up.
 *
 * A 429 waits at the gate instead of here, and does not use up a retry.
 *
 * @param attempt - Makes one attempt; receives its number, from 1.
 * @throws {@link ConverterError} the last one thrown; `INTERRUPTED` once the signal is aborted.
 *
 * @example
 * ```ts
 * await withRetries((attempt) => send(attempt), { retries: 4, backoffMs: 500, random, signal });
 * ```
 *
 * @see D-711.
 */
export async function withRetries<T>(
  attempt: (number: number) => Promise<T>,
  policy: RetryPolicy,
): Promise<T> {
  const { default: retry } = await import('p-retry');
  const goesOn = (failed: RetryContext) =>
    mayPass(failed.error) && (isRefusal(failed) || failed.retriesConsumed < policy.retries);
  try {
    return await retry(attempt, {
      // Counted here: a refusal must not end a request that has no retry left.
      retries: Number.POSITIVE_INFINITY,
      signal: policy.signal,
      minTimeout: 0,
      shouldRetry: goesOn,
      shouldConsumeRetry: (failed) => !isRefusal(failed),
      onFailedAttempt: async (failed) => {
        if (isRefusal(failed) || !goesOn(failed)) return;
        await sleep(backoff(policy, failed.retriesConsumed), undefined, { signal: policy.signal });
      },
    });
  } catch (error) {
    if (policy.signal.aborted) throw interrupted();
    throw error;
  }
}

/**
 * The pause before the next attempt, in milliseconds.
 *
 * @param before - Attempts after the first that were made already.
 */
export function backoff({ backoffMs, random }: RetryPolicy, before: number): number {
  const longest = Math.min(backoffMs * 2 ** before, LONGEST_BACKOFF_MS);
  return longest * (0.5 + 0.5 * random());
}

function isRefusal({ error, attemptNumber }: RetryContext): boolean {
  const isTooManyRequests = error instanceof ConverterError && error.status === 429;
  return isTooManyRequests && attemptNumber < MOST_REFUSALS;
}
