/**
 * Read form: the three fields of a posted login.
 *
 * In: a body and its content type. Out: a login. No sentence of it quotes what a field holds.
 */
import type { TokenRequest } from '../service/issue-token.ts';
import type { Post } from './door.ts';
import { Refusal } from './refusal.ts';

const URL_ENCODED = /^application\/x-www-form-urlencoded\b/i;
const MULTIPART = /^multipart\/form-data\b/i;
const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

type Fields = Iterable<readonly [string, unknown]>;

/**
 * Reads a form, URL-encoded or in parts; `rememberme` may be left out and is false then.
 *
 * @throws {@link Refusal} 415 for anything but a form, 400 for a field that is missing, empty,
 *   repeated or no text.
 *
 * @see Spec 4.7; D-817.
 */
export async function readLoginForm(
  post: Pick<Post, 'bytes' | 'contentType'>,
): Promise<TokenRequest> {
  const fields = new Map<string, string>();
  for (const [name, value] of await fieldsOf(post)) {
    if (typeof value !== 'string') throw new Refusal(400, 'form: expected texts, received a file');
    if (fields.has(name)) throw new Refusal(400, 'form: a field is given twice');
    fields.set(name, value);
  }
  const rememberMe = TRUTH.get(fields.get('rememberme') ?? 'false');
  if (rememberMe === undefined) throw new Refusal(400, 'rememberme: expected true or false');
  return {
    username: required(fields, 'username'),
    password: required(fields, 'password'),
    rememberMe,
  };
}

async function fieldsOf({
  bytes,
  contentType,
}: Pick<Post, 'bytes' | 'contentType'>): Promise<Fields> {
  if (URL_ENCODED.test(contentType)) return new URLSearchParams(new TextDecoder().decode(bytes));
  if (MULTIPART.test(contentType)) return parts(bytes, contentType);
  throw new Refusal(
    415,
    'expected a form with username, password and rememberme (application/x-www-form-urlencoded or multipart/form-data)',
  );
}

async function parts(bytes: Uint8Array, contentType: string): Promise<Fields> {
  try {
    const headers = { 'content-type': contentType };
    return await new Response(Buffer.from(bytes), { headers }).formData();
  } catch {
    throw new Refusal(400, 'form: expected multipart/form-data, received something else');
  }
}

function required(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name) ?? '';
  if (value === '') throw new Refusal(400, `${name}: expected a text, received nothing`);
  return value;
}
