import { constants, createPublicKey, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import type { KeyForm } from '../../../src/emulator/routes-auth.ts';
import { call, logIn, postTokenRequest, tokenRequest } from '../../helpers/emulated-session.ts';
import { jsonOf } from '../../helpers/json-of.ts';
import { smallRange } from '../../helpers/small-range.ts';

const EMPTY = smallRange([]);

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ range: EMPTY });
});
afterAll(() => emulator.close());

const errorOf = async (answer: Promise<Response>): Promise<string> =>
  (await jsonOf(answer, 500)).error;

describe('a session token is obtained by the five steps of the specification', () => {
  test('a name and password in UTF-16LE, encrypted with PKCS#1 v1.5, give a token', async () => {
    const response = await postTokenRequest(emulator, await tokenRequest(emulator));
    expect(response.headers.get('content-type')).toContain('application/json');
    const { result } = await jsonOf(response);
    expect((await call(emulator, 'xcf/getnodes', { token: result[0] })).status).toBe(200);
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
    expect(await errorOf(postTokenRequest(emulator, body))).toBe('user or password is wrong');
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
    expect(await errorOf(postTokenRequest(emulator, body))).toContain(message);
  });

  test.each([
    ['content-type', 'text/plain', 'Content-Type: expected application/json'],
    ['accept', 'text/html', 'Accept: expected application/json'],
  ])('header %s: %s', async (name, value, message) => {
    const body = await tokenRequest(emulator);
    expect(await errorOf(postTokenRequest(emulator, body, { [name]: value }))).toBe(message);
  });

  test.each(['', '[]', '"x"', '{"User":'])('body %s', async (body) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const url = `${emulator.authUrl}/%22GetSessionToken%22/`;
    const answer = fetch(url, { method: 'POST', headers, body });
    expect(await errorOf(answer)).toContain('body: expected');
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
    const { result } = await jsonOf(fetch(`${other.authUrl}/GetPublicKey/`));
    await other.close();
    expect(READERS[keyForm](Buffer.from(result[0], 'base64'))).toMatchObject({
      asymmetricKeyType: 'rsa',
      asymmetricKeyDetails: { modulusLength: 2048 },
    });
  });
});

test('all randomness is handed in: the same source makes the same login', async () => {
  const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);
  const passwords = [];
  for (let time = 0; time < 2; time++) {
    const other = await startEmulator({ range: EMPTY, random });
    passwords.push(other.password);
    await other.close();
  }
  expect(new Set([...passwords, emulator.password]).size).toBe(2);
  expect(new Set(passwords).size).toBe(1);
});
