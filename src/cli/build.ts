/**
 * `btg2gltf build PIPELINE.yaml`: the second half of `run`.
 */
import type { Command } from './command.ts';
import { doJob, NIGHT_OPTIONS, PIPELINE_POSITIONAL } from './job.ts';

const { concurrency: _, until: __, ...BUILD_OPTIONS } = NIGHT_OPTIONS;

/** The command. */
export const buildCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: BUILD_OPTIONS,
  examples: ['btg2gltf build pipelines/demo.yaml'],
  async run(args, io) {
    const { buildPipeline } = await import('../pipeline/run.ts');
    return doJob(buildPipeline, args, io);
  },
};
