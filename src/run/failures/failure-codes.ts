/** What the error codes of failures mean for the next attempt: what it costs, and what has to change before it. */

import { type ConvertLimit, conversionText } from '../../convert/transform/convert-options.ts';
import type { ErrorCode } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import type { Pipeline } from '../file/pipeline-file.ts';

/** The options by which something may fail. */
export type Limited = Pick<Pipeline, 'service' | 'limits' | 'convert'>;

/** Of what was in work in several runs that were killed, after the first alone. */
export const KILLED_THE_RUN = 'KILLED_THE_RUN' satisfies ErrorCode;

/** Codes of failures that take long, or much memory, to try again. */
export const COSTLY: ReadonlySet<string> = new Set([
  KILLED_THE_RUN,
  'OUT_OF_MEMORY',
  'ARTICLE_TIMEOUT',
] satisfies ErrorCode[]);

/** Codes with which an article or its parts list cannot be fetched; a conversion may end with them for want of a body. */
export const OF_FETCH: ReadonlySet<string> = new Set([
  'HTTP_STATUS',
  'HTTP_TIMEOUT',
  'HTTP_CONNECTION',
  'RESPONSE_INVALID',
  'RESPONSE_TOO_LARGE',
  'REDIRECT_REFUSED',
  'QUERY_TOO_LONG',
  'PARTS_LIST_INVALID',
] satisfies ErrorCode[]);

/** Codes that no conversion ends with. */
export const UNFETCHED: ReadonlySet<string> = new Set([
  'ARTICLE_NOT_FOUND',
  'ARTICLE_REPORTED',
  'CONFIGURATION_REFUSED',
] satisfies ErrorCode[]);

type CodesOf<Options, Name extends keyof Options> = Record<Name, readonly ErrorCode[]>;
type NumberOf<Options> = {
  [K in keyof Options]-?: Options[K] extends number ? K : never;
}[keyof Options];

/** What fails by each limit; it is tried again once the limit has changed. Total: a new limit has to be placed. */
const FAILS_BY: {
  service: CodesOf<Pipeline['service'], NumberOf<Pipeline['service']>>;
  limits: CodesOf<Pipeline['limits'], keyof Pipeline['limits']>;
  convert: CodesOf<Pipeline['convert'], ConvertLimit>;
} = {
  service: {
    timeoutMs: ['HTTP_TIMEOUT'],
    maxResponseBytes: ['RESPONSE_TOO_LARGE'],
    maxJsonValues: ['RESPONSE_TOO_LARGE'],
    // What they limit fails no article, or ends the run.
    maxBytesInFlight: [],
    concurrency: [],
    retries: [],
    backoffMs: [],
    giveUpAfterMs: [],
    maxPauseMs: [],
    maxTotalPauseMs: [],
  },
  limits: {
    articleTimeoutMs: ['ARTICLE_TIMEOUT'],
    conversionHeapMb: ['OUT_OF_MEMORY'],
    maxTextCharacters: [],
    maxCartValues: ['CART_INVALID'],
    maxCarts: ['CARTS_LIMITED'],
    maxCartBytes: ['CARTS_LIMITED'],
  },
  convert: {
    maxNodes: ['SCENE_TOO_LARGE'],
    maxTriangles: ['SCENE_TOO_LARGE'],
    maxSceneBytes: ['SCENE_TOO_LARGE'],
    maxPixelsInFlight: [],
    maxListedLosses: [],
  },
};

/** Returns the value of each limit that makes something fail with a code, as `limits.conversionHeapMb=1024`. */
function limitsOf(options: Limited, code: string): string[] {
  return Object.entries(FAILS_BY).flatMap(([section, codes]) => {
    const values: Readonly<Record<string, unknown>> = options[section as keyof Limited];
    const names = Object.entries(codes).filter(([, those]) => those.includes(code as ErrorCode));
    return names.map(([name]) => `${section}.${name}=${values[name]}`);
  });
}

/** Digests what decides whether something fails with a code: conversion, version of the converter, limits of the code. */
export function conditionsOf(options: Limited): (code: string) => string {
  const conversion = conversionText(options.convert);
  return (code) => sha256Hex([conversion, ...limitsOf(options, code)].join('\n')).slice(0, 16);
}
