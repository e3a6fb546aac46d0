/**
 * `btg2gltf fetch PIPELINE.yaml`: the first half of `run`.
 */
import type { Command } from './command.ts';
import { doJob, JOB_OPTIONS, PIPELINE_POSITIONAL } from './job.ts';

const { 'allow-missing-parts': _, ...FETCH_OPTIONS } = JOB_OPTIONS;

/** The command. */
export const fetchCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: FETCH_OPTIONS,
  examples: ['btg2gltf fetch pipelines/demo.yaml && btg2gltf build pipelines/demo.yaml'],
  async run(args, io) {
    const { fetchPipeline } = await import('../pipeline/run.ts');
    return doJob(fetchPipeline, args, io);
  },
};
