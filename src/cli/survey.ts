/** `btg2gltf survey PIPELINE.yaml`: what each reading of the data would change, and what its numbers say. */

import { PARTS } from '../wiring.ts';
import { type Command, numberOf } from './command.ts';
import { optionsOf, PIPELINE_POSITIONAL, readRunOptions } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';

/** The command. */
export const surveyCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    ...optionsOf('survey'),
    limit: { type: 'number', min: 1, default: 60, describe: 'articles of the sample' },
  },
  examples: ['btg2gltf survey pipeline.yaml'],
  async run(args, io) {
    const options = await readRunOptions(args, io);
    const output = await openOutput(args, io, {});
    const { withSurvey } = await import('../survey/survey.ts');
    const limit = numberOf(args, 'limit');
    await withSurvey(
      { ...options, ...(limit !== undefined && { limit }) },
      output.environment,
      async ({ record }) => io.printData(`${JSON.stringify(record, null, 1)}\n`),
      PARTS.sharing?.open,
    );
    return 0;
  },
};
