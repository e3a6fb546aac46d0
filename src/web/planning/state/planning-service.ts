/** The client of the service in a browser: it sends operations by `fetch`, and throws one error for each kind of failure. */

import { checkImage, parsePreview, parseResource } from '../../../convert/wire/resource.ts';
import { isRecord, parseJson } from '../../../convert/wire/value.ts';
import { createCaller } from '../../../source/service/calls.ts';
import { encodeStrictly, readAddress } from '../../../source/service/target.ts';
import { createBudget } from '../../../support/budget.ts';
import { ConverterError, type ErrorCode, isConverterError } from '../../../support/errors.ts';
import { registerSecret } from '../../../support/redact.ts';

interface CallOptions {
  signal?: AbortSignal | undefined;
  body?: unknown;
}

interface ServiceOptions {
  baseUrl: string;
  /** The service address in answers, if `baseUrl` is a proxy: images with this address are requested from the proxy. */
  serviceUrl?: string | undefined;
  /** The session token; no message contains it. Empty for a public planning. */
  token: string;
  /** A stored planning that is read without a token; the server answers what draws it, and nothing else. */
  publicId?: string | undefined;
  languages: { lang: string; langalt: string };
  /** Called when the service has accepted a token for the first time, or again after a refusal. */
  onAccepted?: () => void;
}

/** The service may need some seconds for a parts list of a planning. */
const TIMEOUT_MS = 60_000;
/** A failure that may be temporary, of the connection or a busy service, is retried once. */
const RETRY_AFTER_MS = 700;

/** `preview`: a `previewimage` of the service; `resource`: a `rescontent`. */
type PictureKind = 'preview' | 'resource';

/** A catalogue list requests many pictures: with a limit, the pictures at its top arrive first. */
const PICTURES_AT_ONCE = 6;
const MAX_PICTURES = 2_000;
/** The errors that mean no picture, or none that a page may show. Any other error may be temporary. */
const WITHOUT_PICTURE = [
  ...(['IMAGE_MISSING', 'IMAGE_REFUSED', 'RESOURCE_MISSING', 'RESOURCE_REFUSED'] as const),
  'RESPONSE_INVALID',
] as const;

/**
 * The service, as one page uses it. Nothing is sent before the first call.
 *
 * @example
 * ```ts
 * const languages = { lang: 'de', langalt: 'en' };
 * const service = new PlanningService({ baseUrl: 'https://api.example/v2.5', token, languages });
 * const { answer } = await service.call('getNodes', { parentnode: '' });
 * ```
 */
export class PlanningService {
  /**
   * Calls an operation.
   *
   * @throws {@link ConverterError} `TOKEN_DIED` for 401 and 403, the operation's codes for 404 and 422, `RATE_LIMITED`,
   *   `HTTP_STATUS`, `HTTP_TIMEOUT`, `HTTP_CONNECTION`, `RESPONSE_INVALID`; `AbortError` if the signal aborts.
   */
  readonly call;
  readonly #options: ServiceOptions;
  readonly #baseUrl: string;
  /** Pictures by kind and reference, each loaded once until the page is left. */
  readonly #pictures = new Map<string, Promise<string | undefined>>();
  readonly #turns = createBudget(PICTURES_AT_ONCE);
  #token: string;
  #forgetToken: () => void;
  #refusals = 0;
  #isProven = false;

  constructor(options: ServiceOptions) {
    const { baseUrl, publicId } = options;
    this.#options = options;
    this.#baseUrl =
      publicId === undefined ? baseUrl : `${baseUrl}/public/${encodeStrictly(publicId)}`;
    this.call = createCaller<CallOptions>({
      baseUrl: this.#baseUrl,
      shared: options.languages,
      send: (operation, addressWith, given) =>
        this.#withToken((token) => sendTwice(operation, addressWith(token), given)),
    });
    this.#token = options.token;
    this.#forgetToken = registerSecret(options.token);
  }

  /** Whether nothing can be changed, and only one stored planning is read. */
  get isPublic(): boolean {
    return this.#options.publicId !== undefined;
  }

  /** The topmost article of a stored planning; `PERMANENT_ID_NOT_RESOLVABLE` if this service has none. */
  async storedPlanning(permanentid: string, signal?: AbortSignal): Promise<Uint8Array> {
    const { origin, path } = readAddress(this.#baseUrl, 'data-base-url');
    const name = this.isPublic ? '' : `/permanentid/${encodeStrictly(permanentid)}`;
    const address = `${origin}${path}/planning${name}?token=`;
    return this.#withToken((token) =>
      sendTwice(STORED, `${address}${encodeStrictly(token)}`, { signal }),
    );
  }

  /**
   * The address of a `previewimage` or a `rescontent`, until the page is left; undefined if there is none. An image
   * that could not be loaded is requested again by the next call.
   */
  picture(kind: PictureKind, reference: string): Promise<string | undefined> {
    const key = `${kind} ${reference}`;
    const known = this.#pictures.get(key);
    if (known !== undefined) return known;
    if (this.#pictures.size >= MAX_PICTURES) this.#revokePictures();
    const loading = this.#pictureInTurn(kind, reference).catch(() => {
      if (this.#pictures.get(key) === loading) this.#pictures.delete(key);
      return undefined;
    });
    this.#pictures.set(key, loading);
    return loading;
  }

  setToken(token: string): void {
    this.#forgetToken();
    this.#token = token;
    this.#isProven = false;
    this.#forgetToken = registerSecret(token);
  }

  /** Sends with the current token, and again if it was replaced meanwhile, since the service has done nothing then. */
  async #withToken(sendWith: (token: string) => Promise<Uint8Array>): Promise<Uint8Array> {
    for (;;) {
      const [used, before] = [this.#token, this.#refusals];
      try {
        const bytes = await sendWith(used);
        // The answer to a request that was sent before the refusal proves nothing.
        if (!this.#isProven && before === this.#refusals) {
          this.#isProven = true;
          this.#options.onAccepted?.();
        }
        return bytes;
      } catch (error) {
        if (!isConverterError(error, 'TOKEN_DIED')) throw error;
        if (used === this.#token) {
          this.#isProven = false;
          this.#refusals++;
          throw error;
        }
      }
    }
  }

  async #pictureInTurn(kind: PictureKind, reference: string): Promise<string | undefined> {
    const release = await this.#turns.take(1);
    try {
      const bytes = await this.#loadPicture(kind, reference);
      // The type is always that of an image, so that a browser never runs the content.
      const type = `image/${checkImage(bytes)}`;
      return URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
    } catch (error) {
      if (isConverterError(error, ...WITHOUT_PICTURE)) return undefined;
      throw error;
    } finally {
      release();
    }
  }

  #revokePictures(): void {
    for (const shown of this.#pictures.values())
      void shown.then((address) => address && URL.revokeObjectURL(address));
    this.#pictures.clear();
  }

  async #loadPicture(kind: PictureKind, reference: string): Promise<Uint8Array> {
    const { baseUrl, serviceUrl = baseUrl } = this.#options;
    if (kind === 'preview')
      return (await this.call('getPreview', parsePreview(reference, serviceUrl))).bytes;
    const { path } = parseResource(reference, serviceUrl);
    return (await this.call('getResource', { path })).bytes;
  }
}

const PASSING = ['HTTP_CONNECTION', 'RATE_LIMITED'] as const;

interface SentOperation {
  method: 'GET' | 'POST';
  missing: ErrorCode;
  missingMeans: string;
  refused?: ErrorCode;
}

/** The stored plannings: not an operation of the service. The server of the page answers, which saw them stored. */
const STORED: SentOperation = {
  method: 'GET',
  missing: 'PERMANENT_ID_NOT_RESOLVABLE',
  missingMeans: 'no planning is stored under this permanent identifier',
};

/** Sends a request, and a GET twice after a failure: a GET changes nothing, so that repeating it is safe. */
async function sendTwice(
  operation: SentOperation,
  address: string,
  options: CallOptions = {},
): Promise<Uint8Array> {
  try {
    return await send(operation, address, options);
  } catch (error) {
    if (operation.method !== 'GET' || !isConverterError(error, ...PASSING)) throw error;
    await pause(RETRY_AFTER_MS, options.signal);
    return send(operation, address, options);
  }
}

async function send(
  operation: SentOperation,
  address: string,
  { signal, body }: CallOptions,
): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signals = signal === undefined ? [timeout] : [timeout, signal];
  const request: RequestInit = {
    method: operation.method,
    signal: AbortSignal.any(signals),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  };
  try {
    const response = await fetch(address, request);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.ok) return bytes;
    throw failureOf(operation, response.status, bytes);
  } catch (thrown) {
    signal?.throwIfAborted();
    if (thrown instanceof ConverterError) throw thrown;
    const isLate = timeout.aborted;
    // The error of the browser contains the address, which contains the token.
    throw isLate
      ? new ConverterError('HTTP_TIMEOUT', `expected an answer within ${TIMEOUT_MS / 1000} s`)
      : new ConverterError('HTTP_CONNECTION', 'expected an answer, received none');
  }
}

function failureOf(
  { missing, missingMeans, refused }: SentOperation,
  status: number,
  bytes: Uint8Array,
): ConverterError {
  const context = { status };
  const said = sentenceOf(bytes);
  const sentence = said === '' ? `expected an answer, received status ${status}` : said;
  if (status === 401 || status === 403) return new ConverterError('TOKEN_DIED', sentence, context);
  if (status === 404) return new ConverterError(missing, missingMeans, context);
  if (status === 422) return new ConverterError(refused ?? 'HTTP_STATUS', sentence, context);
  const isBusy = status === 429 || status === 503;
  return new ConverterError(isBusy ? 'RATE_LIMITED' : 'HTTP_STATUS', sentence, context);
}

/** Reads the sentence of a failure. The service does not specify the body: `{"error":"…"}` is that of the emulator. */
function sentenceOf(bytes: Uint8Array): string {
  try {
    const body = parseJson(bytes.subarray(0, 10_000));
    return isRecord(body) && typeof body.error === 'string' ? body.error.slice(0, 300) : '';
  } catch {
    return '';
  }
}

function pause(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, durationMs);
    signal?.addEventListener('abort', end, { once: true });
  });
}
