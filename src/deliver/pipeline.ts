/** Pipeline files with all their sections. */
import type { z } from 'zod';
import type { Environment } from '../run/file/environment.ts';
import { type Pipeline as AnyPipeline, PipelineReader } from '../run/file/pipeline-file.ts';
import type { PipelineInput as AnyPipelineInput } from '../run/file/pipeline-schema.ts';
import { type DeliverSection, deliverSchema } from './section.ts';

/** A checked pipeline file; all paths are absolute. */
export type Pipeline = Omit<AnyPipeline, 'deliver'> & { deliver?: DeliverSection | undefined };

/** The input form of a pipeline file. */
export type PipelineInput = Omit<AnyPipelineInput, 'deliver'> & {
  deliver?: z.input<typeof deliverSchema> | undefined;
};

const READER = new PipelineReader(deliverSchema);

/**
 * Reads and checks a pipeline file.
 *
 * @param path - Absolute, or relative to the working folder.
 * @param isOffline - Whether variables in `service:` may be unset.
 * @throws {@link ConverterError} `FILE_MISSING`, `FILE_UNREADABLE`, `PIPELINE_INVALID`, `PIPELINE_VARIABLE_UNSET`.
 */
export async function loadPipeline(
  path: string,
  env: Environment,
  isOffline = false,
): Promise<Pipeline> {
  return (await READER.load(path, env, isOffline)) as Pipeline;
}

/**
 * Checks the text of a pipeline file.
 *
 * @param file - Its path, for errors; paths in the text are relative to its folder.
 * @example
 * ```ts
 * parsePipeline('name: x\nservice: { emulator: true }\narticles: [{ lsit: a.csv }]\noutput: { dir: out }', 'x.yaml', {});
 * // → PIPELINE_INVALID 'x.yaml:3: there is no key "lsit"; did you mean "list"?'
 * ```
 * @see D-744.
 */
export function parsePipeline(
  text: string,
  file: string,
  env: Environment,
  isOffline = false,
): Pipeline {
  return READER.parse(text, file, env, isOffline) as Pipeline;
}

/**
 * Checks the content of a pipeline file as an object; paths in it are relative to the working folder.
 *
 * @param name - Name of the object, for errors.
 * @throws {@link ConverterError} `USAGE` naming each wrong field; `PIPELINE_VARIABLE_UNSET`.
 */
export function readPipelineObject(content: object, name: string, env: Environment): Pipeline {
  return READER.readObject(content, name, env) as Pipeline;
}

/** Returns the JSON Schema of pipeline files, which is `pipelines/schema.json`. */
export function pipelineJsonSchema(): Record<string, unknown> {
  return READER.jsonSchema();
}
