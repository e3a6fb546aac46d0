/** The main functions of the library, with defaults from this process for all that they need beside their task. */

import { dirname } from 'node:path';
import { z } from 'zod';
import { isRecord } from './convert/wire/value.ts';
import type { Assets, AssetsOptions } from './deliver/assets.ts';
import type { PipelineInput } from './deliver/pipeline.ts';
import { loadPipeline, readPipelineObject } from './deliver/pipeline.ts';
import { startEmulatorOf } from './emulator/start-emulator.ts';
import type { ArticleRequest } from './model/article.ts';
import { type Environment, registerSecrets } from './run/file/environment.ts';
import type { Pipeline } from './run/file/pipeline-file.ts';
import type { RunResult } from './run/open/run-end.ts';
import type { Progress, RunEnvironment } from './run/open/run-environment.ts';
import { OPTION_CHECKS, type RunOptions } from './run/open/run-options.ts';
import { runPipeline } from './run/run.ts';
import { type ConvertedArticle, convertArticle } from './run/single-article.ts';
import type { Credentials } from './source/service/service-config.ts';
import { asConverterError, ConverterError } from './support/errors.ts';
import { withTemporaryFolder } from './support/folders.ts';
import { type Logger, SILENT } from './support/log.ts';
import { CHECKS, checked, checkParameters } from './support/parameters.ts';
import { openAssetsOf, PARTS } from './wiring.ts';

/** The section `service` of a pipeline file, with credentials if they are not in the environment. */
export interface ServiceInput extends Omit<PipelineInput['service'], 'emulator'> {
  /** The sample range of the emulator. */
  emulator?: boolean;
  credentials?: Credentials;
}

/** What {@link convert}, {@link run} and {@link openAssets} take from this process by default. */
interface ProcessParameters {
  /** Variables with addresses and credentials. @defaultValue `process.env` */
  env?: Environment;
  /** @defaultValue {@link SILENT} */
  log?: Logger;
  /** Milliseconds since 1970. @defaultValue `Date.now` */
  now?: () => number;
  /** 0 to 1, for the time between two attempts. @defaultValue `Math.random` */
  random?: () => number;
  /** Ends the work, with the error `INTERRUPTED`. */
  signal?: AbortSignal;
}

/** The parameters of {@link convert}. */
export interface ConvertParameters extends ProcessParameters {
  service: ServiceInput;
  /** Manufacturer, program and base article number; without the other fields, its default configuration. */
  article: NonNullable<PipelineInput['articles'][number]['article']>;
  /** The file to write: `.glb`, or `.gltf` with buffer and images in files beside it. */
  output: string;
  /** The section `convert` of a pipeline file. */
  convert?: PipelineInput['convert'];
  /** Folder in which responses are kept for the next call. @defaultValue a temporary folder */
  cache?: string;
}

/** The parameters of {@link run}. */
export interface RunParameters extends ProcessParameters, Omit<RunOptions, 'pipeline'> {
  /** Path of a pipeline file, or its content; paths in the content are relative to the working folder. */
  pipeline: string | (Omit<PipelineInput, 'service'> & { service: ServiceInput });
  /**
   * Called after each configuration. If it throws, or returns a promise that rejects, it is not called again, and
   * the run rejects at its end, which waits for these promises.
   */
  onProgress?: (progress: Progress) => void;
}

/** The parameters of {@link openAssets}. */
export interface AssetsParameters
  extends ProcessParameters,
    AssetsOptions,
    Pick<RunParameters, 'pipeline'> {}

const LOGGER = z.custom(
  (value) => ['debug', 'info', 'warn', 'error'].every((level) => isFunctionOf(value, level)),
  'a logger, such as createLogger returns',
);

function isFunctionOf(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[name] === 'function';
}

const PROCESS_CHECKS = {
  env: CHECKS.env.optional(),
  log: LOGGER.optional(),
  now: CHECKS.function.optional(),
  random: CHECKS.function.optional(),
  signal: CHECKS.signal.optional(),
} satisfies Record<keyof ProcessParameters, z.ZodType>;

const CONVERT_SCHEMA = z.object({
  service: CHECKS.object,
  article: CHECKS.object,
  output: CHECKS.text,
  convert: CHECKS.object.optional(),
  cache: CHECKS.text.optional(),
  ...PROCESS_CHECKS,
} satisfies Record<keyof ConvertParameters, z.ZodType>);

const PIPELINE_GIVEN = z.custom(
  (value) => (typeof value === 'string' && value !== '') || isRecord(value),
  'the path of a pipeline file, or its content as an object',
);

const ASSETS_SCHEMA = z.object({
  pipeline: PIPELINE_GIVEN,
  resolveMaxAgeMs: CHECKS.number.optional(),
  ...PROCESS_CHECKS,
} satisfies Record<keyof AssetsParameters, z.ZodType>);

const ASSET_CHECKS = {
  request: z.object(
    { manufacturer: CHECKS.text, program: CHECKS.text, basearticlenumber: CHECKS.text },
    'manufacturer, program and base article number',
  ),
  form: z.object({ form: CHECKS.text }, 'an object with form'),
  how: z.object({ signal: CHECKS.signal.optional() }, 'an object with signal').optional(),
};

const RUN_SCHEMA = z.object({
  pipeline: PIPELINE_GIVEN,
  onProgress: CHECKS.function.optional(),
  ...OPTION_CHECKS,
  ...PROCESS_CHECKS,
} satisfies Record<keyof RunParameters, z.ZodType>);

/**
 * Converts one article into one file.
 *
 * @throws {@link ConverterError} `USAGE` naming a wrong field, `ARTICLE_NOT_FOUND`, `LOGIN_REFUSED` and any
 *   other code of {@link ERROR_CODES} that fails an article or a run.
 *
 * @example
 * ```ts
 * const { key, bytes } = await convert({
 *   service: { emulator: true },
 *   article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' },
 *   output: 'desk.glb',
 * });
 * key.finalarticlenumber; // → 'LN-M-V.EI.D.SW.1600.800.74.0.3.0'
 * ```
 */
export async function convert(parameters: ConvertParameters): Promise<ConvertedArticle> {
  checkParameters('convert', parameters, CONVERT_SCHEMA);
  const { article, output, convert: options = {}, cache } = parameters;
  const { service, env } = withCredentials('convert', parameters.service, parameters.env);
  const content = {
    name: 'convert',
    service,
    articles: [{ article }],
    convert: options,
    output: { dir: dirname(output) },
  };
  const pipeline = readConvertPipeline(content, env);
  const { kind: _, ...request } = pipeline.articles[0] as ArticleRequest & { kind: 'article' };
  const convertWith = (cacheDir: string) =>
    withEnvironment({ ...parameters, env }, (environment) =>
      convertArticle(request, { ...pipeline, cacheDir }, output, environment),
    );
  return cache === undefined ? withTemporaryFolder(convertWith) : convertWith(cache);
}

/** The caller has written an article, and no list of entries. */
function readConvertPipeline(content: object, env: Environment): Pipeline {
  try {
    return readPipelineObject(content, 'convert', env);
  } catch (cause) {
    const { code, message } = asConverterError(cause);
    throw new ConverterError(code, message.replaceAll('articles, entry 1: ', '').split('\n'), {
      cause,
    });
  }
}

/**
 * Converts what a pipeline selects, as `btg2gltf run` does.
 *
 * @returns The report, which lists the failures of single articles.
 * @throws {@link ConverterError} `USAGE` naming a wrong field; the error that ended the run before it was
 *   complete, such as `LOGIN_REFUSED`, `GATE_REFUSED` or `INTERRUPTED`; after a complete run `USAGE` if
 *   `onProgress` threw or rejected, with its error as `cause`.
 *
 * @example
 * ```ts
 * const { report } = await run({ pipeline: 'pipelines/nightly.yaml' });
 * report.configurations; // → { selected: 72, converted: 72, unchanged: 0, failed: 0 }
 * ```
 */
export async function run(parameters: RunParameters): Promise<RunResult> {
  checkParameters('run', parameters, RUN_SCHEMA);
  const { pipeline: given, onProgress, env: _, log, now, random, signal, ...options } = parameters;
  const { pipeline, env } = await readRunPipeline('run', given, parameters.env);
  return withEnvironment({ log, now, random, signal, env }, async (environment) => {
    const callback = guarded(onProgress, environment.log);
    const { progress } = callback;
    const result = await runPipeline({ ...options, pipeline }, { ...environment, progress }, PARTS);
    const error = result.end.error ?? (await callback.firstError(environment.signal));
    if (error !== undefined) throw error;
    return result;
  });
}

/**
 * Opens what makes files of any configuration: GLB, USDZ, files of a profile, pictures. All that it makes is kept in the cache
 * of the pipeline, where a run finds it; it publishes nothing.
 *
 * @returns Until it is closed, `asset` makes a file, or takes it from the cache.
 * @throws {@link ConverterError} `USAGE` naming a wrong field, `PIPELINE_INVALID`. The service is opened by the first call of `asset`.
 *
 * @example
 * ```ts
 * const assets = await openAssets({ pipeline: 'pipelines/demo.yaml' });
 * const desk = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
 * const { bytes, mimeType } = await assets.asset({ ...desk, values: { 'OBERFLÄCHE.DEKOR': 'EI' } }, { form: 'glb' });
 * mimeType;   // → 'model/gltf-binary'
 * await assets.close();
 * ```
 */
export async function openAssets(parameters: AssetsParameters): Promise<Assets> {
  checkParameters('openAssets', parameters, ASSETS_SCHEMA);
  const { pipeline: given, env: _, log, now, random, signal, ...options } = parameters;
  const { pipeline, env } = await readRunPipeline('openAssets', given, parameters.env);
  return new Promise((resolve, reject) => {
    const untilClosed = (environment: RunEnvironment) =>
      new Promise<void>((end) => {
        openAssetsOf(pipeline, environment, options).then(
          (assets) => {
            const unchecked: Assets['asset'] = (...asked) => assets.asset(...asked);
            resolve({
              asset: checked(unchecked, ASSET_CHECKS, { name: 'asset', isAsync: true }),
              known: (...asked) => assets.known(...asked),
              published: (...asked) => assets.published(...asked),
              object: (...named) => assets.object(...named),
              close: () => assets.close().finally(end),
            });
          },
          (error: unknown) => {
            reject(error);
            end();
          },
        );
      });
    withEnvironment({ log, now, random, signal, env }, untilClosed).catch(reject);
  });
}

/** Calls a callback of the user until it throws or rejects, so that its error does not end the run. */
function guarded(onProgress: RunParameters['onProgress'], log: Logger) {
  let error: ConverterError | undefined;
  const pending = new Set<Promise<void>>();
  const call = async (progress: Progress) => {
    try {
      await onProgress?.(progress);
    } catch (cause) {
      if (error !== undefined) return;
      const { message } = asConverterError(cause);
      const help = 'correct the callback; the run went on, and what it converted is published';
      error = new ConverterError('USAGE', `run: onProgress threw: ${message}`, { cause, help });
      log.warn(error.message);
    }
  };
  return {
    progress: (progress: Progress) => {
      if (error !== undefined) return;
      const called = call(progress).finally(() => pending.delete(called));
      pending.add(called);
    },
    /** Waits for the promises of all calls; rejects once the signal is aborted, because one may never settle. */
    firstError: (signal: AbortSignal) =>
      new Promise<ConverterError | undefined>((resolve, reject) => {
        const stop = () => reject(signal.reason);
        if (pending.size > 0 && signal.aborted) stop();
        signal.addEventListener('abort', stop, { once: true });
        void Promise.all(pending).then(() => resolve(error));
      }),
  };
}

async function readRunPipeline(
  name: string,
  given: RunParameters['pipeline'],
  variables: Environment | undefined,
): Promise<{ pipeline: Pipeline; env: Environment }> {
  if (typeof given === 'string') {
    const env = variables ?? process.env;
    return { pipeline: await loadPipeline(given, env), env };
  }
  const { service, env } = withCredentials(`${name}: pipeline`, given.service, variables);
  const content = service === undefined ? given : { ...given, service };
  return { pipeline: readPipelineObject(content, `${name}: pipeline`, env), env };
}

/** Each field of {@link Credentials} with the variable that has it otherwise. */
const CREDENTIALS = {
  username: 'BTG2GLTF_USERNAME',
  password: 'BTG2GLTF_PASSWORD',
  appKey: 'BTG2GLTF_APP_KEY',
  token: 'BTG2GLTF_TOKEN',
} as const;

/** Moves given credentials from the service to its variables, because a pipeline has no secrets. */
function withCredentials(
  name: string,
  service: ServiceInput,
  variables: Environment | undefined,
): { service: object; env: Environment } {
  const env = variables ?? process.env;
  const { credentials, ...rest } = service ?? {};
  const secret = Object.keys(CREDENTIALS).find((field) => field in rest);
  if (secret !== undefined) {
    const where = `service.${secret}: expected in service.credentials`;
    throw new ConverterError('USAGE', `${name}: ${where}, received beside it`);
  }
  if (credentials === undefined) return { service, env };
  const given: Record<string, unknown> = { ...credentials };
  const isWrong = Object.entries(given).some(([field, value]) => {
    return !(field in CREDENTIALS) || (value !== undefined && typeof value !== 'string');
  });
  if (isWrong) {
    const expected = 'expected texts username, password and appKey, or token';
    throw new ConverterError('USAGE', `${name}: service.credentials: ${expected}`);
  }
  const set = Object.entries(CREDENTIALS).map(([field, variable]) => [variable, given[field]]);
  return { service: rest, env: { ...env, ...Object.fromEntries(set) } };
}

async function withEnvironment<T>(
  parameters: { [K in keyof ProcessParameters]: ProcessParameters[K] | undefined },
  work: (environment: RunEnvironment) => Promise<T>,
): Promise<T> {
  const { env = {}, log = SILENT, now = Date.now, random = Math.random, signal } = parameters;
  registerSecrets(env);
  const controller = new AbortController();
  const abort = () => {
    const context = { cause: signal?.reason };
    controller.abort(new ConverterError('INTERRUPTED', 'interrupted by the signal', context));
  };
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const environment = { env, log, now, random, signal: controller.signal };
  try {
    return await work({ ...environment, startEmulator: (range) => startEmulatorOf(range) });
  } catch (thrown) {
    throw asConverterError(controller.signal.aborted ? controller.signal.reason : thrown);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
