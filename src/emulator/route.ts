/**
 * Route: what one row of the table of operations says, and what its answer may be.
 *
 * In: a request whose token and parameters were checked already. Out: an answer, or a refusal.
 */

import { type EmulatedRange, type Query, RangeRefusal } from '../sample/range.ts';
import type { PermanentIds } from './permanent-ids.ts';
import type { ApiGroup, TokenRegistry } from './tokens.ts';

/** A request as a row's answer sees it: decoded, checked, without its token. */
export interface Call {
  query: Query;
  /** Named segments of the path, decoded. */
  segments: Query;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
}

/** What the rows work on. */
export interface RouteContext {
  range: EmulatedRange;
  tokens: TokenRegistry;
  permanentIds: PermanentIds;
  /** A longer query is refused. */
  maxQueryBytes: number;
}

/** What goes back with status 200. */
export type Answer =
  | { kind: 'json'; json: unknown }
  | {
      kind: 'bytes';
      bytes: Uint8Array;
      contentType: string;
      headers?: Readonly<Record<string, string>>;
    }
  | { kind: 'empty' };

/** Largest body that holds a whole planning, in bytes. */
export const PLANNING_LIMIT_BYTES = 8_388_608;

/** One operation of the service: a row of the table. */
export interface Route {
  /** Lower-case name that requests are counted under. */
  operation: string;
  method: 'GET' | 'POST';
  /** Below the base path of its group; `:name` is a segment, `*` at the end is all that follows. */
  path: string;
  /** Where the token stands, and which group it must open. */
  token: { in: 'query'; group: ApiGroup } | { in: 'path' } | { in: 'nowhere' };
  /** Query parameters that must be there, beside the token; an empty value is a value. */
  required: readonly string[];
  /** Query parameters that may be there; any other is refused by name. */
  optional: readonly string[];
  /** @defaultValue 65536, in bytes */
  bodyLimitBytes?: number;
  answer(call: Call, context: RouteContext): Answer | Promise<Answer>;
}

/** A request that is answered with an error status and `{"error": message}`. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Answers a value as JSON; undefined is a 404 that names what is missing. */
export function jsonOr404(value: unknown, what: string): Answer {
  if (value === undefined) throw new Refusal(404, `${what} not found`);
  return { kind: 'json', json: value };
}

/** Answers a raw body; undefined is a 404 that names what is missing. */
export function bytesOr404(
  bytes: Uint8Array | undefined,
  contentType: string,
  what: string,
): Answer {
  if (bytes === undefined) throw new Refusal(404, `${what} not found`);
  return { kind: 'bytes', bytes, contentType };
}

/** Answers a picture or document by what it is; undefined is a 404 that names what is missing. */
export function fileOr404(bytes: Uint8Array | undefined, what: string): Answer {
  return bytesOr404(bytes, bytes === undefined ? '' : contentTypeOf(bytes), what);
}

/** First bytes of the kinds of files that a service of this kind hands out. */
const SIGNATURES: readonly { contentType: string; start: readonly number[] }[] = [
  { contentType: 'image/jpeg', start: [0xff, 0xd8, 0xff] },
  { contentType: 'image/png', start: [0x89, 0x50, 0x4e, 0x47] },
  { contentType: 'image/gif', start: [0x47, 0x49, 0x46, 0x38] },
  { contentType: 'application/pdf', start: [0x25, 0x50, 0x44, 0x46] },
];

function contentTypeOf(bytes: Uint8Array): string {
  const found = SIGNATURES.find(({ start }) => start.every((byte, i) => bytes[i] === byte));
  return found?.contentType ?? 'application/octet-stream';
}

/** Runs what a range may refuse; its sentence becomes a 422. */
export function refusedAs422<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeRefusal) throw new Refusal(422, error.message);
    throw error;
  }
}
