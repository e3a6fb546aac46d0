/**
 * Runs the tests: `node test/run.mjs [files] [options of vitest]`.
 *
 * Everything that the tests write lies in one temporary folder, which is removed when they end, also by Ctrl-C, with
 * every process that they have left; so do the folders of browsers, which lie in /tmp where the path of the temporary
 * folder is too long for a socket. A folder that a killed run has left is removed by the next run.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, freemem, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const IS_WINDOWS = process.platform === 'win32';
/** Short, since the paths of sockets below it must be. */
const PREFIX = 'btg2gltf-test-';
/** Names the process whose folder it is. Machines may share a temporary folder, but no process numbers. */
const OWNER = '.owner';
/** The path of a socket has 107 bytes: Chromium and the name of this folder need 66 of them. */
const LONGEST_FOLDER_BYTES = 41;
const SHORT_FOLDER = '/tmp';
/** Of `postmaster.pid`, counted from 0: key and id of the shared memory (PostgreSQL, miscadmin.h). */
const SHARED_MEMORY_LINE = 6;
/** A folder in memory: databases wait for a disk at each commit. With it the tests took 4 min 10 s, without it 4 min 33 s. */
const MEMORY = '/dev/shm';
/** The tests need a tenth of it. */
const ROOM_BYTES = 4 * 1024 ** 3;
/** For processes that end by themselves when others have ended. */
const ATTEMPTS = 100;
const EVERY_MS = 100;

for (const parent of [tmpdir(), MEMORY].filter(existsSync)) {
  for (const name of readdirSync(parent).filter((one) => one.startsWith(PREFIX))) {
    const [host, id] = ownerOf(join(parent, name));
    if (host === hostname() && !isRunning(Number(id))) await remove(join(parent, name));
  }
}

const parentOfRun = hasRoomInMemory() ? MEMORY : shortTemporaryFolder();
const folder = mkdtempSync(join(parentOfRun, PREFIX));
writeFileSync(join(folder, OWNER), `${hostname()}\n${process.pid}\n`);
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
for (let attempt = 1; processesOf(folder).length > 0 && attempt <= ATTEMPTS; attempt++)
  await delay(EVERY_MS);
for (const left of browserFolders()) await remove(left);
stoppedRenderers().forEach(kill);
if (ended.error) throw ended.error;
process.exitCode = signal === undefined ? (ended.code ?? 1) : 128 + constants.signals[signal];

/** Whether tests can write and start programs in memory, unless the user has named a folder. */
function hasRoomInMemory() {
  const { TMPDIR, TEMP, TMP } = process.env;
  const [, , , options = 'noexec'] = mounts().find(([, folder]) => folder === MEMORY) ?? [];
  if ((TMPDIR ?? TEMP ?? TMP) !== undefined || /\b(?:ro|noexec)\b/.test(options)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES;
}

/** The temporary folder of the user; another one where its path is too long for the sockets of browsers below it. */
function shortTemporaryFolder() {
  const isShort = Buffer.byteLength(tmpdir()) <= LONGEST_FOLDER_BYTES;
  return isShort || !existsSync(SHORT_FOLDER) ? tmpdir() : SHORT_FOLDER;
}

/** Host and process of a folder; none where it is not of these tests, or of another user. */
function ownerOf(path) {
  try {
    return readFileSync(join(path, OWNER), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Folders of browsers whose processes have ended: named by host and process, as the program names them. */
function browserFolders() {
  if (IS_WINDOWS) return [];
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 4);
  const owner = new RegExp(`^btg2gltf-${host}-(\\d+)-`);
  const left = readdirSync(SHORT_FOLDER).filter((name) => {
    const id = owner.exec(name)?.[1];
    return id !== undefined && !isRunning(Number(id));
  });
  return left.map((name) => join(SHORT_FOLDER, name)).filter(isOwn);
}

/** Whether a folder is of this user; another run may have removed it meanwhile. */
function isOwn(path) {
  return statSync(path, { throwIfNoEntry: false })?.uid === process.getuid();
}

function killGroup() {
  kill(IS_WINDOWS ? child.pid : -child.pid);
}

function kill(id) {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The renderers that a test has stopped and whose browser is gone: nothing else would end them. */
function stoppedRenderers() {
  return processes().filter((id) => {
    const [state, parent, , session] = readOf(id, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    const isOrphan = state === 'T' && parent === '1' && !isRunning(Number(session));
    return isOrphan && readOf(id, 'cmdline').includes('--type=renderer');
  });
}

/** Removes a folder, and ends the processes that write there. */
async function remove(path) {
  for (let attempt = 1; existsSync(path) && attempt <= ATTEMPTS; attempt++) {
    processesOf(path).forEach(kill);
    for (const id of sharedMemoryBelow(path)) spawnSync('ipcrm', ['--shmem-id', id]);
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
  const variable = `TMPDIR=${path}`;
  return processes().filter((id) => {
    const variables = readOf(id, 'environ').split('\0');
    return variables.some((one) => one === variable || one.startsWith(`${variable}/`));
  });
}

/** All processes but this one, on Linux. */
function processes() {
  if (process.platform !== 'linux') return [];
  const ids = readdirSync('/proc').map(Number);
  return ids.filter((id) => id > 0 && id !== process.pid);
}

/** A file about a process; empty where it has ended, or is of another user. */
function readOf(id, file) {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The shared memory of database servers that have not removed it, since they were killed. */
function sharedMemoryBelow(path) {
  return namesIn(path).flatMap((name) => {
    try {
      const lines = readFileSync(join(path, name, 'data', 'postmaster.pid'), 'utf8').split('\n');
      return lines[SHARED_MEMORY_LINE]?.trim().split(/\s+/).slice(1) ?? [];
    } catch {
      return [];
    }
  });
}

/** The names in a folder; none where it is gone: another run may remove it at the same time. */
function namesIn(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** File systems that a test has mounted. */
function disksBelow(path) {
  return mounts()
    .map(([, folder = '']) => folder.replaceAll('\\040', ' '))
    .filter((folder) => folder.startsWith(`${path}/`));
}

/** Device, folder, type and options of each mounted file system, on Linux. */
function mounts() {
  if (process.platform !== 'linux') return [];
  const lines = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return lines.map((line) => line.split(' '));
}

/** Whether a process has not ended; one that its parent has not noticed yet has. */
function isRunning(id) {
  try {
    process.kill(id, 0);
    return !/^State:\s*[ZX]/m.test(readOf(id, 'status'));
  } catch (error) {
    return error.code === 'EPERM';
  }
}
