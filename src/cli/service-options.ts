/** The service and the environment of a command. */
import { resolve } from 'node:path';
import { loadPipeline, readPipelineObject } from '../deliver/pipeline.ts';
import { startEmulatorOf } from '../emulator/start-emulator.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { type Arguments, type Io, type OptionSpec, textOf, usageError } from './command.ts';

/** Options that name a service; without any of them the environment variables name it. */
export const SERVICE_OPTIONS = {
  pipeline: { type: 'string', describe: 'use the service and the options of this pipeline file' },
  emulator: { type: 'boolean', describe: 'use the sample furniture of the emulator' },
  recording: { type: 'string', describe: 'use the recording in this folder' },
} as const satisfies Record<string, OptionSpec>;

const LIVE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

/**
 * Loads the pipeline of the service that the arguments name, or creates a pipeline for it.
 *
 * @throws {@link ConverterError} `USAGE` for several names or none; `PIPELINE_VARIABLE_UNSET`.
 */
export async function pipelineOf(args: Arguments, io: Io): Promise<Pipeline> {
  const given = Object.keys(SERVICE_OPTIONS).filter((name) => args[name] !== undefined);
  if (given.length > 1) {
    const both = given.map((name) => `--${name}`).join(' and ');
    throw usageError(`${both} each name a service; use one of them`);
  }
  if (given.length === 0 && io.env.BTG2GLTF_BASE_URL === undefined) {
    throw usageError(
      'no service is named',
      'add --pipeline FILE, --emulator (sample furniture) or --recording DIR, or set BTG2GLTF_AUTH_URL and BTG2GLTF_BASE_URL',
    );
  }
  const file = textOf(args, 'pipeline');
  if (file !== undefined) return loadPipeline(file, io.env);
  const recording = textOf(args, 'recording');
  const named = recording === undefined ? LIVE : { recording: resolve(recording) };
  const content = {
    name: 'command line',
    service: args.emulator ? { emulator: true } : named,
    articles: [{ catalogue: {} }],
    output: { dir: 'output' },
  };
  return readPipelineObject(content, 'without --pipeline, --emulator or --recording', io.env);
}

/** The environment of the pipeline, without its output. */
export function environmentOf(io: Io): Omit<RunEnvironment, 'log' | 'progress' | 'selecting'> {
  const { env, now, random, signal } = io;
  return { env, now, random, signal, startEmulator: (range) => startEmulatorOf(range) };
}
