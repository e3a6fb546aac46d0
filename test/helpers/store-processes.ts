/** Processes of their own that use a store at the same time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('store-program.mjs', import.meta.url));

type Environment = Readonly<Record<string, string | undefined>>;

/** A process that waits for `begin`. */
interface StoreProcess {
  readonly process: ChildProcess;
  begin(): void;
  /** The next line that it prints. */
  line(): Promise<string>;
}

/** Starts a process of `store-program.mjs`, and waits until it is ready. */
export async function startStoreProcess(
  env: Environment,
  url: string,
  ...words: string[]
): Promise<StoreProcess> {
  const child = spawn(process.execPath, [PROGRAM, url, ...words], {
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
}

/** Runs several actions at the same time; returns what they print. */
export async function runStoreProcesses(
  env: Environment,
  url: string,
  ...actions: string[][]
): Promise<unknown[]> {
  const processes = await Promise.all(
    actions.map((words) => startStoreProcess(env, url, ...words)),
  );
  for (const each of processes) each.begin();
  return Promise.all(processes.map(async (each) => JSON.parse(await each.line())));
}
