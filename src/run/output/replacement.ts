/** Replaces several files together, so that a new file is hardly ever beside an old version of another. */
import { dirname } from 'node:path';
import type { Content } from '../../support/file-operations.ts';
import { makeFolder, rename, viaTemporary, writeNew } from '../../support/files.ts';
import { syncFolders } from '../../support/folders.ts';

/** Writes a file under a temporary name; all files get their own names together. `durable`: see `replaceFile`. */
type Stage = (path: string, content: Content, durable?: boolean) => Promise<void>;

/**
 * Replaces files together: each is written whole, and is on disk if it is durable, before the first gets its name. Then each gets
 * its name, one right after the other, in the order in which they were staged.
 *
 * @param tmpDir - Folder of the temporary names, on the file system of all files.
 * @param work - Stages the files. If it throws, every file stays as it was.
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`; what the work throws.
 */
export async function replaceTogether<T>(
  tmpDir: string,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const staged: { temporary: string; path: string }[] = [];
  const temporaries: Promise<unknown>[] = [];
  let release = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  const stage: Stage = async (path, content, durable = true) => {
    await makeFolder(dirname(path));
    await new Promise<void>((done, fail) => {
      const file = viaTemporary(tmpDir, async (temporary) => {
        await writeNew(temporary, content, 'normal', durable);
        staged.push({ temporary, path });
        done();
        // The name stays taken, and the file that still has it in the end is removed.
        await released;
      });
      temporaries.push(file.catch(fail));
    });
  };
  try {
    const result = await work(stage);
    for (const { temporary, path } of staged) await rename(temporary, path);
    await syncFolders(new Set(staged.map(({ path }) => dirname(path))));
    return result;
  } finally {
    release();
    await Promise.all(temporaries);
  }
}
