import { expect, it } from 'vitest';
import { convertSchema } from '../../../src/pipeline/convert-schema.ts';
import { readFields } from '../../../src/service/wire-material.ts';
import { CONVERT_DEFAULTS } from '../../../src/transform/convert-options.ts';

it('takes nothing at all, and every default as it is', () => {
  expect(convertSchema.parse({})).toEqual(CONVERT_DEFAULTS);
  expect(convertSchema.parse(CONVERT_DEFAULTS)).toEqual(CONVERT_DEFAULTS);
});

it.each(['0x808080', '#FFaa00', '0.5 0.5 0.5', '1 0 1.0'])(
  'takes the colour %s, as the material decoder does',
  (defaultColorSrgb) => {
    expect(convertSchema.parse({ defaultColorSrgb })).toMatchObject({ defaultColorSrgb });
    const complaints: string[] = [];
    readFields({ dif: defaultColorSrgb }, (message) => complaints.push(message));
    expect(complaints).toEqual([]);
  },
);

it.each(['grey', '0x80808', '0.5 0.5', '2 0 0', ''])(
  'refuses the colour "%s"',
  (defaultColorSrgb) => {
    expect(() => convertSchema.parse({ defaultColorSrgb })).toThrow(/0xRRGGBB/);
  },
);
