/** How much there is in a folder. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that have several names count once. */
export interface FolderSize {
  bytes: number;
  files: number;
}

/** Measures a folder with all below it, at a moment at which nothing writes there; without it, it is empty. */
export async function folderSize(folder: string): Promise<FolderSize> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<number, number>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const { ino, size } = await stat(join(entry.parentPath, entry.name));
    files.set(ino, size);
  }
  return { bytes: [...files.values()].reduce((sum, size) => sum + size, 0), files: files.size };
}
