/** The output of a command on standard error: log lines, and the progress of a run as a bar or as log lines. */
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { createLogger, type Logger } from '../support/log.ts';
import { type Arguments, type Io, type OptionSpec, textOf } from './command.ts';
import { environmentOf } from './service-options.ts';

const PROGRESS_INTERVAL_MS = 30_000;
const REDRAW_INTERVAL_MS = 100;
/** Characters of the bar: the text behind the bar limits its length. */
const BAR = { shortest: 8, longest: 30 };
/** Width of a terminal that reports 0. */
const COLUMNS = 80;
const ERASE_LINE = '\r\u001b[K';

/** The option `--log-format`. */
export const LOG_FORMAT_OPTION = {
  type: 'string',
  choices: ['pretty', 'json'],
  describe: 'format of log lines; default pretty on a terminal, otherwise json',
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
  const log = await createLogger({ format, sink: { write }, now: io.now, fields, level });
  const display = bar ?? openLines(log, io);
  const { progress, selecting } = display;
  return {
    ...{ log, format, display },
    environment: { ...environmentOf(io), log, progress, selecting },
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
  let state: { message: string; fields: object } = { message: 'starting', fields: {} };
  let changedAt = io.now();
  const timer = setInterval(() => {
    log.info(state.message, { ...state.fields, sinceMs: io.now() - changedAt });
  }, PROGRESS_INTERVAL_MS).unref();
  const change = (message: string, fields: object) => {
    state = { message, fields };
    changedAt = io.now();
  };
  return {
    selecting(found) {
      if (state.message === 'starting') log.info('selecting');
      change('selecting', { found });
    },
    progress({ making, ...counts }) {
      change(making === undefined ? 'working' : `making ${making}`, { ...counts });
    },
    above: (print) => print(),
    close: () => clearInterval(timer),
  };
}

/** Opens the line of progress at the bottom of the terminal: a log line takes its place and pushes it down. */
function openBar(terminal: Terminal, io: Io): ProgressDisplay {
  // The line to be shown, and the line that is shown.
  let line = '';
  let drawn = '';
  let started: { at: number; making: string | undefined } | undefined;
  const draw = (print?: () => void) => {
    if (print !== undefined) {
      if (drawn !== '') terminal.write(ERASE_LINE);
      print();
      drawn = '';
    }
    // A line that wraps could not be erased.
    const next = line.slice(0, widthOf(terminal));
    if (next !== drawn) terminal.write(`${ERASE_LINE}${next}`);
    drawn = next;
  };
  const timer = setInterval(() => draw(), REDRAW_INTERVAL_MS).unref();
  return {
    selecting(found) {
      if (started !== undefined) return;
      line = `  selecting · ${found} found`;
      draw();
    },
    progress({ making, total, done, failed }) {
      const now = io.now();
      const isFirst = started === undefined || making !== started.making;
      if (isFirst) started = { at: now, making };
      const perSecond = (done * 1000) / Math.max(1, now - started!.at);
      const left = done > 0 ? minutes((total - done) / perSecond) : '–';
      const what = making === undefined ? '' : `${making} · `;
      const text = `${what}${done}/${total} · ${perSecond.toFixed(1)}/s · ${left} left · ${failed} failed`;
      const room = widthOf(terminal) - text.length - '   '.length;
      const width = Math.min(BAR.longest, Math.max(BAR.shortest, room));
      const full = Math.floor((width * done) / Math.max(1, total));
      line = `  ${'█'.repeat(full)}${'░'.repeat(width - full)} ${text}`;
      if (isFirst) draw();
    },
    above: draw,
    close() {
      clearInterval(timer);
      line = '';
      draw();
    },
  };
}

function widthOf({ columns }: Terminal): number {
  return (columns || COLUMNS) - 1;
}

function minutes(seconds: number): string {
  const total = Math.round(seconds);
  return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, '0')}`;
}
