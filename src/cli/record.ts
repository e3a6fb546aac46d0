/** `btg2gltf record PIPELINE.yaml --to DIR`: records the responses that a run needs. */

import { resolve } from 'node:path';
import { configurationLabel } from '../model/configuration-id.ts';
import { summarise } from '../run/report/summary.ts';
import { amount } from '../run/report/text.ts';
import { visibleLines } from '../support/visible.ts';
import { PARTS } from '../wiring.ts';
import { type Command, textOf } from './command.ts';
import { optionsOf, PIPELINE_POSITIONAL, readRunOptions } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';

const SHOWN_DIFFERENCES = 10;

/** The command. */
export const recordCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    to: { type: 'string', value: 'DIR', required: true, describe: 'folder of the recording' },
    ...optionsOf('record'),
  },
  examples: [
    'btg2gltf record pipeline.yaml --to recording --limit 2',
    'btg2gltf serve --recording recording',
  ],
  async run(args, io) {
    const { recordPipeline } = await import('../run/record.ts');
    const dir = resolve(textOf(args, 'to')!);
    const options = await readRunOptions(args, io);
    const { environment, display } = await openOutput(args, io);
    const recording = recordPipeline(options, dir, environment, PARTS);
    const { report, content, replay } = await recording.finally(() => display.close());
    io.printData(`${summarise(report, { columns: io.columns })}\n`);
    const { answers, redacted } = content;
    const kinds = Object.entries(answers).map(([operation, count]) => `${operation} ${count}`);
    const { missing, extra, error } = replay;
    const differences = [
      ...missing.map((one) => `not selected in the replay: ${configurationLabel(one)}`),
      ...extra.map((one) => `not recorded, but selected in the replay: ${configurationLabel(one)}`),
    ];
    const more = differences.length - SHOWN_DIFFERENCES;
    if (more > 0) differences.splice(SHOWN_DIFFERENCES, more, `… and ${more} more`);
    const selection = error === '' ? differences : [`fails without the service: ${error}`];
    const lines = [
      `  Recording       ${dir}`,
      `  Responses       ${kinds.join(' · ')}`,
      ...(redacted === 0 ? [] : [`  Credentials     removed from ${amount(redacted, 'response')}`]),
      ...selection.map((line) => `  Selection       ${line}`),
      `  Replay          service: { recording: ${JSON.stringify(dir)} }`,
    ];
    io.print(`${visibleLines([...lines, ''])}\n`);
    return report.configurations.failed > 0 ? 1 : 0;
  },
};
