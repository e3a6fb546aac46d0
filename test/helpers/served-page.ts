/** Served page: the command `serve` with the link to the planning page that it prints. */
import { type RunningCommand, startCommand } from './running-command.ts';

/** A running command `serve`. */
export interface ServedPage extends Pick<RunningCommand, 'end'> {
  /** As it was printed. */
  link: URL;
  token: string;
}

/** Starts `serve` on any free port, and waits for the link. */
export async function servePage(
  words: string[] = [],
  env: Record<string, string> = {},
): Promise<ServedPage> {
  const all = ['serve', '--port', '0', ...words];
  const { url, end } = await startCommand(all, env, /http:\S+token=\S+/);
  const link = new URL(url);
  return { link, token: link.searchParams.get('token')!, end };
}
