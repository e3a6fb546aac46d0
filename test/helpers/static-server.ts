/** Static server: the files of a folder by address, as any web server has them. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { listening } from './listening.ts';

/** A browser runs no module of another type. */
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves a folder on a free port of this machine. */
export async function serveFolder(
  folder: string,
): Promise<{ address: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    const bytes = await readFile(join(folder, decodeURIComponent(pathname))).catch(() => undefined);
    const type = TYPES[extname(pathname)];
    response.writeHead(bytes === undefined ? 404 : 200, type ? { 'content-type': type } : {});
    response.end(bytes);
  });
  const { origin: address, close } = await listening(server);
  return { address, close };
}
