/** The processes of browsers that this one has started, on Linux. */
import { commandOf, descendantsOf } from './process-memory.ts';

interface BrowserProcess {
  id: number;
  /** `browser`, or what Chromium calls it: `gpu-process`, `renderer`, `utility`, `zygote`. */
  kind: string;
}

/** All that run now, children and their children. */
export function browserProcesses(): BrowserProcess[] {
  return descendantsOf(process.pid)
    .map((id) => ({ id, command: commandOf(id) }))
    .filter(({ command }) => /chrom/i.test(command))
    .map(({ id, command }) => ({ id, kind: /--type=([\w-]+)/.exec(command)?.[1] ?? 'browser' }));
}

/** Those that have started since then. @param others - Processes that ran before. */
export function startedSince(others: readonly BrowserProcess[]): BrowserProcess[] {
  const isOther = new Set(others.map(({ id }) => id));
  return browserProcesses().filter(({ id }) => !isOther.has(id));
}

/**
 * Ends those of a kind, as the system does where memory is short; returns how many there were.
 *
 * @param others - Processes that ran before: they go on.
 */
export function killBrowserProcesses(
  kind = 'browser',
  others: readonly BrowserProcess[] = [],
): number {
  const found = startedSince(others).filter((one) => one.kind === kind);
  for (const { id } of found) process.kill(id, 'SIGKILL');
  return found.length;
}
