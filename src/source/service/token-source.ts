/** Token source: logs in once for all users of one account when a token is needed, and out at the end. */
import { isConverterError } from '../../support/errors.ts';
import { interrupted } from './request-failure.ts';
import type { IssuedToken, StartTimer, TokenSource } from './service-config.ts';

const HOUR_MS = 60 * 60 * 1000;
const LIFETIMES_MS = { session: 12 * HOUR_MS, remembered: 90 * 24 * HOUR_MS };
/** Share of the lifetime after which a token is renewed: no request may be in flight when the token expires. */
const RENEW_AFTER_SHARE = 11 / 12;
/** Pause before a renewal that failed is tried again, while the token still lives. */
const RENEWAL_PAUSE_MS = 60_000;
/** Time for which a refused login is not repeated: another login with the same password could lock the account. */
const REFUSAL_MS = 60_000;
/** Time that closing waits for a login in flight. */
const GRACE_MS = 5_000;

interface TokenSourceOptions {
  /** Whether tokens live for 90 days instead of 12 hours. */
  rememberMe: boolean;
  now: () => number;
  startTimer: StartTimer;
  login: () => Promise<string>;
  /** Logs a token out of every group; never rejects. */
  logout: (token: string) => Promise<void>;
}

/** Creates a token source; nothing is sent before a token is needed. See spec 5, 8; D-609. */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { rememberMe, now, startTimer, login, logout } = options;
  const lifetimeMs = LIFETIMES_MS[rememberMe ? 'remembered' : 'session'];
  const toLogOut = new Set<string>();
  let current: (IssuedToken & { endsAtMs: number }) | undefined;
  let pending: Promise<IssuedToken> | undefined;
  let refusal: { error: unknown; endsAtMs: number } | undefined;
  let isClosed = false;

  const logIn = async (): Promise<IssuedToken> => {
    // The lifetime counts from before the request: the server's clock started somewhere in between.
    const startedMs = now();
    try {
      const value = await login();
      toLogOut.add(value);
      const renewAtMs = startedMs + lifetimeMs * RENEW_AFTER_SHARE;
      current = { value, renewAtMs, endsAtMs: startedMs + lifetimeMs };
      return current;
    } catch (error) {
      const isUsable = current !== undefined && now() < current.endsAtMs && !isClosed;
      if (isUsable) {
        current = { ...current!, renewAtMs: now() + RENEWAL_PAUSE_MS };
        return current;
      }
      if (isConverterError(error, 'LOGIN_REFUSED', 'AUTH_PROTOCOL'))
        refusal = { error, endsAtMs: now() + REFUSAL_MS };
      throw error;
    }
  };

  return {
    async obtain(replaced) {
      if (isClosed) throw interrupted();
      if (current !== undefined && current.value === replaced) current = undefined;
      if (current !== undefined && now() < current.renewAtMs) return current;
      if (refusal !== undefined && now() < refusal.endsAtMs) throw refusal.error;
      pending ??= logIn().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    forget: (token) => void toLogOut.delete(token),
    async close() {
      isClosed = true;
      // The token of a login in flight must be logged out too, but closing does not wait for long.
      let stopTimer = () => {};
      const late = new Promise<void>((done) => {
        stopTimer = startTimer(done, GRACE_MS);
      });
      await Promise.race([pending?.catch(() => {}), late]);
      stopTimer();
      const tokens = [...toLogOut];
      toLogOut.clear();
      await Promise.all(tokens.map(logout));
    },
  };
}
