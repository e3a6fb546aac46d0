import { describe, expect, it } from 'vitest';
import {
  CONVERT_DEFAULTS,
  CONVERTER_VERSION,
} from '../../../../src/convert/transform/convert-options.ts';

describe('CONVERT_DEFAULTS', () => {
  it('are what the decisions say', () => {
    expect(CONVERT_DEFAULTS).toMatchObject({
      inheritScale: false,
      origin: 'keep',
      curveToleranceMetres: 0.00025,
      weldToleranceMetres: 0,
      winding: 'auto',
      creaseAngleDegrees: 30,
      tangents: 'none',
      flipV: true,
      textureTransform: 'auto',
      luminanceDivisor: 100,
      strict: false,
    });
  });

  it('survive a way through JSON, as the digest of a source takes them', () => {
    expect(JSON.parse(JSON.stringify(CONVERT_DEFAULTS))).toEqual(CONVERT_DEFAULTS);
    expect(Number.isInteger(CONVERTER_VERSION)).toBe(true);
  });
});
