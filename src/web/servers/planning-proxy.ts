/**
 * The planning page for a live service: the page has a token of this process, and every request is sent again to the
 * service, with a login that stays in this process.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord, type JsonRecord } from '../../convert/wire/value.ts';
import type { PlanningSite } from '../../emulator/route.ts';
import { operationAt } from '../../source/service/calls.ts';
import type { ServiceClient } from '../../source/service/client.ts';
import {
  asConverterError,
  ConverterError,
  type ErrorCode,
  isConverterError,
} from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';
import { redact, registerSecret } from '../../support/redact.ts';
import {
  createGateway,
  type GatewayOptions,
  type GatewayServer,
  isSameSecret,
  Refusal,
} from './http.ts';
import { PublicPlannings } from './public-plannings.ts';

interface OpenService {
  client: Pick<ServiceClient, 'call'>;
  close(): Promise<void>;
}

interface PlanningProxyOptions extends GatewayOptions {
  /** Opens the service; called again after the last client has given up. */
  open(): Promise<OpenService>;
  /** The token of the page; the token of the service never leaves this process. */
  token: string;
  site: PlanningSite;
  /** The stored plannings of this service. */
  permanentIds: {
    get(permanentid: string): unknown;
    put(permanentid: string, article: unknown): void;
  };
  /** Lets everybody who has the identifier of a stored planning look at it. @defaultValue only who has the token */
  publicLinks?: { imageLocation: string | undefined } | undefined;
}

/** `{base_url}` and `{frontend_url}`, below the address of the server. */
const BASE = '/service';
const FRONTEND = '/frontend';
const STORED = '/planning/permanentid/';
/** A stored planning without a token: `{base_url}/public/ID` in place of `{base_url}`. */
const PUBLIC = `${BASE}/public/:id`;

/** A whole planning of some hundred articles has a few MiB. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 60_000;
/** Codes after which a client sends no more requests. */
const GIVEN_UP: readonly ErrorCode[] = ['SERVICE_GONE', 'RATE_LIMITED'];
/** Statuses of the service that concern its token or its load, and not the request of the page. */
const NOT_OF_THE_PAGE: readonly number[] = [401, 403, 407, 408, 429];
/** Errors that are not caused by the answer of the service. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  HTTP_TIMEOUT: 504,
  INTERRUPTED: 503,
  RATE_LIMITED: 503,
  SERVICE_GONE: 503,
  QUERY_TOO_LONG: 414,
};
/** Headers of every answer: the page shows the data, which is never opened as a page itself. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;
const JSON_TYPE = 'application/json; charset=utf-8';
/** Parameters that every operation accepts, even if it does not use them. */
const LANGUAGES = ['lang', 'langalt'];

/**
 * Opens the proxy: the page below `/frontend`, the API groups `xcf.dll`, `ofml.dll` and `odb.dll` below `/service`, and
 * there the stored plannings at `/planning/permanentid/ID`; with public links also what draws one of them, below
 * `/public/ID`, without a token.
 *
 * Bodies pass as they are, without the token of the service. Errors are JSON, `{"error": …, "code": …}`: 401 without the token of the page, 404 for an
 * unknown operation or an identifier that is not known here, 413 for a body beyond 8 MiB, the service's own status
 * where it concerns the request, and 502, 503 or 504 where it concerns the service. No query and no body is logged.
 *
 * @returns A server whose `url` is the `{frontend_url}`. Closing it logs out.
 * @throws {@link ConverterError} `USAGE` if the address cannot be used; the error of the login or of the catalogue.
 * @see Spec 4.2 to 4.5, 5.
 */
export async function openPlanningProxy(options: PlanningProxyOptions): Promise<GatewayServer> {
  const { log, token } = options;
  registerSecret(token);
  const { app, listen } = await createGateway(options, sendError, {
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: (error, _request, reply) => void sendError(reply, error, log),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((_request, reply) =>
    sendError(reply, new Refusal(404, 'nothing here'), log),
  );
  const service = reopened(options.open);
  addPage(app, options);
  addService(app, options, service);
  addPublicPlannings(app, options, service);
  let server: GatewayServer;
  try {
    // A wrong password or address is detected before the page is opened.
    await service.use(({ client }) => client.call('getNodes', { parentnode: '' }));
    server = await listen(FRONTEND);
  } catch (error) {
    await service.close();
    throw error;
  }
  return {
    url: server.url,
    close: async () => {
      await server.close();
      await service.close();
    },
  };
}

function addPage(app: FastifyInstance, { site }: PlanningProxyOptions): void {
  const answer = async (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const { url, headers, host } = request;
    const { query } = splitTarget(url);
    const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
    const baseUrl = `${scheme}://${host}${BASE}`;
    const answered = await site({ name, query: query.toString(), baseUrl, headers });
    return reply.code(answered.status).headers(answered.headers).send(answered.body);
  };
  app.get('/', (request, reply) => answer('/', request, reply));
  app.get(`${FRONTEND}/planning`, (request, reply) => answer('', request, reply));
  app.get(`${FRONTEND}/planning/:name`, (request, reply) =>
    answer((request.params as { name: string }).name, request, reply),
  );
}

function addService(
  app: FastifyInstance,
  { token, permanentIds }: PlanningProxyOptions,
  service: ReturnType<typeof reopened>,
): void {
  // The token is checked before a body is read.
  const onRequest = async ({ url }: FastifyRequest) => expectToken(splitTarget(url).query, token);
  app.get(`${BASE}${STORED}:id`, { onRequest }, async (request, reply) => {
    const article = permanentIds.get((request.params as { id: string }).id);
    if (article !== undefined) {
      return reply.headers(HEADERS).type(JSON_TYPE).send(JSON.stringify(article));
    }
    const sentence =
      'permanentid: expected one whose planning was stored through this cache, received an unknown one; no operation of the service resolves an identifier, so open the article itself';
    throw new Refusal(404, sentence);
  });
  app.route({
    method: ['GET', 'POST'],
    url: `${BASE}/api/*`,
    onRequest,
    async handler(request, reply) {
      const { name, operation, ...call } = readCall(request);
      const { bytes, answer } = await service.use(async ({ client }) => {
        const signal = endOf(reply);
        const demand = { requesters: new Set<object>(), signal };
        return client.call(name, call.values, { ...call.options, demand });
      });
      if (name === 'storePlanning') permanentIds.put(String(answer), call.json?.json);
      const mayRepeatToken = operation.group !== 'odb' && operation.answer === 'json';
      const { buffer, byteOffset, byteLength } = mayRepeatToken ? withoutSecrets(bytes) : bytes;
      reply.headers(HEADERS).type(contentTypeOf(operation.answer, bytes));
      return reply.send(Buffer.from(buffer, byteOffset, byteLength));
    },
  });
}

/** Operations of the service that draw a planning. A page that shows one without a token needs no other. */
const DRAWING = ['getPartsList', 'getBlock', 'getMaterial'] as const satisfies Parameters<
  ServiceClient['call']
>[0][];
type Drawing = (typeof DRAWING)[number];

function addPublicPlannings(
  app: FastifyInstance,
  { permanentIds, publicLinks }: PlanningProxyOptions,
  service: ReturnType<typeof reopened>,
): void {
  if (publicLinks === undefined) return;
  const plannings = new PublicPlannings({
    ...publicLinks,
    find: (permanentid) => permanentIds.get(permanentid),
    call: (name, values) => service.use(({ client }) => client.call(name, values)),
  });
  const idOf = ({ params }: FastifyRequest) => (params as { id: string }).id;
  app.get(`${PUBLIC}/planning`, (request, reply) => {
    const planning = redact(plannings.planning(idOf(request)));
    return reply.headers(HEADERS).type(JSON_TYPE).send(JSON.stringify(planning));
  });
  app.get(`${PUBLIC}/api/*`, async (request, reply) => {
    const { name, operation, values } = readCall(request, PUBLIC);
    if (!DRAWING.some((known) => known === name)) throw new Refusal(404, NO_OPERATION);
    const drawing = name as Drawing;
    const id = idOf(request);
    const bytes =
      drawing === 'getPartsList'
        ? await plannings.partsList(id)
        : await plannings.body(id, { operation: drawing, values });
    reply.headers(HEADERS).type(contentTypeOf(operation.answer, bytes));
    return reply.send(Buffer.from(bytes));
  });
}

function sendError(reply: FastifyReply, thrown: unknown, log: Logger): FastifyReply {
  const { status, error, code, headers = {} } = failureOf(thrown);
  // The error is not logged if the page no longer waits.
  if (status >= 500 && code !== 'INTERRUPTED')
    log.warn('a request of the planning page failed', { code, message: error });
  return reply
    .code(status)
    .headers({ ...HEADERS, ...headers })
    .send({ error, ...(code && { code }) });
}

function reopened(open: PlanningProxyOptions['open']) {
  let current: Promise<OpenService> | undefined;
  const close = async (service = current): Promise<void> => {
    if (current === service) current = undefined;
    await service?.then((opened) => opened.close()).catch(() => undefined);
  };
  const use = async <T>(work: (service: OpenService) => Promise<T>): Promise<T> => {
    current ??= open();
    const service = current;
    const opened = await service.catch((error) => {
      if (current === service) current = undefined;
      throw error;
    });
    try {
      return await work(opened);
    } catch (error) {
      if (isConverterError(error, ...GIVEN_UP)) void close(service);
      throw error;
    }
  };
  return { use, close: () => close() };
}

/** A signal that aborts when the page no longer waits for an answer. */
function endOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => {
    if (raw.writableFinished) return;
    left.abort(new ConverterError('INTERRUPTED', 'interrupted before the response was complete'));
  });
  return left.signal;
}

function splitTarget(url: string) {
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  return { path, query: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)) };
}

function expectToken(query: URLSearchParams, token: string): void {
  const given = query.getAll('token');
  if (given.length === 1 && isSameSecret(given[0]!, token)) return;
  const received = given.length === 0 ? 'none' : 'another';
  const sentence = `token: expected that of the link which this server printed, received ${received}; open the link of the running server`;
  throw new Refusal(401, sentence);
}

const NO_OPERATION = 'no operation of the API that a page may call';

/** @param base - The path before that of the operation; of a parameter counts that it is one segment. */
function readCall({ method, url, body }: FastifyRequest, base = BASE) {
  const { path, query } = splitTarget(url);
  const below = path.split('/').slice(base.split('/').length).join('/');
  const found = operationAt(method, `/${below}`);
  if (found === undefined) throw new Refusal(404, NO_OPERATION);
  const { name, operation, address: first, segments } = found;
  const values: Record<string, string> = {};
  // A path that cannot be decoded was refused before.
  for (const [key, raw] of Object.entries(segments)) {
    const decoded = raw.split('/').map(decodeURIComponent).join('/');
    // The service may decode a value once more, and read a backslash as a slash.
    if (decoded.split(/[/\\]/).some((part) => /^\.\.?$/.test(part))) {
      const sentence = `${key}: expected a name, received a path that leads to another folder`;
      throw new Refusal(404, sentence);
    }
    values[key] = decoded;
  }
  const known = new Map(operation.query.map((one) => [one.name, one.from]));
  for (const [key, value] of query) {
    const from = known.get(key);
    if (from !== undefined) values[from] = value;
    else if (key !== 'token' && !LANGUAGES.includes(key)) {
      throw new Refusal(400, `parameter ${key}: expected none of this name`);
    }
  }
  if (operation.body === undefined) return { name, operation, values, options: { first } };
  const { text, json } = readJson(body instanceof Uint8Array ? body : new Uint8Array());
  return { name, operation, values, options: { first, body: text }, json };
}

/** Redacts an answer: its texts may repeat the token of the service, such as in the address of an image. */
function withoutSecrets(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  if (redact(text) === text) return bytes;
  return new TextEncoder().encode(JSON.stringify(redact(JSON.parse(text))));
}

function readJson(bytes: Uint8Array): { text: string; json: JsonRecord } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const json: unknown = JSON.parse(text);
    if (isRecord(json)) return { text, json };
  } catch {
    // The body is neither text nor JSON.
  }
  throw new Refusal(400, 'body: expected a JSON object in UTF-8');
}

/** Types by the first bytes of a content: the specification names no type of a resource. */
const SIGNATURES: readonly [start: string, type: string][] = [
  ['\xff\xd8\xff', 'image/jpeg'],
  ['\x89PNG', 'image/png'],
  ['GIF8', 'image/gif'],
  ['RIFF', 'image/webp'],
  ['BM', 'image/bmp'],
  ['<', 'image/svg+xml'],
];

function contentTypeOf(kind: string, bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  if (kind === 'json' || (kind === 'text' && /^\s*[[{"]/.test(start))) return JSON_TYPE;
  if (kind === 'text') return 'text/plain; charset=utf-8';
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  return known?.[1] ?? 'application/octet-stream';
}

/** The answer to a thrown error: a sentence without secrets, and without details of an internal error. */
function failureOf(thrown: unknown): {
  status: number;
  error: string;
  code?: ErrorCode;
  headers?: Readonly<Record<string, string>> | undefined;
} {
  if (thrown instanceof Refusal) {
    const { status, message: error, details } = thrown;
    return { status, error, headers: details.headers };
  }
  const { statusCode } = thrown as { statusCode?: number };
  if (statusCode === 413) {
    const error = `body: expected at most ${BODY_LIMIT_BYTES} bytes, received more`;
    return { status: 413, error };
  }
  if (statusCode !== undefined && statusCode < 500) {
    return { status: statusCode, error: 'expected a request as HTTP defines it' };
  }
  const { code, message, status = 0 } = asConverterError(thrown);
  const isOfThePage = status >= 400 && status < 500 && !NOT_OF_THE_PAGE.includes(status);
  const answered = isOfThePage ? status : (STATUSES[code] ?? 502);
  return { status: answered, error: redact(message), code };
}
