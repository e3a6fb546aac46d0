/** A server on this machine, from which the page that takes pictures gets its program and the models. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateSync } from 'node:zlib';
import { readBytes } from '../../support/files.ts';
import { packageFile } from '../../support/package-file.ts';

/** The program of the page, and the light of the studio; beside the sources and in the package. */
const PAGE_PROGRAM = packageFile('dist/deliver/picture-page.js');
const STUDIO = packageFile('src/deliver/pictures/studio-map.bin');

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>Pictures</title><script src="picture-page.js"></script>';

/** The page may request its program and the models from this server, and nothing from any other. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self' blob: data:",
  'img-src blob: data:',
  'worker-src blob:',
].join('; ');

/**
 * Opens a server on loopback, below a secret path.
 *
 * @example
 * ```ts
 * const exchange = await openModelExchange();
 * const { address, end } = exchange.offer(glb);   // the page at exchange.origin can fetch it, until it ends
 * ```
 */
export async function openModelExchange(): Promise<ModelExchange> {
  const secret = randomBytes(16).toString('hex');
  const bodies: Bodies = new Map([
    ['picture-page.js', () => readBytes(PAGE_PROGRAM)],
    ['studio', async () => inflateSync(await readBytes(STUDIO))],
  ]);
  const server = createServer((request, response) => {
    answer(request, response, secret, bodies).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  let offers = 0;
  return {
    origin: `http://127.0.0.1:${port}/${secret}/`,
    offer(glb) {
      const address = String(offers++);
      bodies.set(address, async () => glb);
      return { address, end: () => void bodies.delete(address) };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve()).closeAllConnections();
      }),
  };
}

/** Readers of what the page fetches, by address relative to the origin. */
type Bodies = Map<string, () => Promise<Uint8Array>>;

export interface ModelExchange {
  origin: string;
  /** Gives a model an address, relative to the origin, until `end` is called. */
  offer(glb: Uint8Array): { address: string; end(): void };
  close(): Promise<void>;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  secret: string,
  bodies: Bodies,
): Promise<void> {
  const [, given, name = ''] = (request.url ?? '').split('/');
  const end = (status: number, type = 'text/plain', body: Uint8Array | string = '') => {
    const headers = { 'content-type': type, 'cache-control': 'no-store' };
    response.writeHead(status, { ...headers, 'content-security-policy': POLICY }).end(body);
  };
  if (given !== secret) return end(404);
  if (name === '') return end(200, 'text/html', PAGE);
  const body = await bodies.get(name)?.();
  if (body === undefined) return end(404);
  end(200, name.endsWith('.js') ? 'text/javascript' : 'application/octet-stream', body);
}
