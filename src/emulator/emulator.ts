/**
 * Emulator: the whole service on loopback, over real HTTP.
 *
 * In: a range of furniture. Out: addresses and a login that any client can use.
 * It must know nothing of the client side (`service/`): two independent readings of the
 * specification. It prints nothing and writes nothing.
 */
import type { AddressInfo } from 'node:net';
import type { EmulatedRange, Json } from '../sample/range.ts';
import { authRoutes, type Login } from './auth.ts';
import type { KeyForm } from './key-pair.ts';
import { createPermanentIds } from './permanent-ids.ts';
import { MAX_QUERY_BYTES } from './request.ts';
import type { Route } from './route.ts';
import { FRONTEND_ROUTES } from './routes-frontend.ts';
import { ODB_ROUTES } from './routes-odb.ts';
import { OCD_ROUTES, OFML_ROUTES } from './routes-ofml.ts';
import { XCF_ROUTES } from './routes-xcf.ts';
import { type AnsweredRequest, addRoute, createServer } from './server.ts';
import { createTokenRegistry, type Lifetimes, TOKEN_LIFETIMES_MS } from './tokens.ts';
import type { ValidatorKind } from './validators.ts';

/** How an emulator is set up. */
export interface EmulatorOptions {
  /** What it serves. */
  range: EmulatedRange;
  /** @defaultValue 0, any free port */
  port?: number;
  /** @defaultValue `127.0.0.1`, so that nobody else on the network reaches it */
  host?: string;
  /** Milliseconds since the epoch. @defaultValue `Date.now` */
  now?: () => number;
  /** That many unpredictable bytes. @defaultValue the system's source */
  random?: (bytes: number) => Uint8Array;
  /** @defaultValue {@link TOKEN_LIFETIMES_MS} */
  lifetimesMs?: Lifetimes;
  /** How the public key is published. @defaultValue `pem` */
  keyForm?: KeyForm;
  /** @defaultValue a made-up user with a random password and application key */
  login?: Login;
  /** Called once for each planning that POST reinit stores. */
  onPermanentId?: (id: string, topLevelArticle: Json) => void;
  /** Paths that this server does not have, as a live one may not: `ocd.dll/preview`, for instance. */
  without?: readonly string[];
  /** Longest query in bytes; a recording takes what was once answered. @defaultValue {@link MAX_QUERY_BYTES} */
  maxQueryBytes?: number;
  /** What GETs are recognised by, as a live service may do. @defaultValue `none`: the specification shows none */
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
  /** `{frontend_url}` of the specification: `/planning` stands below it. */
  readonly frontendUrl: string;
  /**
   * Requests by operation, whatever their answer: getpublickey getsessiontoken · getnodes
   * getnodesbreadcrumbs ressource ressources search logoutxcf · getarticles postarticles preview
   * reinit ocdreinit · btg block materials articlesimage logoutodb · planning.
   */
  readonly counts: ReadonlyMap<string, number>;
  /** Sessions that were not logged out of both groups and have not expired. */
  openSessions(): number;
  /** Lets every token die at once. */
  expireTokens(): void;
  /** Stops at once: open connections are cut. */
  close(): Promise<void>;
}

/** Base paths of the specification, below an address that has a path of its own. */
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
 * Errors are JSON, `{"error": "…"}`: 400 parameters, 401 token, 404 no such thing, 413 long body,
 * 414 long query, 422 what breaks a rule of the range; the authentication server refuses with 500. It registers no secrets, since it prints none.
 *
 * @throws the system's error if the port is taken.
 *
 * @example
 * ```ts
 * const emulator = await startEmulator({ range: await openRecording('recording') });
 * await fetch(`${emulator.authUrl}/GetPublicKey/`); // → {"result":["LS0tLS1CRUdJTi…"]}
 * await emulator.close();
 * ```
 *
 * @see Spec 4, 5; D-601, D-606, D-720 to D-725, D-841, D-790 to D-798.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { now = Date.now, validators = 'none', onRequest } = options;
  const random = options.random ?? (await systemRandom());
  const login = options.login ?? madeUpLogin(random);
  const tokens = createTokenRegistry({
    now,
    random,
    lifetimesMs: options.lifetimesMs ?? TOKEN_LIFETIMES_MS,
  });
  const server = await createServer({ validators, now, onRequest });
  const counts = new Map<string, number>();
  const permanentIds = createPermanentIds(random, options.onPermanentId);
  const { range, maxQueryBytes = MAX_QUERY_BYTES } = options;
  const context = { range, tokens, permanentIds, maxQueryBytes };
  const auth = authRoutes({ login, tokens, keyForm: options.keyForm ?? 'pem' });
  for (const { base, routes } of [{ base: AUTH_BASE, routes: auth }, ...GROUPS]) {
    for (const route of routes) {
      const path = base + route.path;
      if (options.without?.some((part) => path.includes(part))) continue;
      addRoute(server, base, route, context, counts);
    }
  }
  await server.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' });
  const origin = originOf(server.server.address() as AddressInfo);
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

async function systemRandom(): Promise<(bytes: number) => Uint8Array> {
  const { randomBytes } = await import('node:crypto');
  return randomBytes;
}

/** Umlauts and signs outside Latin-1 are there so that a wrong text encoding fails at the login. */
function madeUpLogin(random: (bytes: number) => Uint8Array): Login {
  const part = (): string => Buffer.from(random(9)).toString('base64url');
  return { username: 'möbelhaus', password: `pässwort€${part()}`, appKey: `app-${part()}` };
}

function originOf({ address, port, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
