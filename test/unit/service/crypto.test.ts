import { execFileSync } from 'node:child_process';
import { constants, createPrivateKey, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import forge from 'node-forge';
import { describe, expect, it } from 'vitest';
import { createEncryptor } from '../../../src/service/crypto.ts';
import { temporaryFolderSync } from '../../helpers/temporary.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PRIVATE_PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

const base64 = (text: string) => Buffer.from(text).toString('base64');
const der = (type: 'spki' | 'pkcs1') => publicKey.export({ type, format: 'der' }) as Buffer;
const pem = (type: 'spki' | 'pkcs1') => publicKey.export({ type, format: 'pem' }) as string;

function certificate(): forge.pki.Certificate {
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(pem('spki'));
  made.serialNumber = '01';
  made.validity.notBefore = new Date(0);
  made.validity.notAfter = new Date(1e13);
  made.sign(forge.pki.privateKeyFromPem(PRIVATE_PEM), forge.md.sha256.create());
  return made;
}

/** Node refuses this padding, so the server's side is played by forge. */
function decrypt(encrypted: string): string {
  const plain = forge.pki.privateKeyFromPem(PRIVATE_PEM).decrypt(forge.util.decode64(encrypted));
  return Buffer.from(plain, 'latin1').toString('utf16le');
}

const KEY_FORMS: [string, string][] = [
  ['Base64 of PEM text', base64(pem('spki'))],
  ['Base64 of PEM text of PKCS#1', base64(pem('pkcs1'))],
  ['Base64 of SPKI DER', der('spki').toString('base64')],
  ['Base64 of PKCS#1 DER', der('pkcs1').toString('base64')],
  ['Base64 of an X.509 certificate', certificateDer()],
  ['Base64 of an X.509 certificate as PEM text', base64(forge.pki.certificateToPem(certificate()))],
  ['PEM text in one line', pem('spki').replace(/\n(?!-|$)/g, '')],
  [
    'Base64 broken into lines',
    der('spki')
      .toString('base64')
      .replace(/(.{64})/g, '$1\r\n'),
  ],
];

function certificateDer(): string {
  const asn1 = forge.pki.certificateToAsn1(certificate());
  return forge.util.encode64(forge.asn1.toDer(asn1).getBytes());
}

describe('createEncryptor', () => {
  it.each(KEY_FORMS)('takes a key as %s', (_, key) => {
    const encrypt = createEncryptor(key, 'pkcs1');
    expect(decrypt(encrypt('Jürgen Groß 😀', 'user name'))).toBe('Jürgen Groß 😀');
  });

  it('sends UTF-16 little endian without a byte-order mark', () => {
    const encrypt = createEncryptor(der('spki').toString('base64'), 'pkcs1');
    const plain = forge.pki
      .privateKeyFromPem(PRIVATE_PEM)
      .decrypt(forge.util.decode64(encrypt('aü', 'user name')));
    expect([...Buffer.from(plain, 'latin1')]).toEqual([0x61, 0, 0xfc, 0]);
  });

  it('pads with OAEP by option', () => {
    const encrypt = createEncryptor(der('spki').toString('base64'), 'oaep');
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const plain = privateDecrypt(
      { key: createPrivateKey(PRIVATE_PEM), padding },
      Buffer.from(encrypt('secret', 'password'), 'base64'),
    );
    expect(plain.toString('utf16le')).toBe('secret');
  });

  it('is read by OpenSSL itself', () => {
    const encrypt = createEncryptor(der('spki').toString('base64'), 'pkcs1');
    const folder = temporaryFolderSync();
    try {
      writeFileSync(join(folder, 'key.pem'), PRIVATE_PEM);
      writeFileSync(join(folder, 'in'), Buffer.from(encrypt('alice', 'user name'), 'base64'));
      const files = ['-in', join(folder, 'in'), '-out', join(folder, 'out')];
      execFileSync('openssl', ['pkeyutl', '-decrypt', '-inkey', join(folder, 'key.pem'), ...files]);
      expect(readFileSync(join(folder, 'out')).toString('utf16le')).toBe('alice');
    } catch (error) {
      // Not every machine has it.
      if ((error as { code?: string }).code !== 'ENOENT') throw error;
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('encrypts up to 122 characters with a key of 2048 bits, and refuses more without quoting them', () => {
    const encrypt = createEncryptor(der('spki').toString('base64'), 'pkcs1');
    expect(decrypt(encrypt('x'.repeat(122), 'password'))).toBe('x'.repeat(122));
    expect(() => encrypt('x'.repeat(123), 'password')).toThrow(
      expect.objectContaining({
        code: 'LOGIN_REFUSED',
        message:
          'password: expected at most 122 characters by the key of this service, received more',
      }),
    );
  });

  it.each([
    '',
    'AAAA',
    base64('hello'),
    '-----BEGIN PUBLIC KEY-----\nAA\n-----END PUBLIC KEY-----',
  ])('refuses %j, which is no key', (key) => {
    const refusal = expect.objectContaining({ code: 'AUTH_PROTOCOL' });
    expect(() => createEncryptor(key, 'pkcs1')).toThrow(refusal);
  });
});
