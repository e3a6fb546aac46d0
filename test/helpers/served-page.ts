/** Served page: the command `serve` with the link to the planning page that it prints. */
import { interrupt } from '../../src/cli/command.ts';
import { type CommandResult, command } from './command.ts';

/** A running command `serve`. */
export interface ServedPage {
  /** As it was printed. */
  link: URL;
  token: string;
  /** Ends it as Ctrl-C does, once; what it has printed. */
  end(): Promise<CommandResult>;
}

/** Starts `serve` on any free port, and waits for the link. */
export async function servePage(
  words: string[] = [],
  env: Record<string, string> = {},
): Promise<ServedPage> {
  const stop = new AbortController();
  let heard: (link: string) => void = () => {};
  const printed = new Promise<string>((done) => {
    heard = done;
  });
  const onPrint = (text: string) => {
    const [link] = /http:\S+token=\S+/.exec(text) ?? [];
    if (link !== undefined) heard(link);
  };
  const all = ['serve', '--port', '0', ...words];
  const ended = command(all, { env, signal: stop.signal, onPrint });
  // A command that ends before it listens has said why.
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  const link = new URL(await Promise.race([printed, failed]));
  return {
    link,
    token: link.searchParams.get('token')!,
    end: () => {
      interrupt(stop, 'SIGINT');
      return ended;
    },
  };
}
