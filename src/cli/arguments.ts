/**
 * Arguments: what was typed, checked against the table of a command.
 *
 * In: words and a command. Out: arguments by name, or one sentence about what is wrong.
 */
import yargs from 'yargs';
import { ConverterError } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import type { Arguments, Command, OptionSpec } from './command.ts';

/** Exactly what was typed: no guessing at dots, numbers, repetitions or `--no-`. */
const PARSER = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'duplicate-arguments-array': true,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'short-option-groups': false,
};

/** What the words mean. */
export type Parsed = { help: string } | { args: Arguments };

/**
 * Reads the words behind a command's name.
 *
 * @param name - Name of the command.
 * @param usage - How it is called, without the program's name.
 * @throws {@link ConverterError} `USAGE`: one sentence, with the nearest option where one is near.
 */
export async function readArguments(
  name: string,
  usage: string,
  describe: string,
  command: Command,
  words: readonly string[],
): Promise<Parsed> {
  const asksForHelp = words.includes('--help') || words.includes('-h');
  const parser = yargs([])
    .scriptName('btg2gltf')
    .usage(
      [
        `btg2gltf ${usage}`,
        '',
        describe,
        ...command.positionals.map((p) => `  ${p.name}  ${p.describe}`),
      ].join('\n'),
    )
    .parserConfiguration(PARSER)
    .options(
      Object.fromEntries(
        Object.entries(command.options).map(([option, spec]) => [
          option,
          toYargs(spec, asksForHelp),
        ]),
      ),
    )
    .version(false)
    .help()
    .alias('help', 'h')
    .wrap(100)
    .exitProcess(false)
    .fail(false);
  if (command.examples.length > 0) parser.epilogue(command.examples.join('\n'));
  if (asksForHelp) return { help: await parser.getHelp() };
  const { _: given, $0, ...options } = await parser.parseAsync([...words]);
  return {
    args: {
      ...checkPositionals(name, usage, command, given),
      ...checkOptions(name, command, options),
    },
  };
}

/** A number is read as the text that was typed; only the help calls it one. */
function toYargs(spec: OptionSpec, asksForHelp: boolean) {
  const choices = spec.choices === undefined ? '' : `: ${spec.choices.join(' or ')}`;
  const standard = spec.default === undefined ? '' : ` [default: ${spec.default}]`;
  const type = spec.type === 'number' && !asksForHelp ? 'string' : spec.type;
  return { type, describe: `${spec.describe}${choices}${standard}` };
}

function checkPositionals(
  name: string,
  usage: string,
  { positionals }: Command,
  given: readonly (string | number)[],
): Arguments {
  const missing = positionals.find(({ required }, index) => required && given[index] === undefined);
  if (missing !== undefined) {
    throw usageError(`${name}: ${missing.name} is missing; expected btg2gltf ${usage}`);
  }
  if (given.length > positionals.length) {
    throw usageError(
      `${name}: unexpected "${given[positionals.length]}"; expected btg2gltf ${usage}`,
    );
  }
  return Object.fromEntries(given.map((word, index) => [positionals[index]!.name, String(word)]));
}

function checkOptions(name: string, command: Command, given: Record<string, unknown>): Arguments {
  const known = Object.keys(command.options);
  for (const option of Object.keys(given)) {
    if (!known.includes(option)) {
      const dashed = known.map((k) => `--${k}`);
      const hint = didYouMean(`--${option}`, dashed) || `; known: ${dashed.join(' ')}`;
      throw usageError(`${name}: unknown option --${option}${hint}`);
    }
  }
  const missing = known.filter((k) => command.options[k]!.required && given[k] === undefined);
  if (missing.length > 0) {
    throw usageError(`${name}: ${missing.map((k) => `--${k}`).join(' and ')} missing`);
  }
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => [option, checkValue(option, command.options[option]!, value)]),
  );
}

function checkValue(option: string, spec: OptionSpec, value: unknown): string | number | boolean {
  const refuse = (expected: string) =>
    usageError(`--${option}: expected ${expected}, received ${JSON.stringify(value)}`);
  if (Array.isArray(value)) throw refuse('one value');
  if (spec.type === 'boolean') {
    if (typeof value !== 'boolean') throw refuse('no value');
    return value;
  }
  const text = String(value);
  if (text === '' && !spec.mayBeEmpty) throw refuse('a value');
  if (spec.choices !== undefined && !spec.choices.includes(text)) {
    throw refuse(`${spec.choices.join(' or ')}${didYouMean(text, spec.choices)}`);
  }
  if (spec.type === 'string') return text;
  const min = spec.min ?? 0;
  if (!/^\d{1,9}$/.test(text) || Number(text) < min) throw refuse(`a whole number from ${min}`);
  return Number(text);
}

/** One sentence about how the program was called. */
export function usageError(sentence: string): ConverterError {
  return new ConverterError('USAGE', sentence);
}
