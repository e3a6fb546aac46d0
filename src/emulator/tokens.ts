/** The sessions of one emulator: which token opens which group of operations, and until when. */

/** A group of operations that a token opens. */
export type ApiGroup = 'xcf' | 'ofml' | 'odb';

const HOUR_MS = 3_600_000;

/** Lifetime of a token in milliseconds, by whether the login has RememberMe. @see Spec 8 */
export const TOKEN_LIFETIMES_MS = { session: 12 * HOUR_MS, remembered: 90 * 24 * HOUR_MS };

/** The tokens that one emulator has issued. */
export type TokenRegistry = ReturnType<typeof createTokenRegistry>;

interface Session {
  expiresAtMs: number;
  groups: Set<ApiGroup>;
}

/**
 * Creates the registry of one emulator.
 *
 * The specification gives `xcf` and `odb` a logout each and `ofml` none, and does not say how far
 * one reaches. This is the reading that is hardest on a client: a logout ends its own group and
 * `ofml`, and the other group stays open until its own logout.
 *
 * @param now - Milliseconds since the epoch.
 * @param random - Returns that many unpredictable bytes.
 * @see Spec 4.2, 4.4 (logout), 8 (lifetimes); D-720.
 */
export function createTokenRegistry(
  now: () => number,
  random: (bytes: number) => Uint8Array,
  lifetimesMs = TOKEN_LIFETIMES_MS,
) {
  const sessions = new Map<string, Session>();
  const dropEnded = (): void => {
    for (const [token, { expiresAtMs, groups }] of sessions) {
      if (expiresAtMs <= now() || groups.size === 0) sessions.delete(token);
    }
  };
  const openGroups = (token: string): Set<ApiGroup> | undefined => {
    const session = sessions.get(token);
    return session !== undefined && session.expiresAtMs > now() ? session.groups : undefined;
  };
  return {
    /** Issues a token that opens all three groups. */
    issue(remembered: boolean): string {
      dropEnded();
      const token = makeToken(random);
      const expiresAtMs = now() + lifetimesMs[remembered ? 'remembered' : 'session'];
      sessions.set(token, { expiresAtMs, groups: new Set(['xcf', 'ofml', 'odb']) });
      return token;
    },
    /** Whether the token was issued here, has not expired, and is not logged out of the group. */
    opens: (token: string, group: ApiGroup) => openGroups(token)?.has(group) ?? false,
    /** Ends the session at one group; false if the token did not open that group. */
    logout(token: string, group: ApiGroup): boolean {
      const groups = openGroups(token);
      if (groups === undefined || !groups.delete(group)) return false;
      groups.delete('ofml');
      return true;
    },
    expireAll: () => sessions.clear(),
    /** Number of sessions that have not expired and are not logged out of both groups. */
    openSessions(): number {
      dropEnded();
      return sessions.size;
    },
  };
}

/** Every token contains `+`, `/` and `=`, so that a client which does not encode them always fails. */
function makeToken(random: (bytes: number) => Uint8Array): string {
  const part = (): string => Buffer.from(random(12)).toString('base64url');
  return `${part()}+${part()}/${part()}=`;
}
