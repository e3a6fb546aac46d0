/** A store of objects in a bucket of S3: AWS, Ceph, R2, MinIO and others with conditional writes. */
import { randomUUID } from 'node:crypto';
import { turnFor } from '../../support/budget.ts';
import { ConverterError } from '../../support/errors.ts';
import { digestOfFile, sha256Hex } from '../../support/files.ts';
import { checkKey, checkPrefix, digestOfKey, isKey } from './object-key.ts';
import type { ObjectContent, ObjectHeaders, ObjectInfo, ObjectStore } from './object-store.ts';
import {
  createS3Client,
  MOST_BYTES,
  type S3Answer,
  type S3Body,
  type S3Client,
  type S3Request,
  type S3Settings,
} from './s3-client.ts';
import { uploadParts } from './s3-upload.ts';
import { childText, readXml, type XmlElement } from './s3-xml.ts';

/** The content of a key with a digest never changes; a year is the longest time that caches honour. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Above this size, sending an existing content takes longer than asking whether it exists. */
const ASK_FIRST_BYTES = 1024 * 1024;
/** A content that is damaged in transit is requested again. */
const MOST_READS = 3;
/** User metadata: the digest of the content, and the write that stored it. */
const SHA256_HEADER = 'x-amz-meta-sha256';
const WRITE_HEADER = 'x-amz-meta-write';

/** Ceph 16 compares the `If-Match` of a write with the etag without its quotes. */
const ETAG_SPELLINGS = {
  quoted: (etag: string) => etag,
  bare: (etag: string) => etag.replace(/^"|"$/g, ''),
};

/** Condition on the key at the moment of the write. */
type Condition = { 'if-none-match': '*' } | { 'if-match': string };

/**
 * A store below a prefix of a bucket. A lost answer to a write is no failure: the object contains the id of the write
 * that stored it.
 *
 * Only the content of a key with a digest is sent in parts: Ceph ignores conditions on the completion of an upload, and
 * there all writers store the same content.
 */
export class S3Store implements ObjectStore {
  readonly name: string;
  readonly #settings: S3Settings;
  readonly #client: S3Client;
  // The id distinguishes the writes of all machines; no output depends on it.
  readonly #id = randomUUID();
  #writes = 0;
  /** The spelling that `If-Match` accepts; undefined before the first success. */
  #etagSpelling: keyof typeof ETAG_SPELLINGS | undefined;

  /** Opens the store without a request. */
  constructor(settings: S3Settings) {
    this.name = `s3://${settings.bucket}/${settings.prefix}`.replace(/\/$/, '');
    this.#settings = settings;
    this.#client = createS3Client(this.name, settings);
  }

  async putIfAbsent(
    key: string,
    content: ObjectContent,
    headers?: ObjectHeaders,
  ): Promise<'stored' | 'present'> {
    const body = await describe(this.name, key, content);
    if (body.bytes > ASK_FIRST_BYTES && (await this.#head(key))) return 'present';
    const etag = await this.#write(key, body, { 'if-none-match': '*' }, headers);
    return etag === undefined ? 'present' : 'stored';
  }

  async replace(
    key: string,
    content: ObjectContent,
    ifMatch: string | undefined,
    headers?: ObjectHeaders,
  ): Promise<string | undefined> {
    const body = await describe(this.name, key, content);
    if (ifMatch === undefined) return this.#write(key, body, { 'if-none-match': '*' }, headers);
    const attempt = (spelling: keyof typeof ETAG_SPELLINGS) =>
      this.#write(key, body, { 'if-match': ETAG_SPELLINGS[spelling](ifMatch) }, headers);
    const etag = await attempt(this.#etagSpelling ?? 'quoted');
    // Success of an upload in parts proves nothing about the spelling, if the server ignores its conditions.
    if (etag !== undefined && body.bytes <= this.#settings.multipartBytes)
      this.#etagSpelling ??= 'quoted';
    if (etag !== undefined || this.#etagSpelling !== undefined) return etag;
    if ((await this.#head(key))?.headers.etag !== ifMatch) return undefined;
    const bareEtag = await attempt('bare');
    if (bareEtag !== undefined) this.#etagSpelling = 'bare';
    return bareEtag;
  }

  async get(key: string): Promise<{ content: Uint8Array; etag: string } | undefined> {
    const request: S3Request = {
      ...{ method: 'GET', key: this.#keyOf(key), also: [404], check: expectEtag },
    };
    for (let reads = 1; reads <= MOST_READS; reads++) {
      const { status, headers, body: content } = await this.#client.send(request);
      if (status === 404) return undefined;
      await turnFor(content.length, this.#settings.signal);
      const digest = sha256Hex(content);
      const expected = [digestOfKey(key), headers[SHA256_HEADER]];
      if (expected.every((one) => one === undefined || one === digest))
        return { content, etag: headers.etag! };
    }
    const message = `${this.name}/${key}: expected the content of its digest, received other content`;
    throw new ConverterError('STORE_DAMAGED', message);
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    const answer = await this.#head(key);
    if (answer === undefined) return undefined;
    const { etag = '', 'content-length': length, 'last-modified': modified } = answer.headers;
    return { bytes: Number(length), etag, modifiedAt: Date.parse(modified ?? '') };
  }

  async *list(given: string): AsyncIterable<{ key: string } & ObjectInfo> {
    checkPrefix(given);
    const { prefix } = this.#settings;
    for await (const object of listObjects(this.name, this.#client, prefix + given)) {
      const key = object.key.slice(prefix.length);
      if (isKey(key)) yield { ...object, key };
    }
  }

  async delete(key: string): Promise<void> {
    const request = { method: 'DELETE', key: this.#keyOf(key), also: [404] } as const;
    await this.#client.send({ ...request, check: expectNothing });
  }

  /** Writes an object and returns its `etag`; undefined if the condition does not hold. */
  async #write(
    key: string,
    body: S3Body,
    condition: Condition,
    { contentType = 'application/octet-stream', cacheControl }: ObjectHeaders = {},
  ): Promise<string | undefined> {
    const id = `${this.#id}-${this.#writes++}`;
    const isAddressed = digestOfKey(key) !== undefined;
    const cached = cacheControl ?? (isAddressed ? IMMUTABLE : undefined);
    const headers = {
      'content-type': contentType,
      ...(cached && { 'cache-control': cached }),
      [SHA256_HEADER]: body.sha256,
      [WRITE_HEADER]: id,
    };
    const at = this.#keyOf(key);
    /** The `etag` of the object, if this write has stored it. */
    const storedEtag = async (): Promise<string | undefined> => {
      const stored = await this.#head(key);
      return stored?.headers[WRITE_HEADER] === id ? stored.headers.etag : undefined;
    };
    if (isAddressed && body.bytes > this.#settings.multipartBytes) {
      const upload = { key: at, headers, condition, body, storedEtag };
      return uploadParts(this.#client, this.#settings, upload);
    }
    const answer = await this.#client.send({
      ...{ method: 'PUT', key: at, body, headers: { ...headers, ...condition } },
      also: 'if-match' in condition ? [404, 412] : [412],
      check: expectEtag,
    });
    if (answer.status < 300) return answer.headers.etag;
    // An earlier attempt, whose answer was lost, may have stored the object.
    return answer.isRepeated ? storedEtag() : undefined;
  }

  async #head(key: string): Promise<S3Answer | undefined> {
    const request = { method: 'HEAD', key: this.#keyOf(key), also: [404] } as const;
    const answer = await this.#client.send({ ...request, check: expectEtag });
    return answer.status === 404 ? undefined : answer;
  }

  #keyOf(key: string): string {
    checkKey(key);
    return this.#settings.prefix + key;
  }
}

async function describe(name: string, key: string, content: ObjectContent): Promise<S3Body> {
  const pieces = content instanceof Uint8Array ? [content] : content;
  const { bytes, sha256 } =
    'path' in pieces
      ? await digestOfFile(pieces.path)
      : { bytes: pieces.reduce((sum, { length }) => sum + length, 0), sha256: sha256Hex(pieces) };
  if (bytes <= MOST_BYTES) return { content, bytes, sha256 };
  const message = `${name}/${key}: expected an object of at most ${MOST_BYTES} bytes, received ${bytes}`;
  throw new ConverterError('STORE_REFUSED', message, { help: 'make the object smaller' });
}

/** Some proxies answer with their own page and status 200. */
const expectEtag = ({ status, headers }: S3Answer): string | undefined =>
  status < 300 && !headers.etag ? 'expected an answer of S3, received one without etag' : undefined;

const expectNothing = ({ status, body }: S3Answer): string | undefined =>
  status < 300 && body.length > 0 ? 'expected an answer without content, received one' : undefined;

async function* listObjects(
  name: string,
  client: S3Client,
  prefix: string,
): AsyncIterable<{ key: string } & ObjectInfo> {
  let last = '';
  for (let token: string | undefined = ''; token !== undefined; ) {
    const query = { 'list-type': '2', prefix, ...(token && { 'continuation-token': token }) };
    const answer = await client.send({ method: 'GET', query, check: expectPage });
    const page = pageOf(answer)!;
    for (const element of page.children.filter((child) => child.name === 'Contents')) {
      const object = objectOf(element);
      // Some servers list folders as objects; without an order, a list could be endless.
      if (!isKey(object.key)) continue;
      if (object.key <= last) throw unsupportedList(name, `"${object.key}" after "${last}"`);
      last = object.key;
      yield object;
    }
    const isLast = childText(page, 'IsTruncated') !== 'true';
    const next = isLast ? undefined : childText(page, 'NextContinuationToken');
    if (!isLast && (!next || next === token)) throw unsupportedList(name, 'no next page');
    token = next;
  }
}

function objectOf(element: XmlElement): { key: string } & ObjectInfo {
  const text = (child: string) => childText(element, child) ?? '';
  return {
    key: text('Key'),
    bytes: Number(text('Size')),
    etag: text('ETag'),
    modifiedAt: Date.parse(text('LastModified')),
  };
}

function pageOf({ body }: S3Answer): XmlElement | undefined {
  const page = readXml(new TextDecoder().decode(body));
  return page?.name === 'ListBucketResult' ? page : undefined;
}

const expectPage = (answer: S3Answer): string | undefined =>
  pageOf(answer) ? undefined : 'expected a list of objects, received something else';

function unsupportedList(name: string, received: string): ConverterError {
  const message = `${name}: expected a list in the order of keys, received ${received}`;
  return new ConverterError('STORE_UNSUPPORTED', message);
}
