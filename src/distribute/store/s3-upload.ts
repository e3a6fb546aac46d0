/** Uploads a large content in parts: a part that fails is sent again, not all of it. */
import { ConverterError } from '../../support/errors.ts';
import { readPieces, sha256Hex } from '../../support/files.ts';
import { inParallel } from '../../support/in-parallel.ts';
import type { ObjectContent } from './object-store.ts';
import type { S3Answer, S3Body, S3Client, S3Settings } from './s3-client.ts';
import { childText, readXml } from './s3-xml.ts';

const PARTS_AT_ONCE = 3;
/** Limit of repeated uploads: a write of the key at the same time makes the store drop the upload. */
const MOST_UPLOADS = 5;

interface Upload {
  /** Key with the prefix. */
  key: string;
  headers: Readonly<Record<string, string>>;
  /** Headers of the last request, which publishes the object. */
  condition: Readonly<Record<string, string>>;
  body: S3Body;
  /** The `etag` of the object, if this upload has stored it. */
  storedEtag(): Promise<string | undefined>;
}

/**
 * Uploads a content in parts, and publishes it if the condition holds then. A lifecycle rule of the bucket
 * (AbortIncompleteMultipartUpload) removes the parts that a killed process leaves.
 *
 * @returns The `etag`; undefined if the condition did not hold.
 * @throws {@link ConverterError} as `S3Client.send`.
 */
export async function uploadParts(
  client: S3Client,
  { partBytes }: Pick<S3Settings, 'partBytes'>,
  { key, headers, condition, body, storedEtag }: Upload,
): Promise<string | undefined> {
  for (let uploads = 1; uploads <= MOST_UPLOADS; uploads++) {
    const query = { uploadId: await begin(client, key, headers) };
    let isOver = false;
    try {
      const parts = await sendParts(client, key, query, body, partBytes);
      const answer = await client.send({
        ...{ method: 'POST', key, query, headers: { ...condition, 'content-type': 'text/xml' } },
        ...{ body: completion(parts), also: [404, 409, 412], check: expectResult },
      });
      isOver = answer.status < 300;
      // Some servers spell the etag in the result differently.
      const etag = answer.status === 409 ? undefined : await storedEtag();
      if (isOver) return etag ?? childText(resultOf(answer), 'ETag');
      // 404: an earlier completion, whose answer was lost, has published the upload, or the upload was removed.
      if (etag !== undefined || answer.status === 412) return etag;
    } finally {
      // The earlier failure is the error to report.
      if (!isOver) await client.send({ method: 'DELETE', key, query, also: [404] }).catch(() => {});
    }
  }
  const message = `${key}: expected an upload without conflicts, received ${MOST_UPLOADS} one after the other`;
  throw new ConverterError('STORE_UNREACHABLE', message);
}

async function begin(client: S3Client, key: string, headers: Upload['headers']): Promise<string> {
  const idOf = ({ body }: S3Answer) =>
    childText(readXml(new TextDecoder().decode(body)), 'UploadId');
  const check = (answer: S3Answer) =>
    idOf(answer) ? undefined : 'expected the id of an upload, received none';
  const query = { uploads: '' };
  return idOf(await client.send({ method: 'POST', key, query, headers, check }))!;
}

async function sendParts(
  client: S3Client,
  key: string,
  query: Readonly<Record<string, string>>,
  { content, bytes }: S3Body,
  partBytes: number,
): Promise<string[]> {
  const etags: string[] = [];
  const starts = Array.from(
    { length: Math.ceil(bytes / partBytes) },
    (_, part) => part * partBytes,
  );
  await inParallel(starts, PARTS_AT_ONCE, async (from, part) => {
    const to = Math.min(from + partBytes, bytes);
    const pieces = await slice(content, from, to);
    const body = { content: pieces, bytes: to - from, sha256: sha256Hex(pieces) };
    const check = ({ headers }: S3Answer) =>
      headers.etag ? undefined : 'expected the etag of a part, received none';
    const partQuery = { ...query, partNumber: String(part + 1) };
    const answer = await client.send({ method: 'PUT', key, query: partQuery, body, check });
    etags[part] = answer.headers.etag!;
  });
  return etags;
}

async function slice(content: ObjectContent, from: number, to: number): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  if ('path' in content) {
    for await (const piece of readPieces(content.path, from, to)) found.push(piece);
    return found;
  }
  let at = 0;
  for (const piece of content instanceof Uint8Array ? [content] : content) {
    const part = piece.subarray(Math.max(from - at, 0), Math.max(to - at, 0));
    if (part.length > 0) found.push(part);
    at += piece.length;
  }
  return found;
}

function completion(etags: readonly string[]): S3Body {
  const parts = etags.map((etag, part) => {
    const escaped = etag.replace(/[<&]/g, (character) => `&#${character.charCodeAt(0)};`);
    return `<Part><PartNumber>${part + 1}</PartNumber><ETag>${escaped}</ETag></Part>`;
  });
  const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
  const content = new TextEncoder().encode(xml);
  return { content, bytes: content.length, sha256: sha256Hex(content) };
}

function resultOf({ body }: S3Answer) {
  const result = readXml(new TextDecoder().decode(body));
  return result?.name === 'CompleteMultipartUploadResult' ? result : undefined;
}

/** The answer to a completion begins with status 200 before its result is known. */
const expectResult = (answer: S3Answer): string | undefined =>
  answer.status >= 300 || resultOf(answer)
    ? undefined
    : 'expected the result of an upload, received an error';
