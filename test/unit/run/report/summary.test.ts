import { expect, test } from 'vitest';
import { summarise } from '../../../../src/run/report/summary.ts';
import { mixedReport, reportedLine, reportOf, WORKERS } from '../../../helpers/reports.ts';

const REPORT = reportOf([reportedLine('D1')]);

test('losses that are expected are not mentioned', () => {
  const loss = { where: 'OAK', value: '0x101010', done: 'dropped' };
  const amb = { ...loss, field: 'amb', expected: true as const };
  const clean = reportOf([reportedLine('D1', { losses: [amb] })]);
  expect(clean.losses).toEqual({});
  expect(summarise(clean, undefined)).not.toContain('Losses');
  const lossy = reportOf([reportedLine('D1', { losses: [amb, { ...loss, field: 'tra' }] })]);
  expect(summarise(lossy, undefined)).toContain('1 value of the service not converted exactly');
});

test('losses are described in words, the most frequent first', () => {
  const losses = { amb: 103, frobnicate: 1, mirror: 1204 };
  expect(summarise({ ...REPORT, losses }, undefined)).toContain(
    'Losses          1,308 values of the service not converted exactly: mirroring (mirror) 1,204 · ambient light (amb) 103 · frobnicate 1; see btg2gltf explain\n',
  );
  expect(summarise({ ...REPORT, losses: { amb: 1 } }, undefined)).toContain(
    '1 value of the service not converted exactly: ambient light (amb) 1; ',
  );
  expect(summarise(REPORT, undefined)).not.toContain('Losses');
});

test('the first warnings name their articles, the rest are in the report', () => {
  const articleWarnings = Array.from({ length: 7 }, (_, i) => ({
    code: 'CONFIGURATION_INVALID',
    article: `ACME/DESK/D${i}`,
    message: 'WIDTH has no value',
  }));
  const text = summarise({ ...REPORT, articleWarnings }, undefined);
  expect(text).toContain('    ACME/DESK/D0  CONFIGURATION_INVALID  WIDTH has no value\n');
  expect(text).not.toContain('ACME/DESK/D5');
  expect(text).toContain('    … and more in report.json and the manifest\n');
});

test('what changed since the last run, what a gate found and what is in quarantine are in it', () => {
  const text = summarise(mixedReport(), '/srv/assets/nightly/runs/x');
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
  const text = summarise({ ...REPORT, workers: WORKERS }, undefined);
  expect(text).toMatch(/^ {2}Workers {9}3 · 53 chunks · idle 2 · lost 1$/m);
  expect(summarise(REPORT, undefined)).not.toContain('Workers');
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
  const text = summarise({ ...REPORT, delivered }, undefined);
  for (const line of [
    'pictures  BROWSER_MISSING  D0 and others  because',
    'amazon  BUDGET_EXCEEDED  D1  because',
    'webhook  WEBHOOK_FAILED  because',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('D1 and others');
});
