/**
 * Read post: the body of a request, up to a limit.
 *
 * In: a stream of bytes. Out: all of them, or a refusal that the sender gets to see.
 * It must not know what they mean.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.ts';

/**
 * How much of a body that is too large is read and thrown away: whoever is still sending would not
 * read an answer, and would see a broken connection instead of the reason.
 */
const DRAINED_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/** A body of a request under way. */
export type PostStream = AsyncIterable<Uint8Array>;

/**
 * Reads a body.
 *
 * @throws {@link Refusal} 413 beyond the limit, 415 for a packed body.
 *
 * @see D-811.
 */
export async function readPost(
  stream: PostStream,
  headers: IncomingHttpHeaders,
  limitBytes: number,
): Promise<Uint8Array> {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') {
    throw new Refusal(415, `content-encoding: expected none, received ${JSON.stringify(coding)}`);
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes + DRAINED_BYTES)
    throw tooLarge(limitBytes);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > limitBytes + DRAINED_BYTES) break;
  }
  if (bytes > limitBytes) throw tooLarge(limitBytes);
  return Buffer.concat(chunks, bytes);
}

function tooLarge(limitBytes: number): Refusal {
  const limit = limitBytes >= MEBIBYTE ? `${limitBytes / MEBIBYTE} MiB` : `${limitBytes} bytes`;
  return new Refusal(413, `body: expected at most ${limit}`, { headers: { connection: 'close' } });
}
