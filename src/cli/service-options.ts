/**
 * Service options: which service a command talks to that has no pipeline of its own to work through.
 */
import { resolve } from 'node:path';
import { loadPipeline, type Pipeline, parsePipeline } from '../pipeline/pipeline-file.ts';
import { usageError } from './arguments.ts';
import { type Arguments, type Io, type OptionSpec, textOf } from './command.ts';

/** The ways to name a service; without any of them the environment does. */
export const SERVICE_OPTIONS = {
  pipeline: { type: 'string', describe: 'take service and options from this pipeline file' },
  emulator: { type: 'boolean', describe: 'the sample range of the emulator' },
  recording: { type: 'string', describe: 'the recording in this folder' },
} as const satisfies Record<string, OptionSpec>;

const LIVE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

/**
 * Reads or makes up the pipeline that holds the service.
 *
 * @throws {@link ConverterError} `USAGE` for more than one way; `PIPELINE_VARIABLE_UNSET` for none.
 */
export async function pipelineOf(args: Arguments, io: Io): Promise<Pipeline> {
  const ways = Object.keys(SERVICE_OPTIONS).filter((name) => args[name] !== undefined);
  if (ways.length > 1) {
    throw usageError(
      `expected one of --pipeline, --emulator and --recording, received ${ways.map((w) => `--${w}`).join(' and ')}`,
    );
  }
  if (ways.length === 0 && io.env.BTG2GLTF_BASE_URL === undefined) {
    throw usageError(
      'no service is named: give --pipeline, --emulator or --recording, or set BTG2GLTF_AUTH_URL and BTG2GLTF_BASE_URL',
    );
  }
  const file = textOf(args, 'pipeline');
  if (file !== undefined) return loadPipeline(file, io.env);
  const recording = textOf(args, 'recording');
  const named = recording === undefined ? LIVE : { recording: resolve(recording) };
  // JSON is YAML: the one parser checks this pipeline as it checks any other.
  const content = {
    name: 'command line',
    service: args.emulator ? { emulator: true } : named,
    articles: [{ catalogue: {} }],
    output: { dir: 'output' },
  };
  return parsePipeline(
    JSON.stringify(content),
    'without --pipeline, --emulator or --recording',
    io.env,
  );
}
