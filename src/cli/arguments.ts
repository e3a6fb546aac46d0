/** Parses the words behind the name of a command and checks them with the table of the command. */

import parseWords from 'yargs-parser';
import { wrapped } from '../run/report/text.ts';
import { didYouMean, nearestName } from '../support/nearest.ts';
import {
  type Arguments,
  type Command,
  columns,
  exampleLines,
  type OptionSpec,
  usageError,
} from './command.ts';

/** Words are taken literally: dots, numbers, repetitions and `--no-` have no special meaning. */
const PARSER = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'duplicate-arguments-array': true,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'short-option-groups': false,
};

const WORKERS = '; workers take the place of shards: see pipelines/deploy/README.md';

/** Options of earlier versions, each with a note on its replacement. */
const FORMER: Readonly<Record<string, string>> = {
  '--shard': WORKERS,
  '--executor shard': WORKERS,
};

/** A command with its name, its line of the help, and the characters of a line. */
interface Called {
  name: string;
  describe: string;
  command: Command;
  columns: number;
}

/**
 * Parses the words behind the name of a command.
 *
 * @throws {@link ConverterError} `USAGE`, with the nearest option where one is near.
 */
export async function readArguments(
  called: Called,
  words: readonly string[],
): Promise<{ help: string } | { args: Arguments }> {
  const { name, command } = called;
  const { options = {} } = command;
  if (words.includes('--help') || words.includes('-h'))
    return { help: helpText(called, await optionsHelp(options, called.columns)) };
  const flag = words.find(
    (word) => options[/^--([^=]+)=/.exec(word)?.[1] ?? '']?.type === 'boolean',
  );
  if (flag !== undefined) throw usageError(`${flag.replace(/=.*/s, '')} takes no value`);
  const ofType = (isBoolean: boolean) =>
    Object.keys(options).filter((option) => (options[option]!.type === 'boolean') === isBoolean);
  // A number is parsed as text.
  const types = { boolean: ofType(true), string: ofType(false) };
  const { _: given, ...values } = parseWords([...words], { ...types, configuration: PARSER });
  const unknown = Object.keys(values).find((option) => !Object.hasOwn(options, option));
  if (unknown !== undefined) throw usageError(`${name}: ${await unknownOption(unknown, options)}`);
  const checked = checkOptions(name, options, values);
  return { args: { ...readPositionals(name, command, given), ...checked } };
}

type Options = NonNullable<Command['options']>;

/** Options with their types in a column at the right are hard to read in wider lines. */
const WIDEST_OPTIONS = 100;

/** The help is loaded only when it is needed: its library takes longer to load than most commands take. */
async function optionsHelp(options: Options, characters: number): Promise<string> {
  const { default: yargs } = await import('yargs');
  const specs = Object.entries(options).map(([option, spec]) => [option, toYargs(spec)]);
  return yargs([])
    .options(Object.fromEntries(specs))
    .version(false)
    .help('help', 'show this help')
    .alias('help', 'h')
    .wrap(Math.min(characters, WIDEST_OPTIONS))
    .exitProcess(false)
    .getHelp();
}

function helpText({ name, describe, command, columns: characters }: Called, options: string) {
  const { positionals = [], notes = [], examples } = command;
  return [
    ...usagesOf(name, command).flatMap((usage, at) =>
      wrapped(`${at === 0 ? 'Usage:' : '      '} ${usage}`, characters, 9),
    ),
    ...['', ...wrapped(describe, characters), ''],
    ...columns(
      positionals.map(({ name, describe }) => [name, describe]),
      undefined,
      characters,
    ),
    ...(positionals.length === 0 ? [] : ['']),
    ...[options, '', ...inParagraphs(notes, Math.min(characters, WIDEST_OPTIONS))],
    ...['Examples:', ...examples.flatMap((line) => exampleLines(line, characters))],
  ].join('\n');
}

/** Wraps the notes anew: lines between two empty ones are a paragraph. */
function inParagraphs(notes: readonly string[], characters: number): string[] {
  const paragraphs = notes.join('\n').split(/\n{2,}/);
  const texts = paragraphs.map((text) => text.trim().replaceAll('\n', ' '));
  return texts.filter((text) => text !== '').flatMap((text) => [...wrapped(text, characters), '']);
}

function usagesOf(name: string, { usage, positionals = [], options = {} }: Command): string[] {
  const words = positionals.map(({ name, required, isList }) => {
    const all = isList ? `${name}...` : name;
    return required ? all : `[${all}]`;
  });
  const required = Object.entries(options).filter(([, spec]) => spec.required);
  const named = required.map(([option, { value }]) => `--${option} ${value}`);
  const ways = usage ?? [[name, ...words, ...named].join(' ')];
  return ways.map((way) => `btg2gltf ${way}`);
}

function toYargs({ type, choices, default: standard, describe, group = 'Options:' }: OptionSpec) {
  const preset = standard === undefined ? '' : ` [default: ${standard}]`;
  return { type, group, ...(choices && { choices }), describe: `${describe}${preset}` };
}

function readPositionals(
  name: string,
  command: Command,
  given: readonly (string | number)[],
): Arguments {
  const { positionals = [] } = command;
  const missing = positionals.slice(given.length).find(({ required }) => required);
  const wrong = (sentence: string) =>
    usageError(`${name}: ${sentence}; usage: ${usagesOf(name, command).join(', or ')}`);
  if (missing !== undefined) throw wrong(`${missing.name} is missing`);
  const last = positionals.at(-1);
  if (given.length > positionals.length && !last?.isList)
    throw wrong(`"${given[positionals.length]}" is one argument too many`);
  const entries = positionals.map(({ name, isList }, at): [string, Arguments[string]] => {
    const words = given.slice(at).map(String);
    return [name, isList ? words : words[0]];
  });
  return Object.fromEntries(entries.slice(0, given.length));
}

/** Suggests the commands that have the option, otherwise the nearest option of this command. */
async function unknownOption(name: string, options: Options): Promise<string> {
  const { commandsWith } = await import('./pipeline-options.ts');
  const others = commandsWith(name).join(', ');
  const nearest = nearestName(name, Object.keys(options));
  const meant = nearest === undefined ? '' : `; did you mean --${nearest}?`;
  const option = name.length === 1 ? `-${name}` : `--${name}`;
  const known = others === '' ? meant : `; it is an option of ${others}`;
  return `there is no option ${option}${FORMER[option] ?? known}`;
}

function checkOptions(command: string, specs: Options, given: Record<string, unknown>): Arguments {
  const required = Object.keys(specs).filter((option) => specs[option]!.required);
  const missing = required.filter((option) => given[option] === undefined);
  if (missing.length > 0) {
    const names = missing.map((option) => `--${option}`);
    const listed = names.join(', ').replace(/, ([^,]*)$/, ' and $1');
    throw usageError(`${command}: ${listed} ${names.length === 1 ? 'is' : 'are'} missing`);
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const checked = set.map(([option, value]) => [option, checkValue(option, specs[option]!, value)]);
  return Object.fromEntries(checked);
}

function checkValue(option: string, spec: OptionSpec, value: unknown): Arguments[string] {
  if (spec.isList) {
    const texts = [value].flat().flatMap((one) => String(one).split(','));
    const { isList: _, ...each } = spec;
    return texts.map((text) => String(checkValue(option, each, text.trim())));
  }
  const wrong = (expected: string, hint = '') =>
    usageError(`--${option}: expected ${expected}, received ${JSON.stringify(value)}${hint}`);
  if (Array.isArray(value))
    throw usageError(`--${option} is given ${value.length} times; name it once`);
  if (spec.type === 'boolean') {
    if (typeof value !== 'boolean') throw wrong('no value');
    return value;
  }
  const text = String(value);
  if (text === '' && !spec.mayBeEmpty) throw usageError(`--${option} has no value`);
  if (spec.choices !== undefined && !spec.choices.includes(text)) {
    const hint = FORMER[`--${option} ${text}`] ?? didYouMean(text, spec.choices);
    throw wrong(spec.choices.join(' or '), hint);
  }
  if (spec.type === 'string') return text;
  const min = spec.min ?? 0;
  if (!/^\d{1,9}$/.test(text) || Number(text) < min) throw wrong(`a whole number from ${min}`);
  return Number(text);
}
