/**
 * Watchdog: names the input that never ends.
 *
 * A loop without end in this thread cannot be interrupted from within it, and neither can the test
 * runner report the input: a second thread can.
 */
import { Worker } from 'node:worker_threads';
import { GIVE_UP_MS } from '../until.ts';

const SCRIPT = `
const { workerData: { shared, longestMs } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const now = new Int32Array(shared);
let last = -1;
setInterval(() => {
  const input = Atomics.load(now, 0);
  if (input === last && input >= 0) {
    writeSync(2, 'input ' + input + ' does not end\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  last = input;
}, longestMs);
`;

/** Starts a watchdog; report the index of each input to it, and close it. */
export function startWatchdog(): { report(input: number): void; close(): Promise<unknown> } {
  const shared = new SharedArrayBuffer(4);
  const now = new Int32Array(shared).fill(-1);
  const worker = new Worker(SCRIPT, {
    eval: true,
    workerData: { shared, longestMs: GIVE_UP_MS / 2 },
  });
  worker.unref();
  return {
    report: (input) => void Atomics.store(now, 0, input),
    close: () => worker.terminate(),
  };
}
