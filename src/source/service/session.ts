/**
 * Session: the token of a client, from the login to the logout.
 *
 * A refused request proves nothing: the service refuses an unknown article in the same way as an expired token
 * (D-609). All requests of a client share the state of one token:
 *
 * | state    | begins after                                                 | a refused request           |
 * | -------- | ------------------------------------------------------------ | --------------------------- |
 * | alive    | a normal answer to a request sent after the refused one      | is an ordinary failure      |
 * | in doubt | a refusal, if there is no such answer                        | waits for the probes        |
 * | dead     | refused probes; the end of the token's lifetime              | waits for one login, once   |
 * | ended    | a refused login; the death of a given token; `MAX_UNPROVEN`  | fails: the run ends         |
 *
 * The probes are the root of the catalogue and, if the root is refused, the latest request that was answered. A service
 * that refuses the root at random would look like dying tokens; the second probe shows the difference. If any request
 * may be refused at random, one round of probes is not enough: see `PROBE_ROUNDS`.
 *
 * A token of our own is renewed ahead of its end, and logged out at the end; a given token is only used.
 */

import { ConverterError, isConverterError } from '../../support/errors.ts';
import { interrupted } from './request-failure.ts';
import type { IssuedToken, TokenSource } from './service-config.ts';
import type { Exchange } from './transport.ts';

/**
 * How many logins in a row may replace a token without any request except the root being answered in between. After
 * these logins the next dead token ends the session. Until the first such answer the root is the only probe. It may be
 * refused at random: then a token that was accepted once counts as alive.
 */
const MAX_UNPROVEN = 2;
/**
 * How many rounds of refused probes show that a token is dead, and how many unanswered rounds in a row leave its state
 * unclear: for the first tokens of a session, and for later ones. A service that refuses two of three requests at
 * random refuses twenty rounds once in 10 million times, and a token that is dead is still replaced.
 */
const PROBE_ROUNDS = {
  first: { refused: 1, unanswered: 1 },
  later: { refused: 20, unanswered: 4 },
} as const;
/** Number of tokens that are replaced after one round. */
const FIRST_TOKENS = 2;
const GIVEN_DIED =
  'BTG2GLTF_TOKEN: expected a token that the service accepts, received an expired or unknown one';
const ALL_DIED = `login: expected a token that the service accepts, received ${MAX_UNPROVEN + 1} in a row that it refuses`;

interface Sent {
  token: string;
  /** Number of the request among all of its client, in the order of sending, from 1. */
  order: number;
}

/** A request that tests whether a token is alive. */
export type Probe = Pick<Exchange, 'name' | 'values' | 'address'>;

/** Every live token may read the root nodes. */
const ROOT: Probe = { name: 'getNodes', values: {} };

interface SessionOptions {
  given: string | undefined;
  /** Source of other tokens; closed with the session. */
  tokens: TokenSource;
  now: () => number;
  /** Sends a probe; rejects if the answer proves nothing about the token. */
  probe: (token: string, probe: Probe) => Promise<Pick<Sent, 'order'> & { isRefused: boolean }>;
}

/** Whether a token was alive when a refused request was sent; `unclear` if a probe got no answer. */
type TokenState = 'alive' | 'dead' | 'unclear';

/** A token in use; `acceptedOrder` is the latest request that was answered normally, 0 if there is none. */
type Token = IssuedToken & { acceptedOrder: number };

/** The token of a client; nothing is sent before one is needed. See spec 3 (rule 1), 5, 8; D-609. */
export class Session {
  readonly #options: SessionOptions;
  #current: Token | undefined;
  #probing: Promise<TokenState> | undefined;
  /** The second probe: the latest request that was answered normally, if it can be sent again and is not the root. */
  #answered: Probe | undefined;
  #unproven = 0;
  #replaced = 0;
  #refusal: unknown;
  #isClosed = false;

  constructor(options: SessionOptions) {
    const { given } = options;
    this.#options = options;
    if (given !== undefined)
      this.#current = { value: given, acceptedOrder: 0, renewAtMs: Infinity };
  }

  /** Returns a token that should be alive; logs in if there is none. Throws what ended the session. */
  async token(): Promise<string> {
    this.#throwIfEnded();
    const { now } = this.#options;
    const isUsable = this.#current !== undefined && now() < this.#current.renewAtMs;
    return isUsable ? this.#current!.value : this.#obtain();
  }

  /** Records that a request was answered normally; `request` is given if it can be a probe. */
  accept({ token, order }: Sent, request?: Probe): void {
    if (this.#current?.value !== token) return;
    this.#current.acceptedOrder = Math.max(this.#current.acceptedOrder, order);
    if (request === undefined) return;
    this.#answered = request;
    this.#unproven = 0;
  }

  /** Decides whether the token of a refused request is alive. All requests that wait share the probes. */
  async examine({ token, order }: Sent): Promise<TokenState> {
    while (this.#current?.value === token) {
      if (this.#current.acceptedOrder > order || this.#isTrusted(this.#current)) return 'alive';
      // An answer to a request sent before the refused one proves nothing about it, so the loop repeats.
      this.#probing ??= this.#sendProbes(token).finally(() => {
        this.#probing = undefined;
      });
      const state = await this.#probing;
      if (state !== 'alive') return state;
    }
    return 'dead';
  }

  /**
   * Logs in to replace a dead token, once for all requests that wait. Throws `TOKEN_DIED` for a given token,
   * `LOGIN_REFUSED` where the service accepts no token.
   * @param isCertain - Whether the service called the token dead, so that it needs no logout.
   */
  async replace(token: string, isCertain: boolean): Promise<string> {
    if (isCertain) this.#options.tokens.forget(token);
    if (this.#current?.value === token && !this.#isTrusted(this.#current)) this.#retire();
    this.#throwIfEnded();
    return this.#current?.value ?? this.#obtain(token);
  }

  /** Closes the source of the tokens, too; never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#options.tokens.close();
  }

  async #obtain(replaced?: string): Promise<string> {
    try {
      const issued = await this.#options.tokens.obtain(replaced);
      const isSame = this.#current?.value === issued.value;
      this.#current = { ...issued, acceptedOrder: isSame ? this.#current!.acceptedOrder : 0 };
      return issued.value;
    } catch (error) {
      // A second login with the same password could lock the account.
      if (isConverterError(error, 'LOGIN_REFUSED', 'AUTH_PROTOCOL')) this.#refusal = error;
      throw error;
    }
  }

  #throwIfEnded(): void {
    if (this.#isClosed) throw interrupted();
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #isTrusted({ acceptedOrder }: Token): boolean {
    return this.#answered === undefined && this.#unproven === MAX_UNPROVEN && acceptedOrder > 0;
  }

  async #sendProbes(token: string): Promise<TokenState> {
    const most = PROBE_ROUNDS[this.#replaced < FIRST_TOKENS ? 'first' : 'later'];
    let [refused, unanswered] = [0, 0];
    while (unanswered < most.unanswered) {
      try {
        if (await this.#passesAny(token)) return 'alive';
        unanswered = 0;
        refused += 1;
        if (refused === most.refused) return 'dead';
      } catch {
        unanswered += 1;
      }
    }
    return 'unclear';
  }

  async #passesAny(token: string): Promise<boolean> {
    if (await this.#passes(token, ROOT)) return true;
    return this.#answered !== undefined && (await this.#passes(token, this.#answered));
  }

  async #passes(token: string, request: Probe): Promise<boolean> {
    const { order, isRefused } = await this.#options.probe(token, request);
    if (!isRefused) this.accept({ token, order });
    return !isRefused;
  }

  /** Drops the current token; ends the session if another token would not help. */
  #retire(): void {
    this.#current = undefined;
    if (this.#options.given !== undefined) {
      this.#refusal = new ConverterError('TOKEN_DIED', GIVEN_DIED, { operation: 'getNodes' });
    } else if (this.#unproven < MAX_UNPROVEN) {
      this.#unproven += 1;
      this.#replaced += 1;
    } else {
      const operation = 'getSessionToken';
      this.#refusal = new ConverterError('LOGIN_REFUSED', ALL_DIED, { operation });
    }
  }
}
