/**
 * Auth: the authentication server.
 *
 * In: an encrypted user name and password. Out: a session token.
 * It must not know the API groups, and nothing of it is imported by a client.
 *
 * @see Spec 4.1, 5.
 */
import { type KeyForm, serverKey } from './key-pair.ts';
import { type Answer, type Call, Refusal, type Route } from './route.ts';
import type { TokenRegistry } from './tokens.ts';

/** Who may log in. */
export interface Login {
  username: string;
  password: string;
  appKey: string;
}

export interface AuthOptions {
  login: Login;
  tokens: TokenRegistry;
  keyForm: KeyForm;
}

const JSON_TYPE = /^application\/json\b/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const FIELDS = ['User', 'Password', 'PublicKey', 'RememberMe', 'AppKey'];

/**
 * Rows of the authentication server, below `{auth_url}`.
 *
 * Answers are `{"result":[…]}`, refusals `{"error":"…"}` with status 500 (D-601). The name of the
 * second operation stands between percent-encoded quotes.
 *
 * @see Spec 4.1, 5.
 */
export function authRoutes(options: AuthOptions): readonly Route[] {
  return [
    {
      operation: 'getpublickey',
      method: 'GET',
      path: '/GetPublicKey/',
      token: { in: 'nowhere' },
      required: [],
      optional: [],
      answer: async () => result(await (await serverKey()).publicKey(options.keyForm)),
    },
    {
      operation: 'getsessiontoken',
      method: 'POST',
      path: '/"GetSessionToken"/',
      token: { in: 'nowhere' },
      required: [],
      optional: [],
      answer: (call) => logIn(call, options),
    },
  ];
}

function result(value: string): Answer {
  return { kind: 'json', json: { result: [value] } };
}

function refuse(message: string): never {
  throw new Refusal(500, message);
}

async function logIn(call: Call, { login, tokens, keyForm }: AuthOptions): Promise<Answer> {
  const body = tokenRequest(call);
  const key = await serverKey();
  if (body.PublicKey !== (await key.publicKey(keyForm))) {
    refuse('PublicKey: expected the key exactly as GetPublicKey gives it');
  }
  const remembered = body.RememberMe;
  if (typeof remembered !== 'boolean') refuse('RememberMe: expected true or false');
  // The published sample leaves AppKey out, so it may be missing; a wrong one is refused (D-722).
  if (body.AppKey !== undefined && body.AppKey !== login.appKey) refuse('AppKey is unknown');
  const user = await decrypted(body.User, 'User');
  const password = await decrypted(body.Password, 'Password');
  if (!holds(user, login.username) || !holds(password, login.password)) {
    refuse('user or password is wrong');
  }
  return result(tokens.issue(remembered));
}

/** The JSON body of a token request; the headers are those that the specification asks for (D-725). */
function tokenRequest(call: Call): Record<string, unknown> {
  if (!JSON_TYPE.test(String(call.headers['content-type'] ?? ''))) {
    refuse('Content-Type: expected application/json');
  }
  if (!/\bapplication\/json\b/i.test(String(call.headers.accept ?? ''))) {
    refuse('Accept: expected application/json');
  }
  const body = parsed(call.body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    refuse('body: expected a JSON object');
  }
  const unknown = Object.keys(body).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) refuse(`${unknown}: no such field`);
  return body as Record<string, unknown>;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return refuse('body: expected JSON');
  }
}

async function decrypted(value: unknown, field: string): Promise<Buffer[]> {
  if (typeof value !== 'string' || value === '' || !BASE64.test(value)) {
    refuse(`${field}: expected Base64`);
  }
  const readings = await (await serverKey()).decrypt(Buffer.from(value, 'base64'));
  if (readings.length === 0) refuse(`${field}: cannot be decrypted`);
  return readings;
}

/** UTF-16, little endian, without a byte order mark: compared as bytes, so nothing else will do. */
function holds(readings: Buffer[], expected: string): boolean {
  return readings.some((reading) => reading.equals(Buffer.from(expected, 'utf16le')));
}
