/** `btg2gltf deliver`: makes the deliveries of what a pipeline has published, without a run, or files of any models. */

import { MODEL_PROFILES } from '../deliver/model-profiles.ts';
import { failedDeliveries } from '../run/report/assessment.ts';
import { deliveredText } from '../run/report/summary.ts';
import { wrapped } from '../run/report/text.ts';
import { visibleLines } from '../support/visible.ts';
import { PARTS } from '../wiring.ts';
import { type Arguments, type Command, type Io, inGroup, textsOf, usageError } from './command.ts';
import { setEngineFlags } from './engine-flags.ts';
import { MODEL_NOTES, MODELS_HELP, namesModels } from './model-files.ts';
import { optionsOf, readOfflineOptions } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';

const SUBJECT = 'PIPELINE.yaml|MODELS';

/** For what each profile is. */
const USES = {
  web: 'web pages',
  shared: 'web servers: what several models have in common is stored once',
  'ar-android': 'AR on Android',
  'khronos-commerce': 'product viewers',
  planner: 'room planners, which show many models at once',
  google: 'products at Google',
  shopify: 'shops of Shopify',
  amazon: 'products at Amazon',
  'ar-ios': 'AR on Apple devices',
} satisfies Record<(typeof MODEL_PROFILES)[number], string>;

function profilesText(): string {
  return MODEL_PROFILES.map((name) => `${name} (${USES[name]})`).join(', ');
}

/** Options that only one kind of subject takes; the rest is for both. */
const OF_MODELS = {
  profile: {
    type: 'string',
    value: 'NAMES',
    isList: true,
    describe: `what to make of each model: all, or one or more of these names with commas between: ${profilesText()}`,
  },
  json: { type: 'boolean', describe: 'print the list of the new files as JSON' },
} as const satisfies Command['options'];
const { output, quiet, 'log-format': logFormat, ...OF_PIPELINES } = optionsOf('deliver');

/** The command. */
export const deliverCommand: Command = {
  usage: ['deliver PIPELINE.yaml', 'deliver MODELS... --profile NAMES --output DIR'],
  positionals: [
    {
      name: SUBJECT,
      describe: `a pipeline file, for the models that its runs have published; or other models: ${MODELS_HELP}`,
      required: true,
      isList: true,
    },
  ],
  options: {
    ...inGroup('Options for MODELS:', OF_MODELS),
    ...inGroup('Options for PIPELINE.yaml:', {
      ...OF_PIPELINES,
      force: {
        ...OF_PIPELINES.force!,
        describe: 'make all files again, also those that have not changed',
      },
    }),
    output: {
      ...output!,
      describe:
        'for MODELS: folder for the new files; for PIPELINE.yaml: output folder, instead of the one in the pipeline file',
    },
    quiet: quiet!,
    'log-format': logFormat!,
  },
  notes: [
    'deliver PIPELINE.yaml makes the files that are listed in its section "deliver". It needs no connection to the',
    'service, and leaves out what exists already. If the pipeline file has a section "afterPublish", each run sends an',
    'HTTP request to the address in this section when its files are published. If this request failed, deliver sends it',
    'again.',
    '',
    'deliver MODELS makes one file of each model for each profile: DIR/PROFILE/NAME, such as delivered/web/chair.glb.',
    'The models stay as they are. If a model cannot be used, a line says why, the others are done, and the exit code',
    'is 1.',
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
      const extra = given(args, OF_PIPELINES);
      if (extra !== undefined)
        throw usageError(`--${extra} is for pipeline files, and ${word} names models`);
      const { deliverModels } = await import('./deliver-models.ts');
      return deliverModels(words, args, io);
    }
    const [file, other] = words as readonly [string, string?];
    if (other !== undefined)
      throw usageError(`deliver: expected one pipeline file, received also ${other}`);
    const extra = given(args, OF_MODELS);
    if (extra !== undefined)
      throw usageError(
        `--${extra} is for models (.glb or .gltf), and ${file} is a pipeline file: its section "deliver" says what is made`,
      );
    return deliverPublished(file, args, io);
  },
};

/** The first option of a table that is given. */
function given(args: Arguments, options: object): string | undefined {
  return Object.keys(options).find((name) => args[name] !== undefined);
}

async function deliverPublished(file: string, args: Arguments, io: Io): Promise<number> {
  const options = await readOfflineOptions(file, args, io);
  setEngineFlags(options);
  const { deliverPipeline } = await import('../run/locked-run.ts');
  const { environment, display } = await openOutput(args, io);
  const delivering = deliverPipeline(options, environment, PARTS);
  const delivered = await delivering.finally(() => display.close());
  const asksForNothing =
    'nothing was made: the pipeline file has no section "deliver", which says what to make, such as deliver: { profiles: [web] }';
  const texts = delivered === undefined ? [asksForNothing] : deliveredText({ delivered });
  const lines = texts.flatMap((text) => wrapped(text, io.columns, 2));
  io.printData(visibleLines([...lines, '']));
  return failedDeliveries({ delivered }) > 0 ? 1 : 0;
}
