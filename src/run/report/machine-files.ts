/** The files of a run for programs: metrics for Prometheus, and JUnit for CI servers. */
import { dirname, resolve } from 'node:path';
import { readTextIfExists, removeStaleTemporaries, replaceFile } from '../../support/files.ts';
import type { FinishedRun } from './run-report.ts';

/**
 * Writes the files whose paths are given.
 *
 * @param files - Paths; the metrics keep the time of the last success from the file that is there.
 */
export async function writeMachineFiles(
  files: { metrics: string | undefined; junit: string | undefined },
  run: FinishedRun,
): Promise<void> {
  if (files.metrics !== undefined) {
    const { metricsText } = await import('./metrics.ts');
    const path = resolve(files.metrics);
    await write(path, await metricsText(run, await readTextIfExists(path)));
  }
  if (files.junit !== undefined) {
    const { junitXml } = await import('./junit.ts');
    await write(resolve(files.junit), junitXml(run));
  }
}

/** The folder may be any folder, so that only this call removes the temporary files of killed runs. */
async function write(path: string, content: string): Promise<void> {
  await removeStaleTemporaries(dirname(path));
  await replaceFile(path, content);
}
