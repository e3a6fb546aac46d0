/**
 * Tokens: the sessions of one emulator, who may still call what.
 *
 * In: the clock and the random source. Out: tokens, and whether one opens a group.
 * It knows no HTTP and no user.
 */

/** An API group that a token opens. */
export type ApiGroup = 'xcf' | 'ofml' | 'odb';

/** A group that has a logout of its own. */
export type LogoutGroup = 'xcf' | 'odb';

/** How long a token lives, in milliseconds. */
export interface Lifetimes {
  /** RememberMe false. */
  session: number;
  /** RememberMe true. */
  remembered: number;
}

const HOUR_MS = 3_600_000;

/**
 * Lifetimes of the specification: 12 hours and 90 days.
 *
 * @see Spec 8.
 */
export const TOKEN_LIFETIMES_MS: Readonly<Lifetimes> = {
  session: 12 * HOUR_MS,
  remembered: 90 * 24 * HOUR_MS,
};

/** The tokens that one emulator has issued. */
export interface TokenRegistry {
  /** Issues a token that opens all three groups. */
  issue(remembered: boolean): string;
  /** Whether the token is known, alive, and not logged out of the group. */
  opens(token: string, group: ApiGroup): boolean;
  /** Ends the session at one group; false if it did not open that group. */
  logout(token: string, group: LogoutGroup): boolean;
  /** Lets every token die at once, as if its time were over. */
  expireAll(): void;
  /** Sessions that are alive and not logged out of both groups. */
  openSessions(): number;
}

interface Session {
  expiresAtMs: number;
  groups: Set<ApiGroup>;
}

export interface TokenRegistryOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** That many unpredictable bytes. */
  random: (bytes: number) => Uint8Array;
  lifetimesMs: Lifetimes;
}

/**
 * Keeps the sessions of one emulator.
 *
 * The specification gives `xcf` and `odb` a logout each and `ofml` none, and does not say how far
 * one reaches. We take the reading that is hardest on a client: a logout ends its own group and
 * `ofml`, and the other group stays open until it is logged out of as well.
 *
 * @example
 * ```ts
 * const tokens = createTokenRegistry({ now: () => 0, random: randomBytes, lifetimesMs: TOKEN_LIFETIMES_MS });
 * const token = tokens.issue(false);
 * tokens.logout(token, 'xcf');
 * [tokens.opens(token, 'odb'), tokens.opens(token, 'ofml')];
 * // → [true, false]
 * ```
 *
 * @see Spec 4.2, 4.4 (logout), 8 (lifetimes); D-720.
 */
export function createTokenRegistry(options: TokenRegistryOptions): TokenRegistry {
  const sessions = new Map<string, Session>();

  const alive = (token: string): Session | undefined => {
    const session = sessions.get(token);
    return session !== undefined && session.expiresAtMs > options.now() ? session : undefined;
  };

  return {
    issue(remembered) {
      dropDead(sessions, options.now());
      const token = makeToken(options.random);
      const lifetimeMs = options.lifetimesMs[remembered ? 'remembered' : 'session'];
      sessions.set(token, {
        expiresAtMs: options.now() + lifetimeMs,
        groups: new Set(['xcf', 'ofml', 'odb']),
      });
      return token;
    },
    opens: (token, group) => alive(token)?.groups.has(group) ?? false,
    logout(token, group) {
      const session = alive(token);
      if (session === undefined || !session.groups.delete(group)) return false;
      session.groups.delete('ofml');
      return true;
    },
    expireAll: () => sessions.clear(),
    openSessions() {
      dropDead(sessions, options.now());
      return sessions.size;
    },
  };
}

/** Forgets sessions whose time is over or that no group knows any more, so that the map stays small. */
function dropDead(sessions: Map<string, Session>, nowMs: number): void {
  for (const [token, session] of sessions) {
    if (session.expiresAtMs <= nowMs || session.groups.size === 0) sessions.delete(token);
  }
}

/** Holds a `+`, a `/` and a `=` each time, so that a client that forgets to encode one always fails. */
function makeToken(random: (bytes: number) => Uint8Array): string {
  const part = (): string => Buffer.from(random(12)).toString('base64url');
  return `${part()}+${part()}/${part()}=`;
}
