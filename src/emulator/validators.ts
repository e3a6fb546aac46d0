/**
 * Validators: ETag and Last-Modified on answers, and 304 for who has them already.
 *
 * In: complete answers with status 200. Out: the same with a header more, or "not modified".
 * It must not know what an answer holds.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What an answer is recognised by. */
export type ValidatorKind = 'etag' | 'last-modified' | 'none';

/** What the answer to a GET is recognised by, and whether that is what the client has. */
interface Validation {
  headers: Record<string, string>;
  isCurrent: boolean;
}

type Validate = (request: FastifyRequest, digest: string) => Validation;

/**
 * Adds validators to each GET that a token is needed for.
 *
 * A date is when the emulator began, or when it first answered a request otherwise than before.
 *
 * @param now - Milliseconds since the epoch.
 *
 * @see D-841.
 */
export function addValidators(app: FastifyInstance, kind: ValidatorKind, now: () => number): void {
  if (kind === 'none') return;
  const validate = kind === 'etag' ? byTag : byDate(now);
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

const TOKEN = /([?&])token=[^&]*/;

function byTag({ headers }: FastifyRequest, digest: string): Validation {
  const etag = `"${digest}"`;
  return { headers: { etag }, isCurrent: headers['if-none-match'] === etag };
}

function byDate(now: () => number): Validate {
  const startedMs = now();
  const known = new Map<string, { digest: string; modifiedMs: number }>();
  return ({ url, headers }, digest) => {
    const request = url.replace(TOKEN, '$1');
    const before = known.get(request);
    const modifiedMs = before === undefined ? startedMs : now();
    const state = before?.digest === digest ? before : { digest, modifiedMs };
    known.set(request, state);
    const date = Date.parse(headers['if-modified-since'] ?? '');
    const modified = new Date(state.modifiedMs).toUTCString();
    return {
      // A date of the emulator's own clock: the two are compared.
      headers: { 'last-modified': modified, date: new Date(now()).toUTCString() },
      isCurrent: date >= Date.parse(modified),
    };
  };
}
