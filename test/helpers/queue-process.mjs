/**
 * Queue process: a worker or a coordinator as a process of its own, that a test can kill. It runs what was built; what
 * happens is a line of JSON. A coordinator comes to no end after the job `lastDone`; with `closesIdle`, it closes its queue
 * while it waits for more jobs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openChunkQueue } from '../../dist/distribute/queue/coordinator.js';
import { logTo, openWorker } from './queue-worker.mjs';

const { role, kind, jobs, lastDone, closesIdle, ...options } = JSON.parse(process.argv[2]);
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  await { worker, coordinator }[role]();
} catch ({ code, message }) {
  print({ code, message });
  process.exitCode = 1;
}

async function worker() {
  const opened = await openWorker({ ...options, kind }, print);
  process.on('SIGTERM', () => void opened.stop(1_000));
  process.on('SIGUSR2', () => opened.pauseAll(1_234));
  await opened.ended;
  print({ ended: true });
}

async function coordinator() {
  const queue = await openChunkQueue({
    ...options,
    kinds: [kind],
    log: logTo(print),
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
  const handlers = { onDone: report('done'), onLost: report('lost') };
  if (closesIdle) {
    const ended = queue.execute(kind, growing(), handlers).catch(({ code }) => print({ code }));
    // Less than a look at the queue.
    await delay(500);
    await queue.close();
    await ended;
    print({ left: process.getActiveResourcesInfo().filter((name) => name === 'Timeout') });
    return;
  }
  try {
    await queue.execute(kind, jobs, handlers);
    print({ finished: true });
  } finally {
    await queue.close();
  }
}

/** Jobs that a run may add to, and does not. */
async function* growing() {
  for (;;) yield undefined;
}
