/** The HTTP server of the emulator: rows of the operation table, refusals as JSON, validators. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isConverterError } from '../support/errors.ts';
import { jsonText } from './json-text.ts';
import { type Answer, checkQuery, Refusal, type Route, type RouteContext } from './route.ts';

/** One answered request. */
export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
}

/** Which validator GET answers carry. */
export type ValidatorKind = 'etag' | 'last-modified' | 'none';

const BODY_LIMIT_BYTES = 65_536;
/** Large enough for a query that is too long, so that the route refuses it and not the HTTP parser. */
const MAX_HEADER_BYTES = 262_144;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Creates a server that is not yet listening. Bodies are not parsed: each row gets the bytes.
 *
 * @param now - Milliseconds since the epoch.
 */
export async function createServer(
  validators: ValidatorKind,
  now: () => number,
  onRequest?: (event: AnsweredRequest) => void,
): Promise<FastifyInstance> {
  const { fastify } = await import('fastify');
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, reply) => sendError(reply, error),
  }) as unknown as FastifyInstance;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => sendError(reply, error));
  app.setNotFoundHandler((_request, reply) =>
    sendError(reply, new Refusal(404, 'no such operation')),
  );
  if (validators !== 'none') addValidators(app, validators === 'etag' ? byTag : byDate(now));
  if (onRequest !== undefined) {
    app.addHook('onSend', async (request, reply) => {
      const { operation } = request.routeOptions.config as { operation?: string };
      onRequest({ method: request.method, route: operation ?? '', status: reply.statusCode });
    });
  }
  return app;
}

/** Adds a row of the table below a base path; each request is counted under its operation. */
export function addRoute(
  app: FastifyInstance,
  base: string,
  route: Route,
  context: RouteContext,
  counts: Map<string, number>,
): void {
  const { operation, method, path, bodyLimitBytes = BODY_LIMIT_BYTES } = route;
  app.route({
    method,
    url: base + path,
    bodyLimit: bodyLimitBytes,
    config: { operation },
    async handler({ raw, params, headers, body }, reply) {
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
      const query = checkQuery(route, raw.url ?? '/', context);
      const call = {
        query,
        segments: params as Record<string, string>,
        headers,
        body: body instanceof Uint8Array ? body : new Uint8Array(),
      };
      return send(reply, await route.answer(call, context));
    },
  });
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.kind === 'empty') return reply.code(200).send();
  if (answer.kind === 'json') return reply.type(JSON_TYPE).send(jsonText(answer.json));
  const { buffer, byteOffset, byteLength } = answer.bytes;
  reply.headers(answer.headers ?? {}).type(answer.contentType);
  return reply.send(Buffer.from(buffer, byteOffset, byteLength));
}

function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  const isRefusal = error instanceof Refusal;
  const status = isRefusal ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
  const isPublic = status < 500 || isRefusal || isConverterError(error);
  const message = isPublic ? (error as Error).message : 'internal';
  return reply
    .code(status)
    .type(JSON_TYPE)
    .send(jsonText({ error: message }));
}

/** The validator of an answer, and whether the client already has this answer. */
type Validate = (
  request: FastifyRequest,
  digest: string,
) => { headers: Record<string, string>; isCurrent: boolean };

const TOKEN = /([?&])token=[^&]*/;

/** Adds validators to each GET that requires a token, and answers 304 where they match (D-841). */
function addValidators(app: FastifyInstance, validate: Validate): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isBody = typeof payload === 'string' || payload instanceof Uint8Array;
    const isGet = request.method === 'GET' && TOKEN.test(request.url);
    if (!isBody || !isGet || reply.statusCode !== 200) return payload;
    const digest = createHash('sha256').update(payload).digest('hex').slice(0, 32);
    const { headers, isCurrent } = validate(request, digest);
    reply.headers(headers);
    if (!isCurrent) return payload;
    reply.code(304).removeHeader('content-type');
    return null;
  });
}

const byTag: Validate = ({ headers }, digest) => {
  const etag = `"${digest}"`;
  return { headers: { etag }, isCurrent: headers['if-none-match'] === etag };
};

/** The date is the start of the emulator, or when a request was first answered with other content. */
function byDate(now: () => number): Validate {
  const startedMs = now();
  const known = new Map<string, { digest: string; modifiedMs: number }>();
  return ({ url, headers }, digest) => {
    const request = url.replace(TOKEN, '$1');
    const before = known.get(request);
    const modifiedMs = before === undefined ? startedMs : now();
    const state = before?.digest === digest ? before : { digest, modifiedMs };
    known.set(request, state);
    const modified = new Date(state.modifiedMs).toUTCString();
    return {
      // `date` comes from the emulator's clock too, since clients compare the two.
      headers: { 'last-modified': modified, date: new Date(now()).toUTCString() },
      isCurrent: Date.parse(headers['if-modified-since'] ?? '') >= Date.parse(modified),
    };
  };
}
