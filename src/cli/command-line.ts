/** The command line: words in, exit code out. */
import { ENVIRONMENT, registerSecrets } from '../pipeline/environment.ts';
import { ERROR_CODES } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import { errorToReport, type Io, usageError } from './command.ts';
import { COMMANDS } from './commands.ts';

const EXIT_CODES = [
  ['0', 'all converted'],
  ['1', 'some articles failed'],
  ['2', 'wrong usage, pipeline file or list; nothing selected'],
  ['3', 'cannot continue: service, login, disk'],
  ['4', 'a gate refused the result'],
  ['130', 'interrupted or out of time; the same command continues'],
] as const;

/**
 * Runs one command. An error is printed as a sentence and an action; only an internal one has a stack.
 *
 * @param words - Arguments without node and script.
 * @param version - Of the program, for `--version`.
 * @returns The exit code, see {@link EXIT_CODES}.
 * @see D-747.
 */
export async function runCommandLine(
  words: readonly string[],
  io: Io,
  version: string,
): Promise<number> {
  registerSecrets(io.env);
  try {
    return await dispatch(words, io, version);
  } catch (thrown) {
    const error = errorToReport(thrown, io);
    const { exit, help } = ERROR_CODES[error.code];
    io.printError(`btg2gltf: ${error.message}\n  → ${help}\n`);
    if (error.code === 'INTERNAL') io.printError(`${stackOf(error)}\n`);
    return exit;
  }
}

async function dispatch(words: readonly string[], io: Io, version: string): Promise<number> {
  const [name, ...rest] = words;
  if (name === '--version') {
    io.print(`${version}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    io.print(helpText());
    return name === undefined ? ERROR_CODES.USAGE.exit : 0;
  }
  const row = Object.hasOwn(COMMANDS, name) ? COMMANDS[name]! : undefined;
  if (row === undefined) {
    throw usageError(
      `expected a command, received "${name}"${didYouMean(name, Object.keys(COMMANDS))}`,
    );
  }
  const { readArguments } = await import('./arguments.ts');
  const command = await row.load();
  const parsed = await readArguments(name, row.usage, row.describe, command, rest);
  if ('help' in parsed) {
    io.print(`${parsed.help}\n`);
    return 0;
  }
  return command.run(parsed.args, io);
}

function stackOf(error: Error): string {
  return (error.cause instanceof Error ? error.cause.stack : error.stack) ?? '';
}

function helpText(): string {
  const commands = Object.entries(COMMANDS).map(([name, row]) => [name, row.describe] as const);
  const variables = Object.entries(ENVIRONMENT).map(([name, row]) => [name, row.means] as const);
  return [
    'btg2gltf converts configurable furniture from its catalogue service to deduplicated glTF.',
    '',
    'Usage: btg2gltf COMMAND [OPTIONS]',
    '',
    'Commands',
    ...columns(commands),
    '',
    'Run btg2gltf COMMAND --help for the options of a command.',
    '',
    'Environment',
    ...columns(variables),
    '',
    'Exit codes',
    ...columns(EXIT_CODES),
    '',
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
