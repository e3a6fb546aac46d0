import { describe, expect, it, test } from 'vitest';
import { CONVERT_DEFAULTS } from '../../../../src/convert/transform/convert-options.ts';
import { readFields } from '../../../../src/convert/wire/material.ts';
import { pipelineJsonSchema } from '../../../../src/deliver/pipeline.ts';
import { deliverSchema } from '../../../../src/deliver/section.ts';
import { pipelineSchemaWith } from '../../../../src/run/file/pipeline-schema.ts';

test('pipelines/schema.json is what the code says (npm run schema writes it)', async () => {
  const text = `${JSON.stringify(pipelineJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../../pipelines/schema.json');
});

test('the schema has every conversion option with its one default', () => {
  const { convert } = pipelineJsonSchema().properties as Record<string, { properties: object }>;
  const defaults = Object.entries(convert!.properties).map(([name, node]) => [name, node.default]);
  expect(Object.fromEntries(defaults)).toEqual(CONVERT_DEFAULTS);
});

describe('the convert section', () => {
  const convertSchema = pipelineSchemaWith(deliverSchema).shape.convert;

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
});
