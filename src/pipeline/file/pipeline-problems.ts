/**
 * Pipeline problems: what is wrong with a pipeline file, as sentences with file and line.
 *
 * In: a YAML file and what its schema says of it. Out: one sentence a problem, in file order.
 */
import type { z } from 'zod';
import { readAddress } from '../../service/target.ts';
import { asConverterError } from '../../support/errors.ts';
import { didYouMean } from '../../support/nearest.ts';
import { type PipelineContent, pipelineJsonSchema, SOURCE_KINDS } from './pipeline-schema.ts';
import type { YamlFile, YamlPath } from './yaml-file.ts';

/** What every pipeline file has. */
const PARTS = ['name', 'service', 'articles', 'output'];

interface Problem {
  line: number;
  sentence: string;
}

/**
 * Words all problems of a pipeline file.
 *
 * @param issues - What the schema found.
 * @param content - The file's content where the schema found nothing.
 * @returns `file:line: sentence`, sorted by line; empty where all is well.
 */
export function pipelineProblems(
  yaml: YamlFile,
  issues: readonly z.core.$ZodIssue[],
  content: PipelineContent | undefined,
): string[] {
  const problems =
    content === undefined ? issues.flatMap((i) => ofIssue(yaml, i)) : ofRules(yaml, content);
  return problems
    .sort((a, b) => a.line - b.line)
    .map(({ line, sentence }) => `${yaml.file}:${line}: ${sentence}`);
}

function ofIssue(yaml: YamlFile, issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(issue.path);
    return issue.keys.map((key) => ({
      line: yaml.lineOfKey(issue.path, key),
      sentence: `unknown key "${key}"${didYouMean(key, known) || `; known here: ${known.join(', ')}`}`,
    }));
  }
  if (yaml.value === null || yaml.value === undefined) {
    const needed = PARTS.join(', ');
    return [{ line: 1, sentence: `the file is empty: expected ${needed}` }];
  }
  const where = issue.path.length === 0 ? 'the file' : issue.path.map(String).join('.');
  return [{ line: yaml.lineOf(issue.path), sentence: `${where}: ${wording(yaml, issue)}` }];
}

/** The formula of every error: expected, received. */
function wording(yaml: YamlFile, issue: z.core.$ZodIssue): string {
  const received = valueAt(yaml.value, issue.path);
  if (received === undefined) return 'is missing';
  const expected = expectation(issue);
  // What is put before an address may be a password.
  const isSecret = typeof received === 'string' && received.includes('@');
  return isSecret ? expected : `${expected}, received ${JSON.stringify(received)?.slice(0, 60)}`;
}

/** What a value was to be, in words where the schema's own are a programmer's. */
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
  return issue.message.replace(/^Invalid (?:input|option): /, '').split(', received')[0]!;
}

/** An address as the client takes it; the sentence does not repeat it, for it may hold a password. */
function addressProblem(address: string | undefined): string | undefined {
  try {
    if (address !== undefined) readAddress(address, '');
    return undefined;
  } catch (error) {
    return asConverterError(error).message.replace(/^: /, '');
  }
}

/** What the schema alone cannot say: exactly one of several keys. */
function ofRules(yaml: YamlFile, { service, articles }: PipelineContent): Problem[] {
  const problems: Problem[] = [];
  const say = (path: YamlPath, sentence: string) =>
    problems.push({ line: yaml.lineOf(path), sentence: `${path.join('.')}: ${sentence}` });
  const live = service.authUrl !== undefined || service.baseUrl !== undefined;
  const ways = [service.emulator === true, service.recording !== undefined, live];
  if (ways.filter(Boolean).length !== 1) {
    say(['service'], 'expected one of emulator: true, recording, or authUrl and baseUrl');
  } else if (live && (service.authUrl === undefined || service.baseUrl === undefined)) {
    say(['service'], `${service.authUrl === undefined ? 'authUrl' : 'baseUrl'} is missing`);
  }
  for (const name of ['authUrl', 'baseUrl'] as const) {
    const problem = addressProblem(service[name]);
    if (problem !== undefined) say(['service', name], problem);
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
      say(['articles', index, 'configurations'], 'max is missing: each needs an upper bound');
    }
  });
  return problems;
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  /** What every value of a mapping with free keys is. */
  additionalProperties?: SchemaNode;
}

/** The keys that the schema knows at a path. */
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
