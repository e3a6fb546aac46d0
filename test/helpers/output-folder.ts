/**
 * Output folder: what a run published, compared and held against itself.
 */
import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import type { DeliveryLine } from '../../src/run/output/delivered-files.ts';

/** The digest of each file of an output folder by its path, without what is said of its runs: reports and changes. */
export async function publishedFiles(outputDir: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const path of await filesBelow(outputDir)) {
    const name = relative(outputDir, path);
    if (!name.startsWith('runs') && name !== 'changes.jsonl')
      files.set(name, sha256(await readFile(path)));
  }
  return files;
}

/** The manifest without what says only whether this run or an earlier one built a line. */
export async function manifestWithoutStatus(outputDir: string): Promise<string[]> {
  return (await linesOf(join(outputDir, 'manifest.jsonl'))).map((line) => {
    const { status, ...rest } = JSON.parse(line) as ManifestLine;
    return JSON.stringify(status === 'failed' ? { status, ...rest } : rest);
  });
}

/**
 * What is wrong in an output folder at any moment, whether a run works on it or was killed: files that
 * are not whole, lines that cannot be read, lines without their file.
 */
export async function damagesOf(outputDir: string): Promise<string[]> {
  const damages: string[] = [];
  const objects = new Set<string>();
  for (const path of await filesBelow(join(outputDir, 'objects'))) {
    const digest = sha256(await readFile(path));
    objects.add(digest);
    // Deliveries have objects, too.
    if (!path.includes(`/${digest.slice(0, 2)}/${digest}.`)) damages.push(`${path}: not whole`);
  }
  const links = new Map<string, string>();
  for (const path of await filesBelow(join(outputDir, 'articles'))) {
    const digest = sha256(await readFile(path));
    links.set(relative(outputDir, path), digest);
    if (!objects.has(digest)) damages.push(`${path}: no object has its content`);
  }
  for (const file of ['manifest.jsonl', 'catalogue.jsonl']) {
    for (const line of await linesOf(join(outputDir, file))) {
      const { glb, sha256: digest } = parsed(line) as Partial<ManifestLine>;
      if (parsed(line) === undefined) damages.push(`${file}: a broken line: ${line.slice(0, 80)}`);
      else if (glb !== undefined && digest !== undefined && !objects.has(digest)) {
        damages.push(`${file}: ${glb} has no object`);
      } else if (glb !== undefined && !links.has(glb)) damages.push(`${file}: ${glb} is not there`);
    }
  }
  return damages;
}

/** The lines of `deliveries.jsonl`. */
export async function deliveryLines(outputDir: string): Promise<DeliveryLine[]> {
  return parsedLines(await readFile(join(outputDir, 'deliveries.jsonl'), 'utf8'));
}

/** The values of a text in JSON Lines. */
export function parsedLines<T>(text: string): T[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as T);
}

/** When each file below these folders was changed or made, by its path. */
export async function changeTimes(...folders: string[]): Promise<Map<string, number>> {
  const paths = (await Promise.all(folders.map(filesBelow))).flat();
  const times = paths.map(async (path) => [path, (await stat(path)).ctimeMs] as const);
  return new Map(await Promise.all(times));
}

/** Changes a file, which may be read-only, but not its size. */
export async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length - 1]! ^= 1;
  await chmod(path, 0o644);
  await writeFile(path, bytes);
}

/** Every file below a folder, sorted; none where there is no such folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(folder, options).catch(({ code, message }) => {
    if (code !== 'ENOENT') throw new Error(`${folder}: ${message}`);
    return [];
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The bytes of every file below a folder, by its path from there. */
export async function bytesBelow(folder: string): Promise<Map<string, Buffer>> {
  const all = new Map<string, Buffer>();
  // One after the other: a process may have fewer files open than a folder has.
  for (const path of await filesBelow(folder)) {
    // SQLite removes the log of a database when it was closed by all, which may be later.
    const isLog = /-(?:wal|shm)$/.test(path);
    const bytes = isLog ? readFile(path).catch(() => Buffer.alloc(0)) : readFile(path);
    all.set(relative(folder, path), await bytes);
  }
  return all;
}

async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n');
  // Each line ends with its break: anything after the last one is an incomplete line.
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
