/** `btg2gltf deliver`: makes the deliveries of what a pipeline has published, without a run, or files of any models. */

import { failedDeliveries } from '../run/report/assessment.ts';
import { deliveredText } from '../run/report/summary.ts';
import { wrapped } from '../run/report/text.ts';
import { visibleLines } from '../support/visible.ts';
import { PARTS } from '../wiring.ts';
import { type Arguments, type Command, type Io, textsOf, usageError } from './command.ts';
import { setHeapGrowth } from './heap-growth.ts';
import { MODEL_NOTES, namesModels } from './model-files.ts';
import { optionsOf, readOfflineOptions } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';

const SUBJECT = 'PIPELINE.yaml|MODELS';

/** The command. */
export const deliverCommand: Command = {
  positionals: [
    {
      name: SUBJECT,
      describe: 'what a pipeline has published; or files, folders and globs of .glb and .gltf',
      required: true,
      isList: true,
    },
  ],
  options: {
    profile: {
      type: 'string',
      value: 'NAMES',
      isList: true,
      describe: 'of models: profiles to make files of, separated by commas; all: every one',
    },
    json: { type: 'boolean', describe: 'of models: print JSON, a list of all files' },
    ...optionsOf('deliver'),
  },
  notes: [
    'Of a pipeline it makes what the section deliver: of the file requests. It sends nothing to the service, and makes',
    'nothing again that is there already. What the webhook of afterPublish: has not accepted yet is sent at once.',
    '',
    'Of models it writes DIR/PROFILE/NAME, such as DIR/web/chair.glb, with the folders of the models below PROFILE.',
    'Models are never changed. One that cannot be made is a line, the others are made, and the exit code is 1.',
    ...MODEL_NOTES,
  ],
  examples: [
    'btg2gltf deliver pipeline.yaml',
    'btg2gltf deliver desk.glb --profile web,ar-ios --output delivered',
  ],
  async run(args, io) {
    const words = textsOf(args, SUBJECT);
    for (const word of words) {
      if (!(await namesModels(word))) continue;
      const { deliverModels } = await import('./deliver-models.ts');
      return deliverModels(words, args, io);
    }
    const [file, other] = words as readonly [string, string?];
    if (other !== undefined)
      throw usageError(`deliver: expected one pipeline file, received also ${other}`);
    const extra = ['profile', 'json'].find((name) => args[name] !== undefined);
    if (extra !== undefined)
      throw usageError(
        `--${extra} is for models (.glb or .gltf), and ${file} is a pipeline file: its section deliver: says what is made`,
      );
    return deliverPublished(file, args, io);
  },
};

async function deliverPublished(file: string, args: Arguments, io: Io): Promise<number> {
  const options = await readOfflineOptions(file, args, io);
  setHeapGrowth(options);
  const { deliverPipeline } = await import('../run/locked-run.ts');
  const { environment, display } = await openOutput(args, io);
  const delivering = deliverPipeline(options, environment, PARTS);
  const delivered = await delivering.finally(() => display.close());
  const asksForNothing =
    'nothing was made: the pipeline file has no section deliver:, which says what to make, such as deliver: { profiles: [web] }';
  const texts = delivered === undefined ? [asksForNothing] : deliveredText({ delivered });
  const lines = texts.flatMap((text) => wrapped(text, io.columns, 2));
  io.printData(visibleLines([...lines, '']));
  return failedDeliveries({ delivered }) > 0 ? 1 : 0;
}
