/**
 * Names that lead to the same content: hard links to files, and symbolic links to folders. If a file system has none,
 * a copy or a text replaces them.
 */
import { linkSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { ERRNOS, isLinkPossible, operate, unless } from './file-operations.ts';
import {
  copyNew,
  type FileFacts,
  makeFolder,
  readBytes,
  readTextIfExists,
  rename,
  replaceFile,
  statIfExists,
  syncFolder,
  viaTemporary,
} from './files.ts';

/**
 * Gives a file a second name by a hard link, or by a copy where links are not possible; replaces what
 * exists at `to` in one step.
 *
 * @param tmpDir - Folder of a temporary name, on the file system of `to`. Default: the folder of `to`.
 * @param source - The facts of `from`, if the caller has them.
 * @param unsynced - See `publishOnce`.
 * @returns `present` if `to` has this content already, `absent` if `from` does not exist.
 * @throws {@link ConverterError} `DISK_FULL`, `OUTPUT_UNWRITABLE`.
 */
export async function linkOrCopy(
  from: string,
  to: string,
  tmpDir?: string,
  source?: FileFacts,
  unsynced?: Set<string>,
): Promise<'linked' | 'copied' | 'present' | 'absent'> {
  const content = source ?? (await statIfExists(from));
  if (content === undefined) return 'absent';
  // A folder that is not synced yet was made or found before.
  const isNewFolder = !unsynced?.has(dirname(to)) && (await makeFolder(dirname(to)));
  const target = isNewFolder ? undefined : await statIfExists(to);
  if (target !== undefined && (await sameContent(from, content, to, target))) return 'present';
  // A new name needs no temporary name, which takes four times as long.
  const isNew = target === undefined && (await linkUnlessTaken(from, to, source === undefined));
  if (isNew === undefined) return linkOrCopy(from, to, tmpDir, content, unsynced);
  const replace = async (temporary: string) => {
    const isLinked = await isLinkPossible(linkNew(from, temporary));
    if (!isLinked) await copyNew(from, temporary);
    await rename(temporary, to);
    return isLinked ? 'linked' : 'copied';
  };
  const result = isNew ? 'linked' : await viaTemporary(tmpDir ?? dirname(to), replace);
  await (unsynced?.add(dirname(to)) ?? syncFolder(dirname(to)));
  return result;
}

/** Gives a file a second name by a hard link, unless the name is taken. @returns Whether the name exists now. */
export async function linkIfPossible(from: string, to: string): Promise<boolean> {
  await makeFolder(dirname(to));
  return (await linkUnlessTaken(from, to)) ?? true;
}

/** Whether links are possible; undefined if another process, or another task, has taken the name. */
function linkUnlessTaken(from: string, to: string, isExamined = false) {
  return unless(ERRNOS.taken, isLinkPossible(linkNew(from, to, isExamined)));
}

/** @param isExamined - Whether the file was examined just now. */
async function linkNew(from: string, to: string, isExamined = false): Promise<void> {
  // This refuses a link that has appeared in place of the file.
  if (!isExamined) await statIfExists(from);
  operate('link', to, () => linkSync(from, to));
}

/**
 * Replaces a symbolic link to a folder in one step; if links are not possible, a file contains the target as text.
 *
 * @param target - Relative to the folder of the link.
 * @throws {@link ConverterError} `DISK_FULL`, `OUTPUT_UNWRITABLE`, also if `path` is a folder, which stays.
 */
export async function replaceLink(path: string, target: string, tmpDir: string): Promise<void> {
  const linked = viaTemporary(tmpDir, async (temporary) => {
    operate('symlink', path, () => symlinkSync(target, temporary, 'dir'));
    await rename(temporary, path);
  });
  if (!(await isLinkPossible(linked))) await replaceFile(path, `${target}\n`, { tmpDir });
}

/** The target that {@link replaceLink} wrote; undefined if there is none. */
export async function readLinkIfExists(path: string): Promise<string | undefined> {
  const read = (): string | undefined => readlinkSync(path);
  const noLink = new Set([...ERRNOS.absent, 'EINVAL', 'UNKNOWN']);
  const target = operate('readlink', path, read, noLink);
  if (target !== undefined || (await statIfExists(path))?.folder) return target;
  return (await readTextIfExists(path))?.trim();
}

async function sameContent(from: string, source: FileFacts, to: string, target: FileFacts) {
  if (source.identity === target.identity) return true;
  if (source.bytes !== target.bytes) return false;
  return Buffer.compare(await readBytes(from), await readBytes(to)) === 0;
}
