/**
 * Queue worker: a worker of what was built, in a process of its own or in that of the test. Its work leaves a file for
 * each place; what else happens is a line. Runs are held, each from a chunk on, until there is a file `go`; a place, such
 * as `r1.0.2`, may be deadly (the process is killed), failing (its article), interrupted (once) or fatal (to the run).
 */
import { existsSync, watch, writeFileSync } from 'node:fs';
import { openQueueWorker } from '../../dist/distribute/queue/worker.js';
import { ConverterError } from '../../dist/support/errors.js';

let opened = 0;

/** Opens a worker, which gives each line to `print`. */
export async function openWorker({ folder, kind, ...options }, print) {
  const { holds = {}, deadly, failing, interrupted, fatal, busyMs } = options;
  let interruptions = 0;
  const handlers = {
    onShare: (share) => print({ share }),
    onPause: (pause) => print({ pause }),
    work: async ({ chunk, from, to, run }, signal) => {
      print({ works: `${run}.${chunk}.${from}.${to}` });
      if (busyMs) for (const end = Date.now() + busyMs; Date.now() < end; );
      if (chunk >= holds[run]) await goes(folder, signal);
      if (signal.aborted) {
        print({ aborted: chunk });
        throw signal.reason;
      }
      for (let place = from; place < to; place++) {
        const name = `${run}.${chunk}.${place}`;
        if (deadly === name) process.kill(process.pid, 'SIGKILL');
        if (failing === name) throw new ConverterError('RESPONSE_INVALID', `place ${name} fails`);
        if (interrupted === name && !interruptions++)
          throw new ConverterError('INTERRUPTED', 'the session is closed');
        if (fatal === name) throw new ConverterError('DISK_FULL', 'the disk is full');
        writeFileSync(`${folder}/${name}`, '');
      }
    },
  };
  const name = `worker-${process.pid}-${++opened}`;
  const worker = await openQueueWorker({
    ...{ name, jobsAtOnce: { [kind]: 1 }, mostWorkers: 99 },
    ...options,
    ...{ handlers, log: logTo(print), now: Date.now },
  });
  print({ opened: name });
  return worker;
}

/** A log whose warnings and errors are lines. */
export function logTo(print) {
  return {
    debug() {},
    info() {},
    error: (message, fields) => print({ error: message, ...fields }),
    warn: (message, fields) => print({ warn: message, ...fields }),
  };
}

/** Waits until there is a file `go`, or the job is dropped. */
async function goes(folder, signal) {
  const watcher = watch(folder);
  await new Promise((resolve) => {
    const look = () => {
      if (signal.aborted || existsSync(`${folder}/go`)) resolve();
    };
    watcher.on('change', look);
    signal.addEventListener('abort', look);
    look();
  });
  watcher.close();
}
