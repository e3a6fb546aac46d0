/**
 * Log: what the program tells its operator while it works.
 *
 * In: a level, a sentence and fields. Out: one line on the stream given, every secret redacted here.
 * It knows nothing of argv, of terminals or of the time: all three are handed in.
 */
import { redact, redactAll } from './redact.ts';

/** How lines look: JSON for machines, one readable line for people. */
export type LogFormat = 'json' | 'pretty';

/** Takes finished lines; a stream of the process, or a collector in a test. */
export interface TextSink {
  write(text: string): unknown;
}

/** Fields beside the sentence. Numbers carry their unit in the name. */
export type LogFields = Record<string, unknown>;

/** Logs sentences with fields, by level. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What a logger needs. */
export interface LogOptions {
  format: LogFormat;
  sink: TextSink;
  /** Milliseconds since 1970. */
  now: () => number;
  /** @defaultValue 'info' */
  level?: 'debug' | 'info' | 'warn' | 'error';
  /** Fields of every line, such as the id of the run. */
  fields?: LogFields;
}

/**
 * Creates a logger; pino is loaded here, so that a command that logs nothing does not pay for it.
 *
 * Every text is redacted before it is encoded: once quotes are escaped a secret looks like another.
 *
 * @example
 * ```ts
 * const log = await createLogger({ format: 'json', sink: process.stderr, now: Date.now });
 * log.info('selected', { configurations: 72 });
 * // → {"level":"info","time":"2026-01-01T02:00:00.000Z","msg":"selected","configurations":72}
 * ```
 */
export async function createLogger(options: LogOptions): Promise<Logger> {
  const { pino } = await import('pino');
  const { format, sink } = options;
  const line = format === 'json' ? (json: string) => json : prettyLine;
  const logger = pino(
    {
      level: options.level ?? 'info',
      base: options.fields === undefined ? null : redactAll(options.fields),
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date(options.now()).toISOString()}"`,
    },
    { write: (json: string) => void sink.write(line(json)) },
  );
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) =>
      logger[level](redactAll(fields), redact(message));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A logger that says nothing, for callers of the library who do not ask. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** `02:00:00 warn  article failed  article=ACME/DESK/D100 code=BLOCK_MISSING` */
function prettyLine(json: string): string {
  const { level, time, msg, run: _, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const words = Object.entries(fields).map(([name, value]) => `${name}=${inLine(value)}`);
  const head = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}`;
  return `${words.length === 0 ? head : `${head}  ${words.join(' ')}`}\n`;
}

function inLine(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^\S+$/.test(text) ? text : JSON.stringify(text);
}
