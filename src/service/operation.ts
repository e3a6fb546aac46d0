/**
 * Operation: what one row of the table of operations says.
 *
 * In: nothing. Out: the type of a row, and the base paths below which the rows stand.
 */
import type { ErrorCode } from '../support/errors.ts';
import type { DriftReporter } from './wire-drift.ts';

/** Groups of operations that share a base path. */
export type Group = 'auth' | 'xcf' | 'ofml' | 'odb' | 'ocd';

/** Base path of each group below its address. */
export const GROUPS: Readonly<Record<Group, { address: 'authUrl' | 'baseUrl'; path: string }>> = {
  auth: { address: 'authUrl', path: '' },
  xcf: { address: 'baseUrl', path: '/api/xcf.dll/xcf' },
  ofml: { address: 'baseUrl', path: '/api/ofml.dll/ofml' },
  odb: { address: 'baseUrl', path: '/api/odb.dll/odb' },
  // No group of the specification: the values of `previewimage` lead there (D-604).
  ocd: { address: 'baseUrl', path: '/api/ocd.dll' },
};

/** One query parameter of an operation. */
export interface QueryParameter {
  /** Its name on the wire. */
  name: string;
  /** Our name of the value, where it differs. */
  from?: string;
  /** A required one is sent even if it is empty, an optional one only if it holds something. */
  required: boolean;
}

/** Where a thing may be, if it may be in two places. */
export interface OtherAddress {
  group: Group;
  path: string;
  /** Whether it is asked before the row's own address, or after it. */
  order: 'before' | 'after';
}

/** One row of the table of operations. */
export interface Operation<Answer> {
  method: 'GET' | 'POST';
  group: Group;
  /**
   * Path below the group's: `{name}` stands for one encoded segment, `{name...}` for several, all
   * else is sent as it is.
   */
  path: string;
  /** A second address of the same thing; each is tried once, and which one worked is remembered. */
  other?: OtherAddress;
  /** Where the session token stands. */
  token: 'none' | 'query' | 'path';
  query: readonly QueryParameter[];
  /** Fields of the JSON body, all of them sent; none where there is no body. */
  body?: readonly string[];
  /** Values that are identifiers: the service takes them in upper case. */
  upperCase: readonly string[];
  /**
   * Names of the values that identify a request, in order: two requests with equal ones get the same
   * answer from one service. A nested list is itself one part of the key. See `requestKey`.
   */
  identity: readonly (string | readonly string[])[];
  /** What is due: anything else may mean that the token has died. */
  answer: 'json' | 'image' | 'text' | 'binary' | 'any';
  /** Checks and reads a complete body; tells what it had to tolerate. */
  decode: (body: Uint8Array, onDrift?: DriftReporter) => Answer;
  /** Code of a 404. */
  missing: ErrorCode;
  /** What a 404 means, as a sentence about the thing that was asked for. */
  missingMeans: string;
  /** Code of a 422, where the service may refuse what it was asked to do. */
  refused?: ErrorCode;
  /** Section of the specification. */
  spec: string;
}

/** Named values of an operation: parameters, path segments and what else identifies a request. */
export type Values = Readonly<Record<string, string | undefined>>;

/** A value as it is sent. */
export function spell({ upperCase }: Operation<unknown>, name: string, value = ''): string {
  return upperCase.includes(name) ? value.toUpperCase() : value;
}

/** A parameter that is always sent. */
export function required(name: string, from?: string): QueryParameter {
  return { name, required: true, ...(from === undefined ? {} : { from }) };
}

/** A parameter that is sent where it holds something. */
export function optional(name: string, from?: string): QueryParameter {
  return { name, required: false, ...(from === undefined ? {} : { from }) };
}
