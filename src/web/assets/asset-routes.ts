/** The answers of a server of assets. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AssetDescription } from '../../deliver/asset-description.ts';
import { type AssetForm, FORM_TYPES } from '../../deliver/asset-forms.ts';
import type { Asset, Assets } from '../../deliver/assets.ts';
import { modelViewFile } from '../../deliver/gallery/gallery.ts';
import { ID_FIELDS } from '../../model/configuration-id.ts';
import type { ConfigurationRequest } from '../../run/on-demand-run.ts';
import type { Logger } from '../../support/log.ts';
import { mediaTypeOf } from '../../support/media-types.ts';
import { isSameSecret, Refusal } from '../servers/http.ts';
import { sendContent } from './answer.ts';
import { AR_POLICY, arPage, qrPng, qrSvg } from './ar-page.ts';
import {
  type AssetAddress,
  addressOf,
  FORMS,
  readAssetAddress,
  readPageAddress,
} from './asset-address.ts';
import { ASSET_LIMITS, type AssetLimits, perSender } from './limits.ts';
import type { AssetMetrics } from './metrics.ts';
import { describeProblem } from './problems.ts';
import { checkSignature, covers } from './signatures.ts';
import { beginOnly, isStillMade, LEAST_WAIT_MS, preferredWaitMs, waitFor } from './waiting.ts';

/** What the routes of a server of assets need. */
export interface AssetRoutesOptions {
  now: () => number;
  log: Logger;
  assets: Pick<Assets, 'asset' | 'known' | 'published' | 'object'>;
  /** Language of the AR page, such as `de`. */
  lang: string;
  /** Address under which others reach this server, such as `https://assets.example`. @defaultValue the host of each request */
  publicUrl?: string | undefined;
  /** With it, each address must be signed. */
  secret?: string | undefined;
  /** Token that `articlesimage.jpg` needs; without it, any or none. */
  imagesToken?: string | undefined;
  limits?: Partial<AssetLimits>;
  /** Sent with the status 503 in place of a picture that is still being made. */
  placeholder?: { bytes: Uint8Array; mimeType: string } | undefined;
}

/** A picture where no size is asked for: that of the pictures of a run. */
const STANDARD_SIDE = 1024;

/** Characters of the header with the other forms. */
const LONGEST_LINKS = 2048;

/** How long a cache may use an answer without asking, and how much longer while it asks, seconds. */
const FRESH_SECONDS = 60;
const STALE_SECONDS = 600;
const IMMUTABLE = 'public, max-age=31536000, immutable';

type PathOf<K extends string> = Record<'manufacturer' | 'program' | K, string>;

/** Answers requests; errors are thrown. */
export class AssetRoutes {
  readonly #options: AssetRoutesOptions;
  readonly #limits: AssetLimits;
  readonly #metrics: AssetMetrics;
  readonly #count: (sender: string) => void;
  readonly #countOverall: (sender: string) => void;

  constructor(options: AssetRoutesOptions, metrics: AssetMetrics) {
    this.#options = options;
    this.#limits = { ...ASSET_LIMITS, ...options.limits };
    this.#metrics = metrics;
    this.#count = perSender(this.#limits.newPerMinute, options.now);
    this.#countOverall = perSender(this.#limits.newOverall, options.now);
  }

  async asset(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { manufacturer, program, file } = request.params as PathOf<'file'>;
    const read = readAssetAddress([manufacturer, program, file], searchOf(request));
    const address = this.#permitted(read);
    const { form } = address;
    this.#checkSignature(address, form.form);
    if (form.form === 'qr.svg' || form.form === 'qr.png')
      return this.#code(request, reply, address, form.form);
    let asset: Asset;
    try {
      asset = await this.#make(request, reply, address.request, form as AssetForm);
    } catch (thrown) {
      const { placeholder } = this.#options;
      if (placeholder === undefined || !isStillMade(thrown) || !isPicture(form.form)) throw thrown;
      reply.code(503).headers({ 'cache-control': 'no-store', ...thrown.details.headers });
      return reply.type(placeholder.mimeType).send(Buffer.from(placeholder.bytes));
    }
    const origin = this.#originOf(request);
    const links = FORMS.filter((one) => one !== form.form && one !== 'json')
      .filter((one) => covers(address, one))
      .map((one) => `<${addressOf(address, one)}>; rel="alternate"; type="${FORM_TYPES[one]}"`)
      .join(', ');
    const content = form.form === 'json' ? this.#described(asset, address, origin) : asset;
    reply.headers({
      ...this.#cacheHeaders(asset, address.signature.expires, form.form === 'json'),
      ...(form.form !== 'json' && { 'content-location': `/objects/${asset.sha256}.${form.form}` }),
      'content-disposition': dispositionOf(asset.name),
      // Servers in between accept headers of some kilobytes.
      ...(links.length > 0 && links.length <= LONGEST_LINKS && { link: links }),
      'server-timing': timingOf(asset),
    });
    return sendContent(request, reply, content);
  }

  async page(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { manufacturer, program, number } = request.params as PathOf<'number'>;
    const read = readPageAddress([manufacturer, program, number], searchOf(request));
    const address = this.#permitted(read);
    this.#checkSignature(address, 'ar');
    const asset = await this.#make(request, reply, address.request, { form: 'json' });
    const { shorttext, configuration } = descriptionIn(asset);
    const origin = this.#originOf(request);
    const at = (...of: Parameters<typeof addressOf> extends [unknown, ...infer R] ? R : never) =>
      `${origin}${addressOf(address, ...of)}`;
    const html = arPage({
      lang: this.#options.lang,
      title: shorttext || configuration.basearticlenumber,
      url: at('ar'),
      picture: addressOf(address, 'jpg', { size: '640' }),
      usdz: at('usdz'),
      glb: at('glb', { profile: 'ar-android' }),
      model: addressOf(address, 'glb'),
    });
    reply.headers({
      ...this.#cacheHeaders(asset, address.signature.expires, true),
      'content-security-policy': AR_POLICY,
      'referrer-policy': 'no-referrer',
    });
    return sendContent(request, reply, {
      bytes: new TextEncoder().encode(html),
      mimeType: 'text/html; charset=utf-8',
    });
  }

  /** The 3D view of the page. */
  async viewer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { file } = request.params as { file: string };
    const bytes = await modelViewFile(file);
    if (bytes === undefined) throw new Refusal(404, 'nothing here');
    reply.header('cache-control', `public, max-age=${STALE_SECONDS}`);
    return sendContent(request, reply, { bytes, mimeType: mediaTypeOf(file) });
  }

  async object(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { file } = request.params as { file: string };
    const [, sha256, form] = /^([0-9a-f]{64})\.([a-z]+)$/.exec(file) ?? [];
    const known = sha256 && form ? await this.#options.assets.object(sha256, form) : undefined;
    if (known === undefined)
      throw new Refusal(404, 'no such file, or no longer: ask for it by its article');
    reply.header('cache-control', IMMUTABLE);
    return sendContent(request, reply, { ...known, sha256: sha256! });
  }

  /**
   * The deprecated operation of the service, for ERP systems; with `camera`, `width` and `height`. What a run has published is
   * shown as it was published, without a request to the service.
   */
  async image(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const query = new URLSearchParams(searchOf(request));
    this.#checkImageToken(request, query.get('token') ?? '');
    const fields = Object.fromEntries(ID_FIELDS.map((name) => [name, query.get(name) ?? '']));
    for (const name of ['manufacturer', 'program', 'basearticlenumber'] as const) {
      if (fields[name] === '') throw new Refusal(400, `${name}: expected a value, received none`);
    }
    const [width, height = width] = ['width', 'height'].map((name) =>
      pixelsOf(name, query.get(name)),
    );
    const camera = query.get('camera');
    const wanted = fields as unknown as ConfigurationRequest;
    const form: AssetForm = {
      form: 'jpg',
      ...(camera && { camera }),
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
    };
    const asset = await this.#make(request, reply, wanted, form, async (...how) => {
      const { assets } = this.#options;
      return (await assets.published(...how)) ?? assets.asset(...how);
    });
    reply.headers({ 'cache-control': 'no-cache' });
    return sendContent(request, reply, asset);
  }

  async #code(
    request: FastifyRequest,
    reply: FastifyReply,
    address: AssetAddress,
    form: 'qr.svg' | 'qr.png',
  ): Promise<FastifyReply> {
    // Only what there is has a page.
    await this.#make(request, reply, address.request, { form: 'json' });
    const url = `${this.#originOf(request)}${addressOf(address, 'ar')}`;
    const isSvg = form === 'qr.svg';
    const code = isSvg ? qrSvg(url) : await qrPng(url);
    if (code === undefined)
      throw new Refusal(
        422,
        'expected a configuration whose address fits into a code; name it by its values',
      );
    reply.header('cache-control', this.#cachingOf(STALE_SECONDS, true));
    return sendContent(request, reply, {
      bytes: typeof code === 'string' ? new TextEncoder().encode(code) : code,
      mimeType: isSvg ? 'image/svg+xml' : 'image/png',
    });
  }

  /**
   * The state of a file that is being made for a request that did not wait. Nothing is remembered for it: its address has all, so
   * that any server with the same store can say it.
   */
  async job(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const location = new URLSearchParams(searchOf(request)).get('of') ?? '';
    const [, path = '', search = ''] = /^\/a\/([^?]*)(?:\?(.*))?$/s.exec(location) ?? [];
    const [manufacturer = '', program = '', file = ''] = decodedSegments(path);
    const address = this.#permitted(readAssetAddress([manufacturer, program, file], search));
    const { form } = address.form;
    this.#checkSignature(address, form);
    if (form === 'qr.svg' || form === 'qr.png') throw new Refusal(404, 'no such job');
    reply.header('cache-control', 'no-store');
    const making = this.#asset(request, address.request, address.form as AssetForm);
    making.catch(() => {});
    try {
      const asset = await Promise.race([making, sleep(LEAST_WAIT_MS, undefined)]);
      return reply.send(asset === undefined ? { state: 'making' } : { state: 'done', location });
    } catch (thrown) {
      const { log } = this.#options;
      return reply.send({ state: 'failed', problem: describeProblem(thrown, log) });
    }
  }

  /** Makes a file for a request, as long as its connection lasts and the limit allows. */
  async #make(
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: ConfigurationRequest,
    form: AssetForm,
    make?: Assets['asset'],
  ): Promise<Asset> {
    const waitMs = preferredWaitMs(request, this.#limits.maxWaitMs);
    const known = make ? undefined : await this.#options.assets.known(wanted, this.#withSize(form));
    if (known !== undefined) {
      this.#metrics.sent(form.form, known);
      return known;
    }
    const asset = await this.#metrics.whileWaiting(() =>
      waitMs === undefined
        ? waitFor(
            (signal) => this.#asset(request, wanted, form, { signal, make }),
            reply,
            this.#limits.maxWaitMs,
          )
        : beginOnly(this.#asset(request, wanted, form, { make }), waitMs, request),
    );
    this.#metrics.sent(form.form, asset);
    return asset;
  }

  async #asset(
    { ip }: FastifyRequest,
    wanted: ConfigurationRequest,
    form: AssetForm,
    how: { signal?: AbortSignal; make?: Assets['asset'] | undefined } = {},
  ): Promise<Asset> {
    const { assets } = this.#options;
    const { signal, make = (...asked) => assets.asset(...asked) } = how;
    const beforeMaking = () => {
      this.#count(ip);
      this.#countOverall('all');
    };
    return make(wanted, this.#withSize(form), { signal, beforeMaking });
  }

  /** A picture without a size is as large as the limit allows, at most as those of a run. */
  #withSize(form: AssetForm): AssetForm {
    if (!isPictureForm(form)) return form;
    const { pixels } = this.#limits;
    const side = Math.min(STANDARD_SIDE, Math.floor(Math.sqrt(pixels)));
    const { width = side, height = width } = form;
    if (width * height <= pixels) return { ...form, width, height };
    throw new Refusal(
      400,
      `size: expected at most ${pixels} pixels, received ${width} × ${height}`,
    );
  }

  /** Without a secret, a signature says nothing, and is not sent on. */
  #permitted<A extends Omit<AssetAddress, 'form'>>(address: A): A {
    return this.#options.secret === undefined ? { ...address, signature: {} } : address;
  }

  #checkSignature(address: Omit<AssetAddress, 'form'>, form: string): void {
    const { secret, now } = this.#options;
    if (secret !== undefined) checkSignature(address, form, secret, now());
  }

  #checkImageToken(request: FastifyRequest, token: string): void {
    const { imagesToken, secret } = this.#options;
    if (imagesToken === undefined && secret !== undefined)
      throw new Refusal(
        403,
        'expected a signed address of an asset; for this one, set BTG2GLTF_IMAGES_TOKEN',
      );
    if (imagesToken !== undefined && !isSameSecret(token, imagesToken))
      throw new Refusal(401, 'expected the token of this server as the parameter token');
    if (imagesToken === undefined && request.headers['sec-fetch-site'] === 'cross-site')
      throw new Refusal(403, 'expected a request of an ERP system; for pages, there is /a/');
  }

  /** Links and prices are of this answer; what the configuration is, of the asset. */
  #described(asset: Asset, address: AssetAddress, origin: string) {
    const forms = [...FORMS.filter((form) => form !== 'json'), 'qr.svg', 'ar'] as const;
    const links = Object.fromEntries(
      forms
        .filter((form) => covers(address, form))
        .map((form) => [form, `${origin}${addressOf(address, form)}`]),
    );
    const { properties, ...described } = descriptionIn(asset);
    const withSwatches = properties.map(({ values, ...property }) => ({
      ...property,
      ...(values && {
        values: values.map(({ hasSwatch, ...one }) => {
          if (!hasSwatch) return one;
          const of = { property: property.name, value: one.value };
          return { ...one, swatch: `${origin}${addressOf(address, 'swatch', of)}` };
        }),
      }),
    }));
    const whole = { ...described, properties: withSwatches, links };
    const bytes = new TextEncoder().encode(JSON.stringify(whole));
    return { bytes, mimeType: 'application/json' };
  }

  #originOf(request: FastifyRequest): string {
    return this.#options.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`;
  }

  /** @param hasAddresses - Whether the answer has addresses of the request itself, which must not be sent to others. */
  #cacheHeaders(
    { stale, resolvedAtMs }: Asset,
    expires: string | undefined,
    hasAddresses = false,
  ): Record<string, string> {
    const { now } = this.#options;
    const age = Math.max(0, Math.floor((now() - resolvedAtMs) / 1000));
    if (stale !== undefined) {
      const warning = `110 - "the service cannot be asked again (${stale.code})"`;
      return { 'cache-control': this.#cachingOf(0, hasAddresses), age: String(age), warning };
    }
    const left = expires === undefined ? FRESH_SECONDS : Number(expires) - Math.ceil(now() / 1000);
    const maxAge = Math.max(0, Math.min(FRESH_SECONDS, left));
    const caching = this.#cachingOf(maxAge, hasAddresses);
    const whileAsked = `, stale-while-revalidate=${STALE_SECONDS}`;
    return { 'cache-control': expires === undefined ? caching + whileAsked : caching };
  }

  #cachingOf(seconds: number, hasAddresses: boolean): string {
    const isOfRequest = hasAddresses && this.#options.publicUrl === undefined;
    return `${isOfRequest ? 'private' : 'public'}, max-age=${seconds}`;
  }
}

function searchOf({ raw }: FastifyRequest): string {
  const at = raw.url?.indexOf('?') ?? -1;
  return at < 0 ? '' : raw.url!.slice(at + 1);
}

/** Pixels of a side, as the deprecated operation has them; undefined: not given. */
function pixelsOf(name: string, text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Refusal(400, `${name}: expected a number of pixels from 1 to 9999`);
}

function descriptionIn({ bytes }: Asset): AssetDescription {
  return JSON.parse(new TextDecoder().decode(bytes)) as AssetDescription;
}

/** A name for who saves the file; a browser shows it as before. */
function dispositionOf(given: string): string {
  // A number of the service may have half a character, which has no encoding.
  const name = given.replace(/\p{Cs}/gu, '_');
  const plain = name.replace(/[^\w.-]/g, '_');
  return `inline; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`;
}

function timingOf({ steps }: Asset): string {
  if (steps === undefined) return 'cache;desc="made before"';
  return Object.entries(steps)
    .map(([step, ms]) => `${step};dur=${ms}`)
    .join(', ');
}

const PICTURE_FORMS: ReadonlySet<string> = new Set(['jpg', 'png', 'webp', 'avif']);
const isPicture = (form: string): boolean => PICTURE_FORMS.has(form);
const isPictureForm = (
  form: AssetForm,
): form is Extract<AssetForm, { form: 'jpg' | 'png' | 'webp' | 'avif' }> => isPicture(form.form);

/** The segments of a path, decoded. @throws {@link Refusal} 400 for what is no encoding. */
function decodedSegments(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    throw new Refusal(400, 'of: expected the address of an asset');
  }
}
