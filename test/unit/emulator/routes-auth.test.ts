import { constants, createPublicKey, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import type { KeyForm } from '../../../src/emulator/routes-auth.ts';
import type { EmulatedRange } from '../../../src/sample/range.ts';
import { call, logIn, postTokenRequest, tokenRequest } from '../../helpers/emulated-session.ts';

const EMPTY: EmulatedRange = {
  name: 'empty',
  nodes: () => [],
  breadcrumbs: () => [],
  search: () => [],
  article: () => undefined,
  partsList: () => undefined,
  block: async () => undefined,
  material: async () => undefined,
};

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ range: EMPTY });
});
afterAll(() => emulator.close());

async function errorOf(response: Response): Promise<string> {
  expect(response.status).toBe(500);
  return ((await response.json()) as { error: string }).error;
}

describe('a session token is obtained by the five steps of the specification', () => {
  test('a name and password in UTF-16LE, encrypted with PKCS#1 v1.5, give a token', async () => {
    const response = await postTokenRequest(emulator, await tokenRequest(emulator));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    const { result } = (await response.json()) as { result: string[] };
    expect((await call(emulator, 'xcf/getnodes', { token: result[0]! })).status).toBe(200);
  });

  test('OAEP is taken as well', async () => {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const response = await postTokenRequest(emulator, await tokenRequest(emulator, { padding }));
    expect(response.status).toBe(200);
  });

  test('AppKey may be left out', async () => {
    const { AppKey: _, ...body } = await tokenRequest(emulator);
    expect((await postTokenRequest(emulator, body)).status).toBe(200);
  });

  test('a token holds characters that must be encoded, and each one is different', async () => {
    const tokens = [await logIn(emulator), await logIn(emulator)];
    expect(tokens[0]).toMatch(/^[\w-]+\+[\w-]+\/[\w-]+=$/);
    expect(tokens[0]).not.toBe(tokens[1]);
  });
});

describe('a login that is not as specified is refused with an error and status 500', () => {
  test.each([
    ['wrong user', { username: 'nobody' }],
    ['wrong password', { password: 'guess' }],
    ['UTF-8 text', { encoding: 'utf8' as const }],
    ['a byte order mark', { username: '\ufeffmöbelhaus' }],
  ])('%s', async (_, changes) => {
    const body = await tokenRequest(emulator, changes);
    expect(await errorOf(await postTokenRequest(emulator, body))).toBe('user or password is wrong');
  });

  test.each([
    ['another key', { PublicKey: 'QUJD' }, 'PublicKey: expected the key exactly'],
    ['a key with a line break', { PublicKey: 'append' }, 'PublicKey: expected the key exactly'],
    ['another application', { AppKey: 'other' }, 'AppKey is unknown'],
    ['an empty application key', { AppKey: '' }, 'AppKey is unknown'],
    ['RememberMe as text', { RememberMe: 'false' }, 'RememberMe: expected true or false'],
    ['no RememberMe', { RememberMe: undefined }, 'RememberMe: expected true or false'],
    ['no user', { User: undefined }, 'User: expected Base64'],
    ['a user in hex with a stray sign', { User: 'ab!' }, 'User: expected Base64'],
    ['a password in clear', { Password: 'c2VjcmV0' }, 'Password: cannot be decrypted'],
    ['a misspelled field', { Username: 'x' }, 'Username: no such field'],
  ])('%s', async (_, changes: Record<string, unknown>, message) => {
    const body: Record<string, unknown> = { ...(await tokenRequest(emulator)), ...changes };
    if (body.PublicKey === 'append')
      body.PublicKey = `${(await tokenRequest(emulator)).PublicKey}\n`;
    expect(await errorOf(await postTokenRequest(emulator, body))).toContain(message);
  });

  test.each([
    ['content-type', 'text/plain', 'Content-Type: expected application/json'],
    ['accept', 'text/html', 'Accept: expected application/json'],
  ])('header %s: %s', async (name, value, message) => {
    const body = await tokenRequest(emulator);
    expect(await errorOf(await postTokenRequest(emulator, body, { [name]: value }))).toBe(message);
  });

  test.each(['', '[]', '"x"', '{"User":'])('body %s', async (body) => {
    const response = await fetch(`${emulator.authUrl}/%22GetSessionToken%22/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body,
    });
    expect(await errorOf(response)).toContain('body: expected');
  });

  test('the name of the operation keeps its quotes', async () => {
    const response = await fetch(`${emulator.authUrl}/GetSessionToken/`, { method: 'POST' });
    expect(response.status).toBe(404);
  });
});

describe('the public key is published in each form that servers use', () => {
  const READERS: Record<KeyForm, (bytes: Buffer) => unknown> = {
    pem: (bytes) => createPublicKey(bytes.toString()),
    spki: (bytes) => createPublicKey({ key: bytes, format: 'der', type: 'spki' }),
    pkcs1: (bytes) => createPublicKey({ key: bytes, format: 'der', type: 'pkcs1' }),
    x509: (bytes) => new X509Certificate(bytes).publicKey,
  };

  test.each(Object.keys(READERS) as KeyForm[])('%s', async (keyForm) => {
    const other = await startEmulator({ range: EMPTY, keyForm });
    const response = await fetch(`${other.authUrl}/GetPublicKey/`);
    const { result } = (await response.json()) as { result: [string] };
    await other.close();
    expect(READERS[keyForm](Buffer.from(result[0], 'base64'))).toMatchObject({
      asymmetricKeyType: 'rsa',
      asymmetricKeyDetails: { modulusLength: 2048 },
    });
  });
});

test('all randomness is handed in: the same source makes the same login', async () => {
  const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);
  const pair = await Promise.all([
    startEmulator({ range: EMPTY, random }),
    startEmulator({ range: EMPTY, random }),
  ]);
  expect(pair[0].password).toBe(pair[1].password);
  expect(pair[0].password).not.toBe(emulator.password);
  await Promise.all(pair.map((each) => each.close()));
});
