/**
 * Pipeline file: YAML with `${VARIABLE}` as a checked pipeline.
 *
 * In: text and an environment. Out: a {@link Pipeline} with absolute paths and every default.
 * Errors name file, line and the nearest known name. It must not open what the pipeline points to.
 */
import { dirname, join, resolve } from 'node:path';
import type { FreshnessPolicy } from '../../cache/freshness.ts';
import type { ConfigurationSource } from '../../fetch/select-configurations.ts';
import type { ArticleRequest } from '../../model/article.ts';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { readText } from '../../support/files.ts';
import type { ConvertOptions } from '../../transform/convert-options.ts';
import type { FailurePolicy } from '../failures/failure-ledger.ts';
import type { Gates } from '../gates/gate-schema.ts';
import { plainOverrides } from './convert-schema.ts';
import type { Environment } from './environment.ts';
import { pipelineProblems } from './pipeline-problems.ts';
import {
  type PipelineContent,
  pipelineSchema,
  type ServiceContent,
  SOURCE_KINDS,
  type SourceContent,
} from './pipeline-schema.ts';
import { readYaml } from './yaml-file.ts';

/** One way to choose articles, its paths absolute. */
export type PipelineSource =
  | { kind: 'list'; file: string }
  | { kind: 'catalogue'; parentnode: string; manufacturers: string[]; programs: string[] }
  | { kind: 'search'; manufacturer: string; query: string }
  | { kind: 'carts'; glob: string; as: 'planning' | 'articles' }
  | {
      kind: 'permanentids';
      from: { ids: string[] } | { file: string };
      as: 'planning' | 'articles';
    }
  | ConfigurationSource
  | ({ kind: 'article' } & ArticleRequest);

/** A pipeline file, checked. */
export interface Pipeline {
  name: string;
  /** The `service:` section; `recording` is an absolute path. */
  service: ServiceContent;
  articles: PipelineSource[];
  convert: ConvertOptions;
  limits: PipelineContent['limits'];
  gates: Gates;
  failures: FailurePolicy;
  outputDir: string;
  /** When a stored answer is taken. */
  freshness: FreshnessPolicy;
  cacheDir: string;
  /** Size of the cache at the end of a run. */
  cacheMaxBytes: number;
}

/**
 * Reads and checks a pipeline file.
 *
 * @param path - Absolute, or relative to the working folder.
 * @throws {@link ConverterError} `FILE_MISSING`, `FILE_UNREADABLE`, `PIPELINE_INVALID`, `PIPELINE_VARIABLE_UNSET`.
 */
export async function loadPipeline(path: string, env: Environment): Promise<Pipeline> {
  let text: string;
  try {
    text = await readText(path);
  } catch (cause) {
    if (!isConverterError(cause, 'FILE_MISSING')) throw cause;
    throw new ConverterError('FILE_MISSING', `${path}: no such pipeline file`, { cause });
  }
  return parsePipeline(text, path, env);
}

/**
 * Checks the text of a pipeline file.
 *
 * @param file - Its path: named in errors, and what the paths in it are relative to.
 *
 * @example
 * ```ts
 * parsePipeline('name: x\nservice: { emulator: true }\narticles: [{ lsit: a.csv }]\noutput: { dir: out }', 'x.yaml', {});
 * // → PIPELINE_INVALID 'x.yaml:3: unknown key "lsit"; did you mean "list"?'
 * ```
 *
 * @see D-744.
 */
export function parsePipeline(text: string, file: string, env: Environment): Pipeline {
  const yaml = readYaml(text, file, env);
  const parsed = pipelineSchema.safeParse(yaml.value);
  const problems = pipelineProblems(yaml, parsed.error?.issues ?? [], parsed.data);
  if (parsed.data === undefined || problems.length > 0) {
    throw new ConverterError('PIPELINE_INVALID', problems.join('\n'));
  }
  const { name, service, articles, convert, limits, gates, failures, output } = parsed.data;
  const { freshness, cache } = parsed.data;
  const at = (path: string) => resolve(dirname(file), path);
  const outputDir = at(output.dir);
  return {
    name,
    service:
      service.recording === undefined ? service : { ...service, recording: at(service.recording) },
    articles: articles.map((entry) => toSource(entry, at)),
    convert: { ...convert, overrides: plainOverrides(convert.overrides) },
    limits,
    gates,
    failures,
    outputDir,
    freshness,
    cacheDir: cache.dir === undefined ? defaultCacheDir(outputDir) : at(cache.dir),
    cacheMaxBytes: cache.maxBytes,
  };
}

/** The cache stands beside the output folder unless someone says otherwise. */
export function defaultCacheDir(outputDir: string): string {
  return join(dirname(outputDir), '.cache');
}

type SourceRule = (entry: SourceContent, at: (path: string) => string) => PipelineSource;

/** How an entry of `articles:` is read, by the key that it holds. */
const SOURCE_RULES: Record<(typeof SOURCE_KINDS)[number], SourceRule> = {
  list: ({ list }, at) => ({ kind: 'list', file: at(list!) }),
  catalogue: ({ catalogue }) => ({ kind: 'catalogue', ...catalogue! }),
  search: ({ search }) => ({ kind: 'search', ...search! }),
  carts: ({ carts, as = 'planning' }, at) => ({ kind: 'carts', glob: at(carts!), as }),
  permanentids: ({ permanentids, as = 'planning' }, at) => {
    const named = permanentids!;
    const from = typeof named === 'string' ? { file: at(named) } : { ids: named };
    return { kind: 'permanentids', from, as };
  },
  configurations: ({ configurations }) => toConfigurations(configurations!),
  article: ({ article }) => ({ kind: 'article', ...article! }),
};

function toConfigurations(content: NonNullable<SourceContent['configurations']>): PipelineSource {
  const { values, each = [], max = 1, manufacturer, program, ...rest } = content;
  return {
    kind: 'configurations',
    ...rest,
    manufacturer: manufacturer.toUpperCase(),
    program: program.toUpperCase(),
    values: Object.fromEntries(Object.entries(values).map(([name, v]) => [name, String(v)])),
    each,
    max,
  };
}

function toSource(entry: SourceContent, at: (path: string) => string): PipelineSource {
  return SOURCE_RULES[SOURCE_KINDS.find((kind) => entry[kind] !== undefined)!](entry, at);
}
