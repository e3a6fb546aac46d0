/**
 * Emulator: the whole service on loopback, over real HTTP.
 *
 * In: a range of furniture. Out: addresses and a login that any client can use.
 * It must know nothing of the client side (`service/`): two independent readings of the
 * specification. It prints nothing and writes nothing.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isConverterError } from '../support/errors.ts';
import { authRoutes, type Login } from './auth.ts';
import { jsonText } from './json-text.ts';
import type { KeyForm } from './key-pair.ts';
import type { EmulatedRange } from './range.ts';
import { checkRequest } from './request.ts';
import { type Answer, Refusal, type Route, type RouteContext } from './route.ts';
import { ODB_ROUTES } from './routes-odb.ts';
import { OFML_ROUTES } from './routes-ofml.ts';
import { XCF_ROUTES } from './routes-xcf.ts';
import { createTokenRegistry, type Lifetimes, TOKEN_LIFETIMES_MS } from './tokens.ts';

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
  /** Called once for each answered request; `route` is the operation's name, or empty. */
  onRequest?: (event: AnsweredRequest) => void;
}

/** One answered request. */
export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
}

/** A running emulator. */
export interface Emulator extends Readonly<Login> {
  /** `{auth_url}` of the specification. */
  readonly authUrl: string;
  /** `{base_url}` of the specification. */
  readonly baseUrl: string;
  /** Requests by operation, whatever their answer: getpublickey, getsessiontoken, getnodes,
   * getnodesbreadcrumbs, search, getarticles, btg, block, materials, logoutxcf, logoutodb. */
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
const GROUPS: readonly { base: string; routes: readonly Route[] }[] = [
  { base: `${SERVICE_BASE}/api/xcf.dll/xcf`, routes: XCF_ROUTES },
  { base: `${SERVICE_BASE}/api/ofml.dll/ofml`, routes: OFML_ROUTES },
  { base: `${SERVICE_BASE}/api/odb.dll/odb`, routes: ODB_ROUTES },
];
const BODY_LIMIT_BYTES = 65_536;
/** Room for a query that is too long, so that it gets its own answer and not the parser's. */
const MAX_HEADER_BYTES = 262_144;

/**
 * Starts the service on loopback.
 *
 * Errors are JSON, `{"error": "…"}`: 400 parameters, 401 token, 404 no such thing, 414 long query;
 * the authentication server refuses with 500. It registers no secrets, since it prints none.
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
 * @see Spec 4, 5; D-601, D-606, D-720 to D-724.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const random = options.random ?? (await systemRandom());
  const login = options.login ?? madeUpLogin(random);
  const tokens = createTokenRegistry({
    now: options.now ?? Date.now,
    random,
    lifetimesMs: options.lifetimesMs ?? TOKEN_LIFETIMES_MS,
  });
  const app = await createApp();
  const counts = new Map<string, number>();
  const context = { range: options.range, tokens };
  const auth = authRoutes({ login, tokens, keyForm: options.keyForm ?? 'pem' });
  for (const { base, routes } of [{ base: AUTH_BASE, routes: auth }, ...GROUPS]) {
    for (const route of routes) addRoute(app, base, route, context, counts);
  }
  if (options.onRequest !== undefined) report(app, options.onRequest);
  await app.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' });
  const origin = originOf(app.server.address() as AddressInfo);
  return {
    ...login,
    authUrl: `${origin}${AUTH_BASE}`,
    baseUrl: `${origin}${SERVICE_BASE}`,
    counts,
    openSessions: () => tokens.openSessions(),
    expireTokens: () => tokens.expireAll(),
    close: () => app.close(),
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

/** A server without any reading of bodies of its own: each row gets the bytes as they came. */
async function createApp(): Promise<FastifyInstance> {
  const { fastify } = await import('fastify');
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, reply) => sendError(reply, error),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => sendError(reply, error));
  app.setNotFoundHandler((_request, reply) =>
    sendError(reply, new Refusal(404, 'no such operation')),
  );
  return app as unknown as FastifyInstance;
}

function addRoute(
  app: FastifyInstance,
  base: string,
  route: Route,
  context: RouteContext,
  counts: Map<string, number>,
): void {
  app.route({
    method: route.method,
    url: base + route.path,
    bodyLimit: route.bodyLimitBytes ?? BODY_LIMIT_BYTES,
    config: { operation: route.operation },
    handler: async (request, reply) => {
      counts.set(route.operation, (counts.get(route.operation) ?? 0) + 1);
      const call = checkRequest(route, rawRequest(request), context.tokens);
      return send(reply, await route.answer(call, context));
    },
  });
}

function rawRequest(request: FastifyRequest): Parameters<typeof checkRequest>[1] {
  const body = request.body;
  return {
    target: request.raw.url ?? '/',
    segments: request.params as Record<string, string>,
    headers: request.headers,
    body: body instanceof Uint8Array ? body : new Uint8Array(),
  };
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.kind === 'empty') return reply.code(200).send();
  if (answer.kind === 'bytes') return reply.type(answer.contentType).send(bufferOf(answer.bytes));
  return reply.type('application/json; charset=utf-8').send(jsonText(answer.json));
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  const status = statusOf(error);
  const speaks = status < 500 || error instanceof Refusal || isConverterError(error);
  const message = speaks ? (error as Error).message : 'internal';
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(jsonText({ error: message }));
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  return (error as { statusCode?: number }).statusCode ?? 500;
}

function report(app: FastifyInstance, onRequest: (event: AnsweredRequest) => void): void {
  app.addHook('onSend', async (request, reply) => {
    const { operation } = request.routeOptions.config as { operation?: string };
    onRequest({ method: request.method, route: operation ?? '', status: reply.statusCode });
  });
}

function originOf({ address, port, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
