import { expect, test } from 'vitest';
import { reportJsonSchema } from '../../../src/report/run-report.ts';

test('pipelines/report.schema.json is what the code says (npm run schema writes it)', async () => {
  const text = `${JSON.stringify(reportJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../pipelines/report.schema.json');
});
