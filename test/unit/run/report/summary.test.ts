import { expect, test } from 'vitest';
import { MATERIAL_FIELDS } from '../../../../src/convert/model/graphics.ts';
import { LOSS_KINDS } from '../../../../src/run/report/run-report.ts';
import { summarise } from '../../../../src/run/report/summary.ts';
import { mixedReport, reportedLine, reportOf, WORKERS } from '../../../helpers/reports.ts';

const REPORT = reportOf([reportedLine('D1')]);

test('losses that are expected are not mentioned', () => {
  const loss = { where: 'OAK', value: '0x101010', done: 'dropped' };
  const amb = { ...loss, field: 'amb', expected: true as const };
  const clean = reportOf([reportedLine('D1', { losses: [amb] })]);
  expect(clean.losses).toEqual({});
  expect(summarise(clean)).not.toContain('Losses');
  const lossy = reportOf([reportedLine('D1', { losses: [amb, { ...loss, field: 'tra' }] })]);
  expect(summarise(lossy)).toContain('1 article: some transparent parts may look different');
});

test('losses are a sentence for each kind that a shop understands, the most frequent first', () => {
  const lost = (field: string) => ({ where: 'OAK', field, value: 1, done: 'dropped' });
  const gloss = ['shi', 'spe', 'refl'].map(lost);
  const report = reportOf([
    // Two configurations of one article.
    reportedLine('D1', { losses: gloss, reinitstring: 'A' }),
    reportedLine('D1', { losses: gloss, reinitstring: 'B' }),
    reportedLine('D2', { losses: [lost('shi'), lost('frobnicate')] }),
  ]);
  expect(report.articlesWithLosses).toEqual({ gloss: 2, unknown: 1 });
  expect(summarise(report)).toContain(`
  Losses          2 articles: some surfaces may shine a little more or less than the manufacturer defined
                  1 article: the service sent values whose meaning is not specified: models do not show them
`);
});

test('every material field of the service has a kind of losses', () => {
  const known = Object.values(LOSS_KINDS).flatMap(({ fields }) => fields.split(' '));
  expect(Object.keys(MATERIAL_FIELDS).filter((field) => !known.includes(field))).toEqual([]);
});

test('lines wrap at blanks below their text; a path is one word of one line', () => {
  const path = `/srv/${'folder/'.repeat(15)}my files`;
  const articleWarnings = ['D0', 'D1', 'D2'].map((article) => ({
    code: 'CONFIGURATION_INVALID',
    article: `ACME/DESK/${article}`,
    message:
      'the property WIDTH has no value, and the service asks for one before it can be ordered',
  }));
  const report = { ...mixedReport(), articleWarnings, outputDir: path };
  const lines = summarise(report, { columns: 80 }).split('\n');
  expect(lines).toContain(`  Output          ${path}`);
  for (const line of lines.filter((line) => !line.includes(path)))
    expect(line.length).toBeLessThanOrEqual(80);
  // Equal warnings are one, however many articles have them.
  expect(lines.join('\n')).toContain(`
  Warnings
    ACME/DESK/D0 and 2 more  CONFIGURATION_INVALID  the property WIDTH has no
      value, and the service asks for one before it can be ordered
`);
});

test('the first warnings name their articles, the rest are in the report', () => {
  const articleWarnings = Array.from({ length: 7 }, (_, i) => ({
    code: 'CONFIGURATION_INVALID',
    article: `ACME/DESK/D${i}`,
    message: `WIDTH of ${i} has no value`,
  }));
  const text = summarise({ ...REPORT, articleWarnings });
  expect(text).toContain('    ACME/DESK/D0  CONFIGURATION_INVALID  WIDTH of 0 has no value\n');
  expect(text).not.toContain('ACME/DESK/D5');
  expect(text).toContain('    … and more in report.json and the manifest\n');
});

test('what changed since the last run, what a gate found and what is in quarantine are in it', () => {
  const text = summarise(mixedReport(), { runFolder: '/srv/assets/nightly/runs/x' });
  expect(text).toMatch(/^ {2}Changes {9}45 new · 2\d\d changed · 14 removed$/m);
  expect(text).toMatch(/^ {2}Gates {11}Triangles 482 · Dimensions 120$/m);
  expect(text).toMatch(/failed \(\d+ in quarantine\)$/m);
});

test('causes are told apart by the status, not by article numbers with a colon', () => {
  const failed = (number: string, status: number) => {
    const message = `getArticle ACME/DESK/${number}: the service answered with status ${status}`;
    return reportedLine(number, { status: 'failed', error: { code: 'HTTP_STATUS', message } });
  };
  const lines = [failed('D1', 401), failed('D2', 403), failed('LM-LINIE: 140', 403)];
  expect(reportOf(lines).causes).toMatchObject([
    { count: 2, message: 'the service answered with status 403' },
    { count: 1, message: 'the service answered with status 401' },
  ]);
});

test('a run with workers says how many there were, what they did and which were lost', () => {
  const text = summarise({ ...REPORT, workers: WORKERS });
  expect(text).toMatch(/^ {2}Workers {9}3 · 53 chunks · idle 2 · lost 1$/m);
  expect(summarise(REPORT)).not.toContain('Workers');
});

test('failed deliveries are listed by cause, so that many of one hide no other', () => {
  const failure = (delivery: string, code: string, article: string) => {
    return { article, delivery, code, message: 'because', help: 'do that', isAccepted: false };
  };
  const failures = [
    ...Array.from({ length: 12 }, (_, i) => failure('pictures', 'BROWSER_MISSING', `D${i}`)),
    failure('amazon', 'BUDGET_EXCEEDED', 'D1'),
    failure('webhook', 'WEBHOOK_FAILED', ''),
  ];
  const delivered = { deliveries: [], failures, splits: [], omitted: [], gallery: undefined };
  const text = summarise({ ...REPORT, delivered });
  for (const line of [
    'pictures  BROWSER_MISSING  D0 and others  because',
    'amazon  BUDGET_EXCEEDED  D1  because',
    'webhook  WEBHOOK_FAILED  because',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('D1 and others');
});
