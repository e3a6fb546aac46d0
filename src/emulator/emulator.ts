/**
 * The emulator: the whole service on loopback over real HTTP, without credentials.
 *
 * It never imports the client (`service/`), so that the two are independent readings of the
 * specification.
 */
import type { EmulatedRange, Json } from '../sample/range.ts';
import { authRoutes, type KeyForm, type Login } from './auth.ts';
import { MAX_QUERY_BYTES, type Route, type RouteContext } from './route.ts';
import { FRONTEND_ROUTES } from './routes-frontend.ts';
import { ODB_ROUTES } from './routes-odb.ts';
import { OCD_ROUTES, OFML_ROUTES } from './routes-ofml.ts';
import { XCF_ROUTES } from './routes-xcf.ts';
import { type AnsweredRequest, addRoute, createServer, type ValidatorKind } from './server.ts';
import { createTokenRegistry, type Lifetimes, TOKEN_LIFETIMES_MS } from './tokens.ts';

/** The settings of an emulator. */
export interface EmulatorOptions {
  range: EmulatedRange;
  /** @defaultValue 0, any free port */
  port?: number;
  /** @defaultValue `127.0.0.1`, so that no other machine reaches it */
  host?: string;
  /** Milliseconds since the epoch. @defaultValue `Date.now` */
  now?: () => number;
  /** Returns that many unpredictable bytes. @defaultValue the system's source */
  random?: (bytes: number) => Uint8Array;
  /** @defaultValue {@link TOKEN_LIFETIMES_MS} */
  lifetimesMs?: Lifetimes;
  /** Format of the published key. @defaultValue `pem` */
  keyForm?: KeyForm;
  /** @defaultValue a fixed user with a random password and application key */
  login?: Login;
  /** Called once for each planning that POST reinit stores. */
  onPermanentId?: (id: string, topLevelArticle: Json) => void;
  /** Parts of paths that this server lacks, as a live one may: `ocd.dll/preview`, for instance. */
  without?: readonly string[];
  /** Longest query in bytes. @defaultValue {@link MAX_QUERY_BYTES} */
  maxQueryBytes?: number;
  /** Validators of GET answers. @defaultValue `none`: the specification shows none */
  validators?: ValidatorKind;
  /** Called once for each answered request; `route` is the operation's name, or empty. */
  onRequest?: (event: AnsweredRequest) => void;
}

/** A running emulator. */
export interface Emulator extends Readonly<Login> {
  /** `{auth_url}` of the specification. */
  readonly authUrl: string;
  /** `{base_url}` of the specification. */
  readonly baseUrl: string;
  /** `{frontend_url}` of the specification: `/planning` is below it. */
  readonly frontendUrl: string;
  /**
   * Requests by operation, whatever their answer: getpublickey getsessiontoken · getnodes
   * getnodesbreadcrumbs ressource ressources search logoutxcf · getarticles postarticles preview
   * reinit ocdreinit · btg block materials articlesimage logoutodb · planning.
   */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of sessions that have not expired and are not logged out of both groups. */
  openSessions(): number;
  /** Expires all tokens. */
  expireTokens(): void;
  /** Stops at once: open connections are cut. */
  close(): Promise<void>;
}

/** Base paths of the specification, below addresses that have a path of their own. */
const AUTH_BASE = '/auth/rest';
const SERVICE_BASE = '/service';
const FRONTEND_BASE = '/frontend';
const GROUPS: readonly { base: string; routes: readonly Route[] }[] = [
  { base: `${SERVICE_BASE}/api/xcf.dll/xcf`, routes: XCF_ROUTES },
  { base: `${SERVICE_BASE}/api/ofml.dll/ofml`, routes: OFML_ROUTES },
  { base: `${SERVICE_BASE}/api/ocd.dll`, routes: OCD_ROUTES },
  { base: `${SERVICE_BASE}/api/odb.dll/odb`, routes: ODB_ROUTES },
  { base: FRONTEND_BASE, routes: FRONTEND_ROUTES },
];

/**
 * Starts the service on loopback.
 *
 * Errors are JSON, `{"error": "…"}`: 400 parameters, 401 token, 404 not found, 413 long body, 414 long
 * query, 422 a breach of a rule of the range; the authentication server refuses with 500.
 *
 * @throws the system's error if the port is in use.
 *
 * @example
 * ```ts
 * const emulator = await startEmulator({ range: await openRecording('recording') });
 * await fetch(`${emulator.authUrl}/GetPublicKey/`); // → {"result":["LS0tLS1CRUdJTi…"]}
 * await emulator.close();
 * ```
 *
 * @see Spec 4, 5; D-601, D-606, D-720 to D-725, D-841, D-790 to D-795.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { range, now = Date.now, lifetimesMs = TOKEN_LIFETIMES_MS, onRequest } = options;
  const { keyForm = 'pem', without = [], maxQueryBytes = MAX_QUERY_BYTES } = options;
  const random = options.random ?? (await import('node:crypto')).randomBytes;
  const login = options.login ?? makeLogin(random);
  const tokens = createTokenRegistry(now, random, lifetimesMs);
  const server = await createServer(options.validators ?? 'none', now, onRequest);
  const counts = new Map<string, number>();
  const context = { range, tokens, maxQueryBytes, ...planningStore(random, options.onPermanentId) };
  const auth = { base: AUTH_BASE, routes: authRoutes(login, tokens, keyForm) };
  for (const { base, routes } of [auth, ...GROUPS]) {
    for (const route of routes) {
      const path = base + route.path;
      if (!without.some((part) => path.includes(part))) {
        addRoute(server, base, route, context, counts);
      }
    }
  }
  const { port = 0, host = '127.0.0.1' } = options;
  const origin = (await server.listen({ port, host })).replace('//[::]', '//127.0.0.1');
  return {
    ...login,
    authUrl: `${origin}${AUTH_BASE}`,
    baseUrl: `${origin}${SERVICE_BASE}`,
    frontendUrl: `${origin}${FRONTEND_BASE}`,
    counts,
    openSessions: () => tokens.openSessions(),
    expireTokens: () => tokens.expireAll(),
    close: () => server.close(),
  };
}

/** Umlauts and signs outside Latin-1, so that a wrong text encoding fails at the login. */
function makeLogin(random: (bytes: number) => Uint8Array): Login {
  const part = (): string => Buffer.from(random(9)).toString('base64url');
  return { username: 'möbelhaus', password: `pässwort€${part()}`, appKey: `app-${part()}` };
}

/** The stored plannings live as long as their emulator. @see Spec 2.5, 9 rule 7; D-792. */
function planningStore(
  random: (bytes: number) => Uint8Array,
  onStore?: (id: string, article: Json) => void,
): Pick<RouteContext, 'storePlanning' | 'restorePlanning'> {
  const stored = new Map<string, Json>();
  return {
    storePlanning(article) {
      const id = Buffer.from(random(16)).toString('hex').toUpperCase();
      stored.set(id, article);
      onStore?.(id, article);
      return id;
    },
    restorePlanning: (id) => stored.get(id),
  };
}
