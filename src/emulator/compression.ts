/** Compresses the JSON of the emulator for clients that accept it, each body once. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';

/** A smaller body fits into one packet anyway. */
const MIN_BYTES = 1024;
/** Of the bodies before compression. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/** The encodings, the preferred one first, at the speed that suits a server on the same machine. */
const PACKERS: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => packBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } }),
  gzip: (body) => packGzip(body, { level: constants.Z_BEST_SPEED }),
};
const packBrotli = promisify<Buffer, object, Buffer>(brotliCompress);
const packGzip = promisify<Buffer, object, Buffer>(gzip);

/** Adds the compression to a server; what was packed is kept by its content. @see RFC 9110 8.4, 12.5.3. */
export function addCompression(app: FastifyInstance): void {
  const packed = new LRUCache<string, Promise<Buffer>>({ maxSize: MAX_CACHED_BYTES });
  const pack = (encoding: string, body: Buffer): Promise<Buffer> => {
    const key = encoding + createHash('sha256').update(body).digest('base64');
    const made = packed.get(key) ?? PACKERS[encoding]!(body);
    packed.set(key, made, { size: body.length });
    return made;
  };
  app.addHook('onSend', async ({ headers }, reply, payload) => {
    const isBody = typeof payload === 'string' || payload instanceof Uint8Array;
    if (!isBody || !/json/.test(String(reply.getHeader('content-type')))) return payload;
    reply.header('vary', 'accept-encoding');
    const body = Buffer.from(payload as string);
    const accepted = String(headers['accept-encoding'] ?? '').split(/[\s,]+/);
    const encoding = Object.keys(PACKERS).find((name) => accepted.includes(name));
    if (encoding === undefined || body.length < MIN_BYTES) return payload;
    reply.header('content-encoding', encoding);
    return pack(encoding, body);
  });
}
