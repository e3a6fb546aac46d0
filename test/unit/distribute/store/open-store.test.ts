import { expect, it } from 'vitest';
import { redact } from '../../../../src/support/redact.ts';
import { openStore } from '../../../helpers/object-stores.ts';
import { startS3Server } from '../../../helpers/s3-server.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDOFOPENING', AWS_SECRET_ACCESS_KEY: 'secret-of-opening' };
const open = (url: string, env: Record<string, string> = KEYS) => openStore(url, { env });

it('opens a folder or a bucket by its address', async () => {
  const folder = await temporaryFolder();
  expect((await open(folder)).name).toBe(folder);
  const env = { ...KEYS, AWS_REGION: 'eu-central-1' };
  expect((await open('s3://furniture', env)).name).toBe('s3://furniture');
  expect((await open('s3://furniture/every/night/', env)).name).toBe('s3://furniture/every/night');
});

it.each([
  '',
  'http://host/bucket',
  'gs://bucket',
  's3:bucket',
  's3://',
  's3:///prefix',
  's3://b',
  's3://bucket/../other',
  's3://bucket/a b',
  's3://bucket?x=1',
])('refuses the address %j', async (url) => {
  await expect(open(url)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/^store: expected s3:\/\/bucket\/prefix/),
  });
});

it('shows no credentials of an address', async () => {
  const error = await open('s3://key:hidden-secret@bucket').catch((thrown) => thrown);
  expect(error.message).not.toContain('hidden-secret');
  const env = { ...KEYS, AWS_ENDPOINT_URL_S3: 'https://key:hidden-secret@host' };
  const other = await open('s3://bucket', env).catch((thrown) => thrown);
  expect(other).toMatchObject({ code: 'USAGE' });
  expect(other.message).not.toContain('hidden-secret');
});

it('names the variable that is missing', async () => {
  const unset = (message: RegExp) => ({
    code: 'PIPELINE_VARIABLE_UNSET',
    message: expect.stringMatching(message),
  });
  const { AWS_SECRET_ACCESS_KEY: _, ...half } = KEYS;
  await expect(open('s3://bucket', half)).rejects.toMatchObject(unset(/AWS_SECRET_ACCESS_KEY/));
  await expect(open('s3://bucket', {})).rejects.toMatchObject(unset(/AWS_ACCESS_KEY_ID/));
  await expect(open('s3://bucket')).rejects.toMatchObject(unset(/AWS_REGION/));
  // Services of others need none.
  await open('s3://bucket', { ...KEYS, AWS_ENDPOINT_URL: 'https://s3.example' });
});

it('has its credentials redacted from then on', async () => {
  const env = { ...KEYS, AWS_REGION: 'eu-central-1', AWS_SESSION_TOKEN: 'token-of-opening' };
  await open('s3://bucket', env);
  expect(redact(Object.values(env).join(' '))).toBe('*** *** eu-central-1 ***');
});

it('prefers the endpoint of S3 to that of all services', async () => {
  const server = await startS3Server();
  const env = { ...server.env, AWS_ENDPOINT_URL: 'http://127.0.0.1:9' };
  const store = await open(`s3://${server.bucket}`, env);
  expect(await store.head('a')).toBeUndefined();
  await server.close();
});
