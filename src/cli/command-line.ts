/**
 * Command line: words in, exit code out.
 *
 * In: what was typed and the process. Out: an exit code; everything printed went through {@link Io}.
 * An expected error is one sentence and what helps; only our own mistakes show a stack.
 *
 * @see D-747.
 */
import { registerSecrets } from '../pipeline/environment.ts';
import { ERROR_CODES } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import type { Io } from './command.ts';
import { COMMANDS } from './commands.ts';
import { helpText } from './help.ts';
import { errorToTell } from './interrupt.ts';

/**
 * Runs one command.
 *
 * @param words - Arguments without node and script.
 * @param version - Of the program, for `--version`.
 * @returns 0 all well · 1 some articles failed · 2 bad usage or input · 3 cannot go on · 4 a gate
 *   refused · 130 interrupted.
 *
 * @example
 * ```ts
 * process.exitCode = await runCommandLine(['run', 'pipelines/demo.yaml'], io, '1.0.0');
 * ```
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
    return report(thrown, io);
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
  const { readArguments, usageError } = await import('./arguments.ts');
  const row = Object.hasOwn(COMMANDS, name) ? COMMANDS[name]! : undefined;
  if (row === undefined) {
    const kind = name.startsWith('-') ? 'option' : 'command';
    throw usageError(`unknown ${kind} "${name}"${didYouMean(name, Object.keys(COMMANDS))}`);
  }
  const command = await row.load();
  const parsed = await readArguments(name, row.usage, row.describe, command, rest);
  if ('help' in parsed) {
    io.print(`${parsed.help}\n`);
    return 0;
  }
  return command.run(parsed.args, io);
}

function report(thrown: unknown, io: Io): number {
  const error = errorToTell(thrown, io);
  io.tell(`btg2gltf: ${error.message}\n  → ${ERROR_CODES[error.code].help}\n`);
  if (error.code === 'INTERNAL') io.tell(`${stackOf(error)}\n`);
  return ERROR_CODES[error.code].exit;
}

function stackOf(error: Error): string {
  return (error.cause instanceof Error ? error.cause.stack : error.stack) ?? '';
}
