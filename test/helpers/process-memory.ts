/** The memory of a program and its child processes, on Linux. */
import { readFileSync } from 'node:fs';

/** Short beside the time in which a conversion takes its memory. */
const EVERY_MS = 20;
const MIB_PER_PAGE = 4096 / 2 ** 20;

/** Measures until it is stopped. @returns A function that stops it, and returns the most MiB at any moment. */
export function measureMemory(pid: number): () => number {
  let peak = 0;
  const measure = () => {
    peak = Math.max(peak, memoryMib(pid));
  };
  const timer = setInterval(measure, EVERY_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Of a process, and what its children do not share with it. */
function memoryMib(pid: number): number {
  const { resident } = pagesOf(pid);
  const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean);
  const own = children.map((child) => {
    const pages = pagesOf(Number(child));
    return pages.resident - pages.shared;
  });
  return own.reduce((sum, pages) => sum + pages, resident) * MIB_PER_PAGE;
}

function pagesOf(pid: number) {
  const [, resident = 0, shared = 0] = read(`/proc/${pid}/statm`).split(' ').map(Number);
  return { resident, shared };
}

/** Returns nothing of a process that has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
