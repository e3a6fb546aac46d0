import { expect, test } from 'vitest';
import { pipelineJsonSchema } from '../../../src/pipeline/pipeline-schema.ts';
import { CONVERT_DEFAULTS } from '../../../src/transform/convert-options.ts';

test('pipelines/schema.json is what the code says (npm run schema writes it)', async () => {
  const text = `${JSON.stringify(pipelineJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../pipelines/schema.json');
});

test('the schema knows every conversion option with its one default', () => {
  const { convert } = pipelineJsonSchema().properties as Record<string, { properties: object }>;
  const defaults = Object.entries(convert!.properties).map(([name, node]) => [name, node.default]);
  expect(Object.fromEntries(defaults)).toEqual(CONVERT_DEFAULTS);
});
