/** Processes of their own that use a store at the same time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const SOURCE = fileURLToPath(new URL('store-program.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

type Environment = Readonly<Record<string, string | undefined>>;

/** A process that waits for `begin`. */
export interface StoreProcess {
  readonly process: ChildProcess;
  begin(): void;
  /** The next line that it prints. */
  line(): Promise<string>;
}

/** Starts processes of `test/helpers/store-program.ts`. */
export interface StoreProcesses {
  /** Starts one, and waits until it is ready. */
  start(env: Environment, url: string, ...words: string[]): Promise<StoreProcess>;
  /** Runs several actions at the same time; returns what they print. */
  run(env: Environment, url: string, ...actions: string[][]): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Builds the program. */
export async function openStoreProcesses(): Promise<StoreProcesses> {
  // Two folders below that of the packages, as the source is.
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, '.cache', 'store-program-'));
  const program = join(folder, 'program.mjs');
  const bundle = await rolldown({ input: SOURCE, platform: 'node', external: /^[^./]/ });
  await bundle.write({ file: program, codeSplitting: false });

  const start: StoreProcesses['start'] = async (env, url, ...words) => {
    const child = spawn(process.execPath, [program, url, ...words], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`store-program ${words.join(' ')} ended`);
      return value;
    };
    await line();
    return { process: child, begin: () => void child.stdin.write('\n'), line };
  };
  return {
    start,
    async run(env, url, ...actions) {
      const processes = await Promise.all(actions.map((words) => start(env, url, ...words)));
      for (const each of processes) each.begin();
      return Promise.all(processes.map(async (each) => JSON.parse(await each.line())));
    },
    close: () => rm(folder, { recursive: true }),
  };
}
