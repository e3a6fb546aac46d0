/**
 * `btg2gltf explain`: why an article was or was not built, which rules fired for its materials, and
 * what its geometry lost.
 */

import { configurationLabel } from '../model/configuration-id.ts';
import type { Tier } from '../model/result.ts';
import { type ArticleExplanation, explainArticle } from '../pipeline/explain.ts';
import { loadPipeline } from '../pipeline/pipeline-file.ts';
import { SILENT } from '../support/log.ts';
import type { MaterialExplanation } from '../transform/material-table.ts';
import { type Command, textOf } from './command.ts';
import { JOB_OPTIONS, toolsOf, withArguments } from './job.ts';

/** The command. */
export const explainCommand: Command = {
  positionals: [
    { name: 'ARTICLE', describe: 'a glob on MANUFACTURER/PROGRAM/number', required: true },
  ],
  options: {
    pipeline: { type: 'string', required: true, describe: 'the pipeline that published it' },
    output: JOB_OPTIONS.output,
    cache: JOB_OPTIONS.cache,
    all: { type: 'boolean', describe: 'every field, also those that were not sent' },
    json: { type: 'boolean', describe: 'as JSON, one line a configuration' },
  },
  examples: ["btg2gltf explain 'FJEL/SALUN/*' --pipeline pipelines/demo.yaml"],
  async run(args, io) {
    const pipeline = withArguments(await loadPipeline(textOf(args, 'pipeline')!, io.env), args);
    const tools = { ...toolsOf(io), log: SILENT };
    for (const article of await explainArticle(textOf(args, 'ARTICLE')!, pipeline, tools)) {
      io.print(args.json ? `${JSON.stringify(asJson(article))}\n` : told(article, !!args.all));
    }
    return 0;
  },
};

function asJson({ line, decision, rebuilds, materials, scene }: ArticleExplanation) {
  return { ...line, decision, rebuilds, explained: materials, counts: scene?.counts };
}

/** What each tier means to a person. */
const TIERS = {
  kept: 'nothing was asked: what it is made of is known to hold, so that it was not looked at',
  'parts-list':
    'its parts list was asked for and is the same; its blocks and images are known to hold',
  digest: 'its blocks or images were asked for, and have the same content',
  built: 'built',
  failed: 'it failed, so that nothing was decided',
} as const satisfies Record<Tier, string>;

function decided({ decision }: ArticleExplanation): string[] {
  if (decision === undefined) return [];
  const { run, tier, why } = decision;
  const reasons = why.length === 0 ? '' : `: ${why.join(', ')}`;
  const when = tier === 'kept' ? `since the run of ${run}` : `by the run of ${run}`;
  return [`  decided ${when}: ${TIERS[tier]}${reasons}`];
}

function told(article: ArticleExplanation, all: boolean): string {
  const { line, rebuilds, materials, scene } = article;
  const { reinitstring } = line;
  const state = rebuilds ? 'its sources or options changed: the next build writes it anew' : '';
  return [
    `${configurationLabel(line)}  ${line.status} ${state}`.trimEnd(),
    ...(reinitstring === '' ? [] : [`  ${reinitstring}`]),
    ...decided(article),
    ...(line.error ? [`  ${line.error.code}: ${line.error.message}`] : []),
    ...(scene ? [`  geometry: ${Object.entries(scene.counts).map(countTold).join(' · ')}`] : []),
    ...materials.flatMap((material) => materialTold(material, all)),
    ...line.losses.map(({ where, field, done }) => `  loss: ${where}, ${field}: ${done}`),
    ...line.warnings.map(({ code, message }) => `  warning: ${code}: ${message}`),
    '',
    '',
  ].join('\n');
}

/** `droppedTriangles: 2` as a person would say it. */
function countTold([name, count]: [string, number]): string {
  return `${count} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
}

function materialTold({ name, steps }: MaterialExplanation, all: boolean): string[] {
  const shown = steps.filter(
    ({ sent, overridden, changes }) =>
      all || sent !== undefined || overridden !== undefined || changes.length > 0,
  );
  return ['', `  material ${name}`, ...shown.flatMap(stepTold)];
}

function stepTold({
  field,
  sent,
  overridden,
  target,
  why,
  changes,
}: MaterialExplanation['steps'][number]): string[] {
  const received = sent === undefined ? '(not sent)' : valueTold(sent);
  const value =
    overridden === undefined ? received : `${received}, overridden: ${valueTold(overridden)}`;
  const head = `    ${field.padEnd(20)} ${value.padEnd(28)} → ${target ?? 'dropped'} (${why})`;
  return [
    head,
    ...changes.map(
      ({ name, before, after }) => `      ${name}: ${valueTold(before)} → ${valueTold(after)}`,
    ),
  ];
}

function valueTold(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 10_000) / 10_000);
  if (Array.isArray(value)) return `[${value.map(valueTold).join(', ')}]`;
  return value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
}
