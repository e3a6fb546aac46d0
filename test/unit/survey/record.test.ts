import { expect, test } from 'vitest';
import { surveyJsonSchema } from '../../../src/survey/record.ts';

test('pipelines/survey.schema.json is what the code says (npm run schema writes it)', async () => {
  const text = `${JSON.stringify(surveyJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../pipelines/survey.schema.json');
});
