/** The addresses of assets: which configuration and which form a path and its query mean, and the other way round. */
import type { AssetForm } from '../../deliver/asset-forms.ts';
import type { ConfigurationRequest } from '../../run/on-demand-run.ts';
import { didYouMean } from '../../support/nearest.ts';
import { Refusal } from '../servers/http.ts';

/** Forms of which each file shows one configuration. */
export const FORMS = ['glb', 'usdz', 'json', 'jpg', 'png', 'webp', 'avif'] as const;
/** Forms of the code that leads to the page of a configuration. */
export const QR_FORMS = ['qr.svg', 'qr.png'] as const;

type Form = (typeof FORMS)[number] | (typeof QR_FORMS)[number] | 'swatch';
type Base = Pick<ConfigurationRequest, 'manufacturer' | 'program' | 'basearticlenumber'>;

/** A code that leads to the page of a configuration. */
export interface CodeForm {
  form: (typeof QR_FORMS)[number];
}

/** What an address means. */
export interface AssetAddress {
  request: ConfigurationRequest;
  /** Values as the address has them, in their order: a page sends them on. */
  values: readonly (readonly [property: string, value: string])[];
  form: AssetForm | CodeForm;
  /** What a signature covers, and the signature. */
  signature: Partial<Record<(typeof SIGNATURE)[number], string>>;
}

const LONGEST_QUERY = 8192;
const LONGEST_NAME = 512;
const MOST_VALUES = 100;

const STRINGS = ['finalarticlenumber', 'reinitstring', 'metareinitstring', 'permanentid'] as const;
const SHOWN = [
  ...(['profile', 'camera', 'frame', 'size', 'background'] as const),
  ...(['property', 'value'] as const),
] as const;
/** What a signed address has. */
export const SIGNATURE = ['forms', 'properties', 'expires', 'signature'] as const;

const PICTURES: readonly string[] = ['jpg', 'png', 'webp', 'avif'];
/** Forms to which a parameter applies. */
const APPLIES: Readonly<Record<(typeof SHOWN)[number], readonly string[]>> = {
  profile: ['glb'],
  camera: PICTURES,
  frame: PICTURES,
  size: PICTURES,
  background: PICTURES,
  property: ['swatch'],
  value: ['swatch'],
};

/**
 * Reads the address of an asset: `/a/<manufacturer>/<program>/<basearticlenumber>.<form>?…`.
 *
 * @param segments - The three decoded segments after `/a/`.
 * @param search - The query, without `?`. What no parameter of this program is named is a property.
 * @throws {@link Refusal} 400 with a sentence: an unknown form or parameter, one that is given twice, a text that is none.
 * @example
 * ```ts
 * readAssetAddress(['FJEL', 'LINEA', 'LN-M.usdz'], 'DEKOR=EI');
 * // → { request: { manufacturer: 'FJEL', …, values: { DEKOR: 'EI' } }, form: { form: 'usdz' }, … }
 * ```
 */
export function readAssetAddress(
  segments: readonly [manufacturer: string, program: string, file: string],
  search: string,
): AssetAddress {
  const file = segments[2];
  const form = ([...QR_FORMS, ...FORMS, 'swatch'] as const).find((one) => file.endsWith(`.${one}`));
  if (form === undefined) {
    const ending = file.slice(file.lastIndexOf('.') + 1);
    const hint = didYouMean(ending, FORMS);
    throw new Refusal(
      404,
      `form: expected one of ${[...FORMS, ...QR_FORMS].join(', ')}, received ${JSON.stringify(ending)}${hint}`,
    );
  }
  const name = file.slice(0, -form.length - 1);
  const { values, own } = readQuery(search);
  return {
    request: requestOf([segments[0], segments[1], name], values, own),
    values,
    form: formOf(form, own),
    signature: Object.fromEntries(
      SIGNATURE.flatMap((key) => (own.has(key) ? [[key, own.get(key)!]] : [])),
    ),
  };
}

/** Reads the address of the page of a configuration, which has no form. @throws as {@link readAssetAddress} */
export function readPageAddress(
  [manufacturer, program, basearticlenumber]: readonly [string, string, string],
  search: string,
): Omit<AssetAddress, 'form'> {
  const file = `${basearticlenumber}.json`;
  const { form: _, ...address } = readAssetAddress([manufacturer, program, file], search);
  return address;
}

/**
 * The address of another form of the same configuration, relative to the root of the server, with the same signature.
 *
 * @param shown - Further parameters, such as `profile`.
 */
export function addressOf(
  { request, values, signature }: Omit<AssetAddress, 'form'>,
  form: Form | 'ar',
  shown: Readonly<Record<string, string>> = {},
): string {
  const { manufacturer, program, basearticlenumber } = request;
  const parameters = new URLSearchParams([
    ...values,
    ...STRINGS.flatMap((key) => (request[key] ? [[key, request[key]]] : [])),
    ...Object.entries({ ...shown, ...signature }),
  ] as [string, string][]);
  const path = [manufacturer, program, basearticlenumber].map(encodeURIComponent).join('/');
  const query = parameters.size === 0 ? '' : `?${parameters}`;
  return form === 'ar' ? `/ar/${path}${query}` : `/a/${path}.${form}${query}`;
}

function requestOf(
  [manufacturer, program, basearticlenumber]: readonly [string, string, string],
  values: AssetAddress['values'],
  own: ReadonlyMap<string, string>,
): ConfigurationRequest {
  const base: Base = { manufacturer, program, basearticlenumber };
  for (const [key, text] of Object.entries(base)) checkText(key, text);
  const strings = Object.fromEntries(
    STRINGS.flatMap((key) => (own.get(key) ? [[key, own.get(key)]] : [])),
  );
  return { ...base, ...strings, ...(values.length > 0 && { values: Object.fromEntries(values) }) };
}

function readQuery(search: string) {
  if (search.length > LONGEST_QUERY) {
    throw new Refusal(414, `query: expected at most ${LONGEST_QUERY} characters`);
  }
  const own = new Map<string, string>();
  const values = new Map<string, string>();
  for (const [key, value] of new URLSearchParams(search)) {
    checkText(key === '' ? 'a parameter' : key, key);
    checkText(key, value, true);
    const isOwn = OWN.has(key);
    const into = isOwn ? own : values;
    if (into.has(key)) throw new Refusal(400, `${key}: expected once, received twice`);
    into.set(key, value);
  }
  if (values.size > MOST_VALUES) {
    throw new Refusal(400, `query: expected at most ${MOST_VALUES} properties`);
  }
  return { own, values: [...values] };
}

const OWN: ReadonlySet<string> = new Set([...STRINGS, ...SHOWN, ...SIGNATURE]);

/** Texts go to the service and into messages: none has controls, or what is no character. */
function checkText(name: string, text: string, mayBeEmpty = false): void {
  const shown = name.replace(/[\p{Cc}\p{Cs}]/gu, '?').slice(0, 100);
  if (text === '' && !mayBeEmpty)
    throw new Refusal(400, `${shown}: expected a text, received none`);
  if (text.length > (mayBeEmpty ? LONGEST_QUERY : LONGEST_NAME))
    throw new Refusal(400, `${shown}: expected a shorter text`);
  if (/[\p{Cc}\p{Cs}\uFFFD]/u.test(text))
    throw new Refusal(400, `${shown}: expected a text without control characters, in UTF-8`);
}

function formOf(form: Form, own: ReadonlyMap<string, string>): AssetAddress['form'] {
  for (const key of SHOWN) {
    if (!own.has(key) || APPLIES[key].includes(form)) continue;
    throw new Refusal(
      400,
      `${key}: expected only with ${APPLIES[key].join(', ')}, received with ${form}`,
    );
  }
  if (form === 'glb') {
    const profile = own.get('profile');
    return { form, ...(profile !== undefined && { profile }) };
  }
  if (form === 'swatch') {
    const [property = '', value = ''] = [own.get('property'), own.get('value')];
    return { form, property, value };
  }
  if (form === 'usdz' || form === 'json' || form === 'qr.svg' || form === 'qr.png') return { form };
  const [camera, frame, background] = ['camera', 'frame', 'background'].map((key) => own.get(key));
  return {
    form,
    ...(camera !== undefined && { camera }),
    ...(frame !== undefined && { frame: wholeNumber('frame', frame) }),
    ...sidesOf(own.get('size')),
    // A colour may be written without its sign, which begins the fragment of an address.
    ...(background !== undefined && { background: background.replace(/^(?=[0-9a-f]{6}$)/i, '#') }),
  };
}

function sidesOf(size: string | undefined): { width?: number; height?: number } {
  if (size === undefined) return {};
  const [width = '', height = width] = size.split('x');
  if (!/^\d{1,5}(?:x\d{1,5})?$/.test(size)) {
    throw new Refusal(400, 'size: expected pixels such as 800, or 800x600, received another text');
  }
  return { width: wholeNumber('size', width), height: wholeNumber('size', height) };
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Refusal(400, `${name}: expected a whole number from 1, received another text`);
}
