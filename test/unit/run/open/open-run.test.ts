import { expect, test } from 'vitest';
import { readPipelineObject } from '../../../../src/deliver/pipeline.ts';
import { withReadingRun } from '../../../../src/run/open/open-run.ts';
import { SILENT } from '../../../../src/support/log.ts';
import { folderPerTest } from '../../../helpers/folder-per-test.ts';

const inFolder = folderPerTest();

test('a run does not end later than its clock says', async () => {
  const article = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
  const content = {
    ...{ name: 'x', service: { emulator: true }, articles: [{ article }] },
    ...{ output: { dir: inFolder('output') }, cache: { dir: inFolder('cache') } },
  };
  const pipeline = readPipelineObject(content, 'x', {});
  let ticks = 0;
  const environment = {
    ...{ env: {}, log: SILENT, signal: new AbortController().signal },
    ...{ now: () => ++ticks, random: () => 0 },
    startEmulator: () => Promise.reject(new Error('expected no request')),
  };
  const endedAt = await withReadingRun({ pipeline }, environment, async (run) => {
    return run.startedAt + run.metrics.stopwatch.totalMs();
  });
  expect(endedAt).toBeLessThanOrEqual(ticks);
});
