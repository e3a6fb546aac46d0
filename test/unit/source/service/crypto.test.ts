import { constants, createPublicKey, privateDecrypt, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createEncryptor } from '../../../../src/source/service/crypto.ts';
import { KEY_PAIR, selfSigned } from '../../../helpers/certificate.ts';
import { coded } from '../../../helpers/coded-error.ts';

const publicKey = createPublicKey(KEY_PAIR.publicKey);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const der = (type: 'spki' | 'pkcs1') =>
  publicKey.export({ type, format: 'der' }).toString('base64');
const pem = (type: 'spki' | 'pkcs1') => publicKey.export({ type, format: 'pem' }) as string;
const certificate = selfSigned();

/** What the server does. Node refuses this padding, so it is removed here. @see RFC 8017, 7.2.2 */
function decrypt(encrypted: string): string {
  const given = { key: KEY_PAIR.privateKey, padding: constants.RSA_NO_PADDING };
  const padded = privateDecrypt(given, Buffer.from(encrypted, 'base64'));
  expect([...padded.subarray(0, 2)]).toEqual([0, 2]);
  return padded.subarray(padded.indexOf(0, 2) + 1).toString('utf16le');
}

const KEY_FORMS: [string, string][] = [
  ['Base64 of PEM text', base64(pem('spki'))],
  ['Base64 of PEM text of PKCS#1', base64(pem('pkcs1'))],
  ['Base64 of SPKI DER', der('spki')],
  ['Base64 of PKCS#1 DER', der('pkcs1')],
  ['Base64 of an X.509 certificate', new X509Certificate(certificate).raw.toString('base64')],
  ['Base64 of an X.509 certificate as PEM text', base64(certificate)],
  ['PEM text in one line', pem('spki').replace(/\n(?!-|$)/g, '')],
  ['Base64 broken into lines', der('spki').replace(/(.{64})/g, '$1\r\n')],
];

describe('createEncryptor', () => {
  it.each(KEY_FORMS)('takes a key as %s', (_, key) => {
    const encrypt = createEncryptor(key, 'pkcs1');
    expect(decrypt(encrypt('Jürgen Groß 😀', 'user name'))).toBe('Jürgen Groß 😀');
  });

  it('pads with OAEP by option', () => {
    const encrypt = createEncryptor(der('spki'), 'oaep');
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const plain = privateDecrypt(
      { key: KEY_PAIR.privateKey, padding },
      Buffer.from(encrypt('secret', 'password'), 'base64'),
    );
    expect(plain.toString('utf16le')).toBe('secret');
  });

  it('encrypts up to 122 characters with a key of 2048 bits, and refuses more without quoting them', () => {
    const encrypt = createEncryptor(der('spki'), 'pkcs1');
    expect(decrypt(encrypt('x'.repeat(122), 'password'))).toBe('x'.repeat(122));
    const message =
      'password: expected at most 122 characters by the key of this service, received more';
    expect(() => encrypt('x'.repeat(123), 'password')).toThrow(coded('LOGIN_REFUSED', message));
  });

  it.each([
    '',
    'AAAA',
    base64('hello'),
    '-----BEGIN PUBLIC KEY-----\nAA\n-----END PUBLIC KEY-----',
  ])('refuses %j, which is no key', (key) => {
    expect(() => createEncryptor(key, 'pkcs1')).toThrow(coded('AUTH_PROTOCOL'));
  });
});
