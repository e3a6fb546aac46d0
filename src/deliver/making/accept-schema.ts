/** The key `accept:` of each delivery. */
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../support/errors.ts';

const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** Codes of failures of a delivery, none by default. */
export const acceptSchema = () =>
  z
    .array(z.enum(CODES))
    .default([])
    .describe('codes of failures that are known: reported, and no failure of the run');
