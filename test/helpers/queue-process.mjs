/**
 * Queue process: a worker or a coordinator as a process of its own, that a test can kill. It runs what was built.
 * Its work leaves a file for each place; what else happens is a line of JSON. Runs are held, each from a chunk on, until
 * there is a file `go`; a place, such as `r1.0.2`, may be deadly (the process is killed), failing (its article), interrupted
 * (once) or fatal (to the run). A coordinator comes to no end after the job `lastDone`.
 */
import { existsSync, watch, writeFileSync } from 'node:fs';
import { openChunkQueue } from '../../dist/distribute/queue/coordinator.js';
import { openQueueWorker } from '../../dist/distribute/queue/worker.js';
import { ConverterError } from '../../dist/support/errors.js';

const { role, folder, kind, jobs, lastDone, ...options } = JSON.parse(process.argv[2]);
const { holds = {}, deadly, failing, interrupted, fatal, busyMs } = options;
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const log = {
  debug() {},
  info() {},
  error: (m, f) => print({ error: m, ...f }),
  warn: (m, f) => print({ warn: m, ...f }),
};

try {
  await { worker, coordinator }[role]();
} catch ({ code, message }) {
  print({ code, message });
  process.exitCode = 1;
}

async function worker() {
  let interruptions = 0;
  const handlers = {
    onShare: (share) => print({ share }),
    onPause: (pause) => print({ pause }),
    work: async ({ chunk, from, to, run }, signal) => {
      print({ works: `${run}.${chunk}.${from}.${to}` });
      if (busyMs) for (const end = Date.now() + busyMs; Date.now() < end; );
      if (chunk >= holds[run]) await goes(signal);
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
  const name = `worker-${process.pid}`;
  const opened = await openQueueWorker({
    ...{ name, jobsAtOnce: { [kind]: 1 }, mostWorkers: 99 },
    ...options,
    ...{ handlers, log, now: Date.now },
  });
  print({ opened: name });
  process.on('SIGTERM', () => void opened.stop(1_000));
  process.on('SIGUSR2', () => opened.pauseAll(1_234));
  await opened.ended;
  print({ ended: true });
}

/** Waits until there is a file `go`, or the job is dropped. */
async function goes(signal) {
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

async function coordinator() {
  const queue = await openChunkQueue({
    ...options,
    kinds: [kind],
    log,
    signal: new AbortController().signal,
    now: Date.now,
  });
  const report =
    (kind) =>
    async ({ chunk, from, to }) => {
      const name = `${chunk}.${from}.${to}`;
      print({ [kind]: name });
      if (name === lastDone) await new Promise(() => {});
    };
  try {
    await queue.execute(kind, jobs, { onDone: report('done'), onLost: report('lost') });
    print({ finished: true });
  } finally {
    await queue.close();
  }
}
