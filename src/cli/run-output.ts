/** The output of a command on standard error: log lines, and the progress of a run as a bar or as log lines. */
import type { Progress } from '../run/open/run-environment.ts';
import { createLogger, type Logger } from '../support/log.ts';
import { type Arguments, type Io, type OptionSpec, textOf } from './command.ts';

/** The interval of progress lines, milliseconds. */
const PROGRESS_INTERVAL_MS = 30_000;
/** The interval at which the bar is drawn, milliseconds. */
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

/** Shows how far a run is. */
interface ProgressDisplay {
  selecting(found: number): void;
  progress(progress: Progress): void;
  /** Prints on standard output. */
  above(print: () => void): void;
  close(): void;
}

/** The output of a run while it executes. */
export interface RunOutput {
  log: Logger;
  format: 'json' | 'pretty';
  /** Closed by the caller. */
  display: ProgressDisplay;
}

/**
 * Opens log and progress: a bar on a terminal, otherwise lines.
 *
 * @param fields - Fields of every log line, such as the id of the run.
 */
export async function openOutput(
  args: Arguments,
  io: Io,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<RunOutput> {
  const { terminal } = io;
  const format = formatOf(args, io);
  const isShown = format === 'pretty' && terminal !== undefined && !args.quiet;
  const bar = isShown ? new ProgressBar(terminal, io) : undefined;
  const sink = { write: bar ? (text: string) => bar.print(text) : io.printError };
  const level = args.quiet ? 'error' : args.verbose ? 'debug' : 'info';
  const log = await createLogger({ format, sink, now: io.now, fields, level });
  return { log, format, display: bar ?? openLines(log, io) };
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
  let state: { message: string; fields: Readonly<Record<string, unknown>> } = {
    message: 'starting',
    fields: {},
  };
  let changedAt = io.now();
  const timer = setInterval(() => {
    log.info(state.message, { ...state.fields, sinceMs: io.now() - changedAt });
  }, PROGRESS_INTERVAL_MS).unref();
  const change = (message: string, fields: Readonly<Record<string, unknown>>) => {
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

/** The line of progress at the bottom of the terminal: a log line takes its place and pushes it down. */
class ProgressBar implements ProgressDisplay {
  readonly #terminal: Terminal;
  readonly #io: Io;
  readonly #timer = setInterval(() => this.#draw(), REDRAW_INTERVAL_MS).unref();
  /** The line to be shown, and the line that is shown. */
  #line = '';
  #drawn = '';
  /** Start of the work that `#making` names. */
  #startedAt: number | undefined;
  #making: string | undefined;

  constructor(terminal: Terminal, io: Io) {
    this.#terminal = terminal;
    this.#io = io;
  }

  selecting(found: number): void {
    if (this.#startedAt !== undefined) return;
    this.#line = `  selecting · ${found} found`;
    this.#draw();
  }

  progress(progress: Progress): void {
    const now = this.#io.now();
    const isFirst = this.#startedAt === undefined || progress.making !== this.#making;
    const startedAt = isFirst ? now : this.#startedAt!;
    this.#making = progress.making;
    this.#startedAt = startedAt;
    this.#line = barText(progress, now - startedAt, this.#columns);
    if (isFirst) this.#draw();
  }

  /** The printed text takes the place of the bar and pushes it down. */
  above(print: () => void): void {
    if (this.#drawn !== '') this.#terminal.write(ERASE_LINE);
    print();
    this.#drawn = '';
    this.#draw();
  }

  /** Prints a log line. */
  print(text: string): void {
    this.above(() => this.#io.printError(text));
  }

  close(): void {
    clearInterval(this.#timer);
    if (this.#drawn !== '') this.#terminal.write(ERASE_LINE);
    this.#line = '';
    this.#drawn = '';
  }

  get #columns(): number {
    return (this.#terminal.columns || COLUMNS) - 1;
  }

  #draw(): void {
    // A line that wraps could not be erased.
    const next = this.#line.slice(0, this.#columns);
    if (next !== this.#drawn) this.#terminal.write(`${ERASE_LINE}${next}`);
    this.#drawn = next;
  }
}

function barText({ making, total, done, failed }: Progress, ms: number, columns: number): string {
  const perSecond = (done * 1000) / Math.max(1, ms);
  const left = done > 0 ? minutes((total - done) / perSecond) : '–';
  const what = making === undefined ? '' : `${making} · `;
  const text = `${what}${done}/${total} · ${perSecond.toFixed(1)}/s · ${left} left · ${failed} failed`;
  const room = columns - text.length - '   '.length;
  const width = Math.min(BAR.longest, Math.max(BAR.shortest, room));
  const full = Math.floor((width * done) / Math.max(1, total));
  return `  ${'█'.repeat(full)}${'░'.repeat(width - full)} ${text}`;
}

function minutes(seconds: number): string {
  const total = Math.round(seconds);
  return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, '0')}`;
}
