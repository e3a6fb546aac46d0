/** Parses the words behind the name of a command and checks them with the table of the command. */
import yargs from 'yargs';
import type { ConverterError } from '../support/errors.ts';
import { didYouMean, nearestName } from '../support/nearest.ts';
import { type Arguments, type Command, type OptionSpec, usageError } from './command.ts';

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
 * @param name - Name of the command.
 * @param usage - How it is called, without the name of the program.
 * @throws {@link ConverterError} `USAGE`, with the nearest option where one is near.
 */
export async function readArguments(
  name: string,
  usage: string,
  describe: string,
  command: Command,
  words: readonly string[],
): Promise<{ help: string } | { args: Arguments }> {
  const forHelp = words.includes('--help') || words.includes('-h');
  const positionals = command.positionals.map((p) => `  ${p.name}  ${p.describe}`);
  const specs = Object.entries(command.options).map(([option, spec]) => {
    return [option, toYargs(spec, forHelp)];
  });
  const parser = yargs([])
    .scriptName('btg2gltf')
    .usage([`btg2gltf ${usage}`, '', describe, ...positionals].join('\n'))
    .parserConfiguration(PARSER)
    .options(Object.fromEntries(specs))
    .version(false)
    .help()
    .alias('help', 'h')
    .wrap(100)
    .exitProcess(false)
    .fail(false);
  const { notes = [], examples } = command;
  if (examples.length > 0) parser.epilogue([...notes, ...examples].join('\n'));
  if (forHelp) return { help: await parser.getHelp() };
  const { _: given, $0, ...values } = await parser.parseAsync([...words]);
  const refuse: Refuse = (sentence) =>
    usageError(sentence, `for its arguments and options, run btg2gltf ${name} --help`);
  const unknown = Object.keys(values).find((option) => !Object.hasOwn(command.options, option));
  if (unknown !== undefined) throw refuse(`${name}: ${await unknownOption(unknown, command)}`);
  const options = checkOptions(`${name}: `, command, values, refuse);
  return { args: { ...checkPositionals(`${name}: `, usage, command, given, refuse), ...options } };
}

/** Makes an error whose help names the command. */
type Refuse = (sentence: string) => ConverterError;

/** A number is parsed as text; only the help shows its type. */
function toYargs(spec: OptionSpec, forHelp: boolean) {
  const choices = spec.choices === undefined ? '' : `: ${spec.choices.join(' or ')}`;
  const standard = spec.default === undefined ? '' : ` [default: ${spec.default}]`;
  const type = spec.type === 'number' && !forHelp ? 'string' : spec.type;
  return { type, describe: `${spec.describe}${choices}${standard}` };
}

function checkPositionals(
  where: string,
  usage: string,
  { positionals }: Command,
  given: readonly (string | number)[],
  refuse: Refuse,
): Arguments {
  const missing = positionals.find(({ required }, index) => required && given[index] === undefined);
  const wrong = (sentence: string) => refuse(`${where}${sentence}; usage: btg2gltf ${usage}`);
  if (missing !== undefined) throw wrong(`expected ${missing.name}, received none`);
  if (given.length > positionals.length)
    throw wrong(`expected no further argument, received "${given[positionals.length]}"`);
  return Object.fromEntries(given.map((word, index) => [positionals[index]!.name, String(word)]));
}

/** Suggests the commands that have the option, otherwise the nearest option of this command. */
async function unknownOption(name: string, { options }: Command): Promise<string> {
  const { commandsWith } = await import('./pipeline-options.ts');
  const others = commandsWith(name).join(', ');
  const nearest = nearestName(name, Object.keys(options));
  const meant = nearest === undefined ? '' : `; did you mean "--${nearest}"?`;
  const hint = others === '' ? meant : `, which is an option of ${others}`;
  const option = name.length === 1 ? `-${name}` : `--${name}`;
  return `expected a known option, received ${option}${hint}`;
}

function checkOptions(
  where: string,
  command: Command,
  given: Record<string, unknown>,
  refuse: Refuse,
): Arguments {
  const required = Object.keys(command.options).filter((k) => command.options[k]!.required);
  const missing = required.filter((option) => given[option] === undefined);
  if (missing.length > 0) {
    const options = missing.map((option) => `--${option}`).join(' and ');
    throw refuse(`${where}expected ${options}, received no such option`);
  }
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => [
        option,
        checkValue(option, command.options[option]!, value, refuse),
      ]),
  );
}

function checkValue(
  option: string,
  spec: OptionSpec,
  value: unknown,
  refuse: Refuse,
): string | number | boolean {
  const wrong = (expected: string) =>
    refuse(`--${option}: expected ${expected}, received ${JSON.stringify(value)}`);
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
