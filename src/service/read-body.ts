/**
 * Bodies: reads an answer to its end, within limits.
 *
 * In: a stream of bytes. Out: the bytes, unpacked. It must not know what they mean.
 */
import { promisify } from 'node:util';
import { ConverterError } from '../support/errors.ts';

/** Unpackers by `content-encoding`; each stops at the given size. */
const UNPACKERS = {
  gzip: 'gunzip',
  'x-gzip': 'gunzip',
  deflate: 'inflate',
  br: 'brotliDecompress',
} as const;

/**
 * A body may unpack to this many times its size: JSON of vertices does to about 10 times, hardly
 * anything that is meant to be read does to more than 100.
 */
const MOST_TIMES_ITS_SIZE = 200;
/** What is no larger than this harms nobody, however small it was packed. */
const HARMLESS_BYTES = 16 * 1024 * 1024;

/** What of an answer's headers concerns its body. */
interface BodyHeaders {
  contentLength: string | undefined;
  contentEncoding: string | undefined;
}

/**
 * Reads a body.
 *
 * @param maxBytes - Limit of the body as sent, and again as unpacked; a body that unpacks beyond all
 * measure meets a lower one.
 * @throws {@link ConverterError} `RESPONSE_TOO_LARGE` beyond the limit, before it is in memory;
 * `RESPONSE_INVALID` if it cannot be unpacked.
 *
 * @see D-844.
 */
export async function readBody(
  stream: AsyncIterable<Uint8Array>,
  headers: BodyHeaders,
  maxBytes: number,
): Promise<Uint8Array> {
  if (Number(headers.contentLength ?? 0) > maxBytes) throw refused(tooLarge(maxBytes));
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) throw refused(tooLarge(maxBytes));
    chunks.push(chunk);
  }
  return unpack(join(chunks, length), headers.contentEncoding ?? '', maxBytes);
}

/** One chunk is copied too: it may be a small part of a large buffer that would be kept alive. */
function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

async function unpack(
  packed: Uint8Array,
  encodings: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const mostOfSuchSize = Math.max(packed.length * MOST_TIMES_ITS_SIZE, HARMLESS_BYTES);
  const limit = mostOfSuchSize < maxBytes ? hugeBeyondMeasure(mostOfSuchSize) : tooLarge(maxBytes);
  let body = packed;
  // The last one named was applied last.
  for (const name of encodings.toLowerCase().split(',').reverse()) {
    const encoding = name.trim();
    if (encoding === '' || encoding === 'identity' || body.length === 0) continue;
    body = await unpackOnce(body, encoding, limit);
  }
  return body;
}

async function unpackOnce(packed: Uint8Array, encoding: string, limit: Limit): Promise<Uint8Array> {
  if (!Object.hasOwn(UNPACKERS, encoding)) {
    const message = `expected a body packed with gzip, deflate or br, received ${encoding}`;
    throw new ConverterError('RESPONSE_INVALID', message);
  }
  const zlib = await import('node:zlib');
  const unpacker = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(
    zlib[UNPACKERS[encoding as keyof typeof UNPACKERS]],
  );
  try {
    return new Uint8Array(await unpacker(packed, { maxOutputLength: limit.bytes }));
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw refused(limit);
    const message = `expected a body packed with ${encoding}, received something else or only a part of it`;
    throw new ConverterError('RESPONSE_INVALID', message, { cause });
  }
}

/** How large a body may become, and what is said of a larger one. */
interface Limit {
  bytes: number;
  sentence: string;
}

function tooLarge(bytes: number): Limit {
  return { bytes, sentence: `the answer is larger than ${bytes} bytes` };
}

function hugeBeyondMeasure(bytes: number): Limit {
  const sentence = `the answer unpacks to more than ${MOST_TIMES_ITS_SIZE} times its size`;
  return { bytes, sentence };
}

function refused({ sentence }: Limit): ConverterError {
  return new ConverterError('RESPONSE_TOO_LARGE', sentence);
}
