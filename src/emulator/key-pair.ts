/**
 * Key pair: the RSA key of the authentication server, in the forms that servers publish.
 *
 * In: nothing. Out: a public key as Base64, and the decryption that belongs to it.
 */
import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** How the public key is published, each as Base64. */
export type KeyForm = 'pem' | 'spki' | 'pkcs1' | 'x509';

/** The two paddings that clients use. */
export const PADDINGS = ['RSAES-PKCS1-V1_5', 'RSA-OAEP'] as const;

/** The key of an authentication server. */
export interface ServerKey {
  /** Published form, Base64. */
  publicKey(form: KeyForm): Promise<string>;
  /** Every reading of the ciphertext: one for each padding that fits. */
  decrypt(ciphertext: Uint8Array): Promise<Buffer[]>;
}

let shared: Promise<ServerKey> | undefined;

/**
 * The key of this process, made at the first call.
 *
 * RSA-2048, never stored. All emulators of a process share it: making one takes up to half a second,
 * and no token depends on it.
 *
 * node-forge decrypts, since Node 20 refuses PKCS#1 v1.5 with a private key (D-603).
 */
export function serverKey(): Promise<ServerKey> {
  shared ??= makeServerKey();
  return shared;
}

async function makeServerKey(): Promise<ServerKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
  });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const published = new Map<KeyForm, Promise<string>>();
  return {
    publicKey(form) {
      let text = published.get(form);
      if (text === undefined) {
        text = KEY_FORMS[form](publicKey, pem).then((bytes) => bytes.toString('base64'));
        published.set(form, text);
      }
      return text;
    },
    decrypt: (ciphertext) => readings(pem, ciphertext),
  };
}

/** The bytes that each form takes as Base64. */
const KEY_FORMS: Record<KeyForm, (key: KeyObject, privatePem: string) => Promise<Buffer>> = {
  pem: async (key) => Buffer.from(key.export({ type: 'spki', format: 'pem' }).toString()),
  spki: async (key) => key.export({ type: 'spki', format: 'der' }),
  pkcs1: async (key) => key.export({ type: 'pkcs1', format: 'der' }),
  x509: (_key, privatePem) => selfSigned(privatePem),
};

async function readings(privatePem: string, ciphertext: Uint8Array): Promise<Buffer[]> {
  const { default: forge } = await import('node-forge');
  const key = forge.pki.privateKeyFromPem(privatePem);
  const bytes = Buffer.from(ciphertext).toString('latin1');
  const found: Buffer[] = [];
  for (const padding of PADDINGS) {
    try {
      found.push(Buffer.from(key.decrypt(bytes, padding), 'latin1'));
    } catch {
      // The padding does not fit: the other one may.
    }
  }
  return found;
}

/** A certificate around the key; its dates are fixed, since nobody checks them and no clock is read. */
async function selfSigned(privatePem: string): Promise<Buffer> {
  const { default: forge } = await import('node-forge');
  const privateKey = forge.pki.privateKeyFromPem(privatePem);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(privateKey.n, privateKey.e);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date('2020-01-01T00:00:00Z');
  certificate.validity.notAfter = new Date('2049-12-31T00:00:00Z');
  const name = [{ name: 'commonName', value: 'emulator' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.sign(privateKey, forge.md.sha256.create());
  const der = forge.asn1.toDer(forge.pki.certificateToAsn1(certificate)).getBytes();
  return Buffer.from(der, 'latin1');
}
