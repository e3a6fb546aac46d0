/** Reads the YAML of a pipeline file: fills in variables, and remembers lines and order. */
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
import { asConverterError, ConverterError, ERROR_CODES } from '../../support/errors.ts';
import { didYouMean } from '../../support/nearest.ts';
import { ENVIRONMENT, type Environment } from './environment.ts';

const UNSET_SERVICE_HELP = `${ERROR_CODES.PIPELINE_VARIABLE_UNSET.help}; without an account, use service: { emulator: true }`;

/** Keys, and indices of entries. */
export type YamlPath = readonly PropertyKey[];

/** YAML with its variables filled in: its value, and where the parts of it are. */
export class YamlFile {
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();
  /** The variables in `service:`; empty if not set. */
  readonly serviceVariables: Record<string, string> = {};
  readonly value: unknown;

  /**
   * @param at - Names a line of the text, for errors.
   * @param isOffline - Variables in `service:` need not be set.
   * @throws {@link ConverterError} `PIPELINE_INVALID`, `PIPELINE_VARIABLE_UNSET` naming each variable and its line.
   */
  constructor(text: string, at: (line: number) => string, env: Environment, isOffline: boolean) {
    this.#document = parseDocument(text, { lineCounter: this.#lines });
    const [problem] = this.#document.errors;
    if (problem !== undefined) {
      const sentence =
        problem.code === 'DUPLICATE_KEY'
          ? `${keyIn(text, problem.pos[0])}: expected one value, received a second one`
          : (MISTAKES[problem.code] ?? unreadable(problem.message));
      const where = at(this.#lineAt(problem.pos[0]));
      throw new ConverterError('PIPELINE_INVALID', `${where}: ${sentence}`);
    }
    const unset = new Set<string>();
    let help: string | undefined;
    fillIn(this.#document, (name, offset, isOfService) => {
      const value = env[name] ?? '';
      if (isOfService) this.serviceVariables[name] = value;
      if (value !== '' || (isOfService && isOffline)) return value;
      const sentence = `the environment variable ${name} is not set${unsetHint(name, env)}`;
      unset.add(`${at(this.#lineAt(offset))}: ${sentence}`);
      if (isOfService) help = UNSET_SERVICE_HELP;
      return value;
    });
    if (unset.size > 0) throw new ConverterError('PIPELINE_VARIABLE_UNSET', [...unset], { help });
    try {
      this.value = this.#document.toJS();
    } catch (cause) {
      // The library refuses an alias that expands without end.
      const sentence = unreadable(asConverterError(cause).message);
      throw new ConverterError('PIPELINE_INVALID', `${at(1)}: ${sentence}`, { cause });
    }
  }

  /** The line of a value, or of its nearest ancestor that exists. */
  lineOf(path: YamlPath): number {
    const node = this.#document.getIn(path, true);
    if (isNode(node) && node.range) return this.#lineAt(node.range[0]);
    return path.length === 0 ? 1 : this.lineOf(path.slice(0, -1));
  }

  /** A scalar as it is written; undefined below an alias. */
  sourceAt(path: YamlPath): string | undefined {
    const node = this.#document.getIn(path, true);
    return isScalar(node) ? node.source : undefined;
  }

  /** The keys of a mapping in the order of the file. */
  keysAt(path: YamlPath): string[] {
    return this.#mapAt(path)?.items.map(keyOf) ?? [];
  }

  /** The line of a key within the mapping at a path. */
  lineOfKey(path: YamlPath, key: string): number {
    const node = this.#mapAt(path)?.items.find((pair) => keyOf(pair) === key)?.key;
    return isScalar(node) ? this.#lineAt(node.range?.[0]) : this.lineOf(path);
  }

  #mapAt(path: YamlPath) {
    const node = this.#document.getIn(path, true);
    return isMap(node) ? node : undefined;
  }

  #lineAt(offset = 0): number {
    return this.#lines.linePos(offset).line;
  }
}

const VARIABLE = /\$\{([^}]*)\}/g;
/** As in JSON: an id such as 007 remains a text. */
const PLAIN_NUMBER_OR_BOOLEAN = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/;
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
      const isOfService = isPair(top) && keyOf(top) === 'service';
      const filled = node.value.replace(VARIABLE, (_match, name: string) =>
        lookUp(name, node.range?.[0], isOfService),
      );
      // An unquoted variable may be a number or a boolean.
      const isBare = node.type === 'PLAIN' && PLAIN_NUMBER_OR_BOOLEAN.test(filled);
      node.value = isBare ? (JSON.parse(filled) as unknown) : filled;
      node.source = filled;
    },
  });
}

/** Frequent mistakes, whose messages in the library use terms of the specification of YAML. */
const MISTAKES: Readonly<Record<string, string>> = {
  BAD_INDENT: 'a { or [ of a line above is not closed, or this line begins in the wrong column',
  MISSING_CHAR: 'a comma, a colon or a closing quotation mark, } or ] is missing',
  TAB_AS_INDENT: 'the line begins with a tab: YAML wants blanks',
};

function unreadable(message: string): string {
  return `the YAML cannot be read: ${message.split(/ at line |\n/)[0]}`;
}

function keyOf({ key }: { key: unknown }): string {
  return String(isScalar(key) ? key.value : key);
}

/** The key that a text has at an offset, in quotes. */
function keyIn(text: string, offset: number): string {
  const [key = ''] = /^(?:"[^"]*"|'[^']*'|[^:,}\n]*)/.exec(text.slice(offset))!;
  return JSON.stringify(key.trim().replace(/^(["'])(.*)\1$/, '$2'));
}

function unsetHint(name: string, env: Environment): string {
  const known = [...Object.keys(ENVIRONMENT), ...Object.keys(env)];
  return known.includes(name) ? '' : didYouMean(name, known);
}
