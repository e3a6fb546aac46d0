/** `btg2gltf convert`: one article into one file. */

import { dirname, join, resolve } from 'node:path';
import type { ArticleRequest } from '../model/article.ts';
import type { Loss } from '../model/asset.ts';
import { articleLabel, ID_FIELDS } from '../model/configuration-id.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { lossText } from '../run/report/assessment.ts';
import { LOSS_KINDS, lossKindOf } from '../run/report/run-report.ts';
import { amount, size, wrapped } from '../run/report/text.ts';
import { isConverterError } from '../support/errors.ts';
import { SILENT } from '../support/log.ts';
import { visibleLines } from '../support/visible.ts';
import { PARTS } from '../wiring.ts';
import { type Arguments, type Command, textOf } from './command.ts';
import { applyOptions, optionsOf } from './pipeline-options.ts';
import { environmentOf, pipelineOf, SERVICE_OPTIONS } from './service-options.ts';
import { rethrowUnknownArticle } from './unknown-article.ts';

const OPAQUE = { type: 'string', mayBeEmpty: true } as const;

/** The command. */
export const convertCommand: Command = {
  options: {
    manufacturer: {
      type: 'string',
      value: 'M',
      required: true,
      describe: 'manufacturer, by its identifier in the catalogue',
    },
    program: {
      type: 'string',
      value: 'P',
      required: true,
      describe: 'series, by its identifier in the catalogue',
    },
    basearticlenumber: {
      type: 'string',
      value: 'N',
      required: true,
      describe: 'base article number',
    },
    finalarticlenumber: {
      ...OPAQUE,
      describe: 'article number of the configuration; without it, the service chooses',
    },
    reinitstring: { ...OPAQUE, describe: 'configuration, exactly as the service wrote it' },
    metareinitstring: {
      ...OPAQUE,
      describe: 'configuration of a meta planning, exactly as the service wrote it',
    },
    output: {
      type: 'string',
      value: 'FILE.glb',
      required: true,
      describe: 'file to write: .glb, or .gltf with its data and images in files beside it',
    },
    ...SERVICE_OPTIONS,
    cache: { type: 'string', describe: 'cache folder [default: .cache beside the file]' },
    verbose: { type: 'boolean', describe: 'also list each value that glTF cannot express exactly' },
    ...optionsOf('convert'),
  },
  examples: [
    'btg2gltf convert --emulator --manufacturer FJEL --program LINEA --basearticlenumber LN-M --output desk.glb',
  ],
  async run(args, io) {
    const { convertArticle } = await import('../run/single-article.ts');
    const { output, ...others } = args;
    const file = resolve(String(output));
    const cache = textOf(args, 'cache') ?? join(dirname(file), '.cache');
    const { pipeline } = applyOptions(await pipelineOf(args, io), { ...others, cache }, io);
    const environment = { ...environmentOf(io), log: SILENT };
    const { sharing } = PARTS;
    const openShared = sharing && (() => sharing.open(pipeline, environment));
    const request = requestOf(args);
    const converting = convertArticle(request, pipeline, file, environment, openShared);
    const { bytes, files, key, scene, warnings } = await converting.catch((error) =>
      explainUnknown(request, pipeline, environment, error),
    );
    io.print(`${file}: ${size(bytes)}${files.length === 1 ? '' : ` in ${files.length} files`}\n`);
    const { min, max } = scene.boundsMetres;
    const [width, height, depth] = max.map((high, axis) => (high - min[axis]!).toFixed(3));
    const losses = scene.losses.filter(({ expected }) => !expected);
    const lines = [
      `article ${articleLabel(key)}, final article number ${key.finalarticlenumber}`,
      `${amount(scene.triangles, 'triangle')}, ${amount(scene.materials.length, 'material')}, ${width} × ${depth} × ${height} m (width × depth × height)`,
      ...lossLines(losses, args.verbose === true),
      ...warnings.map(({ code, message }) => `warning: ${code}: ${message}`),
    ];
    const wrap = (line: string) => wrapped(line, io.columns, line.startsWith(' ') ? 4 : 2);
    io.printData(visibleLines([...lines.flatMap(wrap), '']));
    return 0;
  },
};

/** What one may see of the losses, in a sentence for each kind; `--verbose` adds each value. */
function lossLines(losses: readonly Loss[], isVerbose: boolean): string[] {
  if (losses.length === 0) return [];
  const kinds = new Set(losses.map(({ field }) => lossKindOf(field)));
  const sentences = Array.from(kinds, (kind) => `note: ${LOSS_KINDS[kind].sentence}`);
  if (!isVerbose)
    return [
      ...sentences,
      `  (--verbose lists the ${amount(losses.length, 'value')} that the format glTF cannot express exactly)`,
    ];
  const values = losses.map((loss) => `  ${lossText(loss)}`);
  return [...sentences, 'what glTF cannot express exactly (material: value):', ...values];
}

/** An article that is unknown without a configuration string: names the nearest. */
async function explainUnknown(
  request: ArticleRequest,
  { service: content }: Pipeline,
  environment: RunEnvironment,
  error: unknown,
): Promise<never> {
  if (!isConverterError(error, 'ARTICLE_NOT_FOUND')) throw error;
  const { openService } = await import('../run/open/connect.ts');
  const service = await openService(content, environment);
  try {
    return await rethrowUnknownArticle(service.client, 'convert', request, '', error);
  } finally {
    await service.close();
  }
}

function requestOf(args: Arguments): ArticleRequest {
  const texts = ID_FIELDS.map((field) => [field, textOf(args, field) ?? '']);
  const { manufacturer, program, ...others } = Object.fromEntries(texts) as ArticleRequest;
  return { manufacturer: manufacturer.toUpperCase(), program: program.toUpperCase(), ...others };
}
