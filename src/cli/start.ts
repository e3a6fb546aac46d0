/**
 * Starts a program from its bundle, with the code that the engine compiled in an earlier run. Otherwise half of the
 * start is spent on finding, reading and compiling the modules.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

const DIGEST_BYTES = 32;
/** Characters of the first line of a bundle, which is its digest. */
const HEADING = 67;

/**
 * Starts `<name>.cjs`, a file beside this one, as `require` does.
 *
 * The compiled code is in the folder `.compiled` beside the file, one file for each use and version of Node.js. It is
 * written when the process ends, if it is missing, and if the folder can be written.
 *
 * @param use - What the process does: each command calls other functions.
 */
export function startProgram(name: string, use = ''): void {
  const folder = import.meta.dirname;
  const path = `${folder}/${name}.cjs`;
  const source = readFileSync(path, 'latin1');
  const key = sha256(`${source.slice(0, HEADING)} ${process.version} ${process.arch} ${use}`);
  const compiled = `${folder}/.compiled/${key.toString('hex').slice(0, 32)}`;
  const cachedData = readCompiled(compiled);
  const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, folder);
  if (cachedData !== undefined && script.cachedDataRejected === false) return;
  process.once('exit', () => writeCompiled(compiled, script.createCachedData()));
}

function sha256(data: Uint8Array | string): Buffer {
  return createHash('sha256').update(data).digest();
}

/** The engine does not check compiled code: a damaged file counts as missing. */
function readCompiled(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    const code = bytes.subarray(DIGEST_BYTES);
    return sha256(code).equals(bytes.subarray(0, DIGEST_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function writeCompiled(path: string, code: Buffer): void {
  const temporary = `${path}.${process.pid}`;
  // The installation may be writable only for its owner.
  tolerate(() => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, Buffer.concat([sha256(code), code]));
    renameSync(temporary, path);
  });
  tolerate(() => rmSync(temporary, { force: true }));
}

function tolerate(work: () => void): void {
  try {
    work();
  } catch {
    // Compiled code only saves time.
  }
}
