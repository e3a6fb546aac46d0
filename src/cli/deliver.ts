/** `btg2gltf deliver PIPELINE.yaml`: makes the deliveries of the published files, without a run. */

import { failedDeliveries } from '../run/report/assessment.ts';
import { deliveredText } from '../run/report/summary.ts';
import { wrapped } from '../run/report/text.ts';
import { visibleLines } from '../support/visible.ts';
import { PARTS } from '../wiring.ts';
import { type Command, textOf } from './command.ts';
import { setHeapGrowth } from './heap-growth.ts';
import { optionsOf, PIPELINE_POSITIONAL, readOfflineOptions } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';

/** The command. */
export const deliverCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: optionsOf('deliver'),
  notes: [
    'It sends nothing to the service, and makes nothing again that is there already.',
    'What the webhook of afterPublish: has not accepted yet is sent at once.',
  ],
  examples: ['btg2gltf deliver pipeline.yaml'],
  async run(args, io) {
    const options = await readOfflineOptions(textOf(args, 'PIPELINE.yaml')!, args, io);
    setHeapGrowth(options);
    const { deliverPipeline } = await import('../run/locked-run.ts');
    const { environment, display } = await openOutput(args, io);
    const delivering = deliverPipeline(options, environment, PARTS);
    const delivered = await delivering.finally(() => display.close());
    const asksForNothing = 'the pipeline file has no deliver: section';
    const texts = delivered === undefined ? [asksForNothing] : deliveredText({ delivered });
    const lines = texts.flatMap((text) => wrapped(text, io.columns, 2));
    io.printData(visibleLines([...lines, '']));
    return failedDeliveries({ delivered }) > 0 ? 1 : 0;
  },
};
