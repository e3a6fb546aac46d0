/** Answers of contents as caches and browsers like them: entity tags, conditional and partial requests, compression. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { sha256Hex } from '../../support/files.ts';

interface Content {
  bytes: Uint8Array;
  mimeType: string;
  /** Digest of the bytes. @defaultValue computed */
  sha256?: string;
}

const ENCODERS = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
} as const;

/** Compressed contents by their tags: the script of the 3D view takes 50 ms. */
const packed = new LRUCache<string, Buffer>({ maxSize: 8 * 1024 * 1024 });

/** Less than this fits into a packet anyway. */
const COMPRESSED_FROM_BYTES = 1024;
/**
 * Pictures and archives are compressed already. GLBs are left as they are, so that they have ranges: those of the sample range
 * shrink by 15 % (Brotli 4, 61 files), since most of their bytes are JPEG; the profile `web` by more.
 */
const COMPRESSIBLE = /^(?:text\/|application\/json|application\/problem\+json|image\/svg)/;

/**
 * Answers a GET or HEAD request with a content: 200, 206 for one range, 304 for who has it, 416 for a range beyond its end.
 *
 * Of a compressible content, the answer is compressed as the request accepts; ranges are of what is not compressed.
 *
 * @see RFC 9110, 13.1 and 14.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, mimeType, sha256 = sha256Hex(bytes) }: Content,
): Promise<FastifyReply> {
  const isCompressible = COMPRESSIBLE.test(mimeType) && bytes.length >= COMPRESSED_FROM_BYTES;
  const encoding = isCompressible
    ? encodingFor(String(request.headers['accept-encoding'] ?? ''))
    : undefined;
  const etag = encoding === undefined ? `"${sha256}"` : `"${sha256}-${encoding}"`;
  reply.headers({
    ...{ etag, 'x-content-type-options': 'nosniff' },
    ...(isCompressible ? addedVary(reply, 'accept-encoding') : { 'accept-ranges': 'bytes' }),
  });
  if (isKnown(String(request.headers['if-none-match'] ?? ''), etag)) return reply.code(304).send();
  reply.type(mimeType);
  if (encoding !== undefined) {
    reply.header('content-encoding', encoding);
    const known = packed.get(etag);
    const own = known ?? (await ENCODERS[encoding](bytes));
    if (known === undefined) packed.set(etag, own, { size: 1 + own.length });
    return reply.send(own);
  }
  const range = isCompressible ? undefined : rangeOf(request, etag, bytes.length);
  if (range === undefined) return reply.send(asBuffer(bytes));
  if (range === 'beyond') {
    // It is of this request alone.
    for (const name of ['etag', 'content-location']) reply.removeHeader(name);
    reply.headers({ 'cache-control': 'no-store', 'content-range': `bytes */${bytes.length}` });
    return reply.code(416).send();
  }
  const { first, last } = range;
  reply.code(206).header('content-range', `bytes ${first}-${last}/${bytes.length}`);
  return reply.send(asBuffer(bytes.subarray(first, last + 1)));
}

/** The header `Vary` with one name more. */
export function addedVary(reply: FastifyReply, name: string): { vary: string } {
  const before = reply.getHeader('vary');
  return { vary: before === undefined ? name : `${before}, ${name}` };
}

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** Longest header that is read: an honest one is shorter. */
const LONGEST_HEADER = 1024;

/** The parts of a header between commas, without blanks around them. */
function partsOf(header: string): string[] {
  return header.length > LONGEST_HEADER ? [] : header.split(',').map((part) => part.trim());
}

function encodingFor(accepted: string): keyof typeof ENCODERS | undefined {
  const qualities = new Map<string, number>();
  for (const part of partsOf(accepted)) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
    qualities.set(name, quality === undefined ? 1 : Number(quality));
  }
  return (['br', 'gzip'] as const).find((name) => (qualities.get(name) ?? 0) > 0);
}

/** Whether a header `If-None-Match` has the tag; weak comparison, as it is defined. */
function isKnown(header: string, etag: string): boolean {
  return partsOf(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** The range of a request; undefined if all is to be sent, also for several ranges and for what is no range. */
function rangeOf(
  { headers, method }: FastifyRequest,
  etag: string,
  length: number,
): { first: number; last: number } | 'beyond' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const condition = headers['if-range'];
  if (method !== 'GET' || (from === '' && to === '')) return undefined;
  if (condition !== undefined && condition !== etag) return undefined;
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return first >= length || (from === '' && Number(to) === 0) ? 'beyond' : { first, last };
}
