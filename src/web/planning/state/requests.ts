/** The client of the service in a browser: the rows of the operations, sent by `fetch`, with one failure a kind. */

import { checkImage, parsePreview, parseResource } from '../../../convert/wire/resource.ts';
import { isRecord, parseJson } from '../../../convert/wire/value.ts';
import {
  type AnswerOf,
  OPERATIONS,
  type Operation,
  type OperationName,
  type Values,
} from '../../../source/service/operations.ts';
import {
  buildTarget,
  createFallback,
  encodeStrictly,
  readAddress,
} from '../../../source/service/target.ts';
import { ConverterError, isConverterError } from '../../../support/errors.ts';
import { forgetSecret, registerSecret } from '../../../support/redact.ts';

/** A body as it was received, and what its decoder made of it. */
export interface ServiceAnswer<Answer> {
  bytes: Uint8Array;
  answer: Answer;
}

/** How one call is sent. */
interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Fields of the JSON body. */
  body?: unknown;
}

/** The service, as one page uses it. */
export interface PlanningService {
  /**
   * Calls an operation. Of several addresses the first that has the thing is used.
   *
   * @throws {@link ConverterError} `TOKEN_DIED` for 401 and 403, the operation's codes for 404 and 422, `RATE_LIMITED`,
   *   `HTTP_STATUS`, `HTTP_TIMEOUT`, `HTTP_CONNECTION`, `RESPONSE_INVALID`; `AbortError` where the signal ended it.
   */
  call<Name extends OperationName>(
    name: Name,
    values: Values,
    options?: CallOptions,
  ): Promise<ServiceAnswer<AnswerOf<Name>>>;
  /** The topmost article of a stored planning; `PERMANENT_ID_NOT_RESOLVABLE` where this service knows none. */
  storedPlanning(permanentid: string, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * An address that shows a `previewimage` or a `rescontent`, until the page is left; undefined if there is none. One
   * that could not be loaded is asked for again when it is next wanted.
   */
  picture(kind: 'preview' | 'resource', reference: string): Promise<string | undefined>;
  /** Replaces the token; calls that follow use it. */
  setToken(token: string): void;
}

/** A parts list of a planning may take the service some seconds. */
const TIMEOUT_MS = 60_000;
/** A retry of what may pass by itself: the connection, a busy service. */
const RETRY_AFTER_MS = 700;
/** A list of a catalogue asks for many; the ones that a person looks at come first. */
const PICTURES_AT_ONCE = 6;
const MAX_PICTURES = 2_000;

/**
 * Opens the client; nothing is sent before the first call.
 *
 * @param options - The address of the service, and the token, which no message contains.
 * @example
 * ```ts
 * const service = openService({ baseUrl: 'https://api.example/v2.5', token, languages: { lang: 'de', langalt: 'en' } });
 * const { answer } = await service.call('getNodes', { parentnode: '' });
 * ```
 */
export function openService({
  baseUrl,
  serviceUrl = baseUrl,
  token: first,
  languages,
  onAccepted = () => {},
}: {
  baseUrl: string;
  /** Where the answers say that the service is, if `baseUrl` is a proxy: its images are then asked of the proxy. */
  serviceUrl?: string | undefined;
  token: string;
  languages: { lang: string; langalt: string };
  /** The service has accepted a token for the first time, or again after it had refused it. */
  onAccepted?: () => void;
}): PlanningService {
  const base = readAddress(baseUrl, 'data-base-url');
  const addresses = { authUrl: base, baseUrl: base };
  const fallback = createFallback();
  let token = first;
  registerSecret(token);
  let refusals = 0;
  let isProven = false;

  const send = async (
    operation: Pick<Operation<unknown>, 'method' | 'missing' | 'missingMeans' | 'refused'>,
    address: string,
    { signal, body }: CallOptions,
  ): Promise<Uint8Array> => {
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
      // The reason of the browser names the address, which contains the token.
      throw isLate
        ? new ConverterError('HTTP_TIMEOUT', `expected an answer within ${TIMEOUT_MS / 1000} s`)
        : new ConverterError('HTTP_CONNECTION', 'expected an answer, received none');
    }
  };

  /** A GET changes nothing, so that it is safe to repeat. */
  const sendTwice: typeof send = async (operation, address, options) => {
    try {
      return await send(operation, address, options);
    } catch (error) {
      if (operation.method !== 'GET' || !isConverterError(error, ...PASSING)) throw error;
      await pause(RETRY_AFTER_MS, options.signal);
      return send(operation, address, options);
    }
  };

  /** Sends with the token of now; again where that was replaced meanwhile, since the service has done nothing then. */
  const withToken = async (sendWith: (token: string) => Promise<Uint8Array>) => {
    for (;;) {
      const [used, before] = [token, refusals];
      try {
        const bytes = await sendWith(used);
        // An answer to what was asked before the refusal says nothing.
        if (!isProven && before === refusals) {
          isProven = true;
          onAccepted();
        }
        return bytes;
      } catch (error) {
        if (!isConverterError(error, 'TOKEN_DIED')) throw error;
        if (used === token) {
          isProven = false;
          refusals++;
          throw error;
        }
      }
    }
  };

  const call: PlanningService['call'] = (name, values, options = {}) => {
    const operation = OPERATIONS[name] as Operation<AnswerOf<typeof name>>;
    const all = { ...languages, ...values };
    return fallback(operation, undefined, async (which) => {
      const bytes = await withToken((token) => {
        const { origin, path } = buildTarget(operation, all, addresses, token, which);
        return sendTwice(operation, `${origin}${path}`, options);
      });
      return { bytes, answer: operation.decode(bytes) };
    });
  };

  const pictures = new Map<string, Promise<string | undefined>>();
  const turns = limitedTo(PICTURES_AT_ONCE);
  const loadPicture = async (kind: 'preview' | 'resource', reference: string) => {
    try {
      const { bytes } =
        kind === 'preview'
          ? await call('getPreview', parsePreview(reference, serviceUrl))
          : await call('getResource', { path: parseResource(reference, serviceUrl).path });
      // Only what is an image: nothing that a browser would run.
      const blob = new Blob([bytes as Uint8Array<ArrayBuffer>], {
        type: `image/${checkImage(bytes)}`,
      });
      return URL.createObjectURL(blob);
    } catch (error) {
      if (isConverterError(error, ...WITHOUT_PICTURE)) return undefined;
      throw error;
    }
  };

  return {
    call,
    async storedPlanning(permanentid, signal) {
      const path = `/planning/permanentid/${encodeStrictly(permanentid)}`;
      const address = `${base.origin}${base.path}${path}?token=`;
      return withToken((token) =>
        sendTwice(STORED, `${address}${encodeStrictly(token)}`, { signal }),
      );
    },
    picture(kind, reference) {
      const key = `${kind} ${reference}`;
      const known = pictures.get(key);
      if (known !== undefined) return known;
      if (pictures.size >= MAX_PICTURES) {
        for (const shown of pictures.values())
          void shown.then((address) => address && URL.revokeObjectURL(address));
        pictures.clear();
      }
      const loading = turns(() => loadPicture(kind, reference)).catch(() => {
        if (pictures.get(key) === loading) pictures.delete(key);
        return undefined;
      });
      pictures.set(key, loading);
      return loading;
    },
    setToken(next) {
      forgetSecret(token);
      token = next;
      isProven = false;
      registerSecret(token);
    },
  };
}

/** There is none, or none that a page may show; all else may pass. */
const WITHOUT_PICTURE = [
  ...(['IMAGE_MISSING', 'IMAGE_REFUSED', 'RESOURCE_MISSING', 'RESOURCE_REFUSED'] as const),
  'RESPONSE_INVALID',
] as const;

const PASSING = ['HTTP_CONNECTION', 'RATE_LIMITED'] as const;

/** No operation of the service: what serves the page answers it, from the plannings that it has seen stored. */
const STORED = {
  method: 'GET',
  missing: 'PERMANENT_ID_NOT_RESOLVABLE',
  missingMeans: 'no planning is stored under this permanent identifier',
} as const;

function failureOf(
  {
    missing,
    missingMeans,
    refused,
  }: Pick<Operation<unknown>, 'missing' | 'missingMeans' | 'refused'>,
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

/** The service does not specify the bodies of failures: `{"error":"…"}` is the emulator's. */
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

/** Lets so many works run at a time, in the order in which they came. */
function limitedTo(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
