/** Errors by their code, as callers tell them apart. */
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/support/errors.ts';

/** Matches an error of a code, with exactly this message, or with one that a matcher or pattern matches. */
export function coded(code: ErrorCode, message: unknown = /^/) {
  const text = message instanceof RegExp ? expect.stringMatching(message) : message;
  return expect.objectContaining({ code, message: text });
}
