/** The browser that takes pictures: how it is found, and how it is started. */
import { createRequire } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import type { Environment } from '../../run/file/environment.ts';
import { ConverterError } from '../../support/errors.ts';
import { hasEnded } from '../../support/file-operations.ts';
import { exists, listFolder, removeTree, sha256Hex, statIfExists } from '../../support/files.ts';
import { makeTemporaryFolder, withTemporaryFolder } from '../../support/folders.ts';
import { installCommand, isInstalled } from '../../support/optional.ts';
import {
  BROWSER_PACKAGE,
  hasBrowserPackage,
  unpackBrowser,
  versionOfPackage,
} from './browser-package.ts';

/** Names the browser if the option `--browser` is missing: a path, {@link BROWSER_PACKAGE}, or `none`. */
export const BROWSER_VARIABLE = 'BTG2GLTF_BROWSER';
/** The choice of no browser. */
export const NONE = 'none';

const INSTALLED = [
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
] as const;

/**
 * Why there is no browser, and what to do, for every command: only some have `--browser`.
 *
 * @param named - The value of this option.
 * @example `whyNoBrowser({ BTG2GLTF_BROWSER: 'none' }).why; // → 'BTG2GLTF_BROWSER=none turns the browser off'`
 */
export function whyNoBrowser(env: Environment, named?: string): { why: string; help: string } {
  if (named === NONE)
    return {
      why: `--browser ${NONE} turns the browser off`,
      help: 'leave out --browser, or name the path of Chrome or Chromium',
    };
  if (named === undefined && env[BROWSER_VARIABLE] === NONE)
    return {
      why: `${BROWSER_VARIABLE}=${NONE} turns the browser off`,
      help: 'unset this environment variable, or set it to the path of Chrome or Chromium',
    };
  return { why: 'no browser was found', help: installHelp() };
}

function installHelp(): string {
  const command = `${installCommand('pictures')} ${BROWSER_PACKAGE}@147.0.0`;
  const own = isInstalled('pictures') ? '' : `, with ${installCommand('pictures')}`;
  return `install Chrome or Chromium${own}, or run ${command}, or set ${BROWSER_VARIABLE} to the path of a browser`;
}

export interface FoundBrowser {
  /** Path of its program; undefined for that of {@link BROWSER_PACKAGE}, which is unpacked at the first start. */
  path: string | undefined;
  /** Folder below which the package is unpacked. */
  cacheDir: string;
  /** How the browser was found, for people. */
  from: string;
}

/**
 * Finds the browser: that of the option, of the variable, an installed one, or that of an npm package, in this order.
 *
 * @param env - May have {@link BROWSER_VARIABLE}.
 * @param cacheDir - Folder for the unpacked browser of the package.
 * @param named - The value of the option.
 * @returns Undefined if there is no browser, or nothing that could start it.
 * @throws {@link ConverterError} `USAGE` if the named file is no program.
 */
export async function findBrowser(
  env: Environment,
  cacheDir: string,
  named?: string,
): Promise<FoundBrowser | undefined> {
  const found = await chosenBrowser(named, env[BROWSER_VARIABLE], cacheDir);
  return isInstalled('pictures') ? found : undefined;
}

async function chosenBrowser(
  named: string | undefined,
  fromVariable: string | undefined,
  cacheDir: string,
): Promise<FoundBrowser | undefined> {
  const chosen = { '--browser': named, [BROWSER_VARIABLE]: fromVariable || undefined };
  for (const [from, path] of Object.entries(chosen)) {
    if (path === undefined) continue;
    if (path === NONE) return undefined;
    if (path === BROWSER_PACKAGE) return requirePackage(from, cacheDir);
    if (await isProgram(path)) return { path, from, cacheDir };
    const message = `${from}: there is no program ${path}`;
    const help = `name the path of Chrome or Chromium, ${BROWSER_PACKAGE} (a package of npm) or ${NONE}; or leave ${from} out: then an installed browser is used`;
    throw new ConverterError('USAGE', message, { help });
  }
  for (const path of INSTALLED)
    if (await exists(path)) return { path, from: 'installed', cacheDir };
  return hasBrowserPackage() ? { path: undefined, from: BROWSER_PACKAGE, cacheDir } : undefined;
}

function requirePackage(from: string, cacheDir: string): FoundBrowser {
  if (hasBrowserPackage()) return { path: undefined, from: BROWSER_PACKAGE, cacheDir };
  const message = `${from}: expected an installed package, but ${BROWSER_PACKAGE} is not installed, or does not run on this system`;
  throw new ConverterError('USAGE', message);
}

/** What decides the pixels of a browser's pictures, besides its arguments. */
export async function browserVersion({ path }: FoundBrowser): Promise<string> {
  if (path === undefined) return `${BROWSER_PACKAGE} ${await versionOfPackage()}`;
  const { execFile } = await import('node:child_process');
  const printed = await promisify(execFile)(path, ['--version'], {
    ...{ timeout: START_MS, env: inherited(process.env) },
  }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  // On Windows, it prints nothing.
  return printed || `${(await statIfExists(path))?.bytes} bytes`;
}

const EXECUTE_BITS = 0o111;

/** Whether a file is a program; Windows recognizes programs by their content. */
async function isProgram(path: string): Promise<boolean> {
  const facts = await statIfExists(path);
  if (facts === undefined || facts.folder) return false;
  return process.platform === 'win32' || (facts.mode & EXECUTE_BITS) !== 0;
}

/** The processor draws: all machines take the same pictures, with or without a graphics card. */
const ARGUMENTS = [
  ...['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  ...['--ignore-gpu-blocklist', '--disable-quic', '--no-first-run', '--mute-audio'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Variables that a browser gets: none with a secret. Windows starts no program without some of its own variables. */
const INHERITED: ReadonlySet<string> = new Set([
  ...['PATH', 'LANG'],
  ...(process.platform === 'win32' ? ['SYSTEMROOT', 'WINDIR', 'PATHEXT', 'LOCALAPPDATA'] : []),
]);

function inherited(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(env) as [string, string][];
  return Object.fromEntries(entries.filter(([name]) => INHERITED.has(name.toUpperCase())));
}

/** Why a browser runs without its sandbox, and what to do. */
const NO_SANDBOX = {
  root: ['btg2gltf was started as root', 'To use it, run btg2gltf as another user.'],
  other: [
    'this system does not allow it',
    'To use it, allow user namespaces for this user; in a container, by its settings.',
  ],
} as const;

/** A part of Playwright's message about a browser that ends while it starts. */
const ENDED = 'browser has been closed';
const START_MS = 30_000;
/** Longest time for closing a browser before it is killed, milliseconds. */
const CLOSE_MS = 5_000;

const started = new WeakMap<Browser, { folder: string; processId: number | undefined }>();

/**
 * Starts the browser, without a window.
 *
 * The browser has its own folder for everything that it writes, even for files that belong in the folder of the user,
 * and the sandbox of Chromium if the system supports it.
 *
 * @param warn - Receives a sentence if the browser has no sandbox.
 * @throws {@link ConverterError} `BROWSER_MISSING` if the browser does not start.
 */
export async function startBrowser(
  { path, from, cacheDir }: FoundBrowser,
  warn: (text: string) => void = () => {},
): Promise<Browser> {
  let folder: string | undefined;
  try {
    folder = await makeBrowserFolder();
    const executablePath = path ?? (await unpackBrowser(cacheDir));
    const { browser, processId } = await launch(executablePath, folder, warn);
    started.set(browser, { folder, processId });
    return browser;
  } catch (cause) {
    if (folder !== undefined) await removeFolder(folder);
    const message = `the browser (${from}): expected it to start, received: ${reasonOf(cause as Error)}`;
    throw new ConverterError('BROWSER_MISSING', message, { cause });
  }
}

/** Why a browser did not start, in one line; of one that ended, the last line that it printed, or its exit code. */
function reasonOf({ message }: Error): string {
  const [reason = ''] = message.split('\n');
  if (!reason.includes(ENDED)) return reason;
  const printed = [...message.matchAll(/^\[pid=\d+\]\[err\] (.+)$/gm)].at(-1)?.[1];
  const exit = /<process did exit: ([^>]*)>/.exec(message)?.[1];
  return `it ended at once: ${printed ?? exit ?? 'it printed nothing'}`;
}

/** Requires the library, in half the time of an import, which first searches all of its code for exports. */
export function loadPlaywright(): typeof import('playwright-core') {
  return createRequire(import.meta.url)('playwright-core');
}

/**
 * Chromium refuses its sandbox to root, and some containers and systems lack the features that it needs. On Linux, a
 * browser that ends at once is started a second time: on a busy machine, one of many does.
 */
async function launch(
  executablePath: string,
  folder: string,
  warn: (text: string) => void,
): Promise<{ browser: Browser; processId: number | undefined }> {
  const { chromium } = loadPlaywright();
  const env = { ...inherited(process.env), HOME: folder, TMPDIR: folder };
  const start = async (chromiumSandbox: boolean) => {
    // Only if a profile is named, Playwright makes no folder beside this one.
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      ...{ executablePath, env, args: ARGUMENTS, timeout: START_MS, chromiumSandbox },
      artifactsDir: join(folder, 'artifacts'),
    });
    const browser = context.browser()!;
    try {
      return { browser, processId: await processIdOf(browser) };
    } catch (error) {
      await browser.close().catch(() => {});
      throw error;
    }
  };
  if (process.platform !== 'linux') return start(true);
  const isRoot = process.getuid!() === 0;
  let hasSandbox = !isRoot;
  const launched = await start(hasSandbox).catch((error: Error) => {
    if (error.name === 'TimeoutError') throw error;
    hasSandbox = false;
    return start(false);
  });
  const [reason, action] = NO_SANDBOX[isRoot ? 'root' : 'other'];
  if (!hasSandbox)
    warn(
      `Chromium takes the pictures without its sandbox, because ${reason}. The pictures are the same, but the sandbox would protect this machine from models that attack the browser. ${action}`,
    );
  return launched;
}

/**
 * Finds the browser, and starts and ends it without leaving files, as a found one may not start.
 *
 * @returns The browser as a text, or, if there is none, why, and how to get one.
 * @throws As {@link findBrowser} and {@link startBrowser}.
 */
export async function checkBrowser(
  env: Environment,
  cacheDir: string,
): Promise<{ text: string } | { why: string; help: string }> {
  const found = await findBrowser(env, cacheDir);
  if (found === undefined) return whyNoBrowser(env);
  const version = await withTemporaryFolder(async (folder) => {
    const browser = await startBrowser({ ...found, cacheDir: folder });
    const version = browser.version();
    await endBrowser(browser);
    return version;
  });
  const { path, from } = found;
  const text = path === undefined ? from : `${path} (${from})`;
  return { text: `${text}, Chromium ${version}` };
}

/** Closes a started browser and removes its folder; a browser that hangs is killed. */
export async function endBrowser(browser: Browser): Promise<void> {
  const { folder, processId } = started.get(browser) ?? {};
  // From now on the browser counts as disconnected, even while it hangs.
  const closed = browser.close().catch(() => {});
  const closing = new AbortController();
  const waited = delay(CLOSE_MS, true, closing).catch(() => false);
  const hangs = await Promise.race([closed.then(() => false), waited]);
  closing.abort();
  if (processId !== undefined && hangs) kill(processId);
  await closed;
  if (folder !== undefined) await removeFolder(folder);
}

/** Prefix of the names of browser folders. Machines may share a temporary folder, but no process ids. */
const FOLDERS = `btg2gltf-${sha256Hex(hostname()).slice(0, 4)}-`;
/** The place of the socket of Chromium's profile, below its temporary folder. */
const SOCKET = 'org.chromium.Chromium.XXXXXX/SingletonSocket';
/** Longest path of a socket, bytes: `sun_path` has 108 on Linux and 104 on macOS, including the zero at its end. */
const SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
/** Folder for browsers if the path of the system's temporary folder is too long for a socket, as on macOS. */
const SHORT_TEMPORARY = '/tmp';

let removing: Promise<void> | undefined;

async function makeBrowserFolder(): Promise<string> {
  // Leftovers are removed before this process has a folder, since its id may be that of an earlier process.
  removing ??= removeLeftovers();
  await removing;
  const name = `${FOLDERS}${process.pid}-`;
  const socket = join(tmpdir(), `${name}XXXXXX`, SOCKET);
  const isTooLong = process.platform !== 'win32' && Buffer.byteLength(socket) > SOCKET_PATH_BYTES;
  return makeTemporaryFolder(name, isTooLong ? SHORT_TEMPORARY : tmpdir());
}

/** Removes the folders of processes that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const parent of new Set([tmpdir(), SHORT_TEMPORARY])) {
    for (const name of await listFolder(parent)) {
      const rest = name.startsWith(FOLDERS) ? name.slice(FOLDERS.length) : '';
      const [, owner] = /^(\d+)-/.exec(rest) ?? [];
      if (owner !== undefined && hasEnded(Number(owner))) await removeFolder(join(parent, name));
    }
  }
}

const REMOVALS = 20;
const REMOVAL_MS = 100;

/** Removes a folder; the processes of a killed browser may write there for a moment longer. */
async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 1; attempt <= REMOVALS; attempt++) {
    await removeTree(folder).catch(() => {});
    if (!(await exists(folder))) return;
    await delay(REMOVAL_MS);
  }
}

async function processIdOf(browser: Browser): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.find(({ type }) => type === 'browser')?.id;
}

/** Kills a browser: Playwright starts it as the leader of a process group; Windows has no such groups. */
function kill(processId: number): void {
  for (const target of process.platform === 'win32' ? [processId] : [-processId, processId]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // The process has ended already.
    }
  }
}
