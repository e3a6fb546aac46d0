/** Addresses of requests, byte for byte. No URL parser touches a path, because it would undo encodings. */
import { isPrivate } from '../../support/addresses.ts';
import { ConverterError, type ErrorCode, isConverterError } from '../../support/errors.ts';
import { GROUPS, type Operation, spell, type Values } from './operations.ts';

/** How a service answers at an address that it does not have, besides 404. */
const REFUSALS: readonly ErrorCode[] = ['HTTP_STATUS', 'RESPONSE_INVALID', 'REDIRECT_REFUSED'];

/** A base address; `origin` is scheme, host and port, `path` has no slash at its end. */
interface Address {
  origin: string;
  path: string;
}

export interface Addresses {
  authUrl: Address;
  baseUrl: Address;
}

/** Address of one request. Its path includes the query as sent; `queryBytes` is the length of the query. */
export interface Target extends Address {
  queryBytes: number;
}

/**
 * Reads a base address; throws `USAGE`, naming the setting, if it is no plain http or https address.
 *
 * @example `readAddress('https://h/base/', 'baseUrl'); // → { origin: 'https://h', path: '/base' }`
 */
export function readAddress(address: string, name: string): Address {
  const fail = (expected: string) =>
    new ConverterError('USAGE', `${name}: expected an address ${expected}`);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw fail('that starts with http:// or https://');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw fail('without user, password, query and fragment');
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') };
}

/**
 * Reads an address of the service, which gets passwords and tokens.
 *
 * @param allowHttp - Whether the address may lack TLS beyond this machine.
 * @throws {@link ConverterError} `USAGE`, naming the setting.
 */
export function readServiceAddress(address: string, name: string, allowHttp = false): Address {
  const read = readAddress(address, name);
  if (allowHttp || isPrivate(address)) return read;
  const expected = 'expected an address with https://, or one of this machine';
  const message = `${name}: ${expected}, received ${read.origin}: passwords would cross the network unencrypted`;
  const help =
    'use https://, or allow it by --allow-http or service.allowHttp in the pipeline file';
  throw new ConverterError('USAGE', message, { help });
}

/**
 * Encodes a value so that it arrives byte for byte: only `A-Z a-z 0-9 - . _ ~` stay as they are (D-607). Throws
 * `RESPONSE_INVALID` if the value is no well-formed text.
 *
 * @example `encodeStrictly("A+B 'ü'"); // → 'A%2BB%20%27%C3%BC%27'`
 */
export function encodeStrictly(value: string): string {
  // Most values need no encoding.
  if (/^[\w.~-]*$/.test(value)) return value;
  try {
    return encodeURIComponent(value).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch (cause) {
    const message = 'expected well-formed text, received half a character (a lone surrogate)';
    throw new ConverterError('RESPONSE_INVALID', message, { cause });
  }
}

/**
 * Builds the target of one request to one of the addresses of its row (spec 4; D-606, D-607).
 *
 * @param which - Index of the address of the row; 0 is its own.
 * @throws {@link ConverterError} code of the row's 404 if a path segment is empty, `.` or `..`.
 */
export function buildTarget(
  operation: Operation<unknown>,
  values: Values,
  addresses: Addresses,
  token: string | undefined,
  which = 0,
): Target {
  const { group: groupName, path: pattern } =
    which === 0 ? operation : operation.others![which - 1]!;
  const group = GROUPS[groupName];
  const address = addresses[group.address];
  const spelled = (name: string) => spell(operation, name, name === 'token' ? token : values[name]);
  const fill = (_: string, name: string, many?: string) => {
    const parts = many === undefined ? [spelled(name)] : spelled(name).split('/');
    return parts.map((part) => segment(operation, part)).join('/');
  };
  const path = pattern.includes('{') ? pattern.replace(/\{(\w+)(\.\.\.)?\}/g, fill) : pattern;
  let query = operation.token === 'query' ? `token=${encodeStrictly(token ?? '')}` : '';
  for (const [name, value] of queryOf(operation, values)) {
    query += `${query === '' ? '' : '&'}${name}=${encodeStrictly(value)}`;
  }
  return {
    origin: address.origin,
    path: `${address.path}${group.path}${path}${query === '' ? '' : `?${query}`}`,
    queryBytes: query.length,
  };
}

/** The query parameters of a request, in their order, without its token: `[['q', 'desk']]`. */
export function queryOf(operation: Operation<unknown>, values: Values): [string, string][] {
  const sent: [string, string][] = [];
  for (const { name, from, required } of operation.query) {
    const value = spell(operation, from, values[from]);
    if (required || value !== '') sent.push([name, value]);
  }
  return sent;
}

/**
 * Creates a function that sends a request to one address of its row after the other, until the service does not
 * refuse it. The address that worked is used first from then on (D-604, D-780).
 */
export function createFallback() {
  const worked = new Map<Operation<unknown>, number>();
  return async <T>(
    operation: Operation<unknown>,
    preferred: number | undefined,
    send: (address: number) => Promise<T>,
  ): Promise<T> => {
    // Most operations have one address.
    if (operation.others === undefined) return send(0);
    const { others, missing } = operation;
    const first = preferred ?? worked.get(operation) ?? 0;
    let refusal: unknown;
    for (const address of new Set([first, 0, ...others.map((_, index) => index + 1)])) {
      try {
        const answer = await send(address);
        worked.set(operation, address);
        return answer;
      } catch (error) {
        if (!isConverterError(error, missing, ...REFUSALS) || error.status === 429) throw error;
        // Several answers "not there" count as one; a failure that may pass is more informative.
        if (refusal === undefined || isConverterError(refusal, missing)) refusal = error;
      }
    }
    throw refusal;
  };
}

/** Returns a path segment. Servers take `.` and `..` for steps in a path however encoded, so no name is one. */
function segment(operation: Operation<unknown>, value: string): string {
  if (value === '' || value === '.' || value === '..') {
    const message = `${operation.missingMeans}: ${JSON.stringify(value)} is no name`;
    throw new ConverterError(operation.missing, message, { status: 404 });
  }
  return encodeStrictly(value);
}
