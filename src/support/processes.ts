/** Which process wrote a file: files carry the id of their process. */

/**
 * Whether the process that wrote its id has ended.
 *
 * Process ids are reused, in containers at once: our own id is that of an earlier process, unless the
 * caller knows that this process wrote it.
 */
export function hasEnded(pid: number): boolean {
  return pid === process.pid || !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs, but we may not signal it.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
