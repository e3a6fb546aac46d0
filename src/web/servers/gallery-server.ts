/** Serves a gallery to the browser of this machine: files by their paths, nothing else. */
import { listen, misdirectionOf, type ServerAddress } from '../../support/listening.ts';
import { mediaTypeOf } from '../../support/media-types.ts';

interface GalleryServerOptions extends ServerAddress {
  /** A file by its path, decoded, without a slash at the beginning; undefined if there is none. */
  read(path: string): Promise<Uint8Array | undefined>;
}

/** No other page may read the files, and no file is taken for another type. */
const HEADERS = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

/**
 * Starts the server. A path unknown to `read` is answered with 404, and a foreign host name with 421.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 */
export async function openGalleryServer(options: GalleryServerOptions) {
  const { fastify } = await import('fastify');
  const app = fastify({ logger: false, forceCloseConnections: true });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    const misdirection = misdirectionOf(request.headers.host, options);
    if (misdirection === undefined) return;
    return reply.code(misdirection.status).send(`${misdirection.message}\n`);
  });
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    const { statusCode = 500 } = error;
    // The error message of a file that cannot be read contains its path on this machine.
    const sentence = statusCode < 500 ? 'expected an address of a file' : 'the file cannot be read';
    return reply.code(statusCode).type('text/plain').send(`${sentence}\n`);
  });
  app.get('/', async (_request, reply) => reply.redirect('/gallery/'));
  app.get('/gallery', async (_request, reply) => reply.redirect('/gallery/'));
  app.get('/*', async (request, reply) => {
    // The path is decoded; a path that cannot be decoded was refused before.
    const { '*': path } = request.params as { '*': string };
    const bytes = await options.read(path);
    if (bytes === undefined) return reply.code(404).type('text/plain').send('nothing here\n');
    const name = path.endsWith('/') ? 'index.html' : path;
    return reply.type(mediaTypeOf(name)).send(Buffer.from(bytes));
  });
  const origin = await listen(app, options);
  return { url: `${origin}/gallery/`, close: () => app.close() };
}
