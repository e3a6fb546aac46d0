/**
 * Split address: an address taken apart by its marks alone, so that nothing in it is re-encoded.
 *
 * In: a text. Out: base, path, parameters and fragment that join to the same text.
 * It must not know what a parameter means.
 */
import { ConverterError } from '../support/errors.ts';

/** One parameter; `raw` is its value as it stands, with the `=` where there is one. */
export interface Parameter {
  name: string;
  raw: string;
}

/** An address in parts. */
export interface AddressParts {
  /** Scheme and host; empty where the address is relative. */
  base: string;
  path: string;
  parameters: Parameter[];
  /** With its `#`; empty where there is none. */
  fragment: string;
  /** Whether the address was written as HTML, with `&amp;` between its parameters. */
  entities: boolean;
}

const PARTS =
  /^(?<base>(?:https?:)?\/\/[^/?#]+)?(?<path>[^?#]*)(?:\?(?<query>[^#]*))?(?<fragment>#.*)?$/is;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const ENTITY = /&(?:amp;)+/g;

/**
 * Takes an address apart.
 *
 * @throws {@link ConverterError} `USAGE` where it has a scheme other than http and https, or cannot be one.
 *
 * @example
 * ```ts
 * splitAddress('https://h/a.php?x=1&amp;y#z');
 * // → { base: 'https://h', path: '/a.php', parameters: [{ name: 'x', raw: '=1' }, { name: 'y', raw: '' }], fragment: '#z', entities: true }
 * ```
 */
export function splitAddress(address: string): AddressParts {
  const { base = '', path = '', query = '', fragment = '' } = PARTS.exec(address)?.groups ?? {};
  const isAddress = URL.canParse(address, 'https://relative.invalid/');
  if (address === '' || !isAddress || (base === '' && SCHEME.test(path))) {
    const message = 'migrate: expected an address that starts with http:// or https://';
    throw new ConverterError('USAGE', message);
  }
  const texts = query.replace(ENTITY, '&').split('&');
  return {
    base,
    path,
    parameters: texts.filter((text) => text !== '').map(parameter),
    fragment,
    entities: query.includes('&amp;'),
  };
}

function parameter(text: string): Parameter {
  const at = text.indexOf('=');
  return at < 0 ? { name: text, raw: '' } : { name: text.slice(0, at), raw: text.slice(at) };
}

/** Puts an address together again. */
export function joinAddress(
  address: string,
  parameters: readonly Parameter[],
  fragment: string,
): string {
  const query = parameters.map(({ name, raw }) => `${name}${raw}`).join('&');
  return `${address}${query === '' ? '' : `?${query}`}${fragment}`;
}
