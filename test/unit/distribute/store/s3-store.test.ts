/** How the store in S3 behaves where the server, the network or the account does not do what it should. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../../src/distribute/store/object-store.ts';
import { probeStore } from '../../../../src/distribute/store/open-store.ts';
import { sha256Hex } from '../../../../src/support/files.ts';
import { bytesOf, keysOf, openStore, textOf } from '../../../helpers/object-stores.ts';
import { type S3Fault, type S3Server, startS3Server } from '../../../helpers/s3-server.ts';
import { until } from '../../../helpers/until.ts';

/** Of uploads in parts, of which S3 itself takes none this small: `object-store.test.ts` has its sizes. */
const KIB = 1024;
/** Of requests that are not answered. */
const IMPATIENT = { timeoutMs: 100 };
const PARTS = { multipartBytes: 6 * KIB, partBytes: 5 * KIB };

let server: S3Server;
let store: ObjectStore;
const open = (env: Record<string, string> = {}, more = {}, bucket = server.bucket) =>
  openStore(`s3://${bucket}/run`, {
    ...{ env: { ...server.env, ...env }, backoffMs: 1, ...PARTS, ...more },
  });

/** A clock that goes on by 30 ms with each request. */
function clockOfRequests(): () => number {
  let now = Date.now();
  server.switches.hold = () => {
    now += 30;
    return undefined;
  };
  return () => now;
}

beforeEach(async () => {
  server = await startS3Server();
  server.switches.leastPartBytes = PARTS.partBytes;
  store = await open();
});
afterEach(() => server.close());

const textAt = async (key: string) => textOf((await store.get(key))?.content);
const DENIED: S3Fault = { status: 403, code: 'AccessDenied' };
const BUSY: S3Fault = { status: 503, code: 'SlowDown' };
const UNREACHABLE = { code: 'STORE_UNREACHABLE' };
const REFUSED = { code: 'STORE_REFUSED' };

describe('a request', () => {
  const passing: S3Fault[] = [
    BUSY,
    { status: 500, code: 'InternalError' },
    { status: 429, code: 'TooManyRequests' },
    { status: 409, code: 'ConditionalRequestConflict' },
    'cut',
    'page',
  ];
  it.each(passing)('is sent again after %j', async (fault) => {
    server.next('PUT', fault, fault);
    expect(await store.putIfAbsent('a', bytesOf('1'))).toBe('stored');
    expect(server.count('PUT')).toBe(3);
    server.next('GET', fault);
    expect(await textAt('a')).toBe('1');
    server.next('HEAD', fault);
    expect(await store.head('a')).toMatchObject({ bytes: 1 });
    server.next('GET', fault);
    expect(await keysOf(store)).toEqual(['a']);
    server.next('DELETE', fault);
    await store.delete('a');
    expect(server.objects.size).toBe(0);
  });

  it('is sent again after a failure that only its body names', async () => {
    server.next('PUT', { status: 400, code: 'RequestTimeout' }, { status: 400, code: 'BadDigest' });
    expect(await store.putIfAbsent('a', bytesOf('1'))).toBe('stored');
    expect(server.count('PUT')).toBe(3);
  });

  it('is sent again if no answer comes', async () => {
    const impatient = await open({}, IMPATIENT);
    server.next('PUT', 'stall');
    expect(await impatient.putIfAbsent('a', bytesOf('1'))).toBe('stored');
    server.next('GET', 'stall');
    expect(textOf((await impatient.get('a'))?.content)).toBe('1');
  });

  it('ends when the store has not answered for long', async () => {
    server.switches.always = { fault: BUSY };
    const hasty = await open({}, { giveUpAfterMs: 50, now: clockOfRequests() });
    await expect(hasty.get('a')).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringMatching(
        /^s3:\/\/furniture\/run .*expected an answer of S3, received 503 SlowDown, 3 times$/,
      ),
    });
    // It has waited long enough, until the store answers again.
    const before = server.count('GET');
    await expect(hasty.get('b')).rejects.toMatchObject(UNREACHABLE);
    expect(server.count('GET') - before).toBe(1);
    await expect(hasty.putIfAbsent('c', bytesOf('1'))).rejects.toMatchObject(UNREACHABLE);
    expect(server.count('PUT')).toBe(1);
    server.switches.always = undefined;
    expect(await hasty.get('b')).toBeUndefined();
    server.next('GET', { status: 503 });
    expect(await hasty.get('b')).toBeUndefined();
  });

  it('waits for what it may read, where it may not write any more', async () => {
    const hasty = await open({}, { giveUpAfterMs: 50, now: clockOfRequests() });
    await hasty.putIfAbsent('a', bytesOf('1'));
    server.switches.always = { fault: DENIED, method: 'PUT' };
    await expect(hasty.putIfAbsent('b', bytesOf('1'))).rejects.toMatchObject(REFUSED);
    await hasty.get('a');
    await expect(hasty.putIfAbsent('b', bytesOf('1'))).rejects.toMatchObject(REFUSED);
    server.next('GET', { status: 503 });
    expect(textOf((await hasty.get('a'))?.content)).toBe('1');
  });

  it('ends where nothing listens', async () => {
    const none = await open({ AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }, { giveUpAfterMs: 50 });
    const message = expect.stringMatching(/ECONNREFUSED/);
    await expect(probeStore(none, Date.now)).rejects.toMatchObject({ ...UNREACHABLE, message });
  });

  it('ends when it is interrupted, also between two attempts', async () => {
    const interruption = new AbortController();
    const interrupted = await open({}, { signal: interruption.signal });
    server.next('GET', 'stall');
    const reading = interrupted.get('a');
    await until(() => server.count('GET') > 0);
    interruption.abort(new Error('stopped'));
    await expect(reading).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect(interrupted.head('a')).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('survives that rights are gone for a while, but not that they never were there', async () => {
    server.next('PUT', DENIED);
    const help = expect.stringContaining('s3:ListBucket');
    await expect(store.putIfAbsent('a', bytesOf('1'))).rejects.toMatchObject({ ...REFUSED, help });
    expect(server.count('PUT')).toBe(1);
    await store.putIfAbsent('a', bytesOf('1'));
    server.next('PUT', DENIED, DENIED, DENIED);
    expect(await store.putIfAbsent('b', bytesOf('1'))).toBe('stored');
  });

  it('takes reading and asking for one right, which S3 does not name when it refuses to say', async () => {
    const denied: S3Fault = { status: 403 };
    const help = expect.stringContaining('s3:ListBucket');
    server.next('HEAD', denied);
    await expect(store.head('a')).rejects.toMatchObject({ ...REFUSED, help });
    expect(await store.get('a')).toBeUndefined();
    server.next('HEAD', denied, denied);
    expect(await store.head('a')).toBeUndefined();
  });
});

describe('a write whose answer is lost', () => {
  it.each(['cutAfter', 'stallAfter'] as const)('counts as done: %s', async (fault) => {
    store = await open({}, IMPATIENT);
    server.next('PUT', fault);
    expect(await store.putIfAbsent('a', bytesOf('1'))).toBe('stored');
    const etag = (await store.head('a'))!.etag;
    server.next('PUT', fault);
    const next = await store.replace('a', bytesOf('2'), etag);
    expect(next).toBe((await store.head('a'))!.etag);
    expect(await store.replace('a', bytesOf('3'), next)).toEqual(expect.any(String));
  });

  it('counts as refused if another has written the same meanwhile', async () => {
    server.next('PUT', 'cut');
    server.switches.beforeWrite = (key) => void server.put(key, '1');
    expect(await store.putIfAbsent('a', bytesOf('1'))).toBe('present');
    const { etag } = (await store.head('a'))!;
    server.next('PUT', 'cut');
    server.switches.beforeWrite = (key) => void server.put(key, '2');
    expect(await store.replace('a', bytesOf('2'), etag)).toBeUndefined();
  });

  it('counts as done after an upload in parts', async () => {
    const content = new Uint8Array(7 * KIB).fill(1);
    const key = `${sha256Hex(content)}.glb`;
    server.next('POST', 'cutAfter', 'cutAfter', 'cutAfter');
    expect(await store.putIfAbsent(key, content)).toBe('stored');
    expect((await store.get(key))?.content).toHaveLength(7 * KIB);
  });
});

describe('an upload in parts', () => {
  const content = new Uint8Array(7 * KIB).fill(7);
  const key = `${sha256Hex(content)}.glb`;

  it('sends a part again that fails, and no other', async () => {
    server.next('PUT', { status: 503 }, 'cut', { status: 503 });
    expect(await store.putIfAbsent(key, content)).toBe('stored');
    expect(server.count('PUT')).toBe(2 + 3);
    expect(server.openUploads.size).toBe(0);
    expect(sha256Hex(server.objects.get(`run/${key}`)!.content)).toBe(sha256Hex(content));
  });

  it('leaves nothing of an upload that is not published', async () => {
    server.switches.beforeWrite = (other) => void server.put(other, 'other');
    expect(await store.putIfAbsent(key, content)).toBe('present');
    expect(server.openUploads.size).toBe(0);
    server.objects.clear();
    server.switches.always = { fault: DENIED, method: 'PUT' };
    store = await open({}, { giveUpAfterMs: 50 });
    await expect(store.putIfAbsent(key, content)).rejects.toMatchObject(REFUSED);
    expect(server.openUploads.size).toBe(0);
  });

  it('begins anew after a conflict', async () => {
    server.next('POST', 'none', { status: 409, code: 'ConditionalRequestConflict' });
    expect(await store.putIfAbsent(key, content)).toBe('stored');
    expect(server.count('POST')).toBe(4);
    expect(server.openUploads.size).toBe(0);
  });

  it('is for contents by their digest alone: others are published by one conditional request', async () => {
    // So large that the store asks first whether it is there.
    await store.putIfAbsent('manifest.jsonl', new Uint8Array(2 * KIB * KIB));
    expect(server.seen.map(({ method }) => method)).toEqual(['HEAD', 'PUT']);
  });
});

describe('a content', () => {
  it.each(['damage', 'half'] as const)('is read again if it arrives wrong: %s', async (fault) => {
    await store.putIfAbsent('a', bytesOf('12345678'));
    server.next('GET', fault, fault);
    expect(await textAt('a')).toBe('12345678');
  });

  it('is damaged if it always arrives so', async () => {
    await store.putIfAbsent('a', bytesOf('12345678'));
    server.switches.always = { fault: 'damage' };
    const message = expect.stringContaining('s3://furniture/run/a');
    await expect(store.get('a')).rejects.toMatchObject({ code: 'STORE_DAMAGED', message });
  });

  it('by its digest may be kept by caches for ever, any other as the caller says', async () => {
    const key = `objects/${sha256Hex(bytesOf('1'))}.glb`;
    await store.putIfAbsent(key, bytesOf('1'), { contentType: 'model/gltf-binary' });
    await store.putIfAbsent('a', bytesOf('1'), { cacheControl: 'no-cache' });
    await store.putIfAbsent('b', bytesOf('1'));
    const headers = (name: string) => server.objects.get(`run/${name}`)?.headers;
    expect(headers(key)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'model/gltf-binary',
      'x-amz-meta-sha256': sha256Hex(bytesOf('1')),
    });
    expect(headers('a')).toMatchObject({ 'cache-control': 'no-cache' });
    expect(headers('b')).not.toHaveProperty('cache-control');
    expect(headers('b')).toMatchObject({ 'content-type': 'application/octet-stream' });
  });
});

describe('a list', () => {
  it('skips what no store has written', async () => {
    for (const key of ['run/', 'run/a b', 'run/.x', 'run/ä&<', 'other/a']) server.put(key, '1');
    await store.putIfAbsent('a', bytesOf('1'));
    expect(await keysOf(store)).toEqual(['a']);
  });
});

describe('what an account or a server does wrong, in a sentence', () => {
  it.each([
    ['AWS_SECRET_ACCESS_KEY', 'wrong-secret-of-a-test', '403 SignatureDoesNotMatch'],
    ['AWS_ACCESS_KEY_ID', 'AKIDUNKNOWN', '403 InvalidAccessKeyId'],
    ['AWS_SESSION_TOKEN', 'wrong-token-of-a-test', '400 InvalidToken'],
    ['AWS_REGION', 'us-east-1', 'the region of the bucket, which is eu-test-1'],
  ])('a wrong value of %s', async (name, value, message) => {
    const env = { [name]: value };
    const refused = await open(env);
    const error = await probeStore(refused, Date.now).catch((thrown) => thrown);
    expect(error).toMatchObject({
      ...REFUSED,
      message: expect.stringContaining(message),
      help: expect.stringContaining(name),
    });
    expect(server.seen).toHaveLength(1);
    const texts = Object.values({ ...server.env, ...env });
    for (const secret of texts.filter((text) => /secret|token|AKID/.test(text)))
      expect(error.message + error.stack).not.toContain(secret);
  });

  it('a bucket that does not exist', async () => {
    const none = await open({}, {}, 'nothing');
    const refused = { ...REFUSED, message: expect.stringContaining('does not exist') };
    await expect(probeStore(none, Date.now)).rejects.toMatchObject(refused);
    await expect(none.get('a')).rejects.toMatchObject(refused);
  });

  it('a clock that is wrong, and by how much', async () => {
    server.switches.clockAheadMs = (2 * 60 + 5) * 60 * 1000;
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'STORE_REFUSED',
      message: expect.stringMatching(
        /the clock of this machine is 2 h (?:5 min|4 min) behind that of the store/,
      ),
      help: expect.stringContaining('NTP'),
    });
  });

  it.each([
    ['ignores', 'ignored', 'If-None-Match'],
    ['does not know', 'refused', '501 NotImplemented'],
  ] as const)('a server that %s conditions', async (_, conditions, text) => {
    server.switches.conditions = conditions;
    const unsupported = { code: 'STORE_UNSUPPORTED', message: expect.stringContaining(text) };
    await expect(probeStore(store, Date.now)).rejects.toMatchObject(unsupported);
    expect(server.objects.size).toBe(0);
  });

  it('a server whose clock is ahead within limits is known by the probe', async () => {
    server.switches.clockAheadMs = 10 * 60 * 1000;
    const aheadMs = await probeStore(store, Date.now);
    expect(Math.abs(aheadMs - server.switches.clockAheadMs)).toBeLessThan(30_000);
  });

  it('a server that wants etags without quotes is understood', async () => {
    server.switches.etags = 'bare';
    await probeStore(store, Date.now);
    const etag = await store.replace('a', bytesOf('1'), undefined);
    server.seen.length = 0;
    expect(await store.replace('a', bytesOf('2'), etag)).toEqual(expect.any(String));
    expect(await store.replace('a', bytesOf('3'), etag)).toBeUndefined();
    expect(server.seen.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
  });
});
