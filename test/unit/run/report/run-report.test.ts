import { expect, test } from 'vitest';
import { reportJsonSchema, runReportSchema } from '../../../../src/run/report/run-report.ts';
import { mixedReport, reportedLine, reportOf } from '../../../helpers/reports.ts';

test('pipelines/report.schema.json is what the code says (npm run schema writes it)', async () => {
  const text = `${JSON.stringify(reportJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../../pipelines/report.schema.json');
});

test.each([
  ['a run without changes', reportOf([reportedLine('D1')])],
  ['a mixed run', mixedReport()],
])('the report of %s is as the schema says', (_, report) => {
  const read = JSON.parse(JSON.stringify(report));
  expect(runReportSchema.strict().parse(read)).toEqual(read);
});
