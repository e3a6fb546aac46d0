/** What a run writes to standard error: log lines, and its progress as a bar or as log lines. */
import type { Progress } from '../pipeline/run-options.ts';
import { createLogger, type LogFields, type LogFormat, type Logger } from '../support/log.ts';
import { type Arguments, type Io, type OptionSpec, textOf } from './command.ts';

/** The interval of progress lines, milliseconds. */
const PROGRESS_INTERVAL_MS = 30_000;
const ERASE_LINE = '\r\u001b[K';

/** The option `--log-format`. */
export const LOG_FORMAT_OPTION = {
  type: 'string',
  choices: ['pretty', 'json'],
  describe: 'format of log lines; default pretty on a terminal, otherwise json',
} as const satisfies OptionSpec;

/** The output of a run while it executes. */
export interface RunOutput {
  log: Logger;
  format: LogFormat;
  /** Shows how many configurations are processed. */
  progress(progress: Progress): void;
  /** Shows how many articles the selection has found so far. */
  selecting(found: number): void;
  /** Ends the display of progress. */
  close(): void;
}

/**
 * Opens log and progress: a bar on a terminal, otherwise lines.
 *
 * @param fields - Fields of every log line, such as the id of the run.
 */
export async function openOutput(
  args: Arguments,
  io: Io,
  fields: LogFields = {},
): Promise<RunOutput> {
  const { terminal } = io;
  const given = textOf(args, 'log-format') as LogFormat | undefined;
  const format = given ?? (terminal === undefined ? 'json' : 'pretty');
  const bar =
    format === 'pretty' && terminal !== undefined ? await openBar(terminal, io) : undefined;
  const write = (text: string) => io.printError(bar === undefined ? text : `${ERASE_LINE}${text}`);
  const log = await createLogger({ format, sink: { write }, now: io.now, fields });
  return { log, format, ...(bar ?? openLines(log, io)) };
}

/** A timer logs the progress, because a line is most important when nothing proceeds. */
function openLines(log: Logger, io: Io): Omit<RunOutput, 'log' | 'format'> {
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
    selecting(found) {
      if (state.message === 'starting') log.info('selecting');
      change('selecting', { found });
    },
    progress: (progress) => change('working', { ...progress }),
    close: () => clearInterval(timer),
  };
}

async function openBar(
  stream: NodeJS.WritableStream,
  io: Io,
): Promise<Omit<RunOutput, 'log' | 'format'>> {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    format: '  {bar} {value}/{total} · {rate}/s · {left} left · {failed} failed',
    stream,
    hideCursor: true,
    clearOnComplete: true,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
  });
  let startedAt: number | undefined;
  return {
    selecting(found) {
      if (startedAt === undefined) stream.write(`${ERASE_LINE}  selecting · ${found} found`);
    },
    progress({ total, done, failed }) {
      if (startedAt === undefined) {
        startedAt = io.now();
        stream.write(ERASE_LINE);
        bar.start(total, 0, { rate: '–', left: '–', failed: 0 });
      }
      const perSecond = (done * 1000) / Math.max(1, io.now() - startedAt);
      const left = perSecond > 0 ? minutes((total - done) / perSecond) : '–';
      // A planning may add configurations.
      bar.setTotal(total);
      bar.update(done, { rate: perSecond.toFixed(1), left, failed });
    },
    close() {
      if (startedAt === undefined) stream.write(ERASE_LINE);
      bar.stop();
    },
  };
}

function minutes(seconds: number): string {
  const total = Math.round(seconds);
  return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, '0')}`;
}
