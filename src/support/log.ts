/** The log of a run: a level, a sentence and fields become one line, without any secret. */
import { redact } from './redact.ts';
import { cutText, TEXT_LIMITS } from './text-limits.ts';
import { visible, visibleJson } from './visible.ts';

/** Fields of a log line. Names of numbers end in their unit. */
type LogFields = Record<string, unknown>;

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Logs sentences with fields, by level. */
export type Logger = Record<Level, (message: string, fields?: LogFields) => void>;

interface LogOptions {
  /** `json` for machines, or one readable line for people. */
  format: 'json' | 'pretty';
  sink: { write(text: string): unknown };
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  /** @defaultValue 'info' */
  level?: Level;
  fields?: LogFields;
}

/**
 * Creates a logger. The function loads pino only when called, because many commands log nothing.
 *
 * Texts are redacted before they are encoded as JSON, because escaped quotes would hide a secret, and then cut.
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
  const line = format === 'json' ? visibleJson : prettyLine;
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
    (level: Level) =>
    (message: string, fields: LogFields = {}) => {
      if (logger.isLevelEnabled(level)) logger[level](redactAll(fields), shown(message));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function shown(text: string): string {
  return cutText(redact(text), TEXT_LIMITS.message);
}

/** A copy of a JSON value in which every text, at any depth, is redacted and cut. */
function redactAll<T>(value: T): T {
  const text = JSON.stringify(value, (_, inside: unknown) =>
    typeof inside === 'string' ? shown(inside) : inside,
  );
  return JSON.parse(text) as T;
}

/** A logger that logs nothing. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Makes a line such as `02:00:00 warn  article failed  article=ACME/DESK/D100 code=BLOCK_MISSING`. */
function prettyLine(json: string): string {
  const { level, time, msg, run: _, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const values = Object.entries(fields).map(([name, value]) => `${name}=${inLine(value)}`);
  const head = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}`;
  return `${visible(values.length === 0 ? head : `${head}  ${values.join(' ')}`, true)}\n`;
}

function inLine(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^\S+$/.test(text) ? text : JSON.stringify(text);
}
