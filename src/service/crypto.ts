/** Encrypts user name and password for the authentication server with its public key. */
import { createHmac } from 'node:crypto';
import type Forge from 'node-forge';
import { ConverterError } from '../support/errors.ts';
import type { ServiceConfig } from './service-config.ts';

type Padding = NonNullable<ServiceConfig['padding']>;

/** How a text is padded before it is encrypted, and the bytes of the key that the padding takes up. */
const PADDINGS = {
  pkcs1: { scheme: 'RSAES-PKCS1-V1_5', overheadBytes: 11 },
  oaep: { scheme: 'RSA-OAEP', overheadBytes: 42 },
} as const satisfies Record<Padding, unknown>;

type PublicKey = Forge.pki.rsa.PublicKey;

/** Ways in which a server may wrap its key, tried in this order on the bytes of the Base64. */
const KEY_FORMS: readonly ((forge: typeof Forge, bytes: string) => PublicKey)[] = [
  (forge, bytes) => forge.pki.publicKeyFromPem(bytes),
  (forge, bytes) => forge.pki.certificateFromPem(bytes).publicKey as PublicKey,
  // Reads both SPKI and PKCS#1.
  (forge, bytes) => forge.pki.publicKeyFromAsn1(forge.asn1.fromDer(bytes)) as PublicKey,
  (forge, bytes) => forge.pki.certificateFromAsn1(forge.asn1.fromDer(bytes)).publicKey as PublicKey,
];

/**
 * Creates a function that encrypts a text with a public key: UTF-16 little endian without byte-order mark,
 * padded, encrypted, Base64. `what` names it in an error: the text itself is never quoted.
 *
 * @param key - Base64 of PEM text, SPKI DER, PKCS#1 DER or an X.509 certificate.
 * @throws {@link ConverterError} `AUTH_PROTOCOL` if the key is in none of these forms; the function throws
 * `LOGIN_REFUSED` if the text is longer than the key allows. See spec 5; D-602.
 */
export async function createEncryptor(key: string, padding: Padding) {
  const { default: forge } = await import('node-forge');
  const publicKey = readPublicKey(forge, key);
  const { scheme, overheadBytes } = PADDINGS[padding];
  const capacityBytes = Math.ceil(publicKey.n.bitLength() / 8) - overheadBytes;
  return (text: string, what: string): string => {
    const plain = Buffer.from(text, 'utf16le');
    if (plain.length > capacityBytes) {
      const most = Math.floor(capacityBytes / 2);
      const message = `${what}: expected at most ${most} characters by the key of this service, received more`;
      throw new ConverterError('LOGIN_REFUSED', message);
    }
    return forge.util.encode64(publicKey.encrypt(plain.toString('latin1'), scheme));
  };
}

function readPublicKey(forge: typeof Forge, key: string): PublicKey {
  // Some server may send its PEM text as it is.
  const bytes = key.includes('-----BEGIN') ? key : Buffer.from(key, 'base64').toString('latin1');
  for (const form of KEY_FORMS) {
    try {
      const publicKey = form(forge, bytes);
      if (publicKey?.n !== undefined) return publicKey;
    } catch {
      // Not this form: the next one may fit.
    }
  }
  const expected = 'an RSA key as Base64 of PEM, SPKI, PKCS#1 or a certificate';
  const message = `GetPublicKey: expected ${expected}, received something else`;
  throw new ConverterError('AUTH_PROTOCOL', message);
}

/**
 * Names an account by 16 hex digits, from which nothing of it can be derived; the password does not count (D-716).
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
