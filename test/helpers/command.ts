/**
 * Command: the command line, called as a process would be, its output caught before any redaction
 * of the streams: what is secret has to be gone by then.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { redact } from '../../src/support/redact.ts';
import { BROWSER_ENVIRONMENT } from './picture-browser.ts';

/** What a command left behind. */
export interface CommandResult {
  exit: number;
  stdout: string;
  stderr: string;
}

/** Where and when a command runs. */
export interface CommandOptions {
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Instant at which the clock of the command begins, ISO 8601, or a clock; else the machine's own. */
  at?: string | (() => number);
  /** The user at a terminal. */
  ask?: (question: string) => Promise<string>;
  /** Whether secrets are masked in what it prints, but for data, as the process does it. */
  redacts?: boolean;
  /** Characters of a line of prose. @defaultValue so many that none is wrapped */
  columns?: number;
  /** Whether standard output is a terminal. @defaultValue `false` */
  isTerminal?: boolean;
  /** Called with everything printed to standard output. */
  onPrint?: (text: string) => void;
}

/** Runs one command to its end. */
export async function command(
  words: string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  let stdout = '';
  let stderr = '';
  const shown = options.redacts === true ? redact : (text: string) => text;
  const print = (text: string) => {
    stdout += text;
    options.onPrint?.(text);
  };
  const io = {
    env: { ...BROWSER_ENVIRONMENT, ...options.env },
    print: (text: string) => print(shown(text)),
    printData: print,
    printError: (text: string) => {
      stderr += shown(text);
    },
    columns: options.columns ?? 10_000,
    isTerminal: options.isTerminal ?? false,
    terminal: undefined,
    ask: options.ask,
    now: clockFrom(options.at),
    random: Math.random,
    signal: options.signal ?? new AbortController().signal,
  };
  const exit = await runCommandLine(words, io, '0.0.0');
  return { exit, stdout, stderr: withSentences(stderr) };
}

/** Every line is JSON off a terminal; an error follows once more as a terminal shows it. */
export function withSentences(stderr: string): string {
  return stderr.replace(/^\{.*"msg":"stopped"\}\n/gm, (line) => {
    const { message, help, stack } = JSON.parse(line) as Record<string, string>;
    return `${line}btg2gltf: ${message}\n  → ${help}\n${stack === undefined ? '' : `${stack}\n`}`;
  });
}

/** A clock that goes as fast as the machine's own. */
function clockFrom(at: string | (() => number) | undefined): () => number {
  if (at === undefined) return Date.now;
  if (typeof at === 'function') return at;
  const ahead = Date.parse(at) - Date.now();
  return () => Date.now() + ahead;
}

/** A service at addresses of the environment. */
export const LIVE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

/** Writes a pipeline file (JSON is YAML) for a live service into a folder; its output is `<folder>/out`. */
export async function writePipeline(
  folder: string,
  content: Record<string, unknown> = {},
): Promise<string> {
  const file = join(folder, 'pipeline.yaml');
  const all = {
    name: 'test',
    service: LIVE,
    articles: [{ catalogue: {} }],
    output: { dir: 'out' },
    cache: { dir: 'cache' },
    ...content,
  };
  await writeFile(file, JSON.stringify(all, null, 1));
  return file;
}

/** The manifest of an output folder by base article number; `status` left out where asked for. */
export async function manifestByNumber(outputDir: string): Promise<Record<string, ManifestLine>> {
  const lines = await readManifest(outputDir);
  return Object.fromEntries(lines.map((line) => [line.basearticlenumber, line]));
}
