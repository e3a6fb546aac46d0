/**
 * Machine files: what a run leaves for the programs that watch over it: metrics and JUnit.
 *
 * They are written after every run that began, whatever became of it, each replaced as a whole.
 */
import { dirname, resolve } from 'node:path';
import type { FinishedRun } from '../report/run-report.ts';
import { readTextIfExists, removeStaleTemporaries, replaceFile } from '../support/files.ts';
import { type Arguments, type OptionSpec, textOf } from './command.ts';

/** Options of every command that can leave such files. */
export const MACHINE_FILE_OPTIONS = {
  'metrics-file': {
    type: 'string',
    describe: 'leaves metrics for Prometheus there, such as DIR/btg2gltf.prom',
  },
  junit: { type: 'string', describe: 'leaves a JUnit XML there' },
} as const satisfies Record<string, OptionSpec>;

/**
 * Writes the files that the arguments ask for.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `DISK_FULL`, naming the file.
 */
export async function writeMachineFiles(args: Arguments, ending: FinishedRun): Promise<void> {
  const metricsFile = textOf(args, 'metrics-file');
  if (metricsFile !== undefined) {
    const { metricsText } = await import('../report/metrics.ts');
    const path = resolve(metricsFile);
    await leave(path, await metricsText(ending, await readTextIfExists(path)));
  }
  const junitFile = textOf(args, 'junit');
  if (junitFile !== undefined) {
    const { junitXml } = await import('../report/junit.ts');
    await leave(resolve(junitFile), junitXml(ending));
  }
}

/** The folder is not ours alone, and nobody else removes what a killed run left there. */
async function leave(path: string, content: string): Promise<void> {
  await removeStaleTemporaries(dirname(path));
  await replaceFile(path, content);
}
