import { expect, test } from 'vitest';
import type { RunReport } from '../../../src/pipeline/report.ts';
import { summarise } from '../../../src/pipeline/summary.ts';

const REPORT = {
  command: 'run',
  pipeline: 'nightly',
  service: 'emulator:sample',
  totalMs: 1000,
  stageMs: {},
  configurations: { selected: 1, fetched: 0, converted: 1, unchanged: 0, failed: 0 },
  articles: 1,
  objects: { distinct: 0, bytes: 0, savedFiles: 0, savedBytes: 0 },
  triangles: 0,
  requests: { sent: 0, bytesReceived: 0, fromCache: 0 },
  warnings: {},
  articleWarnings: [],
  selectionWarnings: [],
  losses: {},
  drift: [],
  failures: [],
  outputDir: '/out',
  cacheDir: '/cache',
} as unknown as RunReport;

test('losses are told in words, the most frequent first', () => {
  const losses = { amb: 103, frobnicate: 1, mirror: 1204 };
  expect(summarise({ ...REPORT, losses }, undefined)).toContain(
    'Losses          1,308 values of the service not carried over exactly: mirroring (mirror) 1,204 · ambient light (amb) 103 · frobnicate 1; see btg2gltf explain\n',
  );
  expect(summarise({ ...REPORT, losses: { amb: 1 } }, undefined)).toContain(
    '1 value of the service not carried over exactly: ambient light (amb) 1; ',
  );
  expect(summarise(REPORT, undefined)).not.toContain('Losses');
});

test('the first warnings name their articles, the rest stands in the report', () => {
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
