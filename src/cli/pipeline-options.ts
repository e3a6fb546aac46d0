/** The options of commands that use a pipeline, and how they change what a run is to do. */
import { resolve } from 'node:path';
import { loadPipeline } from '../deliver/pipeline.ts';
import { defaultCacheDir, type Pipeline } from '../run/file/pipeline-file.ts';
import { RUN_OPTIONS, type RunOptions } from '../run/open/run-options.ts';
import { SERVICE_DEFAULTS } from '../source/service/service-config.ts';
import { type Arguments, type Io, type OptionSpec, textOf } from './command.ts';
import { LOG_FORMAT_OPTION } from './run-output.ts';

interface PipelineOption extends OptionSpec {
  commands: readonly (
    | 'run'
    | 'fetch'
    | 'build'
    | 'record'
    | 'convert'
    | 'explain'
    | 'deliver'
    | 'assets'
    | 'worker'
    | 'cancel'
    | 'catalogue'
    | 'doctor'
    | 'inbox'
    | 'relay'
    | 'survey'
  )[];
  /** The fields of the pipeline that the option replaces. Without this function, the command uses the value. */
  replace?: (pipeline: Pipeline, value: never) => Partial<Pipeline>;
}

/** The commands that fetch from the service. */
const CONNECTING = ['run', 'fetch', 'record', 'convert', 'assets', 'worker', 'survey'] as const;

/** Every option that is not a field of {@link RunOptions}, in the order in which they are applied. */
const PIPELINE_OPTIONS: Readonly<Record<string, PipelineOption>> = {
  output: {
    type: 'string',
    value: 'DIR',
    commands: ['run', 'fetch', 'build', 'explain', 'deliver', 'assets', 'worker', 'cancel'],
    describe: 'output folder, instead of the one in the pipeline file',
    replace: (_, dir: string) => {
      const outputDir = resolve(dir);
      return { outputDir, cacheDir: defaultCacheDir(outputDir) };
    },
  },
  cache: {
    type: 'string',
    value: 'DIR',
    commands: [
      'run',
      'fetch',
      'build',
      'record',
      'explain',
      'deliver',
      'assets',
      'worker',
      'cancel',
      'survey',
    ],
    describe: 'cache folder [default: .cache beside the output folder]',
    replace: (_, dir: string) => ({ cacheDir: resolve(dir) }),
  },
  concurrency: {
    type: 'number',
    min: 1,
    default: SERVICE_DEFAULTS.concurrency,
    commands: ['run', 'fetch', 'record', 'assets', 'worker', 'survey'],
    describe: 'how many requests the service gets at the same time, at most',
    replace: ({ service }, concurrency: number) => ({ service: { ...service, concurrency } }),
  },
  'allow-http': {
    type: 'boolean',
    commands: [...CONNECTING, 'catalogue', 'doctor', 'inbox', 'relay'],
    describe: 'send passwords also to addresses without encryption (http://)',
    replace: ({ service }) => ({ service: { ...service, allowHttp: true } }),
  },
  'allow-missing-parts': {
    type: 'boolean',
    commands: ['run', 'build', 'convert', 'assets', 'worker'],
    describe:
      'convert also articles with missing geometry or unreadable images: their models are incomplete',
    replace: ({ convert }) => ({ convert: { ...convert, allowMissingParts: true } }),
  },
  'dry-run': {
    type: 'boolean',
    commands: ['run'],
    describe: 'print which articles are selected, and how many requests a run would send',
  },
  'log-format': {
    ...LOG_FORMAT_OPTION,
    commands: ['run', 'fetch', 'build', 'record', 'worker', 'deliver', 'assets', 'survey'],
  },
  quiet: {
    type: 'boolean',
    commands: ['run', 'fetch', 'build', 'record', 'worker', 'deliver'],
    describe: 'print only errors and the path of the report',
  },
  verbose: {
    type: 'boolean',
    commands: ['run', 'fetch', 'build', 'record', 'worker'],
    describe: 'write a line for each configuration',
  },
  'metrics-file': {
    type: 'string',
    value: 'FILE',
    commands: ['run', 'fetch', 'build'],
    describe: 'write figures for Prometheus to this file, such as DIR/btg2gltf.prom',
  },
  junit: {
    type: 'string',
    value: 'FILE',
    commands: ['run', 'fetch', 'build'],
    describe: 'write the results to this file as JUnit XML, for CI systems',
  },
};

/** The option that names the browser of a command that takes pictures. */
export const BROWSER_OPTION = {
  type: 'string',
  value: 'PATH',
  describe: 'path of Chrome or Chromium; or @sparticuz/chromium (a package of npm), or none',
} as const satisfies OptionSpec;

/** The pipeline file as a positional. */
export const PIPELINE_POSITIONAL = [
  {
    name: 'PIPELINE.yaml',
    describe: 'file that says what to convert, from which service, and where to',
    required: true,
  },
] as const;

type Row = [name: string, OptionSpec & { commands: readonly string[] }];

const ROWS: readonly Row[] = [
  ...Object.entries(PIPELINE_OPTIONS),
  ...Object.values(RUN_OPTIONS).map((row): Row => [row.option, row]),
];

/** The options of a command from both tables. */
export function optionsOf(command: string): Record<string, OptionSpec> {
  return Object.fromEntries(ROWS.filter(([, { commands }]) => commands.includes(command)));
}

/** The commands that have an option of either table. */
export function commandsWith(option: string): readonly string[] {
  return ROWS.find(([name]) => name === option)?.[1].commands ?? [];
}

/** Reads the pipeline file that is given as a positional, with the options. */
export async function readRunOptions(args: Arguments, io: Io): Promise<RunOptions> {
  return applyOptions(await loadPipeline(textOf(args, 'PIPELINE.yaml')!, io.env), args, io);
}

/** The pipeline of a pipeline file at a path, without a service; undefined for any other path. */
export async function pipelineAt(path: string, { env }: Io): Promise<Pipeline | undefined> {
  return /\.ya?ml$/i.test(path) ? loadPipeline(path, env, true) : undefined;
}

/** The options of a run without a service: variables of `service:` that are not set are taken from the last fetch. */
export async function readOfflineOptions(
  file: string,
  args: Arguments,
  io: Io,
): Promise<RunOptions> {
  const { pipeline } = applyOptions(await loadPipeline(file, io.env, true), args, io);
  const { readServiceVariables } = await import('../run/articles/select.ts');
  const set = Object.entries(io.env).filter(([, value]) => value !== undefined && value !== '');
  const env = { ...(await readServiceVariables(pipeline)), ...Object.fromEntries(set) };
  return applyOptions(await loadPipeline(file, env, true), args, io);
}

/** Applies the options that were given to a pipeline. */
export function applyOptions(file: Pipeline, args: Arguments, io: Pick<Io, 'now'>): RunOptions {
  const isGiven = (name: string) => args[name] !== undefined && args[name] !== false;
  let pipeline = file;
  for (const [name, { replace }] of Object.entries(PIPELINE_OPTIONS)) {
    const isReplaced = isGiven(name) && replace !== undefined;
    if (isReplaced) pipeline = { ...pipeline, ...replace(pipeline, args[name] as never) };
  }
  const fields = Object.entries(RUN_OPTIONS).flatMap(([field, row]) => {
    if (!isGiven(row.option)) return [];
    const value = 'parse' in row ? row.parse(String(args[row.option]), io.now()) : args[row.option];
    return [[field, value]];
  });
  return { pipeline, ...Object.fromEntries(fields) };
}
