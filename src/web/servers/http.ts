/** Functions that the servers share: host names, connections, the log of answers, and shutdown. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply } from 'fastify';
import type { ErrorCode } from '../../support/errors.ts';
import { listen, misdirectionOf, type ServerAddress } from '../../support/listening.ts';
import type { Logger } from '../../support/log.ts';

/** The address, shutdown and dependencies of a server. */
export interface GatewayOptions extends ServerAddress {
  /** Most connections; beyond them, those that have been idle for the longest time are closed. @defaultValue 256 */
  maxConnections?: number;
  /** How long the shutdown waits for requests in flight, milliseconds. @defaultValue 10000 */
  graceMs?: number;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Logger;
}

/** A listening HTTP server. */
export interface GatewayServer {
  readonly url: string;
  /** Accepts no more requests, waits for those in flight, then closes; may be called repeatedly. */
  close(): Promise<void>;
}

/** A request that is answered with an error status and `{"error": …, "code": …}`. */
export class Refusal extends Error {
  readonly status: number;
  readonly details: {
    code?: ErrorCode;
    headers?: Readonly<Record<string, string>>;
    /** Further JSON fields for a program. */
    more?: Readonly<Record<string, unknown>>;
  };

  constructor(status: number, message: string, details: Refusal['details'] = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

const GRACE_MS = 10_000;

/**
 * Makes an application and its server, which accepts only its own names, limits connections, and logs each answer
 * without query, header or body.
 *
 * @param sendError - Answers an error; also a {@link Refusal}.
 *
 * @see D-810, D-812.
 */
export async function createGateway(
  options: GatewayOptions,
  sendError: (reply: FastifyReply, error: unknown, log: Logger) => FastifyReply,
  settings: FastifyHttpOptions<Server>,
) {
  const { graceMs = GRACE_MS, now, log } = options;
  const { fastify } = await import('fastify');
  const app = fastify({ logger: false, ...settings }) as unknown as FastifyInstance;
  app.setErrorHandler((error, _request, reply) => sendError(reply, error, log));
  let closed: Promise<void> | undefined;
  limitConnections(app.server, options.maxConnections);
  const arrivals = new WeakMap<object, number>();
  app.addHook('onRequest', async (request) => {
    arrivals.set(request, now());
    const misdirection = misdirectionOf(request.headers.host, options);
    if (misdirection) throw new Refusal(misdirection.status, misdirection.message);
  });
  app.addHook('onResponse', async (request, reply) => {
    const ms = now() - (arrivals.get(request) ?? now());
    const { method, ip: sender } = request;
    log.info('answered', { method, status: reply.statusCode, ms, sender });
  });
  return {
    app,
    isClosing: () => closed !== undefined,
    /** @throws {@link ConverterError} `USAGE` if the address cannot be used. */
    async listen(path: string): Promise<GatewayServer> {
      const origin = await listen(app, options);
      return {
        url: `${origin}${path}`,
        close() {
          closed ??= closeWithin(app, graceMs);
          return closed;
        },
      };
    },
  };
}

/** Beyond the limit, the oldest connection without a request is closed, or, if there is none, one with a request. */
function limitConnections(server: Server, maxConnections = 256): void {
  const idle = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const [oldest] = idle.size > 0 ? idle : busy;
    if (idle.size + busy.size >= maxConnections) oldest!.destroy();
    idle.add(socket);
    socket.on('close', () => {
      idle.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    busy.add(socket);
    response.on('close', () => {
      if (busy.delete(socket) && !socket.destroyed) idle.add(socket);
    });
  });
}

function closeWithin(app: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  return app.close().finally(() => clearTimeout(timer));
}

/** Compares two secrets in the same time wherever they differ. */
export function isSameSecret(given: string, secret: string): boolean {
  const [a, b] = [given, secret].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
