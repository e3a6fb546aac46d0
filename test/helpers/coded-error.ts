/** Errors by their code, as callers tell them apart. */
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/support/errors.ts';

/** Matches an error of a code, with exactly this message, or with one that a pattern matches. */
export function coded(code: ErrorCode, message: string | RegExp = /^/) {
  const text = typeof message === 'string' ? message : expect.stringMatching(message);
  return expect.objectContaining({ code, message: text });
}
