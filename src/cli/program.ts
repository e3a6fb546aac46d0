/** The process: it passes arguments, environment, streams, clock and signals to the command line. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ERROR_CODES } from '../support/errors.ts';
import { redact } from '../support/redact.ts';
import { programVersion } from '../support/version.ts';
import { visible, visibleJson, visibleLines } from '../support/visible.ts';
import { type Io, interrupt } from './command.ts';
import { runCommandLine } from './command-line.ts';
import { openPrompt } from './prompt.ts';

const INTERRUPTED_EXIT = 130;

/** Prints messages that do not come from the command line: as JSON without a terminal. */
function printNotice(message: string, help: string): void {
  const fields = { level: 'warn', time: new Date().toISOString(), message, help, msg: 'notice' };
  const text = `${visibleLines([`btg2gltf: ${message}`, `  → ${help}`])}\n`;
  const json = visibleJson(`${JSON.stringify(fields)}\n`);
  process.stderr.write(redact(process.stderr.isTTY ? text : json));
}

const WORKER_PROCESS = fileURLToPath(new URL('./worker-process.js', import.meta.url));

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The user interrupts twice in order not to wait for the logout.
    if (controller.signal.aborted) {
      printNotice('interrupted without logout', 'run the same command again to continue');
      process.exit(INTERRUPTED_EXIT);
    }
    interrupt(controller, name);
  });
}

for (const stream of [process.stdout, process.stderr]) {
  // A reader that closes the pipe (`| head`) must not stop the run.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const prompt = openPrompt(process.stdin, process.stderr, () => interrupt(controller, 'SIGINT'));
// The listener of Node.js prints warnings as text.
process.removeAllListeners('warning');
process.on('warning', ({ message }) => printNotice(message, 'this is a warning of Node.js'));

/** Number of a worker process among those of `--workers`, from 1. */
const WORKER_NUMBER = 'BTG2GLTF_WORKER_NUMBER';

/** Characters of a line where there is no terminal, and of one that reports 0. */
const COLUMNS = 80;

const io: Io = {
  env: process.env,
  print: (text) => void process.stdout.write(visible(redact(text))),
  printData: (text) => void process.stdout.write(visible(text)),
  printError: (text) => void process.stderr.write(visible(redact(text))),
  get columns() {
    return process.stdout.columns || process.stderr.columns || COLUMNS;
  },
  isTerminal: process.stdout.isTTY === true,
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  ask: process.stdin.isTTY && process.stderr.isTTY ? prompt.ask : undefined,
  now: Date.now,
  random: Math.random,
  signal: controller.signal,
  startWorker: (number) =>
    fork(WORKER_PROCESS, process.argv.slice(2), {
      env: { ...process.env, [WORKER_NUMBER]: `${number}` },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  workerProcess:
    process.send && process.argv[1] === WORKER_PROCESS
      ? { process, number: Number(process.env[WORKER_NUMBER]) }
      : undefined,
};

let hasEnded = false;
// Node.js exits with code 0 when nothing is left to wait for, even if the command has not finished.
process.on('exit', (exitCode) => {
  if (hasEnded || exitCode !== 0) return;
  process.exitCode = ERROR_CODES.INTERNAL.exit;
  printNotice('the program ended before its work did', ERROR_CODES.INTERNAL.help);
});

void runCommandLine(process.argv.slice(2), io, programVersion()).then((exitCode) => {
  hasEnded = true;
  process.exitCode = exitCode;
  prompt.close();
});
