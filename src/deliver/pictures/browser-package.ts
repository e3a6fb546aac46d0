/** The browser of an npm package: unpacked once below the cache folder, for the user of this process alone. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConverterError } from '../../support/errors.ts';
import { hasEnded } from '../../support/file-operations.ts';
import {
  copyNew,
  digestOfFile,
  exists,
  makeFolder,
  readText,
  removeTree,
  rename,
  replaceFile,
  sha256Hex,
  statIfExists,
} from '../../support/files.ts';
import {
  listEntries,
  listFilesBelow,
  makePrivateFolder,
  syncFolders,
} from '../../support/folders.ts';

/** The npm package that contains a browser for Linux. */
export const BROWSER_PACKAGE = '@sparticuz/chromium';

/** Whether the package is installed, and its browser runs on this system. */
export const hasBrowserPackage = (): boolean =>
  process.platform === 'linux' && packagePath() !== undefined;

const FOLDER = 'browser';
/** The list of all unpacked files with their digests. */
const LIST = 'files.json';
const PROGRAM = 'start';
const OWNER_ONLY = 0o077;

/**
 * Starts the browser with its own libraries and fonts: other programs continue to use those of the system. The fonts
 * of the package are listed with their own path, since its list names a fixed folder; the font cache of the browser
 * is in this folder, too.
 */
const START = `#!/bin/sh
here=\${0%/*}
export LD_LIBRARY_PATH="$here/al2023/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/fonts.conf" XDG_CACHE_HOME="$here/cache"
exec "$here/chromium" "$@"
`;
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** Attempts: if machines share a cache folder, another process may remove the files that this one unpacks. */
const ATTEMPTS = 3;

/** Folders that this process has unpacked, or found intact, by cache folder. */
const unpacked = new Map<string, Promise<string>>();

/**
 * Unpacks the browser, unless it is unpacked; several processes may do so at once.
 *
 * The files are unpacked into a temporary folder, written to disk, and renamed in one step: files of a killed process are
 * never used, and the next process removes them. A file that is damaged, or belongs to another user, is never started.
 *
 * @param cacheDir - A folder, which need not exist yet; `browser/` below it has 210 MB then.
 * @returns The path of the program, which uses its own libraries and fonts.
 * @throws {@link ConverterError} `BROWSER_MISSING` if the package cannot be unpacked, or if the unpacked one belongs to
 *   another user.
 * @example
 * ```ts
 * await unpackBrowser('output/.cache'); // → 'output/.cache/browser/147.0.0-3f0a…/start'
 * ```
 */
export function unpackBrowser(cacheDir: string): Promise<string> {
  const known = unpacked.get(cacheDir);
  if (known !== undefined) return known;
  const work = unpackOnce(cacheDir);
  unpacked.set(cacheDir, work);
  work.catch(() => unpacked.delete(cacheDir));
  return work;
}

async function unpackOnce(cacheDir: string): Promise<string> {
  const root = join(cacheDir, FOLDER);
  const folder = join(root, await nameOfPackage());
  const program = join(folder, PROGRAM);
  await makeFolder(root);
  await removeLeftovers(root);
  for (let attempt = 1; ; attempt++) {
    if ((await exists(folder)) && (await isIntact(folder))) return program;
    const own = join(root, `.${process.pid}-${randomBytes(6).toString('hex')}`);
    try {
      await makePrivateFolder(own);
      await unpackInto(join(own, 'new'), join(own, 'packed'));
      // A damaged folder is moved away; another process may be faster.
      if (await exists(folder)) await rename(folder, join(own, 'old'));
      await rename(join(own, 'new'), folder);
      await syncFolders(new Set([root]));
      return program;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    } finally {
      await removeTree(own);
    }
  }
}

const packageFolder = () => dirname(dirname(dirname(packagePath()!)));

/** The version of the package, which must be installed. */
export async function versionOfPackage(): Promise<string> {
  return JSON.parse(await readText(join(packageFolder(), 'package.json'))).version;
}

/** Name of the folder, which changes with every content of the package. */
async function nameOfPackage(): Promise<string> {
  const folder = packageFolder();
  const version = await versionOfPackage();
  const sizes: string[] = [];
  for (const { name } of await listEntries(join(folder, 'bin')))
    sizes.push(`${name} ${(await statIfExists(join(folder, 'bin', name)))?.bytes}`);
  return `${version}-${sha256Hex([START, FONTS, ...sizes].join('\n')).slice(0, 16)}`;
}

/** Removes the files of killed processes; the next process removes those to which the package still writes. */
async function removeLeftovers(root: string): Promise<void> {
  for (const { name } of await listEntries(root)) {
    const [, owner] = /^\.(\d+)-/.exec(name) ?? [];
    if (owner !== undefined && Number(owner) !== process.pid && hasEnded(Number(owner)))
      await removeTree(join(root, name)).catch(() => undefined);
  }
}

/** Whether all files are as unpacked. @throws {@link ConverterError} `BROWSER_MISSING` if another user could change them. */
async function isIntact(folder: string): Promise<boolean> {
  const user = process.getuid?.();
  const facts = await statIfExists(folder);
  if (facts === undefined) return false;
  if (facts.owner !== user || (facts.mode & OWNER_ONLY) !== 0) {
    const message = `${folder}: expected a folder of this user alone (0700), received one of user ${facts.owner} with mode 0${facts.mode.toString(8)}; remove it`;
    throw new ConverterError('BROWSER_MISSING', message);
  }
  try {
    const list: Record<string, string> = JSON.parse(await readText(join(folder, LIST)));
    for (const [path, sha256] of Object.entries(list))
      if ((await digestOfFile(join(folder, path))).sha256 !== sha256) return false;
    return true;
  } catch {
    return false;
  }
}

/** Unpacks all files into a new folder, and lists them. @param packed - Working folder of the package. */
async function unpackInto(folder: string, packed: string): Promise<void> {
  await makePrivateFolder(packed);
  await runPackage(packed);
  await makePrivateFolder(folder);
  const list: Record<string, string> = {};
  const listed = async (path: string) => {
    list[path] = (await digestOfFile(join(folder, path))).sha256;
  };
  // Copies belong to this user: root would unpack files that keep the owner in the archive.
  for (const file of await listFilesBelow(packed)) {
    const path = relative(packed, file);
    await makeFolder(dirname(join(folder, path)));
    await copyNew(join(packed, path), join(folder, path));
    await listed(path);
  }
  await replaceFile(join(folder, PROGRAM), START, { access: 'program' });
  await replaceFile(join(folder, 'fonts.conf'), FONTS);
  for (const path of [PROGRAM, 'fonts.conf']) await listed(path);
  await replaceFile(join(folder, LIST), JSON.stringify(list, null, 1));
}

/**
 * Makes the package unpack its files into a folder, in a separate process: the package writes to the temporary folder
 * of its process, uses existing files, and changes the environment variables of its process.
 */
async function runPackage(folder: string): Promise<void> {
  const program = `
    // The input ends with the process that started this one, even if that was killed: the folder is removed then.
    process.stdin.on('end', () => process.exit(1)).resume();
    const { default: packed } = await import(process.argv[1]);
    await (packed.default ?? packed).executablePath();
    process.exit();
  `;
  const args = ['--input-type=module', '-e', program, pathToFileURL(packagePath()!).href];
  // The package unpacks the libraries that a bare machine lacks only if it takes the machine for its own kind.
  const env = { TMPDIR: folder, HOME: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const exit = await new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code ?? `${signal}`));
  });
  if (exit === 0) return;
  const reason = /^\w*Error.*$/m.exec(said)?.[0] ?? exit;
  const message = `${BROWSER_PACKAGE}: expected it to be unpacked, received: ${reason}`;
  throw new ConverterError('BROWSER_MISSING', message);
}

function packagePath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(BROWSER_PACKAGE);
  } catch {
    return undefined;
  }
}
