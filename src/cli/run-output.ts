/** What a command writes to standard error: log lines, and of a run its progress as a bar or as log lines. */
import type { Progress } from '../run/open/run-environment.ts';
import { createLogger, type LogFields, type Logger } from '../support/log.ts';
import { type Arguments, type Io, type OptionSpec, textOf } from './command.ts';

/** The interval of progress lines, milliseconds. */
const PROGRESS_INTERVAL_MS = 30_000;
/** The interval at which the bar is drawn, milliseconds. */
const REDRAW_INTERVAL_MS = 100;
/** Characters of the bar: it is as long as what is behind it allows. */
const BAR = { shortest: 8, longest: 30 };
/** Of a terminal of unknown width, which reports 0. */
const COLUMNS = 80;
const ERASE_LINE = '\r\u001b[K';

/** The option `--log-format`. */
export const LOG_FORMAT_OPTION = {
  type: 'string',
  choices: ['pretty', 'json'],
  describe: 'format of log lines; default pretty on a terminal, otherwise json',
} as const satisfies OptionSpec;

type Terminal = NodeJS.WritableStream & { columns?: number };

/** The output of a run while it executes: `selecting` and `progress` show how far it is, until `close`. */
export type RunOutput = Awaited<ReturnType<typeof openOutput>>;

/**
 * Opens log and progress: a bar on a terminal, otherwise lines.
 *
 * @param fields - Fields of every log line, such as the id of the run.
 */
export async function openOutput(args: Arguments, io: Io, fields: LogFields = {}) {
  const { terminal } = io;
  const format = formatOf(args, io);
  const isShown = format === 'pretty' && terminal !== undefined && !args.quiet;
  const bar = isShown ? openBar(terminal, io) : undefined;
  const sink = { write: bar?.print ?? io.printError };
  const level = args.quiet ? 'error' : args.verbose ? 'debug' : 'info';
  const log = await createLogger({ format, sink, now: io.now, fields, level });
  return { log, format, ...(bar ?? openLines(log, io)) };
}

/** Opens the log of a server: it has no progress, and says nothing while nothing happens. */
export function openLog(args: Arguments, io: Io): Promise<Logger> {
  return createLogger({ format: formatOf(args, io), sink: { write: io.printError }, now: io.now });
}

function formatOf(args: Arguments, { terminal }: Io): 'json' | 'pretty' {
  const given = textOf(args, 'log-format') as 'json' | 'pretty' | undefined;
  return given ?? (terminal === undefined ? 'json' : 'pretty');
}

/** A timer logs the progress, because a line is most important when nothing proceeds. */
function openLines(log: Logger, io: Io) {
  let state: { message: string; fields: LogFields } = { message: 'starting', fields: {} };
  let changedAt = io.now();
  const timer = setInterval(() => {
    log.info(state.message, { ...state.fields, sinceMs: io.now() - changedAt });
  }, PROGRESS_INTERVAL_MS).unref();
  const change = (message: string, fields: LogFields) => {
    state = { message, fields };
    changedAt = io.now();
  };
  return {
    selecting(found: number) {
      if (state.message === 'starting') log.info('selecting');
      change('selecting', { found });
    },
    progress({ making, ...counts }: Progress) {
      change(making === undefined ? 'working' : `making ${making}`, { ...counts });
    },
    /** Prints on standard output. */
    above: (print: () => void) => print(),
    close: () => clearInterval(timer),
  };
}

/** The line of progress at the bottom of the terminal: a log line takes its place and pushes it down. */
function openBar(stream: Terminal, io: Io) {
  let line = '';
  let drawn = '';
  let startedAt: number | undefined;
  let making: string | undefined;
  const columns = () => (stream.columns || COLUMNS) - 1;
  const draw = () => {
    // A line that wraps could not be erased.
    const next = line.slice(0, columns());
    if (next !== drawn) stream.write(`${ERASE_LINE}${next}`);
    drawn = next;
  };
  const timer = setInterval(draw, REDRAW_INTERVAL_MS).unref();
  /** What is printed takes the place of the bar and pushes it down. */
  const above = (print: () => void) => {
    if (drawn !== '') stream.write(ERASE_LINE);
    print();
    drawn = '';
    draw();
  };
  return {
    above,
    print: (text: string) => above(() => io.printError(text)),
    selecting(found: number) {
      if (startedAt !== undefined) return;
      line = `  selecting · ${found} found`;
      draw();
    },
    progress(progress: Progress) {
      const isFirst = startedAt === undefined || progress.making !== making;
      making = progress.making;
      startedAt = isFirst ? io.now() : startedAt!;
      line = barText(progress, io.now() - startedAt, columns());
      if (isFirst) draw();
    },
    close() {
      clearInterval(timer);
      if (drawn !== '') stream.write(ERASE_LINE);
      line = '';
      drawn = '';
    },
  };
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
