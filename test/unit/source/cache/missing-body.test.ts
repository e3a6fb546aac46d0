import { describe, expect, it } from 'vitest';
import { missingBecause } from '../../../../src/source/cache/missing-body.ts';
import {
  ConverterError,
  ERROR_CODES,
  type ErrorCode,
  endsRun,
} from '../../../../src/support/errors.ts';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];
const thrown = (code: ErrorCode) =>
  new ConverterError(code, 'GET http://10.0.0.1:8080/x failed at 02:15 after 5 attempts', {
    status: 503,
  });

describe('missingBecause', () => {
  it.each(codes.filter(endsRun))('%s ends the run', (code) => {
    const error = thrown(code);
    expect(() => missingBecause(error, 'block X')).toThrow(error);
  });

  it.each(
    codes.filter(
      (code) => ERROR_CODES[code].exit === 1 && !/^(BLOCK_(INV|EM)|IMAGE_REF)/.test(code),
    ),
  )('%s is reported without host, port, time and count', (code) => {
    const { message } = missingBecause(thrown(code), 'block X');
    expect(message).toMatch(/^block X: [a-z]/);
    expect(message).not.toMatch(/10\.0|8080|02:15|attempt|http:/);
  });

  it('lets the decoder of a block say where', () => {
    const error = new ConverterError('BLOCK_INVALID', 'A[0].F: expected an array, received null');
    expect(missingBecause(error, 'block X')).toEqual({
      code: 'BLOCK_INVALID',
      message: error.message,
    });
  });

  it('has the status, and the code of an unexpected error', () => {
    expect(missingBecause(thrown('HTTP_STATUS'), 'image A/B')).toEqual({
      code: 'HTTP_STATUS',
      message: 'image A/B: the service answered with status 503',
    });
    expect(missingBecause(new TypeError('x is not a function'), 'block X')).toEqual({
      code: 'INTERNAL',
      message: 'block X: it could not be fetched (INTERNAL)',
    });
  });
});
