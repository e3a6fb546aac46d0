/**
 * Progress: how far a run is, as a bar for a person or as a line now and then for a log.
 */

import type { Progress } from '../pipeline/run-options.ts';
import { createLogger, type LogFields, type LogFormat, type Logger } from '../support/log.ts';
import type { Io } from './command.ts';

/** Off a terminal a sign of life comes this often, milliseconds. */
const HEARTBEAT_MS = 30_000;
const ERASE_LINE = '\r\u001b[K';

/** What a run tells while it works, and how to end it. */
export interface Voice {
  log: Logger;
  /** How its lines look. */
  format: LogFormat;
  progress(progress: Progress): void;
  /** How many articles the catalogue has shown while they are chosen. */
  selecting(found: number): void;
  /** Takes the bar off the screen. */
  end(): void;
}

/**
 * Opens log and progress: a bar where a person watches, JSON lines where nobody does.
 *
 * @param format - What was asked for; undefined: by whether a person watches.
 * @param fields - Of every line, such as the id of the run.
 */
export async function openVoice(
  format: LogFormat | undefined,
  io: Io,
  fields: LogFields = {},
): Promise<Voice> {
  const chosen = format ?? (io.terminal === undefined ? 'json' : 'pretty');
  const bar =
    chosen === 'pretty' && io.terminal !== undefined ? await openBar(io.terminal, io) : undefined;
  const sink = {
    write: (text: string) => io.tell(bar === undefined ? text : `${ERASE_LINE}${text}`),
  };
  const log = await createLogger({ format: chosen, sink, now: io.now, fields });
  const lines = bar ?? openLines(log, io);
  return {
    log,
    format: chosen,
    progress: lines.update,
    selecting: lines.selecting,
    end: lines.stop,
  };
}

/**
 * Lines for a log: one at the beginning, then a sign of life now and then.
 *
 * It comes by a timer, not with progress: that nothing moves is what a person wants to know.
 */
function openLines(log: Logger, io: Io) {
  let state: { message: string; fields: LogFields } = { message: 'starting', fields: {} };
  let isSelecting = false;
  let movedAt = io.now();
  const beat = () => {
    log.info(state.message, { ...state.fields, sinceMs: io.now() - movedAt });
  };
  const timer = setInterval(beat, HEARTBEAT_MS).unref();
  const move = (message: string, fields: LogFields) => {
    state = { message, fields };
    movedAt = io.now();
  };
  return {
    selecting(found: number) {
      if (!isSelecting) log.info('selecting');
      isSelecting = true;
      move('selecting', { found });
    },
    update: (progress: Progress) => move('working', { ...progress }),
    stop: () => clearInterval(timer),
  };
}

async function openBar(stream: NodeJS.WritableStream, io: Io) {
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
    selecting(found: number) {
      if (startedAt === undefined) stream.write(`${ERASE_LINE}  selecting · ${found} found`);
    },
    update({ total, done, failed }: Progress) {
      if (startedAt === undefined) {
        startedAt = io.now();
        stream.write(ERASE_LINE);
        bar.start(total, 0, { rate: '–', left: '–', failed: 0 });
      }
      const perSecond = (done * 1000) / Math.max(1, io.now() - startedAt);
      const left = perSecond > 0 ? duration((total - done) / perSecond) : '–';
      // A planning may turn up more to do.
      bar.setTotal(total);
      bar.update(done, { rate: perSecond.toFixed(1), left, failed });
    },
    stop() {
      if (startedAt === undefined) stream.write(ERASE_LINE);
      bar.stop();
    },
  };
}

/** `4:05` */
function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
