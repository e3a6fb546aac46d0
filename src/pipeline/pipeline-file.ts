/** Reads a pipeline file: YAML with `${VARIABLE}` as a checked pipeline with absolute paths and every default. */
import { dirname, join, resolve } from 'node:path';
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import type { z } from 'zod';
import { readAddress } from '../service/target.ts';
import { asConverterError, ConverterError, isConverterError } from '../support/errors.ts';
import { readText } from '../support/files.ts';
import { didYouMean, nearestName } from '../support/nearest.ts';
import { CHECKS, checkParameters, required } from '../support/parameters.ts';
import { ENVIRONMENT, type Environment } from './environment.ts';
import {
  type PipelineContent,
  type PipelineSource,
  pipelineJsonSchema,
  pipelineSchema,
  readSource,
  SOURCE_KINDS,
} from './pipeline-schema.ts';

/** A checked pipeline file; all paths are absolute. */
export interface Pipeline extends Omit<PipelineContent, 'articles' | 'output' | 'cache'> {
  articles: PipelineSource[];
  outputDir: string;
  cacheDir: string;
  /** Largest size of the cache at the end of a run. */
  cacheMaxBytes: number;
  /** Values of the variables in `service:`, which has addresses and no secrets. */
  serviceVariables?: Readonly<Record<string, string>>;
}

/** Replaces a `service:` section with a variable that is not set, if no service is needed. */
const UNSET_SERVICE = {
  authUrl: 'http://service-variable-unset.invalid',
  baseUrl: 'http://service-variable-unset.invalid',
};

/**
 * Reads and checks a pipeline file.
 *
 * @param path - Absolute, or relative to the working folder.
 * @param isOffline - Variables in `service:` need not be set.
 * @throws {@link ConverterError} `FILE_MISSING`, `FILE_UNREADABLE`, `PIPELINE_INVALID`, `PIPELINE_VARIABLE_UNSET`.
 */
export async function loadPipeline(
  path: string,
  env: Environment,
  isOffline = false,
): Promise<Pipeline> {
  const checks = { path: required(CHECKS.text), env: required(CHECKS.object) };
  checkParameters('loadPipeline', { path, env }, checks);
  let text: string;
  try {
    text = await readText(path);
  } catch (cause) {
    if (!isConverterError(cause, 'FILE_MISSING')) throw cause;
    throw new ConverterError('FILE_MISSING', `${path}: expected a pipeline file, received none`, {
      cause,
    });
  }
  return parsePipeline(text, path, env, isOffline);
}

/**
 * Checks the text of a pipeline file.
 *
 * @param file - Its path, for errors; paths in the text are relative to its folder.
 *
 * @example
 * ```ts
 * parsePipeline('name: x\nservice: { emulator: true }\narticles: [{ lsit: a.csv }]\noutput: { dir: out }', 'x.yaml', {});
 * // → PIPELINE_INVALID 'x.yaml:3: expected a known key, received "lsit"; did you mean "list"?'
 * ```
 *
 * @see D-744.
 */
export function parsePipeline(
  text: string,
  file: string,
  env: Environment,
  isOffline = false,
): Pipeline {
  const isText = (value: unknown) => typeof value === 'string';
  const checks = {
    text: required({ expected: 'a text', is: isText }),
    file: required(CHECKS.text),
  };
  checkParameters(
    'parsePipeline',
    { text, file, env },
    { ...checks, env: required(CHECKS.object) },
  );
  return checkPipeline(
    readYaml(text, file, env, undefined, isOffline),
    dirname(file),
    (problems) => {
      const sentences = problems.map(({ line, sentence }) => `${file}:${line}: ${sentence}`);
      return new ConverterError('PIPELINE_INVALID', sentences.join('\n'));
    },
  );
}

/**
 * Checks a pipeline that a program made: what a pipeline file contains, as an object.
 *
 * @param name - Name of the object, for errors; paths in it are relative to the working folder.
 * @throws {@link ConverterError} `USAGE` naming each wrong field; `PIPELINE_VARIABLE_UNSET`.
 */
export function readPipelineObject(content: object, name: string, env: Environment): Pipeline {
  // JSON is YAML: one reader fills in variables and checks.
  const yaml = readYaml(jsonOf(content, name), name, env, () => name);
  return checkPipeline(yaml, '.', (problems) => {
    const sentences = problems.map(({ sentence }) => `${name}: ${sentence}`);
    return new ConverterError('USAGE', sentences.join('\n'));
  });
}

function jsonOf(content: object, name: string): string {
  try {
    return JSON.stringify(content);
  } catch (cause) {
    const message = `${name}: expected texts, numbers, booleans, lists and objects, received something else`;
    throw new ConverterError('USAGE', message, { cause });
  }
}

function checkPipeline(
  yaml: YamlFile,
  folder: string,
  errorOf: (problems: readonly Problem[]) => ConverterError,
): Pipeline {
  const unset = [...yaml.serviceVariables.values()].includes('');
  const content = unset ? { ...(yaml.value as object), service: UNSET_SERVICE } : yaml.value;
  const parsed = pipelineSchema.safeParse(content);
  const problems = problemsOf(yaml, parsed.error?.issues ?? [], parsed.data);
  if (parsed.data === undefined || problems.length > 0) throw errorOf(problems);
  const { articles, output, cache, service, ...rest } = parsed.data;
  const { recording } = service;
  const at = (path: string) => resolve(folder, path);
  const outputDir = at(output.dir);
  return {
    ...rest,
    service: recording === undefined ? service : { ...service, recording: at(recording) },
    articles: articles.map((entry) => readSource(entry, at)),
    outputDir,
    cacheDir: cache.dir === undefined ? defaultCacheDir(outputDir) : at(cache.dir),
    cacheMaxBytes: cache.maxBytes,
    ...(yaml.serviceVariables.size > 0 && {
      serviceVariables: Object.fromEntries(yaml.serviceVariables),
    }),
  };
}

/** Returns the default cache folder: beside the output folder. */
export function defaultCacheDir(outputDir: string): string {
  return join(dirname(outputDir), '.cache');
}

type Problem = { line: number; sentence: string };

/** Describes all problems, sorted by line. @param content - If the schema found none. */
function problemsOf(
  yaml: YamlFile,
  issues: readonly z.core.$ZodIssue[],
  content: PipelineContent | undefined,
): Problem[] {
  const misspelt = new Set(issues.flatMap(misspeltPaths));
  const isMisspelt = ({ path }: z.core.$ZodIssue) =>
    misspelt.has(pathText(path)) && valueAt(yaml.value, path) === undefined;
  const distinct = issues.filter((issue) => !isMisspelt(issue));
  const problems =
    content === undefined ? distinct.flatMap((i) => ofIssue(yaml, i)) : ofRules(yaml, content);
  return problems.sort((a, b) => a.line - b.line);
}

/** Keys that unknown keys stand for by their spelling: reported once, as unknown, and not as missing too. */
function misspeltPaths(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const known = keysAt(issue.path);
  return issue.keys.map((key) => pathText([...issue.path, nearestName(key, known) ?? key]));
}

/** A path with entries counted from 1, such as `articles, entry 1: catalogue.manufacturers`. */
function pathText(path: YamlPath): string {
  const steps = path.map((s) => (typeof s === 'number' ? `, entry ${s + 1}: ` : `.${String(s)}`));
  return steps.join('').replace(/(^|: )\.|: (?=,|$)/g, '$1');
}

function ofIssue(yaml: YamlFile, issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(issue.path);
    return issue.keys.map((key) => {
      const hint = secretHint(key) ?? (didYouMean(key, known) || `; keys: ${known.join(', ')}`);
      const sentence = `expected a known key, received "${key}"${hint}`;
      return { line: yaml.lineOfKey(issue.path, key), sentence };
    });
  }
  if (yaml.value === null || yaml.value === undefined) {
    const sentence = 'the file: expected name, service, articles and output, received nothing';
    return [{ line: 1, sentence }];
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
  if (received === undefined) return 'expected a value, received nothing';
  const expected = expectation(issue);
  // An address may contain a password.
  const isSecret = typeof received === 'string' && received.includes('@');
  return isSecret ? expected : `${expected}, received ${JSON.stringify(received)?.slice(0, 60)}`;
}

/** Types of the schema library in plain words. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list, such as [FJEL]',
  object: 'keys and values',
  record: 'keys and values',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
};

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_format' && issue.format === 'url') {
    return 'expected an address that starts with http:// or https://';
  }
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'expected a whole number';
  if (issue.code === 'too_small') {
    if (issue.origin === 'array') return 'expected at least one entry';
    if (issue.origin === 'string') return 'expected a text that is not empty';
    return `expected ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
  }
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}`;
  if (issue.code === 'invalid_type' && issue.expected in TYPES) {
    const isSources = issue.expected === 'array' && issue.path.length === 1;
    return `expected ${isSources ? 'a list of entries' : TYPES[issue.expected]}`;
  }
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

/** Checks what the schema cannot express: exactly one of several keys, and their order. */
function ofRules(yaml: YamlFile, { service, articles, convert }: PipelineContent): Problem[] {
  const problems: Problem[] = [];
  const say = (path: YamlPath, sentence: string) =>
    problems.push({ line: yaml.lineOf(path), sentence: `${pathText(path)}: ${sentence}` });
  const live = service.authUrl !== undefined || service.baseUrl !== undefined;
  const ways = [service.emulator === true, service.recording !== undefined, live];
  if (ways.filter(Boolean).length !== 1) {
    say(['service'], 'expected one of emulator: true, recording, or authUrl and baseUrl');
  } else if (live && (service.authUrl === undefined || service.baseUrl === undefined)) {
    say(
      ['service'],
      `${service.authUrl === undefined ? 'authUrl' : 'baseUrl'}: expected a value, received nothing`,
    );
  }
  for (const name of ['authUrl', 'baseUrl'] as const) {
    const problem = addressProblem(service[name]);
    if (problem !== undefined) say(['service', name], problem);
  }
  // An object has keys of digits alone first, whatever their order in the file, but the last pattern wins.
  const patterns = yaml.keysAt(['convert', 'overrides']);
  const moved = Object.keys(convert.overrides).find((pattern, i) => pattern !== patterns[i]);
  if (moved !== undefined) {
    const expected = 'expected patterns of digits alone first and in ascending order';
    const others = `"*${moved}" may be anywhere`;
    say(['convert', 'overrides', moved], `${expected}, received "${moved}"; ${others}`);
  }
  articles.forEach((entry, index) => {
    const kinds = SOURCE_KINDS.filter((kind) => entry[kind] !== undefined);
    if (kinds.length !== 1) {
      say(
        ['articles', index],
        `expected one of ${SOURCE_KINDS.join(', ')} in an entry, received ${kinds.join(' and ') || 'none'}`,
      );
    }
    const { as, carts, permanentids, configurations } = entry;
    if (as !== undefined && carts === undefined && permanentids === undefined) {
      say(['articles', index, 'as'], 'expected beside carts or permanentids only');
    }
    if (configurations?.each !== undefined && configurations.max === undefined) {
      say(
        ['articles', index, 'configurations'],
        'max: expected an upper bound for each, received nothing',
      );
    }
  });
  return problems;
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  /** Schema of the values of a mapping with free keys. */
  additionalProperties?: SchemaNode;
}

function keysAt(path: YamlPath): string[] {
  let node: SchemaNode | undefined = pipelineJsonSchema() as SchemaNode;
  for (const step of path) {
    const own: SchemaNode | undefined =
      node?.properties?.[String(step)] ?? node?.additionalProperties;
    node = typeof step === 'number' ? node?.items : own;
  }
  return Object.keys(node?.properties ?? {});
}

function valueAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)?.[step], value);
}

type YamlPath = readonly PropertyKey[];

type YamlFile = ReturnType<typeof readYaml>;

const VARIABLE = /\$\{([^}]*)\}/g;
/** As in JSON: an id such as 007 remains a text. */
const PLAIN_NUMBER_OR_BOOLEAN = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/;

/**
 * Reads YAML and fills in variables.
 *
 * @throws {@link ConverterError} `PIPELINE_INVALID` for what is no YAML, `PIPELINE_VARIABLE_UNSET`
 *   for a variable without a value; both name file and line.
 */
export function readYaml(
  text: string,
  file: string,
  env: Environment,
  at = (line: number) => `${file}:${line}`,
  isOffline = false,
) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const line = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  const [problem] = document.errors;
  if (problem !== undefined) {
    const sentence =
      problem.code === 'DUPLICATE_KEY'
        ? `${keyIn(text, problem.pos[0])}: expected one value, received a second one`
        : `the YAML cannot be read: ${problem.message.split(/ at line |\n/)[0]}`;
    throw new ConverterError('PIPELINE_INVALID', `${at(line(problem.pos[0]))}: ${sentence}`);
  }
  const serviceVariables = new Map<string, string>();
  fillIn(document, (name, offset, isOfService) => {
    const value = env[name] ?? '';
    if (value === '' && !(isOfService && isOffline)) {
      const sentence = `variable ${name}: expected a value, received nothing${unsetHint(name, env)}`;
      throw new ConverterError('PIPELINE_VARIABLE_UNSET', `${at(line(offset))}: ${sentence}`);
    }
    if (isOfService) serviceVariables.set(name, value);
    return value;
  });
  return {
    serviceVariables,
    value: toPlain(document, file),
    /** The line of a value, or of its nearest ancestor that exists. */
    lineOf: (path: YamlPath) => line(offsetOf(document, path)),
    /** The keys of a mapping in the order of the file. */
    keysAt: (path: YamlPath): string[] => {
      const node = document.getIn(path, true);
      return isMap(node)
        ? node.items.map(({ key }) => String(isScalar(key) ? key.value : key))
        : [];
    },
    /** The line of a key within the mapping at a path. */
    lineOfKey: (path: YamlPath, key: string) => line(keyOffsetOf(document, path, key)),
  };
}

function keyIn(text: string, offset: number): string {
  const [key = ''] = /^(?:"[^"]*"|'[^']*'|[^:,}\n]*)/.exec(text.slice(offset))!;
  return JSON.stringify(key.trim().replace(/^(["'])(.*)\1$/, '$2'));
}

/** The library refuses an alias that expands without end. */
function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const sentence = `the YAML cannot be read: ${asConverterError(cause).message}`;
    throw new ConverterError('PIPELINE_INVALID', `${file}:1: ${sentence}`, { cause });
  }
}

function unsetHint(name: string, env: Environment): string {
  const known = [...Object.keys(ENVIRONMENT), ...Object.keys(env)];
  return known.includes(name) ? '' : didYouMean(name, known);
}

/** Index of the pair of a key at the top among the ancestors of a value: document, mapping, pair. */
const TOP_PAIR = 2;

function fillIn(
  document: Document,
  lookUp: (name: string, offset: number | undefined, isOfService: boolean) => string,
): void {
  visit(document, {
    Scalar(_, node, path) {
      if (typeof node.value !== 'string' || !node.value.includes('${')) return;
      const top = path[TOP_PAIR];
      const isOfService = isPair(top) && isScalar(top.key) && top.key.value === 'service';
      const filled = node.value.replace(VARIABLE, (_match, name: string) =>
        lookUp(name, node.range?.[0], isOfService),
      );
      // An unquoted variable may be a number or a boolean.
      const bare = node.type === 'PLAIN' && PLAIN_NUMBER_OR_BOOLEAN.test(filled);
      node.value = bare ? (JSON.parse(filled) as unknown) : filled;
    },
  });
}

function offsetOf(document: Document, path: YamlPath): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range != null) return node.range[0];
  }
  return undefined;
}

function keyOffsetOf(document: Document, path: YamlPath, key: string): number | undefined {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(node)
    ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
    : undefined;
  const keyNode = pair?.key;
  return isScalar(keyNode) ? keyNode.range?.[0] : offsetOf(document, path);
}
