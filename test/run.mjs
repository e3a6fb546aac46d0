/**
 * Runs the tests: `node test/run.mjs [files] [options of vitest]`.
 *
 * Everything that the tests write lies in one temporary folder, which is removed when they end, also by Ctrl-C, with
 * every process that they have left. A folder that a killed run has left is removed by the next run.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const IS_WINDOWS = process.platform === 'win32';
/** Machines may share a temporary folder, but no process numbers. */
const PREFIX = `btg2gltf-test-${hostname()}-`;
/** For processes that end by themselves when others have ended. */
const ATTEMPTS = 100;
const EVERY_MS = 100;

for (const name of readdirSync(tmpdir())) {
  const [, owner] =
    /^(\d+)-\w+$/.exec(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '') ?? [];
  if (owner !== undefined && !isRunning(Number(owner))) await remove(join(tmpdir(), name));
}

const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
// A database server that is started by root has another user.
chmodSync(folder, 0o755);

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url));
const child = spawn(
  process.execPath,
  [vitest, 'run', '--config', config, ...process.argv.slice(2)],
  {
    env: { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder },
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own: a signal of the terminal reaches this process alone, which ends all others.
    detached: !IS_WINDOWS,
  },
);
let signal;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    signal ??= name;
    killGroup();
  });
}
const ended = await new Promise((resolve) => {
  child.on('error', (error) => resolve({ error }));
  child.on('exit', (code) => resolve({ code }));
});
killGroup();
await remove(folder);
if (ended.error) throw ended.error;
process.exitCode = signal === undefined ? (ended.code ?? 1) : 128 + constants.signals[signal];

function killGroup() {
  try {
    process.kill(IS_WINDOWS ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Removes a folder, and ends the processes that write there. */
async function remove(path) {
  for (let attempt = 1; existsSync(path) && attempt <= ATTEMPTS; attempt++) {
    for (const id of processesOf(path)) {
      try {
        process.kill(id, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    for (const disk of disksBelow(path)) spawnSync('umount', ['--lazy', disk]);
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      await delay(EVERY_MS);
    }
  }
}

/** The processes whose temporary folder is this one, on Linux. */
function processesOf(path) {
  if (process.platform !== 'linux') return [];
  const variable = `TMPDIR=${path}`;
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      const variables = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      return variables.some((one) => one === variable || one.startsWith(`${variable}/`));
    } catch {
      return false;
    }
  });
}

/** File systems that a test has mounted, on Linux. */
function disksBelow(path) {
  if (process.platform !== 'linux') return [];
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => (line.split(' ')[1] ?? '').replaceAll('\\040', ' '))
    .filter((disk) => disk.startsWith(`${path}/`));
}

function isRunning(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
