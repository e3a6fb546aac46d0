/**
 * Small disk: a file system of a few hundred KB, or one that cannot be written to.
 *
 * Where this process may not mount one, `canMount` is false and a test says so.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const call = promisify(execFile);

/** A file system of its own. */
export type SmallDisk = Awaited<ReturnType<typeof mountSmallDisk>>;

/** Mounts a file system in memory at a path. */
export async function mountSmallDisk(path: string, kilobytes: number) {
  await mkdir(path, { recursive: true });
  await call('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path]);
  const remount = async (options: string) => {
    await call('mount', ['-o', `remount,${options}`, path]);
  };
  return {
    path,
    /** Gives it another size; what it holds stays. */
    resize: (size: number) => remount(`size=${size}k`),
    setWritable: (writable: boolean) => remount(writable ? 'rw' : 'ro'),
    /** Takes it away with all it holds. */
    remove: async () => {
      await call('umount', ['--lazy', path]);
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Whether this process may mount one. */
export async function canMount(path: string): Promise<boolean> {
  const disk = await mountSmallDisk(path, 64).catch(() => undefined);
  await disk?.remove();
  await rm(path, { recursive: true, force: true });
  return disk !== undefined;
}
