/** The server of assets: the model and the picture of any configuration, by an address that says which. */
import { STATUS_CODES } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AssetDescription } from '../../deliver/asset-description.ts';
import { type AssetForm, FORM_TYPES } from '../../deliver/asset-forms.ts';
import { type Asset, type Assets, isUnavailable } from '../../deliver/assets.ts';
import { ID_FIELDS } from '../../model/configuration-id.ts';
import type { ConfigurationRequest } from '../../run/on-demand-run.ts';
import { asConverterError, type ErrorCode } from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';
import {
  createGateway,
  type GatewayOptions,
  type GatewayServer,
  isSameSecret,
  Refusal,
} from '../servers/http.ts';
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
import { type AssetMetrics, createMetrics } from './metrics.ts';
import { checkSignature } from './signatures.ts';

/** What a server of assets needs. */
export interface AssetServerOptions extends GatewayOptions {
  assets: Pick<Assets, 'asset' | 'object'>;
  /** Name of the pipeline, for people and metrics. */
  name: string;
  /** Language of the AR page, such as `de`. */
  lang: string;
  /** Address under which others reach this server, such as `https://assets.example`. @defaultValue the host of each request */
  publicUrl?: string | undefined;
  /** Origins whose pages may read models and descriptions; `*` is all. @defaultValue none */
  origins?: readonly string[] | undefined;
  /** With it, each address must be signed. */
  secret?: string | undefined;
  /** Token that `articlesimage.jpg` needs; without it, any or none. */
  imagesToken?: string | undefined;
  limits?: Partial<AssetLimits>;
}

/** A picture where no size is asked for: that of the pictures of a run. */
const STANDARD_SIDE = 1024;
const RETRY_AFTER_SECONDS = 5;

/** How long a cache may use an answer without asking, and how much longer while it asks, seconds. */
const FRESH_SECONDS = 60;
const STALE_SECONDS = 600;
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The deprecated operation of the service (Spec 4.4): below its base address, and at the root. */
const IMAGE_PATHS = [
  '/api/odb.dll/odb/articlesimage.jpg',
  '/odb.dll/odb/articlesimage.jpg',
  '/articlesimage.jpg',
] as const;

/** Errors that who asks can correct. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  USAGE: 400,
  ARTICLE_NOT_FOUND: 404,
  PROPERTY_UNKNOWN: 422,
  PROPERTY_VALUE_REFUSED: 422,
  CONFIGURATION_REFUSED: 422,
  PERMANENT_ID_NOT_RESOLVABLE: 422,
  CHILD_WITHOUT_ROOT: 422,
  NOTHING_TO_DRAW: 422,
  BROWSER_MISSING: 503,
};

const PROBLEM_TYPE = 'application/problem+json';

/** A request waits no longer; what it waits for goes on. */
const WAITED = 'expected the file to be made in time; it is still being made: ask again';

/**
 * Opens the server.
 *
 * `GET /a/<manufacturer>/<program>/<basearticlenumber>.<form>` is an asset, with a strong `ETag`, `Content-Location` of the same
 * content at `/objects/<sha256>.<form>`, which never changes, and links to the other forms; ranges, conditions and HEAD as HTTP
 * defines them. `/ar/<manufacturer>/<program>/<basearticlenumber>` is a page that shows it in a room. An error is
 * `application/problem+json` with a code of this program: 400 and 422 name what to correct, 403 a signature that does not
 * cover the request, 429 and 503 have `Retry-After`.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 * @see RFC 9110, RFC 9457, RFC 5861; Spec 4.3, 4.4.
 */
export async function openAssetServer(options: AssetServerOptions): Promise<GatewayServer> {
  const { log, origins = [] } = options;
  const settings = {
    forceCloseConnections: 'idle',
    // The longest number in an address, encoded.
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: (error: unknown, _request: FastifyRequest, reply: FastifyReply) =>
      void sendError(reply, error, log),
  } as const;
  const quiet = { ...options, log: { ...log, info: log.debug } };
  const { app, listen } = await createGateway(quiet, sendError, settings);
  if (origins.length > 0) {
    const { default: cors } = await import('@fastify/cors');
    const exposedHeaders = [
      'etag',
      'content-location',
      'content-range',
      'link',
      'retry-after',
      'warning',
    ];
    await app.register(cors, {
      origin: origins.includes('*') ? '*' : [...origins],
      exposedHeaders,
    });
  }
  const metrics = await createMetrics(options.name);
  app.addHook('onRequest', async ({ method }) => {
    if (!['GET', 'HEAD', 'OPTIONS'].includes(method)) throw new Refusal(405, 'expected a GET');
  });
  app.addHook('onResponse', async (_request, reply) => metrics.answered(reply.statusCode));
  app.setNotFoundHandler((_request, reply) =>
    sendError(
      reply,
      new Refusal(404, 'nothing here; get /a/<manufacturer>/<program>/<basearticlenumber>.glb'),
      log,
    ),
  );
  addRoutes(app, new AssetRoutes(options, metrics), metrics);
  return listen('');
}

function addRoutes(app: FastifyInstance, routes: AssetRoutes, metrics: AssetMetrics): void {
  app.get('/a/:manufacturer/:program/:file', (request, reply) => routes.asset(request, reply));
  app.get('/ar/:manufacturer/:program/:number', (request, reply) => routes.page(request, reply));
  app.get('/objects/:file', (request, reply) => routes.object(request, reply));
  for (const path of IMAGE_PATHS) app.get(path, (request, reply) => routes.image(request, reply));
  app.get('/health', async (_request, reply) => reply.type('text/plain').send('alive\n'));
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}

type PathOf<K extends string> = Record<'manufacturer' | 'program' | K, string>;

class AssetRoutes {
  readonly #options: AssetServerOptions;
  readonly #limits: AssetLimits;
  readonly #metrics: AssetMetrics;
  readonly #count: (sender: string) => void;

  constructor(options: AssetServerOptions, metrics: AssetMetrics) {
    this.#options = options;
    this.#limits = { ...ASSET_LIMITS, ...options.limits };
    this.#metrics = metrics;
    this.#count = perSender(this.#limits.newPerMinute, options.now);
  }

  async asset(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { manufacturer, program, file } = request.params as PathOf<'file'>;
    const address = readAssetAddress([manufacturer, program, file], searchOf(request));
    const { form } = address;
    this.#checkSignature(address, form.form);
    if (form.form === 'qr.svg' || form.form === 'qr.png')
      return this.#code(request, reply, address, form.form);
    const asset = await this.#make(request, reply, address.request, form as AssetForm);
    const origin = this.#originOf(request);
    const links = FORMS.filter((one) => one !== form.form && one !== 'json').map(
      (one) => `<${addressOf(address, one)}>; rel="alternate"; type="${FORM_TYPES[one]}"`,
    );
    const content = form.form === 'json' ? this.#described(asset, address, origin) : asset;
    reply.headers({
      ...this.#cacheHeaders(asset, address.signature.expires),
      ...(form.form !== 'json' && { 'content-location': `/objects/${asset.sha256}.${form.form}` }),
      'content-disposition': dispositionOf(asset.name),
      link: links.join(', '),
      'server-timing': timingOf(asset),
    });
    return sendContent(request, reply, content);
  }

  async page(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { manufacturer, program, number } = request.params as PathOf<'number'>;
    const address = readPageAddress([manufacturer, program, number], searchOf(request));
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
    });
    reply.headers({
      ...this.#cacheHeaders(asset, address.signature.expires),
      'content-security-policy': AR_POLICY,
      'referrer-policy': 'no-referrer',
    });
    return sendContent(request, reply, {
      bytes: new TextEncoder().encode(html),
      mimeType: 'text/html; charset=utf-8',
    });
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

  /** The deprecated operation of the service, for ERP systems; with `camera`, `width` and `height`. */
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
    const asset = await this.#make(request, reply, fields as unknown as ConfigurationRequest, {
      form: 'jpg',
      ...(camera && { camera }),
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
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
    const url = `${this.#originOf(request)}${addressOf(address, 'ar')}`;
    const isSvg = form === 'qr.svg';
    reply.header('cache-control', `public, max-age=${STALE_SECONDS}`);
    return sendContent(request, reply, {
      bytes: isSvg ? new TextEncoder().encode(qrSvg(url)) : await qrPng(url),
      mimeType: isSvg ? 'image/svg+xml' : 'image/png',
    });
  }

  /** Makes a file for a request, as long as its connection lasts and the limit allows. */
  async #make(
    { ip }: FastifyRequest,
    reply: FastifyReply,
    wanted: ConfigurationRequest,
    form: AssetForm,
  ): Promise<Asset> {
    const sized = this.#withSize(form);
    const gone = new AbortController();
    const leave = () => gone.abort(new Refusal(499, 'the connection has ended'));
    reply.raw.once('close', leave);
    const timer = setTimeout(() => {
      const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
      gone.abort(new Refusal(503, WAITED, { headers }));
    }, this.#limits.maxWaitMs);
    try {
      const asset = await this.#options.assets.asset(wanted, sized, {
        signal: gone.signal,
        beforeMaking: () => this.#count(ip),
      });
      this.#metrics.sent(form.form, asset);
      return asset;
    } finally {
      clearTimeout(timer);
      reply.raw.off('close', leave);
    }
  }

  /** A picture without a size is as large as the limit allows, at most as those of a run. */
  #withSize(form: AssetForm): AssetForm {
    if (form.form === 'glb' || form.form === 'usdz' || form.form === 'json') return form;
    const { pixels } = this.#limits;
    const side = Math.min(STANDARD_SIDE, Math.floor(Math.sqrt(pixels)));
    const { width = side, height = width } = form;
    if (width * height <= pixels) return { ...form, width, height };
    throw new Refusal(
      400,
      `size: expected at most ${pixels} pixels, received ${width} × ${height}`,
    );
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
    const links = Object.fromEntries([
      ...FORMS.filter((form) => form !== 'json').map((form) => [
        form,
        `${origin}${addressOf(address, form)}`,
      ]),
      ['qr.svg', `${origin}${addressOf(address, 'qr.svg')}`],
      ['ar', `${origin}${addressOf(address, 'ar')}`],
    ]);
    const bytes = new TextEncoder().encode(JSON.stringify({ ...descriptionIn(asset), links }));
    return { bytes, mimeType: 'application/json' };
  }

  #originOf(request: FastifyRequest): string {
    return this.#options.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`;
  }

  #cacheHeaders(
    { stale, resolvedAtMs }: Asset,
    expires: string | undefined,
  ): Record<string, string> {
    const { now } = this.#options;
    const age = Math.max(0, Math.floor((now() - resolvedAtMs) / 1000));
    const left = expires === undefined ? FRESH_SECONDS : Number(expires) - Math.ceil(now() / 1000);
    const maxAge = Math.max(0, Math.min(FRESH_SECONDS, left));
    const isOfOne = expires !== undefined;
    const caching = `public, max-age=${maxAge}${isOfOne ? '' : `, stale-while-revalidate=${STALE_SECONDS}`}`;
    if (stale === undefined) return { 'cache-control': caching };
    const warning = `110 - "the service cannot be asked again (${stale.code})"`;
    return { 'cache-control': 'public, max-age=0', age: String(age), warning };
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
function dispositionOf(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_');
  return `inline; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`;
}

function timingOf({ steps }: Asset): string {
  if (steps === undefined) return 'cache;desc="made before"';
  return Object.entries(steps)
    .map(([step, ms]) => `${step};dur=${ms}`)
    .join(', ');
}

/** Sends a problem. What is no fault of who asks has no details, which could name the service. */
function sendError(reply: FastifyReply, thrown: unknown, log: Logger): FastifyReply {
  const { status, detail, code, headers = {}, more = {} } = problemOf(thrown, log);
  const title = STATUS_CODES[status] ?? 'Error';
  const problem = { type: 'about:blank', title, status, detail, ...(code && { code }), ...more };
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problem));
}

interface Problem {
  status: number;
  detail: string;
  code?: ErrorCode;
  headers?: Readonly<Record<string, string>>;
  more?: Readonly<Record<string, unknown>>;
}

function problemOf(thrown: unknown, log: Logger): Problem {
  if (thrown instanceof Refusal) {
    const { status, message: detail, details } = thrown;
    return { status, detail, ...details };
  }
  const { statusCode } = thrown as { statusCode?: number };
  if (statusCode !== undefined && statusCode < 500)
    return { status: statusCode, detail: 'expected a request as HTTP defines it' };
  const { code, message } = asConverterError(thrown);
  const status = STATUSES[code];
  if (status !== undefined) return { status, detail: message, code };
  log.error('an asset cannot be made', { code, message });
  if (!isUnavailable(code)) return { status: 502, detail: 'the file cannot be made', code };
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return { status: 503, detail: UNAVAILABLE, code, headers };
}

const UNAVAILABLE =
  'expected the service of the articles to answer, and few requests at the same time; what was made before is answered all the same';
