/** The types of the commands, and the functions that all commands use. */

import type { ChildProcess } from 'node:child_process';
import type { Environment } from '../run/file/environment.ts';
import { wrapped } from '../run/report/text.ts';
import { asConverterError, ConverterError, ERROR_CODES } from '../support/errors.ts';

/** The process as commands use it. */
export interface Io {
  env: Environment;
  /** Writes to standard output, every secret redacted. */
  print(text: string): void;
  /** Writes data to standard output, even a word that equals a secret (D-610); JSON is escaped as JSON before. */
  printData(text: string): void;
  /** Writes to standard error, every secret redacted. */
  printError(text: string): void;
  /** Characters of a line of prose: the width of the terminal, otherwise 80. */
  columns: number;
  /** Whether standard output is a terminal: a program that reads it gets tables with tabs. */
  isTerminal: boolean;
  /** Standard error, if it is a terminal. */
  terminal: NodeJS.WritableStream | undefined;
  /** Asks the user and returns the line of the answer; undefined without a terminal. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  /** A random number from 0 to 1. */
  random(): number;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** Starts this program as the worker process of a number, with the same arguments and a channel to this process. */
  startWorker?: ((number: number) => ChildProcess) | undefined;
  /** In a worker process: the process itself, with the channel, and its number, from 1. */
  workerProcess?: { process: NodeJS.Process; number: number } | undefined;
}

/** An option; its name is the key in the table of a command. */
export interface OptionSpec {
  type: 'string' | 'number' | 'boolean';
  describe: string;
  /** Name of the value in the table of options. @defaultValue `N` for a number, else the choices */
  value?: string;
  required?: boolean;
  /** Smallest integer. @defaultValue 0 */
  min?: number;
  choices?: readonly string[];
  /** Whether it takes several values, separated by commas or by repeating the option; {@link textsOf} returns them. */
  isList?: boolean;
  mayBeEmpty?: boolean;
  /** Default that the help shows; the code that uses the option reads it from the same constant. */
  default?: string | number;
  /** Heading of the help below which the option is listed. @defaultValue `Options` */
  group?: string;
}

/** The positionals and options that were given, by name. */
export type Arguments = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export interface Positional {
  name: string;
  describe: string;
  required?: boolean;
  /** Whether it takes all words that follow; {@link textsOf} returns them. Only the last positional may. */
  isList?: boolean;
}

export interface Command {
  /** How the command is called, in one or several ways, if positionals and required options do not show it. */
  usage?: readonly string[];
  positionals?: readonly Positional[];
  options?: Readonly<Record<string, OptionSpec>>;
  /** Lines of the help before the examples. */
  notes?: readonly string[];
  /** Lines at the end of the help. */
  examples: readonly string[];
  /** @returns The exit code. */
  run(args: Arguments, io: Io): Promise<number>;
}

/** A line of the help, and the file of the command, which is loaded when it is called. */
export interface CommandRow {
  describe: string;
  load(): Promise<Command>;
}

/** The text of an argument; undefined if it was not given. */
export function textOf(args: Arguments, name: string): string | undefined {
  const value = args[name];
  return value === undefined ? undefined : String(value);
}

/** The texts of an argument that takes several; none if it was not given. */
export function textsOf(args: Arguments, name: string): readonly string[] {
  const value = args[name];
  return Array.isArray(value) ? value : [];
}

/** The fields that are not undefined, for options that must be absent rather than undefined. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The number of an argument; undefined if it was not given. */
export function numberOf(args: Arguments, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}

/** Aligned lines of two columns. @param width - Of the left column. @param characters - Of a line of prose. */
export function columns(
  rows: readonly (readonly [string, string])[],
  width = Math.max(...rows.map(([left]) => left.length)),
  characters = Number.POSITIVE_INFINITY,
): string[] {
  return rows.flatMap(([left, right]) =>
    wrapped(`  ${left.padEnd(width)}  ${right}`, characters, width + 4),
  );
}

/** An example of the help, in lines of a shell that can be copied together. @param characters - Of a line. */
export function exampleLines(example: string, characters: number): string[] {
  const lines = wrapped(`  ${example}`, characters, 4);
  if (lines.length === 1) return lines;
  const parts = wrapped(`  ${example}`, characters - CONTINUED.length, 4);
  return parts.map((part, at) => (at < parts.length - 1 ? part + CONTINUED : part));
}

/** The end of a line that a shell joins with the next. */
const CONTINUED = ' \\';

/** The options, listed below a heading of the help. */
export function inGroup(
  group: string,
  options: Readonly<Record<string, OptionSpec>>,
): Record<string, OptionSpec> {
  const entries = Object.entries(options);
  return Object.fromEntries(entries.map(([name, spec]) => [name, { ...spec, group }]));
}

/** An error in how the program was called. @param help - An action that fits better than the action of the code. */
export function usageError(sentence: string, help?: string): ConverterError {
  return new ConverterError('USAGE', sentence, help === undefined ? {} : { help });
}

/** Aborts a controller because of a signal of the process; the reason is the error to report. */
export function interrupt(controller: AbortController, signal: NodeJS.Signals): void {
  controller.abort(new ConverterError('INTERRUPTED', `interrupted by ${signal}`));
}

/** An error as the fields of a JSON log line; the stack locates a mistake of this program. */
export function errorFields(error: ConverterError) {
  const { code, message, help } = error;
  const { exit } = ERROR_CODES[code];
  const cause = error.cause instanceof Error ? error.cause : error;
  return { code, message, help, exit, ...(code === 'INTERNAL' && { stack: cause.stack }) };
}

/** The error to report: after an interruption the error of the interruption, because it caused all others. */
export function errorToReport(thrown: unknown, io: Pick<Io, 'signal'>): ConverterError {
  return asConverterError(io.signal.aborted ? io.signal.reason : thrown);
}
