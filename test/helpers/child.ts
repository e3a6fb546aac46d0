/** Child: the built program as a process of its own, that can be killed and held to limits. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { withSentences } from './command.ts';
import { BROWSER_ENVIRONMENT } from './picture-browser.ts';

/** How a process ended. */
export interface Ended {
  exit: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process, running. */
export interface Child {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has printed up to now. */
  readonly printed: Readonly<Pick<Ended, 'stdout' | 'stderr'>>;
  kill(signal?: NodeJS.Signals): void;
}

/**
 * Moves the clock of a program, counts its file operations, and kills it before one of them, or prints at its end how
 * many there were.
 */
const PRELOADED = `
import fs from 'node:fs';
const { now } = Date;
Date.now = () => now() + Number(process.env.CLOCK_AHEAD_MS ?? 0);
let count = 0;
for (const name of ['openSync', 'writeFileSync', 'renameSync', 'linkSync', 'unlinkSync', 'fsyncSync']) {
  const operation = fs[name];
  fs[name] = (...words) => {
    if (++count === Number(process.env.KILL_BEFORE)) process.kill(process.pid, 'SIGKILL');
    return operation(...words);
  };
}
process.on('exit', () => console.error('operations: ' + count));
`;

/**
 * Variables of a program that counts its file operations. `KILL_BEFORE` kills it before that one; `CLOCK_AHEAD_MS` moves
 * its clock.
 */
export const COUNTING: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOADED)}`,
};

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/**
 * Starts the built program.
 *
 * @param wrapper - A command that is to start it, such as `['prlimit', '--fsize=100000']`.
 * @throws Where nothing was built yet: `npm test` and `npm run test:long` build first.
 */
export function startChild(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  wrapper: readonly string[] = [],
): Child {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is not there: npm run build`);
  const [command, ...args] = [...wrapper, process.execPath, PROGRAM, ...words];
  const child = spawn(command!, args, {
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...BROWSER_ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = printedBy(child);
  return {
    pid: child.pid ?? -1,
    ended: endOf(child, printed),
    printed,
    kill: (signal) => void child.kill(signal),
  };
}

/** Runs the built program to its end. */
export function runChild(...parameters: Parameters<typeof startChild>): Promise<Ended> {
  return startChild(...parameters).ended;
}

/** The environment of a command that talks to an emulator. */
export function environmentOf(emulator: Emulator): Record<string, string> {
  return {
    BTG2GLTF_AUTH_URL: emulator.authUrl,
    BTG2GLTF_BASE_URL: emulator.baseUrl,
    BTG2GLTF_USERNAME: emulator.username,
    BTG2GLTF_PASSWORD: emulator.password,
    BTG2GLTF_APP_KEY: emulator.appKey,
  };
}

function printedBy(child: ChildProcess): Pick<Ended, 'stdout' | 'stderr'> {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  return printed;
}

function endOf(child: ChildProcess, printed: Child['printed']): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit, signal) => {
      const stderr = withSentences(printed.stderr);
      resolve({ exit, signal, stdout: printed.stdout, stderr });
    });
  });
}
