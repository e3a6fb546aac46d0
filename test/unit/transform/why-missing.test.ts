import { describe, expect, it } from 'vitest';
import { whyMissing } from '../../../src/transform/why-missing.ts';

describe('whyMissing', () => {
  it('is what fetch met, named once', () => {
    const missing = { code: 'HTTP_TIMEOUT', message: 'Block a: no complete answer came in time' };
    expect(whyMissing({ missing }, 'BLOCK_MISSING', 'block A')).toMatchObject(missing);
    const nameless = { code: 'BLOCK_INVALID', message: 'V: expected an array' };
    expect(whyMissing({ missing: nameless }, 'BLOCK_MISSING', 'block A')).toMatchObject({
      code: 'BLOCK_INVALID',
      message: 'block A: V: expected an array',
    });
  });

  it('is the given code where nothing better is known', () => {
    expect(whyMissing(undefined, 'IMAGE_MISSING', 'image W')).toMatchObject({
      code: 'IMAGE_MISSING',
      message: 'image W: not fetched',
    });
    const missing = { code: 'constructor', message: 'of a newer version' };
    expect(whyMissing({ missing }, 'BLOCK_MISSING', 'block A').code).toBe('BLOCK_MISSING');
  });
});
