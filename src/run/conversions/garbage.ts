/** Garbage collection at chosen moments: the engine leaves hundreds of MiB, because it does not know what others need. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** In this process, beside the others. */
const MOST_GARBAGE_BYTES = 64 * 1024 * 1024;
/** While a large block is converted. */
export const MOST_GARBAGE_OF_MESHES = 24 * 1024 * 1024;
let bytesInUse = 0;
/** Collects garbage: the engine leaves hundreds of MiB, because it does not know what the other processes need. */
export function collectGarbage(mostBytes = MOST_GARBAGE_BYTES): void {
  const usedBytes = () => {
    const { used_heap_size, external_memory } = getHeapStatistics();
    return used_heap_size + external_memory;
  };
  bytesInUse = Math.min(bytesInUse, usedBytes());
  if (usedBytes() - bytesInUse < mostBytes) return;
  collect ??= exposedCollector();
  collect?.();
  // Lists are released in another thread, which the second call waits for.
  collect?.();
  bytesInUse = usedBytes();
}

let isGrowthSet = false;
/**
 * Lets the heap grow by so many percent of what is in use before the rest is collected; by default, at most by 300. Holds
 * for all threads of the process. Only the first call counts: a command knows what its process is for.
 */
export function growHeap(percent: number): void {
  if (isGrowthSet) return;
  isGrowthSet = true;
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  // Compiled code that is written at the end (cli/start.ts) would be valid for the next start with this flag only.
  process.prependOnceListener('exit', () => setFlagsFromString('--heap-growing-percent=0'));
}

/** For less, the time of a message (0.1 ms) is worth more. */
const LEAST_RELEASED_BYTES = 1024 * 1024;

/**
 * Frees the memory of bytes at once, which otherwise stays until garbage is collected: 15 to 30 MiB of a large article.
 *
 * @param bytes - Nothing may use them afterwards. Small ones, and those that share their memory with others, stay.
 */
export async function release({ buffer, byteLength }: Uint8Array): Promise<void> {
  if (byteLength < LEAST_RELEASED_BYTES || byteLength !== buffer.byteLength) return;
  // What is sent to a port that is closed before it is received has no owner.
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(undefined, [buffer as ArrayBuffer]);
  port1.close();
  port2.close();
  await new Promise(setImmediate);
}

/** Flags are those of the process: another thread may hide the collector in the middle of an attempt. */
const MOST_ATTEMPTS = 100;

let collect: (() => void) | undefined;
/** Undefined where that fails: then garbage stays longer. */
function exposedCollector(): (() => void) | undefined {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    setFlagsFromString('--expose-gc');
    const collector: (() => void) | undefined = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
    if (collector !== undefined) return collector;
  }
  return undefined;
}
