/**
 * Publication: lists are replaced together, after the files that they name; then the files go that no list names any
 * more. Until then a note is in the output folder, by which `verify` and the next run know what a killed run left.
 */
import { join, posix } from 'node:path';
import { ConverterError } from '../../support/errors.ts';
import type { Content } from '../../support/file-operations.ts';
import {
  exists,
  listFolder,
  readTextIfExists,
  removeFile,
  removeTree,
  replaceFile,
  temporaryFolder,
} from '../../support/files.ts';
import { replaceTogether } from './replacement.ts';

/** Name of the note, in the output folder: the path of each file that goes, as JSON, one a line. */
export const PUBLISHING_FILE = 'publishing.jsonl';

/** Writes lists; names have `/` and are relative to the output folder. */
export interface ListWriter {
  readonly outputDir: string;
  write(name: string, content: Content): Promise<void>;
}

/** Replaces each list by itself, at once. */
export const eachList = (outputDir: string): ListWriter => ({
  outputDir,
  write: (name, content) =>
    replaceFile(join(outputDir, name), content, { tmpDir: temporaryFolder(outputDir) }),
});

/** Lists, and what is made of them, that are replaced together. */
export interface NewLists extends ListWriter {
  /** Removes a file that nothing refers to any more; after the others were replaced. */
  remove(name: string): void;
}

/** A file of an article or of a delivery. The lists may have been edited: nothing else is removed. */
const PUBLISHED_PATH = /^(?!(?:objects|runs)\/)[\w-]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\:]+)+$/;

/**
 * Replaces lists together. Where one changes, the note gets its name before them.
 *
 * @param former - Paths that the new lists may not name any more: {@link endPublication} removes their files.
 * @throws {@link ConverterError} as {@link replaceTogether}.
 *
 * @see D-998.
 */
export async function replaceLists<T>(
  outputDir: string,
  former: readonly string[],
  work: (lists: NewLists) => Promise<T>,
): Promise<T> {
  const removed: string[] = [];
  const result = await replaceTogether(temporaryFolder(outputDir), async (stage) => {
    let noting: Promise<void> | undefined;
    const note = async (): Promise<void> => {
      const noted = await readNote(outputDir);
      const all = new Set([
        ...(noted ?? []),
        ...former.filter((path) => PUBLISHED_PATH.test(path)),
      ]);
      if (all.size === noted?.length) return;
      const text = [...all].sort().map((path) => `${JSON.stringify(path)}\n`);
      // Most nights change a list, and remove no file.
      await stage(join(outputDir, PUBLISHING_FILE), text.join(''), text.length > 0);
    };
    return work({
      outputDir,
      async write(name, content) {
        noting ??= note();
        await noting;
        await stage(join(outputDir, name), content);
      },
      remove: (name) => void removed.push(name),
    });
  });
  for (const name of removed) await removeFile(join(outputDir, name));
  return result;
}

/**
 * Ends a publication, also one that was cut off: removes the files that go, and then the note.
 *
 * @param named - The paths that the lists name now; called only if a file is to go. Names compare without case.
 */
export async function endPublication(
  outputDir: string,
  named: () => Promise<Iterable<string>>,
): Promise<void> {
  const noted = await readNote(outputDir);
  if (noted === undefined) return;
  if (noted.length > 0) {
    const kept = new Set(Array.from(await named(), (path) => path.toUpperCase()));
    const gone = noted.filter((path) => !kept.has(path.toUpperCase()));
    for (const path of gone) await removeWithFolders(outputDir, path);
  }
  await removeFile(join(outputDir, PUBLISHING_FILE));
}

/**
 * Refuses to remove files while older lists may name them.
 *
 * @param outputDir - Folder of the lists. @param name - Of the output, in the message.
 * @throws {@link ConverterError} `OUTPUT_LOCKED` if a publication has not ended.
 */
export async function expectNoPublication(outputDir: string, name = outputDir): Promise<void> {
  if (!(await exists(join(outputDir, PUBLISHING_FILE)))) return;
  const message = `${name}: expected complete lists, but a publication was cut off (${PUBLISHING_FILE})`;
  throw new ConverterError('OUTPUT_LOCKED', message, {
    help: 'run the pipeline, which completes it',
  });
}

/** What was noted; undefined without a note. A line that cannot be read is left out: it may have been edited. */
async function readNote(outputDir: string): Promise<string[] | undefined> {
  const text = await readTextIfExists(join(outputDir, PUBLISHING_FILE));
  return text?.split('\n').flatMap((line) => {
    try {
      const path: unknown = JSON.parse(line);
      return typeof path === 'string' && PUBLISHED_PATH.test(path) ? [path] : [];
    } catch {
      return [];
    }
  });
}

/** Removes a file, and the folders that it leaves empty, but the outermost. */
async function removeWithFolders(outputDir: string, path: string): Promise<void> {
  await removeFile(join(outputDir, path));
  for (let folder = posix.dirname(path); folder.includes('/'); folder = posix.dirname(folder)) {
    if ((await listFolder(join(outputDir, folder))).length > 0) return;
    await removeTree(join(outputDir, folder));
  }
}
