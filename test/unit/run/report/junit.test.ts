import fc from 'fast-check';
import { expect, test } from 'vitest';
import { junitXml } from '../../../../src/run/report/junit.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { HOSTILE, mixedReport, reportedLine, reportOf } from '../../../helpers/reports.ts';
import { samples } from '../../../helpers/samples.ts';

const TIMES = { startedAt: Date.UTC(2026, 10, 21, 2), endedAt: Date.UTC(2026, 10, 21, 2, 10) };

test('a good run passes: the run, and each program with its number', () => {
  const report = reportOf([reportedLine('D1'), reportedLine('D2')]);
  expect(
    junitXml({ pipeline: 'nightly', exitCode: 0, ...TIMES, report }),
  ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="btg2gltf nightly" tests="2" failures="0" errors="0" skipped="0" time="600.000">
<testsuite name="run" tests="1" failures="0" errors="0" skipped="0" timestamp="2026-11-21T02:00:00.000Z">
<testcase classname="run" name="completes and publishes" time="600.000"><system-out>exit code 0&#10;2 configurations</system-out></testcase>
</testsuite>
<testsuite name="ACME/DESK" tests="1" failures="0" errors="0" skipped="0" timestamp="2026-11-21T02:00:00.000Z">
<testcase classname="ACME/DESK" name="2 of 2 configurations"></testcase>
</testsuite>
</testsuites>
`);
});

test('each failure is a case that says what helps; one in quarantine is skipped', () => {
  const report = mixedReport(900);
  const text = junitXml({ pipeline: 'nightly', exitCode: 1, ...TIMES, report });
  const { failed, quarantined } = report.configurations;
  expect(text.match(/<failure /g)).toHaveLength(failed - quarantined);
  expect(text.match(/<skipped /g)).toHaveLength(quarantined);
  expect(text).toContain(
    '&#10;→ report it to the manufacturer, or use --allow-missing-parts</failure>',
  );
  expect(text).toContain('in quarantine until 2026-11-28');
});

test('a refusal fails the run and the gate that refuses', () => {
  const error = { code: 'GATE_REFUSED', message: 'triangles of 2 configurations' };
  const mixed = mixedReport(100);
  const gates = { ...mixed.gates, refused: true, byGate: { triangles: { warn: 0, refuse: 2 } } };
  const report = { ...mixed, gates, published: false };
  const text = junitXml({ pipeline: 'nightly', exitCode: 4, ...TIMES, report, error });
  expect(text.match(/<failure type="GATE_REFUSED"/g)).toHaveLength(2);
});

test('a run that could not begin is one failed case', () => {
  const error = { code: 'OUTPUT_LOCKED', message: 'another run is at work' };
  const text = junitXml({ pipeline: 'n', exitCode: 3, ...TIMES, report: undefined, error });
  expect(text).toContain('tests="1" failures="1"');
  expect(text).toContain('<failure type="OUTPUT_LOCKED" message="another run is at work">');
});

test('any text stays a text: no mark-up, no character that XML cannot say', () => {
  const anything = fc.oneof(anyText(), fc.constantFrom(...HOSTILE));
  fc.assert(
    fc.property(anything, (text) => {
      const run = { pipeline: text, exitCode: 0, ...TIMES, report: undefined };
      const [, escaped] = /^<testsuites name="btg2gltf (.*)" tests=/m.exec(junitXml(run))!;
      expect(escaped).not.toMatch(/[<>"']|&(?!#\d+;)|\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/u);
    }),
    { seed: 6, numRuns: samples(500) },
  );
});
