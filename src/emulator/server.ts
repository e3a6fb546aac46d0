/**
 * Server: rows of the table as HTTP, and refusals as JSON.
 *
 * In: routes. Out: a server that is not yet listening. It must not know what any operation means.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isConverterError } from '../support/errors.ts';
import { jsonText } from './json-text.ts';
import { checkRequest } from './request.ts';
import { type Answer, Refusal, type Route, type RouteContext } from './route.ts';
import { addValidators, type ValidatorKind } from './validators.ts';

/** One answered request. */
export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
}

const BODY_LIMIT_BYTES = 65_536;
/** Room for a query that is too long, so that it gets its own answer and not the parser's. */
const MAX_HEADER_BYTES = 262_144;

/** How answers are sent, whatever they are. */
export interface ServerOptions {
  validators: ValidatorKind;
  /** Milliseconds since the epoch. */
  now: () => number;
  onRequest?: ((event: AnsweredRequest) => void) | undefined;
}

/** A server without any reading of bodies of its own: each row gets the bytes as they came. */
export async function createServer({
  validators,
  now,
  onRequest,
}: ServerOptions): Promise<FastifyInstance> {
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
  addValidators(app as unknown as FastifyInstance, validators, now);
  if (onRequest !== undefined) report(app as unknown as FastifyInstance, onRequest);
  return app as unknown as FastifyInstance;
}

/** Adds a row of the table below a base path; each request is counted under its operation. */
export function addRoute(
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
      const call = checkRequest(route, rawRequest(request), context);
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
  if (answer.kind === 'bytes') {
    reply.headers(answer.headers ?? {});
    return reply.type(answer.contentType).send(bufferOf(answer.bytes));
  }
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
