/** The sessions of one emulator: which token opens which group of operations, and until when. */

/** A group of operations that a token opens. */
export type ApiGroup = 'xcf' | 'ofml' | 'odb';

const HOUR_MS = 3_600_000;

/** Lifetime of a token in milliseconds, by whether the login has RememberMe. @see Spec 8 */
export const TOKEN_LIFETIMES_MS = { session: 12 * HOUR_MS, remembered: 90 * 24 * HOUR_MS };

interface Session {
  expiresAtMs: number;
  groups: Set<ApiGroup>;
}

/**
 * The tokens that one emulator has issued.
 *
 * The specification gives `xcf` and `odb` a logout each and `ofml` none, and does not say how far
 * a logout reaches. This class uses the reading that is hardest on a client: a logout ends its own group and
 * `ofml`, and the other group stays open until its own logout.
 *
 * @see Spec 4.2, 4.4 (logout), 8 (lifetimes); D-720.
 */
export class TokenRegistry {
  readonly #now: () => number;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #lifetimesMs: typeof TOKEN_LIFETIMES_MS;
  readonly #sessions = new Map<string, Session>();

  /**
   * @param now - Returns the milliseconds since the epoch.
   * @param random - Returns this many unpredictable bytes.
   */
  constructor(
    now: () => number,
    random: (bytes: number) => Uint8Array,
    lifetimesMs = TOKEN_LIFETIMES_MS,
  ) {
    this.#now = now;
    this.#random = random;
    this.#lifetimesMs = lifetimesMs;
  }

  /** Issues a token that opens all three groups. */
  issue(remembered: boolean): string {
    this.#dropEnded();
    const part = (): string => Buffer.from(this.#random(12)).toString('base64url');
    // Every token contains these three signs, so that a client which does not encode them always fails.
    const token = `${part()}+${part()}/${part()}=`;
    const expiresAtMs = this.#now() + this.#lifetimesMs[remembered ? 'remembered' : 'session'];
    this.#sessions.set(token, { expiresAtMs, groups: new Set(['xcf', 'ofml', 'odb']) });
    return token;
  }

  /** Whether the token was issued here, has not expired, and is not logged out of the group. */
  opens(token: string, group: ApiGroup): boolean {
    return this.#openGroups(token)?.has(group) ?? false;
  }

  /** Ends the session at one group; false if the token did not open that group. */
  logout(token: string, group: ApiGroup): boolean {
    const groups = this.#openGroups(token);
    if (groups === undefined || !groups.delete(group)) return false;
    groups.delete('ofml');
    return true;
  }

  expireAll(): void {
    this.#sessions.clear();
  }

  /** Number of sessions that have not expired and are not logged out of both groups. */
  openSessions(): number {
    this.#dropEnded();
    return this.#sessions.size;
  }

  #dropEnded(): void {
    for (const [token, { expiresAtMs, groups }] of this.#sessions) {
      if (expiresAtMs <= this.#now() || groups.size === 0) this.#sessions.delete(token);
    }
  }

  #openGroups(token: string): Set<ApiGroup> | undefined {
    const session = this.#sessions.get(token);
    return session !== undefined && session.expiresAtMs > this.#now() ? session.groups : undefined;
  }
}
