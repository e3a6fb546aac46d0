/** `btg2gltf worker PIPELINE.yaml`: works for runs of a pipeline with `--executor bullmq`. */
import type { Command } from './command.ts';
import { optionsOf, PIPELINE_POSITIONAL, readRunOptions } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';
import { environmentOf } from './service.ts';

/** The command. */
export const workerCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: optionsOf('worker'),
  notes: [
    'It takes chunks of runs of this pipeline from the queue BTG2GLTF_QUEUE_URL, a redis:// or postgres:// address,',
    'until Ctrl-C or SIGTERM; then it ends the chunks in work, within 30 seconds.',
    '',
  ],
  examples: ['btg2gltf worker pipeline.yaml', 'btg2gltf run pipeline.yaml --executor bullmq'],
  async run(args, io) {
    const options = await readRunOptions(args, io);
    const { log, close } = await openOutput(args, io);
    try {
      const { runWorker } = await import('../pipeline/worker.ts');
      await runWorker(options, { ...environmentOf(io), log });
      return 0;
    } finally {
      close();
    }
  },
};
