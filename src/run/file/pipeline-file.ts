/** Reads a pipeline file: YAML with `${VARIABLE}` as a checked pipeline with absolute paths and every default. */
import { dirname, extname, join, resolve } from 'node:path';
import { z } from 'zod';
import { readAddress } from '../../source/service/target.ts';
import { asConverterError, ConverterError, isConverterError } from '../../support/errors.ts';
import { readText, statIfExists } from '../../support/files.ts';
import { didYouMean, nearestName } from '../../support/nearest.ts';
import { CHECKS, SCHEMA_TYPES } from '../../support/parameters.ts';
import { type ENVIRONMENT, type Environment, UNSET_ADDRESS } from './environment.ts';
import {
  type PipelineContent,
  type PipelineSchema,
  type PipelineSource,
  pipelineSchemaWith,
  readSource,
  SOURCE_KINDS,
} from './pipeline-schema.ts';
import { YamlFile, type YamlPath } from './pipeline-yaml.ts';

/** A checked pipeline file; all paths are absolute. */
export interface Pipeline extends Omit<PipelineContent, 'articles' | 'output' | 'cache'> {
  articles: PipelineSource[];
  outputDir: string;
  /** Reports that stay when a run publishes. */
  keepRuns: number;
  /** Days for which objects and links stay to which nothing refers. */
  keepObjectsDays: number;
  cacheDir: string;
  /** Largest size of the cache at the end of a run. */
  cacheMaxBytes: number;
  /** Values of the variables in `service:`, which has addresses and no secrets; empty if not set. */
  serviceVariables: Readonly<Record<string, string>>;
  /** Where the record of its survey is, if there is one; undefined for a pipeline that is no file. */
  surveyFile?: string;
}

/** Checks that a program without types passes a pipeline. */
export const PIPELINE_CHECK = z.object(
  {
    service: CHECKS.object,
    articles: CHECKS.list,
    convert: CHECKS.object,
    outputDir: CHECKS.text,
    cacheDir: CHECKS.text,
  },
  'a pipeline, such as loadPipeline returns',
);

/** Replaces a `service:` section with a variable that is not set, if no service is needed. */
const UNSET_SERVICE = { authUrl: UNSET_ADDRESS, baseUrl: UNSET_ADDRESS };

interface Origin {
  /** Names a line of the text, for errors. */
  at: (line: number) => string;
  /** Paths in the text are relative to it. */
  folder: string;
  code: 'PIPELINE_INVALID' | 'USAGE';
}

/** Reads pipeline files. */
export class PipelineReader {
  readonly #schema: PipelineSchema;
  #keysAt: KeysAt | undefined;

  /** @param deliver - The section `deliver:`, which its wing describes. */
  constructor(deliver: z.ZodType<object, object>) {
    this.#schema = pipelineSchemaWith(deliver);
  }

  /**
   * Reads and checks a pipeline file.
   *
   * @param path - Absolute, or relative to the working folder.
   * @param isOffline - Variables in `service:` need not be set.
   * @throws {@link ConverterError} `FILE_MISSING`, `FILE_UNREADABLE`, `PIPELINE_INVALID`, `PIPELINE_VARIABLE_UNSET`.
   */
  async load(path: string, env: Environment, isOffline = false): Promise<Pipeline> {
    const text = await readText(path).catch(async (cause: unknown) => {
      if (!isConverterError(cause, 'FILE_MISSING', 'FILE_UNREADABLE')) throw cause;
      const facts = await statIfExists(path);
      if (facts !== undefined && !facts.folder) throw cause;
      const message = `${path}: ${facts ? 'it is a folder' : 'there is no such file'}`;
      const help = facts ? 'name a pipeline file in it' : 'check the path';
      throw new ConverterError('FILE_MISSING', message, {
        cause,
        help: `${help}; btg2gltf init writes a new pipeline file`,
      });
    });
    return this.parse(text, path, env, isOffline);
  }

  /**
   * Checks the text of a pipeline file.
   *
   * @param file - Its path, for errors; paths in the text are relative to its folder.
   * @throws {@link ConverterError} `PIPELINE_INVALID` naming line and key of each problem; `PIPELINE_VARIABLE_UNSET`.
   * @see D-744.
   */
  parse(text: string, file: string, env: Environment, isOffline = false): Pipeline {
    const at = (line: number) => `${file}:${line}`;
    const origin: Origin = { at, folder: dirname(file), code: 'PIPELINE_INVALID' };
    const pipeline = this.#check(text, origin, env, isOffline);
    return { ...pipeline, surveyFile: surveyFileOf(file) };
  }

  /**
   * Checks the content of a pipeline file as an object; paths in it are relative to the working folder.
   *
   * @param name - Name of the object, for errors.
   * @throws {@link ConverterError} `USAGE` naming each wrong field; `PIPELINE_VARIABLE_UNSET`.
   */
  readObject(content: object, name: string, env: Environment): Pipeline {
    let json: string;
    try {
      json = JSON.stringify(content);
    } catch (cause) {
      const message = `${name}: expected texts, numbers, booleans, lists and objects, received something else`;
      throw new ConverterError('USAGE', message, { cause });
    }
    // JSON is YAML: one reader fills in variables and checks.
    return this.#check(json, { at: () => name, folder: '.', code: 'USAGE' }, env);
  }

  /** Returns the JSON Schema of pipeline files. */
  jsonSchema(): Record<string, unknown> {
    return z.toJSONSchema(this.#schema, {
      io: 'input',
      // In the file an address may be `${VARIABLE}`, which is not a URI.
      override: ({ jsonSchema }) => {
        delete jsonSchema.format;
      },
    }) as Record<string, unknown>;
  }

  #check(
    text: string,
    { at, folder, code }: Origin,
    env: Environment,
    isOffline = false,
  ): Pipeline {
    const yaml = new YamlFile(text, at, env, isOffline);
    const { serviceVariables } = yaml;
    const isUnset = Object.values(serviceVariables).includes('');
    const content = isUnset ? { ...(yaml.value as object), service: UNSET_SERVICE } : yaml.value;
    // Code for a schema that is used once takes longer to generate than it saves.
    const parsed = this.#schema.safeParse(content, { jitless: true });
    const keysAt: KeysAt = (path) => {
      this.#keysAt ??= keysOf(this.jsonSchema());
      return this.#keysAt(path);
    };
    const problems = problemsOf(yaml, parsed.error?.issues ?? [], parsed.data, keysAt);
    if (parsed.data === undefined || problems.length > 0) {
      const lines = problems.map(({ line, sentence }) => `${at(line)}: ${sentence}`);
      throw new ConverterError(code, lines);
    }
    return pipelineOf(parsed.data, folder, serviceVariables);
  }
}

function pipelineOf(
  { articles, output, cache, service, store, ...rest }: PipelineContent,
  folder: string,
  serviceVariables: Pipeline['serviceVariables'],
): Pipeline {
  const { recording } = service;
  const absolute = (path: string) => resolve(folder, path);
  const outputDir = absolute(output.dir);
  return {
    ...rest,
    service: recording === undefined ? service : { ...service, recording: absolute(recording) },
    ...(store && {
      store: { ...store, url: ADDRESS.test(store.url) ? store.url : absolute(store.url) },
    }),
    articles: articles.map((entry) => readSource(entry, absolute)),
    outputDir,
    keepRuns: output.keepRuns,
    keepObjectsDays: output.keepObjectsDays,
    cacheDir: cache.dir === undefined ? defaultCacheDir(outputDir) : absolute(cache.dir),
    cacheMaxBytes: cache.maxBytes,
    serviceVariables,
  };
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Returns the default cache folder: beside the output folder. */
export function defaultCacheDir(outputDir: string): string {
  return join(dirname(outputDir), '.cache');
}

/** The record of a survey beside a pipeline file: `first.survey.json` of `first.yaml`. */
export function surveyFileOf(pipelineFile: string): string {
  const path = resolve(pipelineFile);
  return `${path.slice(0, path.length - extname(path).length)}.survey.json`;
}

interface Problem {
  line: number;
  sentence: string;
}

/** Describes all problems, sorted by line. @param content - If the schema found none. */
function problemsOf(
  yaml: YamlFile,
  issues: readonly z.core.$ZodIssue[],
  content: PipelineContent | undefined,
  keysAt: KeysAt,
): Problem[] {
  const misspelt = new Set(issues.flatMap((issue) => misspeltPaths(issue, keysAt)));
  const isMisspelt = ({ path }: z.core.$ZodIssue) =>
    misspelt.has(pathText(path)) && valueAt(yaml.value, path) === undefined;
  const problems = issues
    .filter((issue) => !isMisspelt(issue))
    .flatMap((issue) => ofIssue(yaml, issue, keysAt));
  for (const [path, sentence] of content === undefined ? [] : brokenRules(yaml, content))
    problems.push({ line: yaml.lineOf(path), sentence: `${pathText(path)}: ${sentence}` });
  return problems.sort((a, b) => a.line - b.line);
}

/** Keys that unknown keys stand for by their spelling: reported once, as unknown, and not as missing too. */
function misspeltPaths(issue: z.core.$ZodIssue, keysAt: KeysAt): string[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const known = keysAt(issue.path);
  return issue.keys.map((key) => pathText([...issue.path, nearestName(key, known) ?? key]));
}

/** A path with entries counted from 1, such as `articles, entry 1: catalogue.manufacturers`. */
function pathText(path: YamlPath): string {
  const steps = path.map((s) => (typeof s === 'number' ? `, entry ${s + 1}: ` : `.${String(s)}`));
  return steps.join('').replace(/(^|: )\.|: (?=,|$)/g, '$1');
}

function ofIssue(yaml: YamlFile, issue: z.core.$ZodIssue, keysAt: KeysAt): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(issue.path);
    return issue.keys.map((key) => {
      const hint = secretHint(key) ?? (didYouMean(key, known) || `; keys: ${known.join(', ')}`);
      const sentence = `there is no key "${key}"${hint}`;
      return { line: yaml.lineOfKey(issue.path, key), sentence };
    });
  }
  if (yaml.value === null || yaml.value === undefined) {
    return [{ line: 1, sentence: `the file: expected ${TOP_KEYS}, received nothing` }];
  }
  const where = issue.path.length === 0 ? 'the file' : pathText(issue.path);
  return [{ line: yaml.lineOf(issue.path), sentence: `${where}: ${wording(yaml, issue)}` }];
}

/** Keys that people write for credentials, and the variables that have them. */
const SECRET_KEYS: readonly [RegExp, keyof typeof ENVIRONMENT][] = [
  [/^(user|login|account)(name|id)?$/, 'BTG2GLTF_USERNAME'],
  [/^(pass(word|wd)?|pwd|secret)$/, 'BTG2GLTF_PASSWORD'],
  [/^(app|application|api)key$/, 'BTG2GLTF_APP_KEY'],
  [/^(access|session|auth)?token$/, 'BTG2GLTF_TOKEN'],
];

function secretHint(key: string): string | undefined {
  const name = key.toLowerCase().replace(/[^a-z]/g, '');
  const variable = SECRET_KEYS.find(([pattern]) => pattern.test(name))?.[1];
  return variable && `; secrets come from the environment: set ${variable}`;
}

function wording(yaml: YamlFile, issue: z.core.$ZodIssue): string {
  const received = valueAt(yaml.value, issue.path);
  if (received === undefined) return 'it is missing';
  const expected = expectation(issue);
  if (issue.code === 'invalid_type' && issue.expected === 'string' && isPlainValue(received)) {
    const written = yaml.sourceAt(issue.path) ?? String(received);
    return `${expected}, received ${written} without quotes; write ${JSON.stringify(written)}`;
  }
  // An address may contain a password.
  const isSecret = typeof received === 'string' && received.includes('@');
  if (isSecret) return expected;
  const hint = typeof received === 'string' ? didYouMean(received, choicesOf(issue)) : '';
  return `${expected}, received ${JSON.stringify(received)?.slice(0, 60)}${hint}`;
}

/** What is a text in quotes. */
function isPlainValue(received: unknown): boolean {
  return typeof received === 'number' || typeof received === 'boolean';
}

/** The texts that the schema knows at this place. */
function choicesOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'invalid_value') return issue.values.filter((v) => typeof v === 'string');
  const nested = issue.code === 'invalid_union' ? issue.errors.flat() : [];
  return nested.filter(({ path }) => path.length === 0).flatMap(choicesOf);
}

/** As they are written in YAML. */
const TYPES: Readonly<Record<string, string>> = {
  ...SCHEMA_TYPES,
  array: 'a list, such as [FJEL]',
  object: 'keys and values',
  record: 'keys and values',
};

/** What every file has. */
const TOP_KEYS = 'name, service, articles and output';

/** Sections that people write as a single value. */
const SECTIONS: Readonly<Record<string, string>> = {
  service: '{ emulator: true }',
  output: '{ dir: output }',
  cache: '{ dir: .cache }',
  catalogue: '{ manufacturers: [FJEL] }',
  article: '{ manufacturer: FJEL, program: LINEA, basearticlenumber: LN-M }',
  search: '{ manufacturer: FJEL, query: desk }',
  convert: '{ creaseAngleDegrees: 45 }',
  deliver: '{ profiles: [web] }',
  values: '{ DEKOR: NB }',
};

function keysExpected(path: YamlPath): string {
  if (path.length === 0) return TOP_KEYS;
  const example = SECTIONS[String(path.at(-1))] ?? '{ KEY: VALUE }';
  return `${TYPES.object}, such as ${example}`;
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_format' && issue.format === 'url') {
    return 'expected an address that starts with http:// or https://';
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'array') return 'expected at least one entry';
    if (issue.origin === 'string') return 'expected a text that is not empty';
    return `expected ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
  }
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}`;
  if (issue.code === 'invalid_type' && ['object', 'record'].includes(issue.expected))
    return `expected ${keysExpected(issue.path as YamlPath)}`;
  if (issue.code === 'invalid_type' && issue.expected in TYPES) {
    const isSources = issue.expected === 'array' && issue.path.length === 1;
    return `expected ${isSources ? 'a list of entries' : TYPES[issue.expected]}`;
  }
  if (issue.code === 'invalid_value' && issue.values.length > 1)
    return `expected one of ${issue.values.join(', ')}`;
  return issue.message.replace(/^Invalid (?:input|option): /, '').split(', received')[0]!;
}

/** The problem of an address without the address itself, which may contain a password. */
function addressProblem(address: string | undefined): string | undefined {
  try {
    if (address !== undefined) readAddress(address, '');
    return undefined;
  } catch (error) {
    return asConverterError(error).message.replace(/^: /, '');
  }
}

type BrokenRule = [path: YamlPath, sentence: string];

/** Checks what the schema cannot express: exactly one of several keys, and their order. */
function* brokenRules(yaml: YamlFile, content: PipelineContent): Iterable<BrokenRule> {
  yield* brokenServiceRules(content);
  // An object has keys of digits alone first, but the order of the file matters: the last pattern wins.
  const patterns = yaml.keysAt(['convert', 'overrides']);
  const { overrides } = content.convert;
  const moved = Object.keys(overrides).find((pattern, i) => pattern !== patterns[i]);
  if (moved !== undefined) {
    const expected = 'expected patterns of digits alone first and in ascending order';
    const sentence = `${expected}, received "${moved}"; "*${moved}" may be anywhere`;
    yield [['convert', 'overrides', moved], sentence];
  }
  for (const [index, entry] of content.articles.entries()) {
    for (const [path, sentence] of brokenEntryRules(entry))
      yield [['articles', index, ...path], sentence];
    yield* inexactValues(yaml, ['articles', index, 'configurations', 'values']);
  }
}

/** A number holds every decimal of so many digits exactly. */
const EXACT_DIGITS = 15;

/** Values of a property become texts, so a number whose digits would change is refused. */
function* inexactValues(yaml: YamlFile, path: YamlPath): Iterable<BrokenRule> {
  for (const [property, value] of Object.entries(valueAt(yaml.value, path) ?? {})) {
    if (typeof value !== 'number') continue;
    const written = yaml.sourceAt([...path, property]) ?? String(value);
    if ([written, String(value)].every(isExact)) continue;
    const expected = `expected a number of at most ${EXACT_DIGITS} digits, or the value in quotes`;
    yield [[...path, property], `${expected}, received ${written.slice(0, 60)}`];
  }
}

function isExact(written: string): boolean {
  const digits = written.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length <= EXACT_DIGITS && !/^[-+\d.]+e/i.test(written);
}

function* brokenServiceRules({ service }: PipelineContent): Iterable<BrokenRule> {
  const addresses = ['authUrl', 'baseUrl'] as const;
  const missing = addresses.filter((name) => service[name] === undefined);
  const isLive = missing.length < addresses.length;
  const ways = [service.emulator === true, service.recording !== undefined, isLive];
  if (ways.filter(Boolean).length !== 1) {
    yield [['service'], 'expected one of emulator: true, recording, or authUrl and baseUrl'];
  } else if (isLive && missing.length > 0) {
    yield [['service'], `${missing[0]}: expected a value, received nothing`];
  }
  for (const name of addresses) {
    const problem = addressProblem(service[name]);
    if (problem !== undefined) yield [['service', name], problem];
  }
}

function* brokenEntryRules(entry: PipelineContent['articles'][number]): Iterable<BrokenRule> {
  const { as, carts, permanentids, configurations } = entry;
  const kinds = SOURCE_KINDS.filter((kind) => entry[kind] !== undefined);
  if (kinds.length !== 1) {
    const expected = `expected one of ${SOURCE_KINDS.join(', ')} in an entry`;
    yield [[], `${expected}, received ${kinds.join(' and ') || 'none'}`];
  }
  if (as !== undefined && carts === undefined && permanentids === undefined)
    yield [['as'], 'expected beside carts or permanentids only'];
  if (configurations?.each !== undefined && configurations.max === undefined)
    yield [['configurations'], 'max: expected an upper bound for each, received nothing'];
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  /** Schema of the values of a mapping with free keys. */
  additionalProperties?: SchemaNode;
}

/** Returns the known keys of the mapping at a path. */
type KeysAt = (path: YamlPath) => string[];

function keysOf(schema: SchemaNode): KeysAt {
  return (path) => {
    let node: SchemaNode | undefined = schema;
    for (const step of path) {
      const inside: SchemaNode | undefined =
        typeof step === 'number' ? node?.items : node?.properties?.[String(step)];
      node = inside ?? node?.additionalProperties;
    }
    return Object.keys(node?.properties ?? {});
  };
}

function valueAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)?.[step], value);
}
