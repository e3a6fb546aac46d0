/**
 * Command: what every command of the command line is made of.
 *
 * In: arguments, already checked against the command's own table. Out: an exit code.
 */
import type { Environment } from '../pipeline/environment.ts';

/** The process as commands see it. */
export interface Io {
  env: Environment;
  /** Writes to standard output, every secret redacted. */
  print(text: string): void;
  /** Writes to standard error, every secret redacted. */
  tell(text: string): void;
  /** Whether a person watches standard error. */
  terminal: NodeJS.WritableStream | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  /** 0 to 1. */
  random(): number;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}

/** One option; its name is the key in the command's table. */
export interface OptionSpec {
  type: 'string' | 'number' | 'boolean';
  describe: string;
  /** Whether the command cannot do without it. */
  required?: boolean;
  /** Smallest whole number. */
  min?: number;
  choices?: readonly string[];
  /** Whether an empty text means something. */
  mayBeEmpty?: boolean;
  /** Shown in the help; whoever applies it reads it from the same place. */
  default?: string | number;
}

/** Arguments by name: positionals and options, those that were given. */
export type Arguments = Readonly<Record<string, string | number | boolean | undefined>>;

/** One command. */
export interface Command {
  /** Positionals in order, `[name]`s may be left out. */
  positionals: readonly { name: string; describe: string; required: boolean }[];
  options: Readonly<Record<string, OptionSpec>>;
  /** Lines for the end of the help. */
  examples: readonly string[];
  /** @returns The exit code. */
  run(args: Arguments, io: Io): Promise<number>;
}

/** An argument as text; undefined where it was not given. */
export function textOf(args: Arguments, name: string): string | undefined {
  const value = args[name];
  return value === undefined ? undefined : String(value);
}

/** An argument as a number; undefined where it was not given. */
export function numberOf(args: Arguments, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}
