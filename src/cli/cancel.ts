/** `btg2gltf cancel PIPELINE.yaml`: ends the run of a pipeline on workers, from any machine. */
import type { Command } from './command.ts';
import { optionsOf, PIPELINE_POSITIONAL, readRunOptions } from './pipeline-options.ts';

/** The command. */
export const cancelCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: optionsOf('cancel'),
  notes: [
    'Its coordinator ends within seconds, with exit code 130; workers drop its chunks and wait for the next run.',
    'Nothing is published. What is done stays in the cache and in the store; the next run begins anew with it.',
    '',
  ],
  examples: ['btg2gltf cancel pipeline.yaml'],
  async run(args, io) {
    const { cancelRun } = await import('../distribute/lifecycle.ts');
    const { env, now, random } = io;
    const id = await cancelRun(await readRunOptions(args, io), { env, now, random });
    io.print(id === undefined ? 'no run with workers is in progress\n' : `cancelled: ${id}\n`);
    return 0;
  },
};
