import { expect, test } from 'vitest';
import { assess, requiredActions } from '../../../../src/run/report/assessment.ts';
import { reportHtml } from '../../../../src/run/report/html.ts';
import type { RunReport } from '../../../../src/run/report/run-report.ts';
import { mixedReport, reportedLine, reportOf } from '../../../helpers/reports.ts';

const QUIET = reportOf([reportedLine('D1'), reportedLine('D2')]);
const stop = (code: string) => ({ code, message: 'because of it', help: 'do that' });
const error = { code: 'HTTP_STATUS', message: 'no' };
const failed = reportedLine('D3', { status: 'failed', error });

const REFUSED = 'Refused: nothing was published';
const STOPPED = 'Stopped before the end';
test.each<[string, RunReport['ended'], string, string, string]>([
  ['a signal', 'interrupted', 'INTERRUPTED', 'partly', 'Interrupted'],
  ['a gate', 'complete', 'GATE_REFUSED', 'bad', REFUSED],
  ['a gate, of what there was when the time was up', 'until', 'GATE_REFUSED', 'bad', REFUSED],
  ['out of time before anything was chosen', 'until', 'OUT_OF_TIME', 'partly', 'Out of time'],
  ['a full disk when the time was up', 'until', 'DISK_FULL', 'bad', STOPPED],
  ['too many failures', 'complete', 'MAX_FAILURES', 'bad', REFUSED],
  ['an error', 'stopped', 'SERVICE_GONE', 'bad', STOPPED],
  ['a filter that nothing matches', 'stopped', 'NOTHING_SELECTED', 'bad', 'Nothing was selected'],
  ['a full disk at the end', 'complete', 'DISK_FULL', 'bad', STOPPED],
])('nothing is published after %s', (_, ended, code, tone, headline) => {
  const report = { ...QUIET, ended, stop: stop(code), published: false };
  expect(assess(report)).toMatchObject({ tone, headline });
});

test('a run that published has no changes, findings, or no time left', () => {
  const headline = 'Nothing has changed';
  expect(assess(QUIET)).toMatchObject({ tone: 'good', headline });
  expect(assess({ ...QUIET, gates: mixedReport(10).gates })).toMatchObject({
    tone: 'look',
    headline,
  });
  const late = { ...QUIET, ended: 'until' as const, stop: stop('OUT_OF_TIME') };
  expect(assess(late)).toMatchObject({ tone: 'partly', headline: 'Out of time' });
});

test('what is not published is reported', () => {
  const refused = { ...QUIET, stop: stop('GATE_REFUSED'), published: false };
  expect(assess(refused).detail).toBe('What was published before stays as it was.');
  expect(requiredActions(refused)).toMatchObject([{ title: 'Because of it', help: 'do that' }]);
  const message = 'gate articlesGone: 56 of 66 configurations are gone';
  const byGate = { ...refused, stop: { ...stop('GATE_REFUSED'), message } };
  expect(requiredActions(byGate)).toMatchObject([
    { title: 'Articles gone: 56 of 66 configurations are gone' },
  ]);
});

test('one of three failed: in part; all of them: not at all', () => {
  expect(assess(reportOf([reportedLine('D1'), reportedLine('D2'), failed]))).toEqual({
    tone: 'partly',
    headline: '1 of 3 configurations failed',
    detail: 'The other 2 are published.',
  });
  expect(assess(reportOf([failed])).tone).toBe('bad');
});

test('the sentence agrees with the number, and does not count what is skipped', () => {
  const skipped = reportedLine('D4', { status: 'skipped' });
  const detail = (...lines: ReturnType<typeof reportedLine>[]) => assess(reportOf(lines)).detail;
  expect(detail(failed)).toBe('None is published.');
  expect(detail(failed, reportedLine('D1'), skipped)).toBe('The other 1 is published.');
  expect(detail(reportedLine('D1'), skipped)).toBe('1 configuration is published as before.');
  expect(assess(QUIET).detail).toBe('2 configurations are published as before.');
});

test('what needs attention comes gravest first: the stop, failures by cause, gates, drift', () => {
  expect(requiredActions(QUIET)).toEqual([]);
  const sections = requiredActions(mixedReport()).map(({ section }) => section);
  expect(sections).toEqual([...Array(4).fill('causes'), 'gates', 'gates', 'drift']);
});

test('what a gate refuses is reported once, and what was accepted is published', () => {
  const mixed = mixedReport(100);
  const findings = mixed.gates.findings.map((row) => ({ ...row, action: 'refuse' as const }));
  const gates = { ...mixed.gates, findings, refused: true };
  const refused = { ...QUIET, gates, stop: stop('GATE_REFUSED'), published: false };
  expect(requiredActions(refused)).toEqual([
    {
      tone: 'bad',
      code: 'GATE_REFUSED',
      title: 'Because of it',
      help: 'do that',
      section: 'gates',
    },
  ]);
  const tooMany = { ...QUIET, gates: mixed.gates, stop: stop('MAX_FAILURES'), published: false };
  expect(requiredActions(tooMany).map(({ help }) => help)).toContain(
    'check the findings; they are not published',
  );
  expect(reportHtml(tooMany)).toContain('nothing was published for another reason');
  const accepted = { ...QUIET, gates: { ...gates, accepted: true } };
  expect(assess(accepted)).toMatchObject({ tone: 'look', headline: 'Nothing has changed' });
  expect(requiredActions(accepted)).toMatchObject([
    { tone: 'look', help: 'check the findings; they are published' },
    { tone: 'look', section: 'gates' },
  ]);
});

test('removals from the limit of the gate on are no good news, below that they are', () => {
  const lines = Array.from({ length: 9 }, (_, i) => reportedLine(`D${i}`));
  const removed = [reportedLine('OLD')];
  const assessed = (removedFrom: number | undefined, gone = removed, left = lines) =>
    assess(reportOf(left, { gates: { ...QUIET.gates, removedFrom } }, gone));
  expect(assessed(0.11).tone).toBe('good');
  expect(assessed(undefined).tone).toBe('good');
  expect(assessed(0, []).tone).toBe('good');
  expect(assessed(0.1)).toMatchObject({ tone: 'partly', headline: '1 configuration is gone' });
  const two = assessed(0.1, [...removed, reportedLine('OLD-2')]);
  expect(two).toMatchObject({ tone: 'partly', headline: '2 configurations are gone' });
  const added = lines.map((line) => ({ ...line, change: 'new' as const }));
  expect(assessed(1, removed, added).tone).toBe('partly');
});

test('pictures that could not be compared are a finding, with the way to be without it', () => {
  const notCompared = '3 of 40 pictures were not compared: PICTURE_FAILED: no';
  const report = reportOf([reportedLine('D1')], { gates: { ...QUIET.gates, notCompared } });
  expect(requiredActions(report)).toMatchObject([{ tone: 'look', title: notCompared }]);
  expect(reportHtml(report)).toContain(notCompared);
});

test('an entry that selects nothing requires a look, while others select articles', () => {
  const selectionWarnings = [
    { code: 'SEARCH_EMPTY', message: 'search AULI "lamb" finds no article' },
    { code: 'CATALOGUE_CIRCULAR', message: 'a contains b, which contains it: it is read once' },
  ];
  const report = { ...QUIET, selectionWarnings };
  expect(assess(report).tone).toBe('look');
  expect(requiredActions(report)).toEqual([
    {
      tone: 'look',
      code: 'SEARCH_EMPTY',
      title: 'Search AULI "lamb" finds no article',
      help: 'correct the words of the search, or remove this entry',
      section: 'warnings',
    },
  ]);
});
