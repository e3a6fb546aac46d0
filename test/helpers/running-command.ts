/** Running command: one that listens, from the address that it prints to a signal. */
import { interrupt } from '../../src/cli/command.ts';
import { type CommandResult, command } from './command.ts';

/** A command that listens. */
export interface RunningCommand {
  url: string;
  /** What it had printed when it printed the address. */
  printed: string;
  /** Ends it as Ctrl-C does, once; what it has printed. */
  end(): Promise<CommandResult>;
}

/**
 * Starts a command, and waits for its address.
 *
 * @param address - What the address looks like, where it prints several.
 */
export async function startCommand(
  words: string[],
  env: Record<string, string> = {},
  address = /http:\/\/[^\s']+/,
): Promise<RunningCommand> {
  const stop = new AbortController();
  let heard: (found: Omit<RunningCommand, 'end'>) => void = () => {};
  const listening = new Promise<Omit<RunningCommand, 'end'>>((done) => {
    heard = done;
  });
  const onPrint = (printed: string) => {
    const [url] = address.exec(printed) ?? [];
    if (url !== undefined) heard({ url, printed });
  };
  const ended = command(words, { env, signal: stop.signal, onPrint });
  // A command that ends before it listens has said why.
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  return {
    ...(await Promise.race([listening, failed])),
    end: () => {
      interrupt(stop, 'SIGINT');
      return ended;
    },
  };
}
