/** Signed addresses: who has one may ask for an article in some forms until a time, with any values of some properties. */
import { createHmac } from 'node:crypto';
import { articleKey } from '../../model/configuration-id.ts';
import { ConverterError } from '../../support/errors.ts';
import { isSameSecret, Refusal } from '../servers/http.ts';
import { type AssetAddress, FORMS, QR_FORMS } from './asset-address.ts';

/** What an address is to allow. */
export interface AssetUrlOptions {
  /** Address of the server, such as `https://assets.example`. */
  server: string;
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  form: string;
  /** Values of the first configuration; a page may replace them. */
  values?: Readonly<Record<string, string>>;
  /** Forms that may be asked for; `ar` is the page, with all that it shows. @defaultValue all */
  forms?: readonly string[];
  /** Properties whose values may be chosen, by `CLASS.PROPERTY`, or by `PROPERTY` in any class. @defaultValue all, and numbers, too */
  properties?: readonly string[];
  /** Milliseconds since 1970. @defaultValue never */
  expiresAtMs?: number;
  /** The variable `BTG2GLTF_ASSETS_SECRET` of the server. */
  secret: string;
}

const ALL_FORMS: readonly string[] = [...FORMS, ...QR_FORMS, 'swatch', 'ar'];
/** Forms that others need: the page shows them, and a description names pictures of values. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  ar: ['usdz', 'glb', 'jpg'],
  json: ['swatch'],
};

/**
 * Makes a signed address of an asset. A page may change values and form within what the signature covers, without the secret.
 *
 * @throws {@link ConverterError} `USAGE` naming a wrong field.
 * @example
 * ```ts
 * assetUrl({
 *   server: 'https://assets.example', manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M',
 *   form: 'glb', forms: ['glb', 'usdz', 'jpg'], properties: ['DEKOR'], secret,
 * });   // → 'https://assets.example/a/FJEL/LINEA/LN-M.glb?forms=glb%2Cjpg%2Cusdz&properties=DEKOR&signature=…'
 * ```
 */
export function assetUrl(options: AssetUrlOptions): string {
  const { server, manufacturer, program, basearticlenumber, form, secret, values = {} } = options;
  if (secret === '')
    throw new ConverterError('USAGE', 'assetUrl: secret: expected a text, received none');
  for (const one of [form, ...(options.forms ?? [])]) {
    if (ALL_FORMS.includes(one)) continue;
    const received = `received ${JSON.stringify(one)}`;
    throw new ConverterError(
      'USAGE',
      `assetUrl: form: expected one of ${ALL_FORMS.join(', ')}, ${received}`,
    );
  }
  const list = (names: readonly string[] | undefined) =>
    names && [...new Set(names)].sort().join(',');
  const covered = {
    forms: list(options.forms),
    properties: list(options.properties),
    expires:
      options.expiresAtMs === undefined
        ? undefined
        : String(Math.floor(options.expiresAtMs / 1000)),
  };
  const signature = signatureOf({ manufacturer, program, basearticlenumber }, covered, secret);
  const path = [manufacturer, program, basearticlenumber].map(encodeURIComponent).join('/');
  const url = new URL(form === 'ar' ? `/ar/${path}` : `/a/${path}.${form}`, server);
  for (const [key, value] of Object.entries({ ...values, ...covered, signature }))
    if (value !== undefined) url.searchParams.append(key, value);
  return url.href;
}

/** Whether an address may be used in another form. */
export function covers({ signature }: Pick<AssetAddress, 'signature'>, form: string): boolean {
  const forms = signature.forms?.split(',');
  return (
    forms === undefined || [...forms, ...forms.flatMap((one) => IMPLIED[one] ?? [])].includes(form)
  );
}

/**
 * Checks the signature of an address.
 *
 * @param form - What is asked for; `ar` is the page.
 * @param nowMs - Milliseconds since 1970.
 * @throws {@link Refusal} 403: no signature, one of another address, one that has expired, or a form or a value beyond it.
 */
export function checkSignature(
  { request, values, signature: covered }: Omit<AssetAddress, 'form'>,
  form: string,
  secret: string,
  nowMs: number,
): void {
  const { signature, ...rest } = covered;
  if (signature === undefined)
    throw new Refusal(403, 'signature: expected an address that was signed, received none');
  if (!isSameSecret(signature, signatureOf(request, rest, secret)))
    throw new Refusal(403, 'signature: expected that of this address, received another');
  const { forms, properties, expires } = rest;
  if (expires !== undefined && nowMs >= Number(expires) * 1000)
    throw new Refusal(
      403,
      'expires: expected an address that is still valid, received one that has expired',
    );
  if (!covers({ signature: covered }, form))
    throw new Refusal(
      403,
      `form: expected one of ${forms}, which the signature covers, received ${form}`,
    );
  if (properties === undefined) return;
  const free = new Set(properties.split(','));
  // One without its class covers it in any class.
  const isFree = (name: string) => free.has(name) || free.has(name.slice(name.indexOf('.') + 1));
  const other = values.find(([name]) => !isFree(name))?.[0];
  const named = ['finalarticlenumber', 'reinitstring', 'metareinitstring', 'permanentid'] as const;
  const received = other ?? named.find((name) => request[name] !== undefined);
  if (received !== undefined)
    throw new Refusal(
      403,
      `${received}: expected values of ${properties}, which the signature covers`,
    );
}

/** The article is part of it as its key, so that the spelling of manufacturer and program does not matter. */
function signatureOf(
  article: Parameters<typeof articleKey>[0],
  covered: Partial<Record<'forms' | 'properties' | 'expires', string | undefined>>,
  secret: string,
): string {
  // No list is not an empty one.
  const { forms = null, properties = null, expires = null } = covered;
  const text = JSON.stringify(['asset 1', articleKey(article), forms, properties, expires]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}
