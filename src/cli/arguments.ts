/** Parses the words behind the name of a command and checks them with the table of the command. */
import yargs from 'yargs';
import { didYouMean, nearestName } from '../support/nearest.ts';
import { type Arguments, type Command, columns, type OptionSpec, usageError } from './command.ts';

/** Words are taken literally: no special meaning of dots, numbers, repetitions or `--no-`. */
const PARSER = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'duplicate-arguments-array': true,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'short-option-groups': false,
};

/**
 * Parses the words behind the name of a command.
 *
 * @throws {@link ConverterError} `USAGE`, with the nearest option where one is near.
 */
export async function readArguments(
  name: string,
  describe: string,
  command: Command,
  words: readonly string[],
): Promise<{ help: string } | { args: Arguments }> {
  const { options = {} } = command;
  const forHelp = words.includes('--help') || words.includes('-h');
  const specs = Object.entries(options).map(([option, spec]) => [option, toYargs(spec, forHelp)]);
  const parser = yargs([])
    .parserConfiguration(PARSER)
    .options(Object.fromEntries(specs))
    .version(false)
    .help('help', 'show this help')
    .alias('help', 'h')
    .wrap(100)
    .exitProcess(false)
    .fail(false);
  if (forHelp) return { help: helpText(name, describe, command, await parser.getHelp()) };
  const { _: given, $0, ...values } = await parser.parseAsync([...words]);
  const unknown = Object.keys(values).find((option) => !Object.hasOwn(options, option));
  if (unknown !== undefined) throw usageError(`${name}: ${await unknownOption(unknown, options)}`);
  const checked = checkOptions(name, options, values);
  return { args: { ...readPositionals(name, command, given), ...checked } };
}

type Options = NonNullable<Command['options']>;

/** Only the options are wrapped: a line of an example can be copied as it is. */
function helpText(name: string, describe: string, command: Command, options: string): string {
  const { positionals = [], notes = [], examples } = command;
  return [
    ...[`Usage: ${usageOf(name, command)}`, '', describe, ''],
    ...columns(positionals.map(({ name, describe }) => [name, describe])),
    ...(positionals.length === 0 ? [] : ['']),
    ...[options, '', ...notes],
    ...['Examples:', ...examples.map((line) => `  ${line}`)],
  ].join('\n');
}

function usageOf(name: string, { usage, positionals = [], options = {} }: Command): string {
  const words = positionals.map(({ name, required }) => (required ? name : `[${name}]`));
  const required = Object.entries(options).filter(([, spec]) => spec.required);
  const named = required.map(([option, { value }]) => `--${option} ${value}`);
  return ['btg2gltf', usage ?? [name, ...words, ...named].join(' ')].join(' ');
}

/** A number is parsed as text; only the help shows its type. */
function toYargs(spec: OptionSpec, forHelp: boolean) {
  const choices = spec.choices === undefined ? '' : `: ${spec.choices.join(' or ')}`;
  const standard = spec.default === undefined ? '' : ` [default: ${spec.default}]`;
  const type = spec.type === 'number' && !forHelp ? 'string' : spec.type;
  return { type, describe: `${spec.describe}${choices}${standard}` };
}

function readPositionals(
  name: string,
  command: Command,
  given: readonly (string | number)[],
): Arguments {
  const { positionals = [] } = command;
  const missing = positionals.slice(given.length).find(({ required }) => required);
  const wrong = (sentence: string) =>
    usageError(`${name}: ${sentence}; usage: ${usageOf(name, command)}`);
  if (missing !== undefined) throw wrong(`expected ${missing.name}, received none`);
  if (given.length > positionals.length)
    throw wrong(`expected no further argument, received "${given[positionals.length]}"`);
  return Object.fromEntries(given.map((word, index) => [positionals[index]!.name, String(word)]));
}

/** Suggests the commands that have the option, otherwise the nearest option of this command. */
async function unknownOption(name: string, options: Options): Promise<string> {
  const { commandsWith } = await import('./pipeline-options.ts');
  const others = commandsWith(name).join(', ');
  const nearest = nearestName(name, Object.keys(options));
  const meant = nearest === undefined ? '' : `; did you mean "--${nearest}"?`;
  const hint = others === '' ? meant : `, which is an option of ${others}`;
  const option = name.length === 1 ? `-${name}` : `--${name}`;
  return `expected a known option, received ${option}${hint}`;
}

function checkOptions(command: string, specs: Options, given: Record<string, unknown>): Arguments {
  const required = Object.keys(specs).filter((option) => specs[option]!.required);
  const missing = required.filter((option) => given[option] === undefined);
  if (missing.length > 0) {
    const options = missing.map((option) => `--${option}`).join(' and ');
    throw usageError(`${command}: expected ${options}, received no such option`);
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const checked = set.map(([option, value]) => [option, checkValue(option, specs[option]!, value)]);
  return Object.fromEntries(checked);
}

function checkValue(option: string, spec: OptionSpec, value: unknown): string | number | boolean {
  const wrong = (expected: string) =>
    usageError(`--${option}: expected ${expected}, received ${JSON.stringify(value)}`);
  if (Array.isArray(value)) throw wrong('one value');
  if (spec.type === 'boolean') {
    if (typeof value !== 'boolean') throw wrong('no value');
    return value;
  }
  const text = String(value);
  if (text === '' && !spec.mayBeEmpty) throw wrong('a value');
  if (spec.choices !== undefined && !spec.choices.includes(text)) {
    throw wrong(`${spec.choices.join(' or ')}${didYouMean(text, spec.choices)}`);
  }
  if (spec.type === 'string') return text;
  const min = spec.min ?? 0;
  if (!/^\d{1,9}$/.test(text) || Number(text) < min) throw wrong(`a whole number from ${min}`);
  return Number(text);
}
