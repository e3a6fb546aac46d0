/**
 * YAML file: a YAML text whose `${VARIABLE}` are filled in, and where each of its values stands.
 *
 * In: text, its file's name, an environment. Out: a plain value, and lines for error sentences.
 * It must not know what the file describes.
 */
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { ConverterError } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import { ENVIRONMENT, type Environment } from './environment.ts';

/** Keys and indices that lead from the top of a file to a value. */
export type YamlPath = readonly PropertyKey[];

/** A YAML file, read. */
export interface YamlFile {
  file: string;
  value: unknown;
  /** The line of a value, or of the nearest thing above it that is there. */
  lineOf(path: YamlPath): number;
  /** The line of a key within the mapping at a path. */
  lineOfKey(path: YamlPath, key: string): number;
}

const VARIABLE = /\$\{([^}]*)\}/g;
/** What JSON reads as such: an id like 007 stays a text. */
const PLAIN_NUMBER_OR_BOOLEAN = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/;

/**
 * Reads YAML and fills in variables.
 *
 * @throws {@link ConverterError} `PIPELINE_INVALID` for what is no YAML, `PIPELINE_VARIABLE_UNSET`
 *   for a variable without a value; both name file and line.
 */
export function readYaml(text: string, file: string, env: Environment): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const line = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  const [problem] = document.errors;
  if (problem !== undefined) {
    const sentence =
      problem.code === 'DUPLICATE_KEY'
        ? `the key ${keyIn(text, problem.pos[0])} stands there twice`
        : problem.message.split(/ at line |\n/)[0];
    throw new ConverterError('PIPELINE_INVALID', `${file}:${line(problem.pos[0])}: ${sentence}`);
  }
  fillIn(document, env, (offset, sentence) => {
    throw new ConverterError('PIPELINE_VARIABLE_UNSET', `${file}:${line(offset)}: ${sentence}`);
  });
  return {
    file,
    value: toPlain(document, file),
    lineOf: (path) => line(offsetOf(document, path)),
    lineOfKey: (path, key) => line(keyOffsetOf(document, path, key)),
  };
}

/** The key that begins at an offset, in quotes. */
function keyIn(text: string, offset: number): string {
  const [key = ''] = /^(?:"[^"]*"|'[^']*'|[^:,}\n]*)/.exec(text.slice(offset))!;
  return JSON.stringify(key.trim().replace(/^(["'])(.*)\1$/, '$2'));
}

/** An alias that expands without end is refused by the library. */
function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const sentence = cause instanceof Error ? cause.message : String(cause);
    throw new ConverterError('PIPELINE_INVALID', `${file}:1: ${sentence}`, { cause });
  }
}

function fillIn(
  document: Document,
  env: Environment,
  unset: (offset: number | undefined, sentence: string) => never,
): void {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value !== 'string' || !node.value.includes('${')) return;
      const filled = node.value.replace(VARIABLE, (_match, name: string) => {
        const value = env[name];
        if (value !== undefined && value !== '') return value;
        const known = [...Object.keys(ENVIRONMENT), ...Object.keys(env)];
        const hint = known.includes(name) ? '' : didYouMean(name, known);
        unset(node.range?.[0], `the variable ${name} is not set${hint}`);
      });
      // Unquoted, a variable may stand for a number or a switch.
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
