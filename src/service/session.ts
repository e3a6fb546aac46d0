/**
 * Session: the token of a client, from the login to the logout.
 *
 * In: how to log in and out, and a clock. Out: a token that should be alive, shared by all requests.
 * It must not know of requests, addresses or credentials.
 *
 * A token of our own is renewed ahead of its end, replaced once for all who wait when it has died,
 * and logged out at the end. A given one is none of our business: it is used, and when it is dead
 * the run is over.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConverterError, isConverterError } from '../support/errors.ts';
import { interrupted } from './http.ts';

const HOUR_MS = 60 * 60 * 1000;

/** How long a token lives by the specification. */
export const TOKEN_LIFETIMES_MS = { session: 12 * HOUR_MS, remembered: 90 * 24 * HOUR_MS } as const;

/** Share of its life after which a token is renewed: no request may be under way when it ends. */
const RENEW_AFTER_SHARE = 11 / 12;
/** Pause before a renewal that failed is tried again, while the token still lives. */
const RENEWAL_PAUSE_MS = 60_000;
/** How long the end waits for a login that is under way. */
const GRACE_MS = 5_000;

/** What a session needs from outside. */
export interface SessionParts {
  /** A token that was given instead of a login. */
  given: string | undefined;
  lifetimeMs: number;
  now: () => number;
  login: () => Promise<string>;
  /** Ends a token at every group; never rejects. */
  logout: (token: string) => Promise<void>;
  /** Whether the service still takes a token; true where that cannot be told. */
  isAlive: (token: string) => Promise<boolean>;
}

/** The token of a client. */
export interface Session {
  /**
   * A token that should be alive; logs in where there is none.
   *
   * @throws {@link ConverterError} what the login throws; `TOKEN_DIED` for a given token.
   */
  token(): Promise<string>;
  /**
   * A token in place of one that seems to have died. All who come with the same one share one login.
   *
   * @param isCertain - Whether the service said that the token is dead: then it needs no logout.
   * @returns The same token where a given one turns out to be alive.
   * @throws {@link ConverterError} `TOKEN_DIED` where a given token is dead, else as {@link token}.
   */
  replace(token: string, isCertain: boolean): Promise<string>;
  /** Logs out every token that was obtained here; never rejects. */
  close(): Promise<void>;
}

/**
 * Creates a session; nothing is asked before a token is needed.
 *
 * @see Spec 3 (rule 1), 5, 8; D-609.
 */
export function createSession(parts: SessionParts): Session {
  return parts.given === undefined ? ownSession(parts) : givenSession(parts, parts.given);
}

interface OwnToken {
  value: string;
  renewAtMs: number;
  endsAtMs: number;
}

function ownSession({ lifetimeMs, now, login, logout }: SessionParts): Session {
  const toLogOut = new Set<string>();
  let current: OwnToken | undefined;
  let pending: Promise<string> | undefined;
  let refusal: unknown;
  let isClosed = false;

  const obtain = (): Promise<string> => {
    pending ??= logIn().finally(() => {
      pending = undefined;
    });
    return pending;
  };

  const logIn = async (): Promise<string> => {
    // Counted from before the request: the server's clock started somewhere in between.
    const startedMs = now();
    try {
      const value = await login();
      const renewAtMs = startedMs + lifetimeMs * RENEW_AFTER_SHARE;
      current = { value, renewAtMs, endsAtMs: startedMs + lifetimeMs };
      toLogOut.add(value);
      return value;
    } catch (error) {
      // Asking again with the same password would only lock the account.
      if (isConverterError(error, 'LOGIN_REFUSED', 'AUTH_PROTOCOL')) refusal = error;
      throw error;
    }
  };

  const renew = async (old: OwnToken): Promise<string> => {
    try {
      return await obtain();
    } catch (error) {
      if (now() >= old.endsAtMs || isClosed) throw error;
      refusal = undefined;
      current = { ...old, renewAtMs: now() + RENEWAL_PAUSE_MS };
      return old.value;
    }
  };

  return {
    async token() {
      if (isClosed) throw interrupted();
      if (refusal !== undefined) throw refusal;
      if (current === undefined || now() >= current.endsAtMs) return obtain();
      return now() >= current.renewAtMs ? renew(current) : current.value;
    },
    async replace(token, isCertain) {
      if (isCertain) toLogOut.delete(token);
      if (isClosed) throw interrupted();
      if (refusal !== undefined) throw refusal;
      if (current !== undefined && current.value !== token) return current.value;
      current = undefined;
      return obtain();
    },
    async close() {
      isClosed = true;
      await settled(pending);
      const tokens = [...toLogOut];
      toLogOut.clear();
      await Promise.all(tokens.map(logout));
    },
  };
}

function givenSession({ isAlive }: SessionParts, given: string): Session {
  let probe: Promise<boolean> | undefined;
  let isDead = false;
  const died = () =>
    new ConverterError('TOKEN_DIED', 'the service no longer takes the token that was given', {
      operation: 'getNodes',
    });
  return {
    async token() {
      if (isDead) throw died();
      return given;
    },
    async replace() {
      // One broken article must not end the run: the token is tried on something that always works.
      probe ??= isAlive(given).finally(() => {
        probe = undefined;
      });
      if (!(await probe)) isDead = true;
      if (isDead) throw died();
      return given;
    },
    async close() {},
  };
}

/** Waits for a login under way, whose token would else never be logged out, but not for long. */
async function settled(pending: Promise<string> | undefined): Promise<void> {
  if (pending === undefined) return;
  const stop = new AbortController();
  const grace = sleep(GRACE_MS, undefined, { signal: stop.signal }).catch(() => {});
  await Promise.race([pending.catch(() => {}), grace]);
  stop.abort();
}
