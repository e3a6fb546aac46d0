/**
 * Targets: where a request goes, byte for byte.
 *
 * In: a row of the table, named values, a token. Out: an origin and a path as it stands on the wire.
 * It must not know how a request is sent. No URL parser touches a path: it would undo encodings.
 */
import { ConverterError } from '../support/errors.ts';
import { GROUPS, type Operation, spell, type Values } from './operation.ts';

export type { Values } from './operation.ts';

const MASK = '***';

/** A base address, taken apart. */
export interface Address {
  /** Scheme, host and port. */
  origin: string;
  /** Path without a slash at its end. */
  path: string;
}

/** The two addresses of a service. */
export interface Addresses {
  authUrl: Address;
  baseUrl: Address;
}

/** Where one request goes. */
export interface Target {
  origin: string;
  /** Path and query as sent. */
  path: string;
  /** Length of the query: some servers refuse long ones. */
  queryBytes: number;
}

/**
 * Reads a base address.
 *
 * @param name - What the address is called where the user set it.
 * @throws {@link ConverterError} `USAGE` if it is no plain http or https address.
 *
 * @example
 * ```ts
 * readAddress('https://service.example/base/', 'baseUrl');
 * // → { origin: 'https://service.example', path: '/base' }
 * ```
 */
export function readAddress(address: string, name: string): Address {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConverterError(
      'USAGE',
      `${name}: expected an address that starts with http:// or https://`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const message = `${name}: expected an address without user, password, query and fragment`;
    throw new ConverterError('USAGE', message);
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') };
}

/**
 * Encodes a value so that it arrives byte for byte: only `A-Z a-z 0-9 - . _ ~` stay as they are.
 *
 * @throws {@link ConverterError} `RESPONSE_INVALID` if the value is no well-formed text.
 *
 * @example
 * ```ts
 * encodeStrictly("A+B 'ü'"); // → 'A%2BB%20%27%C3%BC%27'
 * ```
 *
 * @see D-607.
 */
export function encodeStrictly(value: string): string {
  try {
    return encodeURIComponent(value).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch (cause) {
    const message = 'a name cannot be sent: it holds half a character (a lone surrogate)';
    throw new ConverterError('RESPONSE_INVALID', message, { cause });
  }
}

/**
 * Builds the target of one request.
 *
 * @param values - Values by our names; those that the row does not declare are not sent.
 * @param token - Undefined for operations without one.
 * @throws {@link ConverterError} code of the row's 404 if a path segment is empty, `.` or `..`.
 *
 * @example
 * ```ts
 * buildTarget(OPERATIONS.getBlock, { name: 'ACME::DESK::LEG' }, addresses, 'T');
 * // → { origin: 'https://h', path: '/api/odb.dll/odb/block/ACME%3A%3ADESK%3A%3ALEG?token=T', queryBytes: 7 }
 * ```
 *
 * @see Spec 4; D-606, D-607.
 */
export function buildTarget(
  operation: Operation<unknown>,
  values: Values,
  addresses: Addresses,
  token: string | undefined,
): Target {
  const group = GROUPS[operation.group];
  const address = addresses[group.address];
  const spelled = (name: string) => spell(operation, name, name === 'token' ? token : values[name]);
  const path = operation.path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, many?: string) => {
    const parts = many === undefined ? [spelled(name)] : spelled(name).split('/');
    return parts.map((part) => segment(operation, part)).join('/');
  });
  const pairs = operation.token === 'query' ? [`token=${encodeStrictly(token ?? '')}`] : [];
  for (const [name, value] of queryOf(operation, values)) {
    pairs.push(`${name}=${encodeStrictly(value)}`);
  }
  const query = pairs.join('&');
  return {
    origin: address.origin,
    path: `${address.path}${group.path}${path}${query === '' ? '' : `?${query}`}`,
    queryBytes: query.length,
  };
}

/**
 * The query parameters that a request is sent with, in their order, without its token.
 *
 * @example
 * ```ts
 * queryOf(OPERATIONS.search, { manufacturer: 'ACME', query: 'desk' }); // → [['q', 'desk']]
 * ```
 */
export function queryOf(operation: Operation<unknown>, values: Values): [string, string][] {
  return operation.query.flatMap(({ name, from, required }): [string, string][] => {
    const value = spell(operation, from ?? name, values[from ?? name]);
    return required || value !== '' ? [[name, value]] : [];
  });
}

/**
 * The address that a request goes to, for error messages: with a mask where the token stands.
 *
 * @returns Undefined where there is none, since a name cannot be sent.
 */
export function shownUrl(
  operation: Operation<unknown>,
  values: Values,
  addresses: Addresses,
): string | undefined {
  try {
    const { origin, path } = buildTarget(operation, values, addresses, MASK);
    return `${origin}${path.replace(encodeStrictly(MASK), MASK)}`;
  } catch {
    return undefined;
  }
}

/** Servers take `.` and `..` for steps in a path however they are encoded, so no name is one. */
function segment(operation: Operation<unknown>, value: string): string {
  if (value === '' || value === '.' || value === '..') {
    const message = `${operation.missingMeans}: ${JSON.stringify(value)} is no name`;
    throw new ConverterError(operation.missing, message, { status: 404 });
  }
  return encodeStrictly(value);
}
