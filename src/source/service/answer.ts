/** Reads a complete answer: a decoded body, an error that names its request, or a dead token. */

import type { Drift } from '../../convert/wire/fields.ts';
import { exceededLimit, withoutUndefined } from '../../convert/wire/value.ts';
import { articleLabel } from '../../model/configuration-id.ts';
import { ConverterError, type ErrorCode, isConverterError } from '../../support/errors.ts';
import { redact } from '../../support/redact.ts';
import { OPERATIONS, type Operation, type OperationName, type Values } from './operations.ts';
import { markLasting } from './request-failure.ts';
import { type Addresses, buildTarget, encodeStrictly } from './target.ts';
import type { Exchange, HttpResponse } from './transport.ts';

/** Query length that common servers accept; many servers refuse a longer query. */
const COMMON_QUERY_LIMIT_BYTES = 2048;
/** Statuses by which a server refuses a query for its length, whatever the length. */
const ALWAYS_TOO_LONG: ReadonlySet<number> = new Set([414, 431]);
/** Statuses by which a server may refuse a long query: IIS answers 404.15 or 400, with a page of HTML. */
const PERHAPS_TOO_LONG: ReadonlySet<number> = new Set([400, 404, 413]);
/** Statuses that concern the request, not the token. */
const NOT_THE_TOKEN: ReadonlySet<number> = new Set([404, 413, 414, 422, 429, 431]);
/** Largest size of an error body, which is a short object with the error at its beginning. */
const ERROR_BODY_BYTES = 65_536;
const ERROR_KEY = '"error"';
const ERROR_KEY_WITHIN_BYTES = 512 + ERROR_KEY.length;
const MASK = '***';

/** The name of each kind of answer in an error, and whether its body is a text. */
const KINDS: Record<Operation<unknown>['answer'], { expected: string; isText?: true }> = {
  json: { expected: 'JSON', isText: true },
  text: { expected: 'JSON or a text', isText: true },
  image: { expected: 'an image' },
  binary: { expected: 'a resource' },
  any: { expected: 'anything' },
};

/** Codes that concern the whole run, not one request. */
const OF_THE_RUN: readonly ErrorCode[] = [
  'SERVICE_UNREACHABLE',
  'SERVICE_GONE',
  'RATE_LIMITED',
  'INTERRUPTED',
];

/**
 * Whether an answer may come from an expired token: 401, 403, an `error` body, or a page of
 * HTML in place of JSON or an image (D-609).
 */
export function looksLikeDeadToken(operation: Operation<unknown>, response: HttpResponse): boolean {
  const { status, bytes } = response;
  if (operation.token !== 'query') return false;
  if (status === 401 || status === 403) return true;
  if (NOT_THE_TOKEN.has(status)) return false;
  // A gateway's own page comes with a 5xx and proves nothing about the token.
  return (status < 400 && isPage(operation, bytes)) || errorText(bytes) !== undefined;
}

/**
 * Decodes an answer; `queryBytes` is the length of the query that was sent.
 *
 * @throws {@link ConverterError} the row's code of a 404 or 422, `QUERY_TOO_LONG` (D-606), `HTTP_STATUS`,
 * `RESPONSE_INVALID`, or what the row's decoder throws.
 */
export function readAnswer<Answer>(
  operation: Operation<Answer>,
  response: HttpResponse,
  queryBytes: number,
  onDrift?: (drift: Drift) => void,
): Answer {
  const { status, bytes } = response;
  const { expected, isText } = KINDS[operation.answer];
  const fail = (code: ErrorCode, message: string) => new ConverterError(code, message, { status });
  const unexpected = (received: string) =>
    fail('RESPONSE_INVALID', `expected ${expected}, received ${received}`);
  const said = errorText(bytes);
  if (refusesLength(response, queryBytes)) {
    throw fail('QUERY_TOO_LONG', 'the service refuses a query of this length');
  }
  if (status === 404) throw fail(operation.missing, operation.missingMeans);
  if (status === 422 && operation.refused !== undefined) {
    throw fail(operation.refused, said ?? 'refused');
  }
  if (status < 200 || status > 299) {
    const why = said === undefined ? '' : `: ${said}`;
    throw fail('HTTP_STATUS', `the service answered with status ${status}${why}`);
  }
  if (operation.answer === 'any') return operation.decode(bytes);
  const limit = isText && exceededLimit(bytes);
  if (limit) throw markLasting(unexpected(`more than ${limit}`));
  if (isPage(operation, bytes)) throw unexpected('a page of HTML');
  if (said !== undefined) throw unexpected(`an error: ${said}`);
  return decodeWhole(operation, bytes, onDrift);
}

function refusesLength({ status, bytes }: HttpResponse, queryBytes: number): boolean {
  if (ALWAYS_TOO_LONG.has(status)) return true;
  if (queryBytes <= COMMON_QUERY_LIMIT_BYTES || !PERHAPS_TOO_LONG.has(status)) return false;
  // A 404 in JSON was sent by the service itself, not by a limit of its server.
  return status !== 404 || !startsLikeJson(bytes);
}

/** Decodes a body. One that is no JSON was truncated on its way, which may pass; a wrong shape is a lasting failure. */
function decodeWhole<Answer>(
  operation: Operation<Answer>,
  bytes: Uint8Array,
  onDrift: ((drift: Drift) => void) | undefined,
): Answer {
  try {
    return operation.decode(bytes, onDrift);
  } catch (error) {
    if (!KINDS[operation.answer].isText || !(error instanceof Error)) throw error;
    const drift = error instanceof ConverterError && driftIn(error.message);
    // A mismatching field was found in complete JSON; large bodies are not parsed again.
    if (
      !drift &&
      operation.answer === 'json' &&
      (error.message.startsWith('expected JSON, ') || !isComplete(bytes))
    )
      throw new ConverterError('RESPONSE_INVALID', error.message);
    if (drift) onDrift?.(drift);
    throw markLasting(error);
  }
}

function isComplete(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** Returns the text of an `error` body, `{"error":"…"}`, with any status; undefined if it is none (D-601). */
export function errorText(bytes: Uint8Array): string | undefined {
  if (bytes.length > ERROR_BODY_BYTES || !startsLikeJson(bytes)) return undefined;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!body.subarray(0, ERROR_KEY_WITHIN_BYTES).includes(ERROR_KEY)) return undefined;
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: unknown };
    return typeof error === 'string' || typeof error === 'object' ? shorten(error) : undefined;
  } catch {
    return undefined;
  }
}

/** Shortens a text to one line of at most 200 characters: it comes from outside and is shown to a person. */
function shorten(error: unknown): string | undefined {
  if (error === null || error === undefined || error === '') return undefined;
  const { message } = error as { message?: unknown };
  const said = typeof error === 'string' ? error : message;
  // Secrets are removed before the text is cut, because half a secret is not recognised.
  const line = redact(typeof said === 'string' ? said : 'without a text')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function firstByte(bytes: Uint8Array): number | undefined {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length && bytes[at]! <= 0x20) at += 1;
  return bytes[at];
}

/** Whether a body is a page of HTML. A resource may be an SVG, which is markup too: the beginning decides. */
function isPage({ answer }: Operation<unknown>, bytes: Uint8Array): boolean {
  if (firstByte(bytes) !== 0x3c) return false;
  if (answer !== 'binary') return true;
  const beginning = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024));
  return /<(?:!doctype html|html|head|body)\b/i.test(beginning.toString('latin1'));
}

function startsLikeJson(bytes: Uint8Array): boolean {
  const first = firstByte(bytes);
  return first === 0x7b || first === 0x5b;
}

/** Reads the mismatch from an error of a decoder; undefined if it concerns no field. */
function driftIn(message: string): Drift | undefined {
  const [, where, expected, found] =
    /^([^\s:]+): expected (.*?), received (.*)$/s.exec(message) ?? [];
  if (where === undefined || expected === undefined || found === undefined) return undefined;
  return { field: where.replace(/\[\d+\]/g, '[]'), expected, found };
}

type Addressed = Pick<Exchange, 'name' | 'values' | 'address'>;

/** Adds operation, article and address to an error, unless it has an operation or, as an interruption, concerns all. */
export function withContext(error: unknown, exchange: Addressed, addresses: Addresses): unknown {
  const { name, values } = exchange;
  if (!isConverterError(error) || error.operation !== undefined) return error;
  if (error.code === 'INTERRUPTED') return error;
  if (name === 'getNodes' && values.parentnode === '' && error.code === 'NODE_NOT_FOUND') {
    return noCatalogue(error, addresses);
  }
  const { code, message, status, cause } = error;
  const { article, subject } = subjectOf(name, values);
  const where = subject === '' ? name : `${name} ${subject}`;
  const url = shownUrl(exchange, addresses);
  const sentence = OF_THE_RUN.includes(code) ? message : `${where}: ${message}`;
  const help = error.isGeneralHelp ? undefined : error.help;
  const context = withoutUndefined({ operation: name, cause, url, article, status, help });
  return new ConverterError(code, sentence, context);
}

function shownUrl({ name, values, address }: Addressed, addresses: Addresses): string | undefined {
  try {
    const { origin, path } = buildTarget(OPERATIONS[name], values, addresses, MASK, address);
    return `${origin}${path.replace(encodeStrictly(MASK), MASK)}`;
  } catch {
    return undefined;
  }
}

/** Makes the error for a missing root of the catalogue. The root always exists, so the address is wrong. */
function noCatalogue({ status = 404, cause }: ConverterError, { baseUrl }: Addresses) {
  const { origin, path } = baseUrl;
  const where = new URL(origin).host;
  const message = `${where}: expected a catalogue at this address, received status ${status}; check BTG2GLTF_BASE_URL (service.baseUrl)`;
  const context = { operation: 'getNodes', url: `${origin}${path}`, cause, status };
  return new ConverterError('SERVICE_UNREACHABLE', message, context);
}

/** The subject of a request: an article, or else the values that identify it. */
function subjectOf(name: OperationName, values: Values): { article?: string; subject: string } {
  const { manufacturer = '', program = '', basearticlenumber, parentnode } = values;
  if (basearticlenumber !== undefined) {
    const article = articleLabel({ manufacturer, program, basearticlenumber });
    return { article, subject: article };
  }
  if (parentnode === '') return { subject: '(top of the catalogue)' };
  const identity = OPERATIONS[name].identity.map((part) => values[String(part)]);
  return { subject: identity.join('/') };
}
