/** The output of a command on standard error: log lines, and the progress of a run as a bar or as log lines. */

import type { Progress, RunEnvironment } from '../run/open/run-environment.ts';
import { wrapped } from '../run/report/text.ts';
import { createLogger, type Logger } from '../support/log.ts';
import { type Arguments, given, type Io, type OptionSpec, textOf } from './command.ts';
import { environmentOf } from './service-options.ts';

const PROGRESS_INTERVAL_MS = 30_000;
const REDRAW_INTERVAL_MS = 100;
/** Characters of the bar: the text behind the bar limits its length. */
const BAR = { shortest: 8, longest: 30 };
/** Blanks before a wrapped line of the log: time and level. */
const LOG_INDENT = 15;
/** Width of a terminal that reports 0. */
const COLUMNS = 80;
const ERASE_LINE = '\r\u001b[K';
const LINE_ABOVE = '\u001b[A';

/** The option `--log-format`. */
export const LOG_FORMAT_OPTION = {
  type: 'string',
  choices: ['pretty', 'json'],
  describe: 'format of log lines',
  default: 'pretty on a terminal, otherwise json',
} as const satisfies OptionSpec;

type Terminal = NodeJS.WritableStream & { columns?: number };

interface ProgressDisplay extends Required<Pick<RunEnvironment, 'selecting' | 'progress'>> {
  /** Prints on standard output. */
  above(print: () => void): void;
  close(): void;
}

export interface RunOutput {
  log: Logger;
  format: 'json' | 'pretty';
  /** Closed by the caller. */
  display: ProgressDisplay;
  /** What the process provides for a run, with this output. */
  environment: RunEnvironment;
}

/**
 * Opens log and progress: a bar on a terminal, otherwise lines.
 *
 * @param fields - Fields of every log line, such as the id of the run.
 */
export async function openOutput(
  args: Arguments,
  io: Io,
  fields: { run?: string; worker?: string } = {},
): Promise<RunOutput> {
  const { terminal } = io;
  const format = formatOf(args, io);
  const isShown = format === 'pretty' && terminal !== undefined && !args.quiet;
  const bar = isShown ? openBar(terminal, io) : undefined;
  const write = (text: string) =>
    bar ? bar.above(() => io.printError(text)) : io.printError(text);
  const level = args.quiet ? 'error' : args.verbose ? 'debug' : 'info';
  const sink =
    format === 'json' ? { write } : { write: (line: string) => write(inLines(line, io)) };
  const logger = await createLogger({ format, sink, now: io.now, fields, level });
  const log = format === 'json' ? logger : forPeople(logger);
  const display = bar ?? openLines(log, io);
  const { progress, selecting } = display;
  return {
    ...{ log, format, display },
    environment: { ...environmentOf(io), log, progress, selecting },
  };
}

function inLines(line: string, { columns }: Io): string {
  return `${wrapped(line.trimEnd(), columns, LOG_INDENT).join('\n')}\n`;
}

/**
 * A log for a person: fields that are sentences continue the sentence, and each cause is shown once. The summary counts
 * its failures, and `--verbose` shows them all.
 */
function forPeople(log: Logger): Logger {
  const seen = new Set<string>();
  return {
    ...log,
    warn(message, { message: cause, reason = cause, article, code, ...others } = {}) {
      if (typeof reason !== 'string') {
        log.warn(message, { ...given({ article, code }), ...others });
        return;
      }
      const kind = `${message} ${code}`;
      const level = code !== undefined && seen.has(kind) ? 'debug' : 'warn';
      seen.add(kind);
      // A message begins with where it failed: behind the operation is the article.
      const start = Math.max(0, reason.indexOf(String(article ?? '')));
      const end = code === undefined ? '' : ` (${code})`;
      log[level](`${message}: ${reason.slice(start)}${end}`, others);
    },
  };
}

/** Opens the log of a server, which shows no progress and writes no line while nothing happens. */
export function openLog(args: Arguments, io: Io): Promise<Logger> {
  return createLogger({ format: formatOf(args, io), sink: { write: io.printError }, now: io.now });
}

function formatOf(args: Arguments, { terminal }: Io): 'json' | 'pretty' {
  const given = textOf(args, 'log-format') as 'json' | 'pretty' | undefined;
  return given ?? (terminal === undefined ? 'json' : 'pretty');
}

/** A timer logs the progress, because a line is most important when nothing proceeds. */
function openLines(log: Logger, io: Io): ProgressDisplay {
  interface State {
    fields: object;
    changedAt: number;
  }
  const states = new Map<string, State>([['starting', { fields: {}, changedAt: io.now() }]]);
  const timer = setInterval(() => {
    for (const [message, { fields, changedAt }] of states)
      log.info(message, { ...fields, sinceMs: io.now() - changedAt });
  }, PROGRESS_INTERVAL_MS).unref();
  const change = (message: string, fields: object) =>
    states.set(message, { fields, changedAt: io.now() });
  const rates = openRates(io);
  return {
    selecting(found) {
      if (states.delete('starting')) log.info('selecting');
      change('selecting', { found });
    },
    progress(now) {
      const { making, total, done, failed } = now;
      const message = making === undefined ? 'working' : `making ${making}`;
      for (const other of states.keys())
        if (making === undefined || !other.startsWith('making ')) states.delete(other);
      const hasOthers = [...states.keys()].some((other) => other !== message);
      if (done === total && hasOthers) states.delete(message);
      else change(message, { total, done, failed, ...rates(now) });
    },
    above: (print) => print(),
    close: () => clearInterval(timer),
  };
}

/** How fast each kind of work is, since its first progress: per second, and seconds left if something is done. */
function openRates({ now }: Pick<Io, 'now'>) {
  const started = new Map<string | undefined, number>();
  return ({ making, total, done }: Progress) => {
    const at = started.get(making) ?? now();
    started.set(making, at);
    const perSecond = (done * 1000) / Math.max(1, now() - at);
    const round = (value: number) => Number(value.toFixed(1));
    return {
      perSecond: round(perSecond),
      ...(done > 0 && { secondsLeft: Math.round((total - done) / perSecond) }),
    };
  };
}

/**
 * Opens the progress at the bottom of the terminal, a line for each kind of work: log lines take its place and push it
 * down.
 */
function openBar(terminal: Terminal, io: Io): ProgressDisplay {
  // The lines to be shown, by what they show, and the lines that are shown.
  const lines = new Map<string | undefined, string>();
  let drawn: readonly string[] = [];
  let hasBegun = false;
  const rates = openRates(io);
  const draw = (print?: () => void) => {
    if (print !== undefined) {
      if (drawn.length > 0) terminal.write(eraser(drawn.length));
      drawn = [];
      print();
    }
    // A line that wraps could not be erased.
    const next = Array.from(lines.values(), (line) => line.slice(0, widthOf(terminal)));
    if (`${next}` === `${drawn}`) return;
    terminal.write(eraser(drawn.length) + next.join('\n'));
    drawn = next;
  };
  const timer = setInterval(() => draw(), REDRAW_INTERVAL_MS).unref();
  return {
    selecting(found) {
      if (hasBegun) return;
      lines.set(undefined, `  selecting · ${found} found`);
      draw();
    },
    progress(now) {
      const { making, total, done, failed } = now;
      const { perSecond, secondsLeft } = rates(now);
      const left = secondsLeft === undefined ? '–' : minutes(secondsLeft);
      const isFirst = !hasBegun || !lines.has(making);
      hasBegun = true;
      const what = making === undefined ? '' : `${making} · `;
      const text = `${what}${done}/${total} · ${perSecond.toFixed(1)}/s · ${left} left · ${failed} failed`;
      const room = widthOf(terminal) - text.length - '   '.length;
      const width = Math.min(BAR.longest, Math.max(BAR.shortest, room));
      const full = Math.floor((width * done) / Math.max(1, total));
      if (making !== undefined) lines.delete(undefined);
      // What is done gives its line to the others.
      const hasOthers = [...lines.keys()].some((other) => other !== making);
      if (done === total && hasOthers) lines.delete(making);
      else lines.set(making, `  ${'█'.repeat(full)}${'░'.repeat(width - full)} ${text}`);
      if (isFirst) draw();
    },
    above: draw,
    close() {
      clearInterval(timer);
      lines.clear();
      draw();
    },
  };
}

/** Erases lines, of which the cursor is in the last one. */
function eraser(lines: number): string {
  return ERASE_LINE + `${LINE_ABOVE}${ERASE_LINE}`.repeat(Math.max(0, lines - 1));
}

function widthOf({ columns }: Terminal): number {
  return (columns || COLUMNS) - 1;
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
