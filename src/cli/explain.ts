/** `btg2gltf explain`: why an article was built or failed, its material rules and its losses. */

import type { MaterialExplanation } from '../convert/transform/material-table.ts';
import type { Decision } from '../model/asset.ts';
import { configurationLabel } from '../model/configuration-id.ts';
import { type Explanation, explainArticle } from '../run/explain.ts';
import { lossText } from '../run/report/assessment.ts';
import { amount, instant } from '../run/report/text.ts';
import { SILENT } from '../support/log.ts';
import { visibleJson, visibleLines } from '../support/visible.ts';
import { PARTS } from '../wiring.ts';
import { type Command, textOf } from './command.ts';
import { optionsOf, readOfflineOptions } from './pipeline-options.ts';
import { environmentOf } from './service-options.ts';

/** The command. */
export const explainCommand: Command = {
  positionals: [
    {
      name: 'ARTICLE',
      describe: 'MANUFACTURER/PROGRAM/NUMBER, where * stands for any characters',
      required: true,
    },
  ],
  options: {
    pipeline: {
      type: 'string',
      value: 'PIPELINE.yaml',
      required: true,
      describe: 'the pipeline file whose run converted the article',
    },
    ...optionsOf('explain'),
    all: {
      type: 'boolean',
      describe: 'show every field, also those that the service did not send',
    },
    json: { type: 'boolean', describe: 'print JSON, one line for each configuration' },
  },
  examples: ["btg2gltf explain 'FJEL/LINEA/*' --pipeline pipeline.yaml"],
  async run(args, io) {
    const { pipeline } = await readOfflineOptions(textOf(args, 'pipeline')!, args, io);
    const environment = { ...environmentOf(io), log: SILENT };
    const { failures, articles, others } = await explainArticle(
      textOf(args, 'ARTICLE')!,
      pipeline,
      environment,
      PARTS,
    );
    if (args.json) {
      const rows = [
        ...failures.map(({ what, request, ...found }) => {
          return { what, ...request, status: 'failed', ...found };
        }),
        ...articles.map(({ line, decision, rebuilds, materials, ...found }) => {
          return { ...line, decision, rebuilds, explained: materials, ...found };
        }),
      ];
      for (const row of rows) io.printData(visibleJson(`${JSON.stringify(row)}\n`));
      return 0;
    }
    for (const failure of failures) io.printData(failureText(failure));
    for (const article of articles) io.printData(articleText(article, !!args.all));
    io.printData(othersText(others));
    return 0;
  },
};

type ArticleExplanation = Explanation['articles'][number];

function failureText(failure: Explanation['failures'][number]): string {
  const { what, request, error, attempts, firstSeen, lastSeen, selectedBy, lastGood } = failure;
  const times = [firstSeen, lastSeen].map((time) => time && instant(time));
  return paragraph([
    `${what ?? configurationLabel(request!)}  failed`,
    request?.reinitstring ? `  ${request.reinitstring}` : undefined,
    `  ${error.code}: ${error.message}`,
    `  → ${error.help}`,
    attempts && `  since ${times[0]} · ${amount(attempts, 'attempt')}, the last ${times[1]}`,
    selectedBy.length > 0 && `  selected by ${selectedBy.join(', ')}`,
    lastGood ? `  its last good file stays published: ${lastGood}` : undefined,
  ]);
}

/** The given lines without the missing ones, and an empty line. */
function paragraph(lines: readonly (string | false | 0 | undefined)[]): string {
  const there = lines.filter((line) => line !== undefined && line !== false && line !== 0);
  return `${visibleLines(there)}\n\n`;
}

const MOST_OTHERS = 20;

function othersText(others: readonly string[]): string {
  if (others.length === 0) return '';
  const more = others.length - MOST_OTHERS;
  const rest = more > 0 ? `  … and ${more} more in manifest.jsonl\n` : '';
  const lines = others.slice(0, MOST_OTHERS).map((label) => `  ${label}`);
  return `These configurations exist:\n${visibleLines(lines)}\n${rest}`;
}

const TIERS = {
  kept: 'nothing was requested, because its snapshot is fresh',
  'parts-list': 'its parts list was requested and is the same; its blocks and images are fresh',
  digest: 'its blocks or images were requested and have the same content',
  built: 'converted',
  skipped: 'skipped',
  failed: 'failed',
} as const satisfies Record<Decision['tier'], string>;

function decisionText({ run, tier, why }: NonNullable<ArticleExplanation['decision']>): string {
  const reasons = why.length === 0 ? '' : `: ${why.join(', ')}`;
  const when = tier === 'kept' ? 'since run' : 'in run';
  return `  ${when} ${run}: ${TIERS[tier]}${reasons}`;
}

function articleText(article: ArticleExplanation, all: boolean): string {
  const { line, decision, rebuilds, materials, counts, survey, deliveries, leftOut } = article;
  const { status, reinitstring, reason, losses, warnings } = line;
  const state = rebuilds
    ? ' its sources or options have changed: the next build converts it again'
    : '';
  return paragraph([
    `${configurationLabel(line)}  ${status}${state}`,
    reinitstring ? `  ${reinitstring}` : undefined,
    decision && decisionText(decision),
    reason && `  ${reason.code}: ${reason.message}`,
    ...deliveries.map(deliveryText),
    ...leftOut.map(({ feed, requires }) => `  ${feed}: left out, without ${requires}`),
    ...survey.map((sentence) => `  ${sentence}`),
    counts && `  geometry: ${Object.entries(counts).map(countText).join(' · ')}`,
    ...materials.flatMap((material) => materialLines(material, all)),
    ...losses.map((loss) => `  loss: ${lossText(loss)}`),
    ...warnings.map(({ code, message }) => `  warning: ${code}: ${message}`),
  ]);
}

/** Describes a delivery: the first of several files represents all of them. */
function deliveryText(line: ArticleExplanation['deliveries'][number]): string {
  const { delivery, files, splitBy = [], error } = line;
  const [first, ...others] = files;
  const facts = Object.entries(first?.facts ?? {}).map(([name, value]) => `${name} ${value}`);
  const parts = [
    first?.path ?? 'no file',
    ...facts,
    ...(others.length > 0 ? [amount(others.length, 'other file')] : []),
    ...(splitBy.length > 0 ? [`shape depends on ${splitBy.join(' or ')}`] : []),
    ...(error ? [`${error.code}: ${error.message}`] : []),
  ];
  return `  ${delivery}: ${parts.join(' · ')}`;
}

function countText([name, count]: [string, number]): string {
  return `${count} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
}

function materialLines({ name, steps }: MaterialExplanation, all: boolean): string[] {
  const shown = steps.filter(
    ({ sent, overridden, changes }) =>
      all || sent !== undefined || overridden !== undefined || changes.length > 0,
  );
  return ['', `  material ${name}`, ...shown.flatMap(stepLines)];
}

function stepLines(step: MaterialExplanation['steps'][number]): string[] {
  const { field, sent, overridden, target, why, changes } = step;
  const received = sent === undefined ? '(not sent)' : valueText(sent);
  const value =
    overridden === undefined ? received : `${received}, overridden: ${valueText(overridden)}`;
  const lines = changes.map(
    ({ name, before, after }) => `      ${name}: ${valueText(before)} → ${valueText(after)}`,
  );
  const head = `    ${field.padEnd(20)} ${value.padEnd(28)} → ${target ?? 'dropped'} (${why})`;
  return [head, ...lines];
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 10_000) / 10_000);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  return value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
}
