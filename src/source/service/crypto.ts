/** Encrypts user name and password for the authentication server with its public key. */
import {
  constants,
  createHmac,
  createPublicKey,
  type KeyObject,
  publicEncrypt,
  X509Certificate,
} from 'node:crypto';
import { ConverterError } from '../../support/errors.ts';
import type { ServiceConfig } from './service-config.ts';

type Padding = NonNullable<ServiceConfig['padding']>;

/** Padding of a text before encryption, and the bytes of the key that the padding takes. */
const PADDINGS = {
  pkcs1: { padding: constants.RSA_PKCS1_PADDING, overheadBytes: 11 },
  oaep: { padding: constants.RSA_PKCS1_OAEP_PADDING, overheadBytes: 42 },
} as const satisfies Record<Padding, unknown>;

const KEY_FORMS: readonly ((key: Buffer) => KeyObject)[] = [
  (key) => createPublicKey({ key, format: 'der', type: 'spki' }),
  (key) => createPublicKey({ key, format: 'der', type: 'pkcs1' }),
  (key) => new X509Certificate(key).publicKey,
];

/**
 * Creates a function that encrypts a text with a public key: UTF-16 little endian without byte-order mark,
 * padded, encrypted, Base64. `what` names the text in an error: the text itself is never quoted.
 *
 * @param wrapped - Base64 of PEM text, SPKI DER, PKCS#1 DER or an X.509 certificate.
 * @throws {@link ConverterError} `AUTH_PROTOCOL` if the key is in none of these forms; the function throws
 * `LOGIN_REFUSED` if the text is longer than the key allows. See spec 5; D-602.
 */
export function createEncryptor(wrapped: string, name: Padding) {
  const key = readPublicKey(wrapped);
  const { padding, overheadBytes } = PADDINGS[name];
  const capacityBytes = Math.ceil(key.asymmetricKeyDetails!.modulusLength! / 8) - overheadBytes;
  return (text: string, what: string): string => {
    const plain = Buffer.from(text, 'utf16le');
    if (plain.length > capacityBytes) {
      const most = Math.floor(capacityBytes / 2);
      const message = `${what}: expected at most ${most} characters by the key of this service, received more`;
      throw new ConverterError('LOGIN_REFUSED', message);
    }
    return publicEncrypt({ key, padding }, plain).toString('base64');
  };
}

const PEM = /-----BEGIN [A-Z0-9 ]+-----([A-Za-z0-9+/=\s]+)-----END/;

function readPublicKey(wrapped: string): KeyObject {
  // A server may send its PEM text unencoded.
  const given = Buffer.from(wrapped, 'base64');
  const [, pem] = PEM.exec(wrapped) ?? PEM.exec(given.toString('latin1')) ?? [];
  const bytes = pem === undefined ? given : Buffer.from(pem, 'base64');
  for (const form of KEY_FORMS) {
    try {
      const key = form(bytes);
      if (key.asymmetricKeyType === 'rsa') return key;
    } catch {
      // The key does not have this form; the next one may fit.
    }
  }
  const expected = 'an RSA key as Base64 of PEM, SPKI, PKCS#1 or a certificate';
  const message = `GetPublicKey: expected ${expected}, received something else`;
  throw new ConverterError('AUTH_PROTOCOL', message);
}

/**
 * Names an account by 16 hex digits that reveal nothing about it; the password does not count (D-716).
 *
 * @example `accountOf({ token: 'T' }); // → '240e7e78da401ffe'`
 */
export function accountOf(
  credentials: { token: string } | { username: string; appKey?: string },
): string {
  const { key, text } =
    'token' in credentials
      ? { key: 'token', text: credentials.token }
      : { key: credentials.appKey ?? '', text: credentials.username };
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 16);
}
