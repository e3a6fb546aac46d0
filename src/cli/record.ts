/**
 * `btg2gltf record PIPELINE.yaml --to DIR`: what a run needs of the service, to be replayed without it.
 */

import { resolve } from 'node:path';
import { configurationLabel } from '../model/configuration-id.ts';
import type { RecordResult, ReplayedSelection } from '../pipeline/record.ts';
import { summarise } from '../report/summary.ts';
import type { LogFormat } from '../support/log.ts';
import { type Command, textOf } from './command.ts';
import { JOB_OPTIONS, PIPELINE_POSITIONAL, readJob, toolsOf } from './job.ts';
import { openVoice } from './progress.ts';

const { output: _, force: __, 'allow-missing-parts': ___, ...OPTIONS } = JOB_OPTIONS;
/** Differences shown. */
const SHOWN = 10;

/** The command. */
export const recordCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    to: { type: 'string', required: true, describe: 'folder of the recording' },
    ...OPTIONS,
  },
  examples: [
    'btg2gltf record pipelines/nightly.yaml --to recordings/nightly',
    'btg2gltf serve --recording recordings/nightly',
  ],
  async run(args, io) {
    const { recordPipeline } = await import('../pipeline/record.ts');
    const dir = resolve(textOf(args, 'to')!);
    const job = await readJob(args, io);
    const voice = await openVoice(textOf(args, 'log-format') as LogFormat | undefined, io);
    let result: RecordResult;
    try {
      const { log, progress, selecting } = voice;
      const tools = { ...toolsOf(io), log, progress, selecting };
      result = await recordPipeline(job, dir, tools);
    } finally {
      voice.end();
    }
    io.print(`${summarise(result.report, undefined)}\n${told(result, dir)}\n`);
    return result.report.configurations.failed > 0 ? 1 : 0;
  },
};

function told({ content: { answers, redacted }, replay }: RecordResult, dir: string): string {
  const kinds = Object.entries(answers).map(([operation, count]) => `${operation} ${count}`);
  return [
    `  Recording       ${dir}`,
    `  Answers         ${kinds.join(' · ')}`,
    ...(redacted === 0 ? [] : [`  Credentials     taken out of ${redacted} answers`]),
    ...differences(replay),
    `  Replay          service: { recording: ${JSON.stringify(dir)} }`,
    '',
  ].join('\n');
}

/** A pipeline whose selection needs more than its recording has is to be known by that. */
function differences({ missing, extra, error }: ReplayedSelection): string[] {
  if (error !== '') return [`  Selects         nothing from the recording alone: ${error}`];
  const lines = [
    ...missing.map((request) => `not selected again: ${configurationLabel(request)}`),
    ...extra.map((request) => `selected, but not recorded: ${configurationLabel(request)}`),
  ];
  const more = lines.length > SHOWN ? [`… and ${lines.length - SHOWN} more`] : [];
  return [...lines.slice(0, SHOWN), ...more].map((line) => `  Selects         ${line}`);
}
