import { describe, expect, it } from 'vitest';
import {
  asConverterError,
  ConverterError,
  ERROR_CODES,
  endsRun,
  isConverterError,
} from '../../../src/support/errors.ts';
import { registerSecret } from '../../../src/support/redact.ts';

describe('ConverterError', () => {
  it('keeps code, place and cause', () => {
    const cause = new Error('below');
    const place = { operation: 'getBlock', article: 'ACME/DESK/T1', status: 200, cause };
    const error = new ConverterError('BLOCK_INVALID', 'V: expected an array', place);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'ConverterError', code: 'BLOCK_INVALID', ...place });
    expect('cause' in new ConverterError('USAGE', 'x')).toBe(false);
  });

  it('holds no secret, neither in its message nor in its address nor in its stack', () => {
    registerSecret('hunter2-of-errors');
    const error = new ConverterError('HTTP_STATUS', 'password hunter2-of-errors refused', {
      url: 'https://h/btg?token=T0KEN&lang=en',
    });
    expect(error.message).toBe('password *** refused');
    expect(error.url).toBe('https://h/btg?token=***&lang=en');
    expect(error.stack).not.toContain('hunter2-of-errors');
  });
});

describe('error codes', () => {
  it('each name an action that helps, and end a run or fail one article', () => {
    for (const [code, { help, exit }] of Object.entries(ERROR_CODES)) {
      expect(help, code).toMatch(/\w/);
      const fails = exit === 1 || code === 'INTERNAL';
      expect(endsRun(code as keyof typeof ERROR_CODES), code).toBe(!fails);
    }
    expect(endsRun('DISK_FULL')).toBe(true);
    expect(endsRun('BLOCK_MISSING')).toBe(false);
  });

  it('are what is matched on', () => {
    const error = new ConverterError('BLOCK_MISSING', 'x');
    expect(isConverterError(error)).toBe(true);
    expect(isConverterError(error, 'BLOCK_INVALID', 'BLOCK_MISSING')).toBe(true);
    expect(isConverterError(error, 'BLOCK_INVALID')).toBe(false);
    expect(isConverterError({ code: 'BLOCK_MISSING' })).toBe(false);
  });

  it('can be created by a program without types that leaves something out', () => {
    const create = (...parameters: unknown[]) => Reflect.construct(ConverterError, parameters);
    expect(create()).toMatchObject({ code: 'INTERNAL' });
    expect(create('USAGE')).toMatchObject({ code: 'USAGE', message: 'USAGE' });
    expect(create('BLAH', 'x')).toMatchObject({ code: 'INTERNAL', message: 'x' });
    expect(create('USAGE', 'x', null)).toMatchObject({ code: 'USAGE', message: 'x' });
  });
});

describe('asConverterError', () => {
  it('passes ours through, and wraps all else with its cause', () => {
    const own = new ConverterError('DISK_FULL', 'x');
    expect(asConverterError(own)).toBe(own);
    const foreign = new TypeError('a is undefined');
    const { message } = foreign;
    expect(asConverterError(foreign)).toMatchObject({ code: 'INTERNAL', message, cause: foreign });
    const code = 'IMAGE_UNREADABLE';
    expect(asConverterError('thrown text', code)).toMatchObject({ code, message: 'thrown text' });
  });
});
