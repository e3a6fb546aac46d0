/** The authentication server: its RSA key, and session tokens for encrypted logins (Spec 4.1, 5). */
import { constants, generateKeyPair, type KeyObject, privateDecrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type Answer, type Call, Refusal, type Route } from './route.ts';
import type { TokenRegistry } from './tokens.ts';

/** The one user of an emulator. */
export interface Login {
  username: string;
  password: string;
  appKey: string;
}

/** Format in which the public key is published, always as Base64. */
export type KeyForm = 'pem' | 'spki' | 'pkcs1' | 'x509';

const MODULUS_BYTES = 256;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const FIELDS = ['User', 'Password', 'PublicKey', 'RememberMe', 'AppKey'];

/**
 * Rows of the authentication server, below `{auth_url}`.
 *
 * Answers are `{"result":[…]}`, refusals `{"error":"…"}` with status 500 (D-601). The name of the
 * second operation is between percent-encoded quotes.
 *
 * @see Spec 4.1, 5.
 */
export function authRoutes(
  base: string,
  login: Login,
  tokens: TokenRegistry,
  keyForm: KeyForm,
): Route[] {
  // The key is made on another thread, while this one starts the server.
  void serverKey();
  return [
    {
      operation: 'getpublickey',
      path: `${base}/GetPublicKey/`,
      answer: async () => result(await publicKeyText(keyForm)),
    },
    {
      operation: 'getsessiontoken',
      method: 'POST',
      path: `${base}/"GetSessionToken"/`,
      answer: async (call) => result(tokens.issue(await checkLogin(call, login, keyForm))),
    },
  ];
}

function result(value: string): Answer {
  return { kind: 'json', json: { result: [value] } };
}

function refuse(message: string): never {
  throw new Refusal(500, message);
}

/** Checks a token request and returns its `RememberMe`. */
async function checkLogin(call: Call, login: Login, keyForm: KeyForm): Promise<boolean> {
  const body = tokenRequest(call);
  const key = await serverKey();
  if (body.PublicKey !== (await publicKeyText(keyForm))) {
    refuse('PublicKey: expected the key exactly as GetPublicKey gives it');
  }
  const remembered = body.RememberMe;
  if (typeof remembered !== 'boolean') refuse('RememberMe: expected true or false');
  // The published sample omits AppKey, so it may be missing; a wrong one is refused (D-725).
  if (body.AppKey !== undefined && body.AppKey !== login.appKey) refuse('AppKey is unknown');
  const isUser = isEncrypted(key, body.User, 'User', login.username);
  const isPassword = isEncrypted(key, body.Password, 'Password', login.password);
  if (!isUser || !isPassword) refuse('user or password is wrong');
  return remembered;
}

/** The JSON body of a token request; the headers are those that the specification requires (D-725). */
function tokenRequest({ headers, body }: Call): Record<string, unknown> {
  if (!/^application\/json\b/i.test(String(headers['content-type'] ?? ''))) {
    refuse('Content-Type: expected application/json');
  }
  if (!/\bapplication\/json\b/i.test(String(headers.accept ?? ''))) {
    refuse('Accept: expected application/json');
  }
  const value = parsed(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse('body: expected a JSON object');
  }
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) refuse(`${unknown}: no such field`);
  return value as Record<string, unknown>;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return refuse('body: expected JSON');
  }
}

/** Whether a field decrypts to a text in UTF-16, little endian, without a byte order mark, with either padding. */
function isEncrypted(
  { privateKey }: ServerKey,
  value: unknown,
  field: string,
  expected: string,
): boolean {
  if (typeof value !== 'string' || value === '' || !BASE64.test(value)) {
    refuse(`${field}: expected Base64`);
  }
  const ciphertext = Buffer.from(value, 'base64');
  const wanted = Buffer.from(expected, 'utf16le');
  let isReadable = false;
  for (const decrypt of ciphertext.length === MODULUS_BYTES ? [fromPkcs1, fromOaep] : []) {
    try {
      // The bytes are compared, so no other encoding passes.
      if (decrypt(privateKey, ciphertext).equals(wanted)) return true;
      isReadable = true;
    } catch {
      // The padding is another one.
    }
  }
  if (!isReadable) refuse(`${field}: cannot be decrypted`);
  return false;
}

/** Decrypts RSAES-PKCS1-v1_5 (RFC 8017, 7.2.2): Node decrypts, but refuses to remove this padding (D-602). */
function fromPkcs1(key: KeyObject, ciphertext: Buffer): Buffer {
  const padded = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, ciphertext);
  const end = padded.indexOf(0, 2);
  if (padded[0] !== 0 || padded[1] !== 2 || end < 10) throw new Error('not PKCS#1 v1.5');
  return padded.subarray(end + 1);
}

function fromOaep(key: KeyObject, ciphertext: Buffer): Buffer {
  return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING }, ciphertext);
}

type ServerKey = Record<'publicKey' | 'privateKey', KeyObject>;

let shared: Promise<ServerKey> | undefined;

/**
 * The RSA-2048 key of this process, created at the first call and never stored. All emulators of a
 * process share it: creating one takes up to half a second, and no token depends on it.
 */
function serverKey(): Promise<ServerKey> {
  shared ??= promisify(generateKeyPair)('rsa', { modulusLength: 8 * MODULUS_BYTES });
  return shared;
}

/** The bytes that each form publishes as Base64. */
const KEY_FORMS: Record<KeyForm, (key: ServerKey) => Buffer | Promise<Buffer>> = {
  pem: ({ publicKey }) => Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
  spki: ({ publicKey }) => publicKey.export({ type: 'spki', format: 'der' }),
  pkcs1: ({ publicKey }) => publicKey.export({ type: 'pkcs1', format: 'der' }),
  x509: selfSigned,
};

/** What was published of the key: each login needs it twice. */
const publicKeyTexts = new Map<KeyForm, Promise<string>>();

function publicKeyText(form: KeyForm): Promise<string> {
  const made = publicKeyTexts.get(form) ?? newPublicKeyText(form);
  publicKeyTexts.set(form, made);
  return made;
}

async function newPublicKeyText(form: KeyForm): Promise<string> {
  const bytes = await KEY_FORMS[form](await serverKey());
  return bytes.toString('base64');
}

/** A certificate around the key; its dates are fixed, since no client checks them. */
async function selfSigned({ privateKey: key }: ServerKey): Promise<Buffer> {
  const { default: forge } = await import('node-forge');
  const pem = key.export({ type: 'pkcs1', format: 'pem' }).toString();
  const privateKey = forge.pki.privateKeyFromPem(pem);
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
