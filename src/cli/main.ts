#!/usr/bin/env node
/** The process: it passes arguments, environment, streams, clock and signals to the command line. */
import { redact } from '../support/redact.ts';
import { programVersion } from '../support/version.ts';
import { type Io, interrupt } from './command.ts';
import { runCommandLine } from './command-line.ts';
import { openPrompt } from './prompt.ts';

const INTERRUPTED_EXIT = 130;

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The user does not wait for the logout.
    if (controller.signal.aborted) {
      process.stderr.write(
        'btg2gltf: interrupted without logout\n  → run the same command again to continue\n',
      );
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

const io: Io = {
  env: process.env,
  print: (text) => void process.stdout.write(redact(text)),
  printError: (text) => void process.stderr.write(redact(text)),
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  ask: process.stdin.isTTY && process.stderr.isTTY ? prompt.ask : undefined,
  now: Date.now,
  random: Math.random,
  signal: controller.signal,
};

process.exitCode = await runCommandLine(process.argv.slice(2), io, await programVersion());
prompt.close();
