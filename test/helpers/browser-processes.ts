/** The processes of browsers that this one has started, on Linux. */
import { readdirSync, readFileSync } from 'node:fs';

/** A process of a browser. */
export interface BrowserProcess {
  id: number;
  /** `browser`, or what Chromium calls it: `gpu-process`, `renderer`, `utility`, `zygote`. */
  kind: string;
}

/** All that run now, children and their children. */
export function browserProcesses(): BrowserProcess[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ id: Number(name), parent: parentOf(name), command: read(name, 'cmdline') }));
  const below = (parent: number): typeof all =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.id)]);
  return below(process.pid)
    .filter(({ command }) => /chrom/i.test(command))
    .map(({ id, command }) => ({ id, kind: /--type=([\w-]+)/.exec(command)?.[1] ?? 'browser' }));
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
  const isOther = new Set(others.map(({ id }) => id));
  const found = browserProcesses().filter((one) => one.kind === kind && !isOther.has(one.id));
  for (const { id } of found) process.kill(id, 'SIGKILL');
  return found.length;
}

function parentOf(id: string): number {
  const stat = read(id, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function read(id: string, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}
