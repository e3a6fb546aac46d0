/** Opens the store at an address, and checks whether machines can share it. */
import { randomUUID } from 'node:crypto';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { registerSecret } from '../../support/redact.ts';
import { openFolderStore } from './file-store.ts';
import { checkKey } from './object-key.ts';
import type { ObjectStore } from './object-store.ts';
import type { S3Settings } from './s3-client.ts';
import { S3Store } from './s3-store.ts';

interface StoreOptions
  extends Pick<S3Settings, 'now' | 'random' | 'signal'>,
    Partial<Pick<S3Settings, keyof typeof LIMITS>> {
  /** Environment variables: the standard ones of AWS. */
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Whether the bucket is a segment of the path, and not a label of the host. @defaultValue true with an endpoint, or if
   * the bucket is no label of a host
   */
  pathStyle?: boolean | undefined;
}

const MIB = 1024 * 1024;
const LIMITS = {
  timeoutMs: 30_000,
  // An outage of a minute, with two timeouts at its end.
  giveUpAfterMs: 150_000,
  backoffMs: 200,
  multipartBytes: 64 * MIB,
  partBytes: 16 * MIB,
};

const S3_ADDRESS = /^s3:\/\/(?<bucket>[A-Za-z0-9][\w.-]{1,254})(?:\/(?<prefix>.*))?$/;
const OTHER_ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;
/** Label of a host that a wildcard certificate covers. */
const LABEL = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/**
 * Opens a store. For S3, no request is sent yet.
 *
 * @param url - `s3://bucket/prefix`, or a folder.
 * @throws {@link ConverterError} `USAGE` if neither; `PIPELINE_VARIABLE_UNSET` if a variable is missing; for a
 *   folder as `openFolderStore`.
 * @example
 * ```ts
 * const store = await openObjectStore('s3://furniture/nightly', { env, now: Date.now, random: Math.random });
 * await probeStore(store, Date.now);
 * ```
 */
export async function openObjectStore(url: string, options: StoreOptions): Promise<ObjectStore> {
  if (/^s3:/i.test(url)) return new S3Store(s3Settings(url, options));
  if (url !== '' && !OTHER_ADDRESS.test(url)) return openFolderStore(url, options.now());
  throw new ConverterError(
    'USAGE',
    `store: expected s3://bucket/prefix or a folder, received "${url}"`,
  );
}

function s3Settings(url: string, options: StoreOptions): S3Settings {
  const { env, pathStyle, ...given } = options;
  const { bucket, prefix = '' } = S3_ADDRESS.exec(url)?.groups ?? {};
  if (bucket === undefined) throw wrongAddress(url);
  const folder = prefix.replace(/\/$/, '');
  try {
    if (folder !== '') checkKey(folder);
  } catch {
    throw wrongAddress(url);
  }
  const own = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  // Most services other than AWS have no regions, but the signature needs one.
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || (own && 'us-east-1');
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const sessionToken = env.AWS_SESSION_TOKEN || undefined;
  for (const secret of [accessKeyId, secretAccessKey, sessionToken]) registerSecret(secret ?? '');
  if (!accessKeyId || !secretAccessKey) {
    throw unset('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: expected the credentials');
  }
  if (!region) throw unset('AWS_REGION: expected the region of the bucket');
  return {
    ...{ ...LIMITS, ...given, bucket, region },
    endpoint: own ? checkedEndpoint(own) : awsEndpoint(region),
    prefix: folder && `${folder}/`,
    pathStyle: pathStyle ?? (own !== undefined || !LABEL.test(bucket)),
    credentials: { accessKeyId, secretAccessKey, sessionToken },
  };
}

const awsEndpoint = (region: string): string =>
  `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isUsable =
    url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.search;
  if (isUsable) return url.href.replace(/\/$/, '');
  const message =
    'AWS_ENDPOINT_URL_S3 (or AWS_ENDPOINT_URL): expected an address such as https://s3.example, without credentials and query, received something else';
  throw new ConverterError('USAGE', message);
}

const wrongAddress = (url: string): ConverterError =>
  new ConverterError(
    'USAGE',
    `store: expected s3://bucket/prefix, of A-Z a-z 0-9 . _ - ~ /, received "${url}"`,
  );

const unset = (expected: string): ConverterError =>
  new ConverterError('PIPELINE_VARIABLE_UNSET', `${expected}, received none`);

/**
 * Opens a store and checks it as {@link probeStore}.
 *
 * @returns Its name, and by how many milliseconds its clock is ahead.
 * @throws {@link ConverterError} As {@link openObjectStore} and {@link probeStore}.
 */
export async function checkStore(
  url: string,
  options: StoreOptions,
): Promise<{ name: string; aheadMs: number }> {
  const store = await openObjectStore(url, options);
  return { name: store.name, aheadMs: await probeStore(store, options.now) };
}

/**
 * Checks whether a store keeps the promises of {@link ObjectStore}: it writes an object, and makes two writes that must
 * be refused.
 *
 * @param now - The clock of this machine, milliseconds since 1970.
 * @returns By how many milliseconds the clock of the store is ahead, to about a second.
 * @throws {@link ConverterError} `STORE_UNSUPPORTED` if not; what the methods of the store throw.
 */
export async function probeStore(store: ObjectStore, now: () => number): Promise<number> {
  const key = `probes/${randomUUID()}`;
  const content = (text: string) => new TextEncoder().encode(text);
  const expected = (what: string, isSo: boolean) => {
    if (isSo) return;
    throw new ConverterError('STORE_UNSUPPORTED', `${store.name}: expected ${what}`);
  };
  try {
    const isStored = (await store.putIfAbsent(key, content('first'))) === 'stored';
    expected('to store a new object, received that it is there already', isStored);
    const writtenAtMs = now();
    const info = await store.head(key);
    expected('to find an object that was just stored, received none', info !== undefined);
    const isKept = (await store.putIfAbsent(key, content('second'))) === 'present';
    expected('If-None-Match to keep what is there, received that it was replaced', isKept);
    const etag = await store.replace(key, content('third'), info!.etag);
    expected('If-Match to replace what is there, received that it has changed', !!etag);
    const wasKept = (await store.replace(key, content('fourth'), info!.etag)) === undefined;
    expected('If-Match to keep what has changed, received that it was replaced', wasKept);
    const keys: string[] = [];
    for await (const object of store.list(key)) keys.push(object.key);
    expected('to list an object that was just stored, received none', keys.includes(key));
    await store.delete(key);
    return Math.round(info!.modifiedAt - writtenAtMs);
  } catch (error) {
    // After any other error there is no object to remove.
    if (isConverterError(error, 'STORE_UNSUPPORTED')) await store.delete(key).catch(() => {});
    throw error;
  }
}
