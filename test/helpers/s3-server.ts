/**
 * An S3 on loopback, with correct conditional writes, which checks every signature by its own computation, and does
 * what a test asks for: refuses, cuts, stalls, forgets conditions, has another time.
 *
 * Written after the API reference of Amazon S3 and "Signature Version 4 signing process".
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './listening.ts';

/** An object as it is kept. */
export interface S3Object {
  content: Buffer;
  etag: string;
  modifiedAt: number;
  /** Those of a request that come back with the object. */
  headers: Record<string, string>;
}

/** What becomes of a request instead of its answer; `…After`: it is executed before. */
export type S3Fault =
  | 'none'
  | { status: number; code?: string }
  | 'cut'
  | 'cutAfter'
  | 'stall'
  | 'stallAfter'
  | 'half'
  | 'damage'
  | 'page';

/** One request as it came in. */
export interface S3Seen {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage['headers'];
}

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  /** The environment variables of a client. */
  readonly env: Readonly<Record<string, string>>;
  readonly objects: Map<string, S3Object>;
  readonly seen: S3Seen[];
  /** The keys under which contents were stored, in this order; a write that was refused stores none. */
  readonly stored: string[];
  /** Uploads in parts that are neither completed nor aborted. */
  readonly openUploads: ReadonlyMap<string, unknown>;
  readonly switches: {
    /** `ignored` as by an old server, `refused` with 501. */
    conditions: 'kept' | 'ignored' | 'refused';
    /** How `If-Match` has to spell an etag: `bare` as on Ceph 16. */
    etags: 'quoted' | 'bare';
    /** By how much the clock of the server is ahead. */
    clockAheadMs: number;
    keysPerPage: number;
    /** Smallest part of an upload but the last, as S3 has it; small ones cost a test less. */
    leastPartBytes: number;
    /** What every request gets, of a method or of all. */
    always: { fault: S3Fault; method?: string } | undefined;
    /** Waited for before a request is executed. */
    hold: ((request: S3Seen) => Promise<void> | undefined) | undefined;
    /** Before each object is stored, as another client would do it at this moment. */
    beforeWrite: ((key: string) => void) | undefined;
  };
  /** What the next requests of a method get, one after the other. */
  next(method: string, ...faults: S3Fault[]): void;
  /** Stores an object without a request. */
  put(key: string, content: string): S3Object;
  count(method: string): number;
  /** Most requests of a method that were open at the same time. */
  mostAtOnce(method: string): number;
  close(): Promise<void>;
}

const REGION = 'eu-test-1';
const ACCESS_KEY = 'AKIDOFTHETESTS';
const SECRET_KEY = 'secret/key+of the tests';
const TOKEN = 'token+of/the==tests';
const MOST_SKEW_MS = 15 * 60 * 1000;
const KEPT = /^(?:content-type|cache-control|content-encoding|x-amz-meta-.*)$/;

/** An answer of S3 that is an error. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Elements of the answer. */
  readonly more: string;

  constructor(status: number, code: string, more = '') {
    super(code);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

/** Starts a server with one empty bucket. */
export async function startS3Server(bucket = 'furniture'): Promise<S3Server> {
  const objects = new Map<string, S3Object>();
  const uploads = new Map<
    string,
    { headers: Record<string, string>; parts: Map<number, Buffer> }
  >();
  const seen: S3Seen[] = [];
  const stored: string[] = [];
  const next = new Map<string, S3Fault[]>();
  const opened = new Map<string, number>();
  const mostOpen = new Map<string, number>();
  let stamps = 0;
  const switches: S3Server['switches'] = {
    conditions: 'kept',
    etags: 'quoted',
    clockAheadMs: 0,
    keysPerPage: 1000,
    leastPartBytes: 5 * 1024 * 1024,
    always: undefined,
    hold: undefined,
    beforeWrite: undefined,
  };
  const now = () => Date.now() + switches.clockAheadMs;

  const store = (key: string, content: Buffer, headers: Record<string, string>, suffix = '') => {
    const etag = `"${createHash('md5').update(content).digest('hex')}${suffix}"`;
    const object = { content, etag, modifiedAt: now(), headers };
    objects.set(key, object);
    stored.push(key);
    return object;
  };

  const checkConditions = (key: string, headers: IncomingMessage['headers']) => {
    const { 'if-none-match': none, 'if-match': match } = headers;
    if (none === undefined && match === undefined) return;
    if (switches.conditions === 'refused') throw new Refusal(501, 'NotImplemented');
    if (switches.conditions === 'ignored') return;
    const object = objects.get(key);
    if (none === '*' && object !== undefined) throw new Refusal(412, 'PreconditionFailed');
    if (match === undefined) return;
    if (object === undefined) throw new Refusal(404, 'NoSuchKey');
    const expected = switches.etags === 'bare' ? object.etag.slice(1, -1) : object.etag;
    if (expected !== match) throw new Refusal(412, 'PreconditionFailed');
  };

  const list = (query: URLSearchParams): string => {
    const prefix = query.get('prefix') ?? '';
    const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString();
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, switches.keysPerPage);
    const contents = page.map((key) => {
      const { content, etag, modifiedAt } = objects.get(key)!;
      const modified = new Date(modifiedAt).toISOString();
      return `<Contents><Key>${escaped(key)}</Key><LastModified>${modified}</LastModified><ETag>${escaped(etag)}</ETag><Size>${content.length}</Size></Contents>`;
    });
    const isTruncated = keys.length > page.length;
    const token = isTruncated
      ? `<NextContinuationToken>${Buffer.from(page.at(-1)!).toString('base64')}</NextContinuationToken>`
      : '';
    return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}${token}</ListBucketResult>`;
  };

  const upload = (id: string | null) => {
    const found = uploads.get(id ?? '');
    if (found === undefined) throw new Refusal(404, 'NoSuchUpload');
    return found;
  };

  const complete = (key: string, request: IncomingMessage, id: string, body: Buffer): string => {
    const { headers, parts } = upload(id);
    const listed = [
      ...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g),
    ];
    const contents = listed.map(([, number, etag], index) => {
      const part = parts.get(Number(number));
      const isSame =
        part !== undefined && etag === `"${md5(part)}"` && Number(number) === index + 1;
      if (!isSame) throw new Refusal(400, 'InvalidPart');
      const isSmall = part.length < switches.leastPartBytes && index < listed.length - 1;
      if (isSmall) throw new Refusal(400, 'EntityTooSmall');
      return part;
    });
    switches.beforeWrite?.(key);
    checkConditions(key, request.headers);
    uploads.delete(id);
    const { etag } = store(key, Buffer.concat(contents), headers, `-${contents.length}`);
    return `<CompleteMultipartUploadResult><ETag>${escaped(etag)}</ETag></CompleteMultipartUploadResult>`;
  };

  /** Executes a request whose signature is right. */
  const execute = (request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse) => {
    const [, name, ...rest] = url.pathname.split('/');
    if (name !== bucket) throw new Refusal(404, 'NoSuchBucket');
    const key = decodeURIComponent(rest.join('/'));
    const { searchParams: query } = url;
    const kept = Object.entries(request.headers).filter(([header]) => KEPT.test(header));
    const headers = Object.fromEntries(kept) as Record<string, string>;
    const uploadId = query.get('uploadId');
    const xml = (text: string) =>
      response.writeHead(200, { 'content-type': 'application/xml' }).end(text);
    switch (request.method) {
      case 'PUT': {
        if (uploadId !== null) {
          upload(uploadId).parts.set(Number(query.get('partNumber')), body);
          return response.writeHead(200, { etag: `"${md5(body)}"` }).end();
        }
        switches.beforeWrite?.(key);
        checkConditions(key, request.headers);
        return response.writeHead(200, { etag: store(key, body, headers).etag }).end();
      }
      case 'POST': {
        if (uploadId !== null) return xml(complete(key, request, uploadId, body));
        const id = `upload-${++stamps}`;
        uploads.set(id, { headers, parts: new Map() });
        return xml(
          `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        );
      }
      case 'DELETE': {
        if (uploadId === null) objects.delete(key);
        else if (!uploads.delete(uploadId)) throw new Refusal(404, 'NoSuchUpload');
        return response.writeHead(204).end();
      }
      default: {
        if (key === '') return xml(list(query));
        const object = objects.get(key);
        if (object === undefined) throw new Refusal(404, 'NoSuchKey');
        response.writeHead(200, {
          ...object.headers,
          etag: object.etag,
          'content-length': object.content.length,
          'last-modified': new Date(object.modifiedAt).toUTCString(),
        });
        return response.end(request.method === 'HEAD' ? undefined : object.content);
      }
    }
  };

  const answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://s3');
    response.setHeader('date', new Date(now()).toUTCString());
    const fault = next.get(request.method ?? '')?.shift() ?? alwaysOf(request.method);
    try {
      checkSignature(request, body, now());
      if (fault === undefined || fault === 'none') return execute(request, url, body, response);
      if (typeof fault === 'object') throw new Refusal(fault.status, fault.code ?? 'InternalError');
      if (fault === 'stall') return undefined;
      if (fault === 'cut') return request.socket.destroy();
      if (fault === 'page') return response.writeHead(200).end('<!DOCTYPE html><p>Welcome</p>');
      return execute(request, url, body, faulty(response, fault));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const text = `<?xml version="1.0"?><Error><Code>${error.code}</Code><Message>no</Message>${error.more}</Error>`;
      response.writeHead(error.status, { 'content-type': 'application/xml' });
      return response.end(request.method === 'HEAD' ? undefined : text);
    }
  };
  const alwaysOf = (method?: string) => {
    const { always } = switches;
    return always?.method === undefined || always.method === method ? always?.fault : undefined;
  };

  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const open = (opened.get(method) ?? 0) + 1;
    opened.set(method, open);
    mostOpen.set(method, Math.max(mostOpen.get(method) ?? 0, open));
    response.on('close', () => opened.set(method, opened.get(method)! - 1));
    const received = { method, url, headers };
    seen.push(received);
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const work = () => answer(request, Buffer.concat(pieces), response);
      const held = switches.hold?.(received);
      if (held !== undefined) void held.then(work);
      else work();
    });
  });
  const { origin: endpoint, close } = await listening(server);
  return {
    endpoint,
    bucket,
    env: {
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
      AWS_SESSION_TOKEN: TOKEN,
      AWS_REGION: REGION,
      AWS_ENDPOINT_URL_S3: endpoint,
    },
    objects,
    seen,
    stored,
    openUploads: uploads,
    switches,
    next: (method, ...faults) => void next.set(method, [...(next.get(method) ?? []), ...faults]),
    put: (key, content) => store(key, Buffer.from(content), {}),
    count: (method) => seen.filter((request) => request.method === method).length,
    mostAtOnce: (method) => mostOpen.get(method) ?? 0,
    close,
  };
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string) =>
  createHmac('sha256', key).update(text).digest();

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A response that is lost, cut or damaged on its way. */
function faulty(response: ServerResponse, fault: string): ServerResponse {
  const { end } = response;
  const lost = () => {
    if (fault === 'cutAfter') response.socket?.destroy();
    return response;
  };
  const changed = (content?: Buffer) => {
    if (fault === 'half') {
      response.write(content!.subarray(0, content!.length / 2), () => response.socket?.destroy());
      return response;
    }
    const copy = Buffer.from(content!);
    copy[0]! ^= 1;
    return end.call(response, copy, 'utf8');
  };
  const isLost = fault.endsWith('After');
  if (isLost) response.writeHead = (() => response) as never;
  response.end = (isLost ? lost : changed) as never;
  return response;
}

/** @throws Refusal as S3 does, if a request is not signed by the credentials of the tests. */
function checkSignature(request: IncomingMessage, body: Buffer, nowMs: number): void {
  const { headers, method = '', url = '' } = request;
  const header = (name: string) => String(headers[name] ?? '');
  const given =
    /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<day>\d{8})\/(?<region>[^/]+)\/s3\/aws4_request, ?SignedHeaders=(?<signed>[^,]+), ?Signature=(?<signature>[0-9a-f]{64})$/.exec(
      header('authorization'),
    )?.groups as Record<string, string> | undefined;
  if (given === undefined) throw new Refusal(403, 'AccessDenied');
  if (given.key !== ACCESS_KEY) throw new Refusal(403, 'InvalidAccessKeyId');
  if (header('x-amz-security-token') !== TOKEN) throw new Refusal(400, 'InvalidToken');
  if (given.region !== REGION) {
    throw new Refusal(400, 'AuthorizationHeaderMalformed', `<Region>${REGION}</Region>`);
  }
  const stamp = header('x-amz-date');
  const time = Date.parse(stamp.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
  if (!(Math.abs(time - nowMs) <= MOST_SKEW_MS)) {
    const served = `<ServerTime>${new Date(nowMs).toISOString()}</ServerTime>`;
    throw new Refusal(403, 'RequestTimeTooSkewed', served);
  }
  const signed = given.signed!.split(';');
  const mustBeSigned = Object.keys(headers).filter((name) => /^(?:host|x-amz-.*)$/.test(name));
  if (!mustBeSigned.every((name) => signed.includes(name))) throw new Refusal(403, 'AccessDenied');
  const contentDigest = header('x-amz-content-sha256');
  const [path = '', query = ''] = url.split('?');
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.map(encoded).join('='));
  const canonical = [
    method,
    path
      .split('/')
      .map((segment) => encoded(decodeURIComponent(segment)))
      .join('/'),
    pairs.sort().join('&'),
    ...signed.map((name) => `${name}:${header(name).trim().replace(/ +/g, ' ')}`),
    '',
    given.signed,
    contentDigest,
  ].join('\n');
  const scope = `${given.day}/${REGION}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [given.day!, REGION, 's3', 'aws4_request'].reduce<Buffer | string>(
    hmac,
    `AWS4${SECRET_KEY}`,
  );
  if (hmac(key, text).toString('hex') !== given.signature) {
    throw new Refusal(403, 'SignatureDoesNotMatch');
  }
  if (sha256(body) !== contentDigest) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
}

const encoded = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
