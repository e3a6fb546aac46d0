import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import type { Emulator } from '../../src/emulator/emulator.ts';

/** What the specification's section 5 sends; independent of our own client on purpose. */
export async function tokenRequest(
  emulator: Emulator,
  changes: {
    username?: string;
    password?: string;
    padding?: number;
    encoding?: BufferEncoding;
  } = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(`${emulator.authUrl}/GetPublicKey/`);
  const { result } = (await response.json()) as { result: [string] };
  const key = createPublicKey(Buffer.from(result[0], 'base64').toString());
  const padding = changes.padding ?? constants.RSA_PKCS1_PADDING;
  const encrypt = (text: string): string => {
    const bytes = Buffer.from(text, changes.encoding ?? 'utf16le');
    return publicEncrypt({ key, padding }, bytes).toString('base64');
  };
  return {
    User: encrypt(changes.username ?? emulator.username),
    Password: encrypt(changes.password ?? emulator.password),
    PublicKey: result[0],
    RememberMe: false,
    AppKey: emulator.appKey,
  };
}

/** Posts a token request as it is. */
export function postTokenRequest(
  emulator: Emulator,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${emulator.authUrl}/%22GetSessionToken%22/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Logs in and returns the token. */
export async function logIn(emulator: Emulator, rememberMe = false): Promise<string> {
  const body = { ...(await tokenRequest(emulator)), RememberMe: rememberMe };
  const response = await postTokenRequest(emulator, body);
  const answer = (await response.json()) as { result?: [string]; error?: string };
  if (answer.result === undefined) throw new Error(`login refused: ${answer.error}`);
  return answer.result[0];
}

/** Query string that encodes everything but unreserved characters. */
export function queryOf(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}

/** GETs an operation of a group, such as `odb/btg`, with a token. */
export function call(
  emulator: Emulator,
  operation: string,
  parameters: Record<string, string> = {},
): Promise<Response> {
  return fetch(addressOf(emulator, operation, parameters));
}

function addressOf({ baseUrl }: Emulator, operation: string, parameters: Record<string, string>) {
  const [group] = operation.split('/', 1);
  const query = queryOf(parameters);
  return `${baseUrl}/api/${group}.dll/${operation}${query && `?${query}`}`;
}

/** POSTs JSON to an operation of a group, such as `ofml/articles`, with a token. */
export function post(
  emulator: Emulator,
  operation: string,
  parameters: Record<string, string>,
  body: unknown,
  contentType = 'application/json',
): Promise<Response> {
  return fetch(addressOf(emulator, operation, parameters), {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Ends a session at one group. */
export function logOut(emulator: Emulator, group: 'xcf' | 'odb', token: string): Promise<Response> {
  const path = `/api/${group}.dll/${group}/logout/${encodeURIComponent(token)}`;
  return fetch(emulator.baseUrl + path, { method: 'POST' });
}
