/** Problems as JSON, and as a page for visitors: what was wrong with a request, or why it cannot be answered. @see RFC 9457 */
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../../deliver/assets.ts';
import { asConverterError, type ErrorCode } from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';
import { Refusal } from '../servers/http.ts';
import { AR_POLICY, unavailablePage } from './ar-page.ts';

/** Time after which to ask again, seconds. */
export const RETRY_AFTER_SECONDS = 5;

/** Errors that who asks can correct. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  USAGE: 400,
  ARTICLE_NOT_FOUND: 404,
  PROPERTY_UNKNOWN: 422,
  PROPERTY_VALUE_REFUSED: 422,
  CONFIGURATION_REFUSED: 422,
  PERMANENT_ID_NOT_RESOLVABLE: 422,
  CHILD_WITHOUT_ROOT: 422,
  NOTHING_TO_DRAW: 422,
  SCENE_TOO_LARGE: 422,
  BUDGET_EXCEEDED: 422,
  IMAGE_MISSING: 404,
  BROWSER_MISSING: 503,
};

const PROBLEM_TYPE = 'application/problem+json';

/** Sends a problem. What is no fault of who asks has no details, which could name the service. */
export function sendError(reply: FastifyReply, thrown: unknown, log: Logger): FastifyReply {
  const { headers = {}, ...problem } = problemOf(thrown, log);
  return reply
    .code(problem.status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(bodyOf(problem)));
}

/** Sends a problem of the AR page: as HTML to a browser, as JSON to a program. @param lang - Language of the page. */
export function sendPageError(
  { headers: sent }: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  { lang, log }: { lang: string; log: Logger },
): FastifyReply {
  reply.header('vary', 'accept');
  if (!/\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(sent.accept ?? ''))
    return sendError(reply, thrown, log);
  const { headers = {}, status } = problemOf(thrown, log);
  const page = unavailablePage(lang, status, otherPage(sent.referer, sent.host));
  if (page === undefined) return sendError(reply, thrown, log);
  return reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': AR_POLICY,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .type('text/html; charset=utf-8')
    .send(page);
}

/** The page that a visitor comes from, unless it is of this server. */
function otherPage(referer: string | undefined, host: string | undefined): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const page = new URL(referer);
  return /^https?:$/.test(page.protocol) && page.host !== host ? page.href : undefined;
}

/** The body of the problem that an error is. */
export function describeProblem(thrown: unknown, log: Logger): object {
  return bodyOf(problemOf(thrown, log));
}

function bodyOf({ status, detail, code, more }: Omit<Problem, 'headers'>): object {
  const title = STATUS_CODES[status] ?? 'Error';
  return { type: 'about:blank', title, status, detail, ...(code && { code }), ...more };
}

interface Problem {
  status: number;
  detail: string;
  code?: ErrorCode;
  headers?: Readonly<Record<string, string>>;
  more?: Readonly<Record<string, unknown>>;
}

function problemOf(thrown: unknown, log: Logger): Problem {
  if (thrown instanceof Refusal) {
    const { status, message: detail, details } = thrown;
    return { status, detail, ...details };
  }
  const { statusCode } = thrown as { statusCode?: number };
  if (statusCode !== undefined && statusCode < 500)
    return { status: statusCode, detail: 'expected a request as HTTP defines it' };
  const { code, message } = asConverterError(thrown);
  const status = STATUSES[code];
  if (status !== undefined) return { status, detail: message, code };
  log.error('an asset cannot be made', { code, message });
  if (!isUnavailable(code)) return { status: 502, detail: 'the file cannot be made', code };
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return { status: 503, detail: UNAVAILABLE, code, headers };
}

const UNAVAILABLE =
  'expected the service of the articles to answer, and few requests at the same time; what was made before is answered all the same';
