/** The image endpoint of the service, answered by this program: `GET …/articlesimage.jpg`, for ERP systems. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ArticleRequest } from '../../model/article.ts';
import { ID_FIELDS } from '../../model/configuration-id.ts';
import { asConverterError, type ErrorCode } from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';
import {
  createGateway,
  type GatewayOptions,
  type GatewayServer,
  isSameSecret,
  Refusal,
} from './http.ts';

/** Paths of the endpoint in the service (Spec 4.4), below its base address and at the root. */
export const IMAGE_PATHS = [
  '/api/odb.dll/odb/articlesimage.jpg',
  '/odb.dll/odb/articlesimage.jpg',
  '/articlesimage.jpg',
] as const;

const LONGEST_VALUE = 16_384;

const MOST_CANDIDATES = 20;

/** A page of another site could make every visitor's browser request pictures. */
const FOREIGN_PAGE =
  'expected a request of an ERP system or of a page of this site; for other pages, set BTG2GLTF_IMAGES_TOKEN';

/** Time after which to request again, while too many pictures are made, seconds. */
const RETRY_AFTER_SECONDS = 5;

interface ImageServerOptions extends GatewayOptions {
  /** Token that a request needs as its parameter `token`; without it, any token or none is accepted. */
  token?: string | undefined;
  /** Finds the picture of a configuration; `signal` aborts when the connection has ended. */
  find(
    request: ReturnType<typeof readRequest>,
    signal: AbortSignal,
  ): Promise<
    { bytes: Uint8Array; mimeType: string; digest: string } | { candidates: readonly object[] }
  >;
}

/** Errors that the caller can correct. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  USAGE: 400,
  ARTICLE_NOT_FOUND: 404,
  CONFIGURATION_REFUSED: 404,
  BROWSER_MISSING: 503,
  RATE_LIMITED: 503,
};

/**
 * Opens an image server: an ERP system that used the deprecated endpoint of the service changes one base address.
 *
 * The answer is the picture and an `ETag`; 304 for the same; 400 for a missing or wrong parameter; 401 without the
 * token; 403 to a page of another site where the server has none; 404 with a sentence for an unknown article, and with
 * the candidates where a request fits several configurations and none of them is the default; 502 where the picture
 * cannot be made, and 503 with `Retry-After` while too many wait. No parameter is logged.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 * @see Spec 4.4, 9.6.
 */
export async function openImageServer(options: ImageServerOptions): Promise<GatewayServer> {
  const { log, find, token } = options;
  const settings = { forceCloseConnections: 'idle' } as const;
  const { app, listen } = await createGateway(options, sendError, settings);
  app.addHook('onRequest', async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') throw new Refusal(405, 'expected a GET');
  });
  app.setNotFoundHandler((_request, reply) => {
    return sendError(reply, new Refusal(404, `nothing here; get ${IMAGE_PATHS[0]}`), log);
  });
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const query = request.query as Record<string, unknown>;
    if (token !== undefined && !isSameSecret(String(query.token ?? ''), token)) {
      throw new Refusal(401, 'expected the token of this server as the parameter token');
    }
    if (token === undefined && request.headers['sec-fetch-site'] === 'cross-site')
      throw new Refusal(403, FOREIGN_PAGE);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const image = await find(readRequest(query), gone.signal);
    if ('candidates' in image) throw notFound(image.candidates);
    const etag = `"${image.digest}"`;
    reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
    const known = String(request.headers['if-none-match'] ?? '').split(/\s*,\s*/);
    if (known.some((tag) => tag.replace(/^W\//, '') === etag)) return reply.code(304).send();
    return reply.type(image.mimeType).send(Buffer.from(image.bytes));
  };
  for (const path of IMAGE_PATHS) app.get(path, answer);
  return listen(IMAGE_PATHS[0]);
}

function notFound(candidates: readonly object[]): Refusal {
  const code = 'ARTICLE_NOT_FOUND';
  if (candidates.length === 0) {
    const sentence =
      'no such article, or not in this configuration: run the pipeline that selects it';
    return new Refusal(404, sentence, { code });
  }
  const listed = candidates.slice(0, MOST_CANDIDATES);
  const sentence = `expected one configuration, received a request that ${candidates.length} fit: send all fields of one of the candidates`;
  return new Refusal(404, sentence, { code, more: { candidates: listed } });
}

function readRequest(query: Record<string, unknown>) {
  const text = (name: string): string => {
    const value = query[name] ?? '';
    if (typeof value === 'string' && value.length <= LONGEST_VALUE) return value;
    throw new Refusal(400, `${name}: expected one text of at most ${LONGEST_VALUE} characters`);
  };
  const pixels = (name: string): number | undefined => {
    const value = text(name);
    if (value === '') return undefined;
    if (/^[1-9]\d{0,3}$/.test(value)) return Number(value);
    throw new Refusal(400, `${name}: expected a number of pixels from 1 to 9999`);
  };
  const fields = Object.fromEntries(ID_FIELDS.map((name) => [name, text(name)]));
  for (const name of ['manufacturer', 'program', 'basearticlenumber'] as const) {
    if (fields[name] === '') throw new Refusal(400, `${name}: expected a value, received none`);
  }
  const shown = {
    camera: text('camera') || undefined,
    width: pixels('width'),
    height: pixels('height'),
  };
  return { ...(fields as unknown as ArticleRequest), ...shown };
}

/** Sends a sentence as JSON; an internal error that is no fault of the caller has no details. */
function sendError(reply: FastifyReply, thrown: unknown, log: Logger) {
  if (thrown instanceof Refusal) {
    const { status, message, details } = thrown;
    const { code, more } = details;
    return reply.code(status).send({ error: message, ...(code && { code }), ...more });
  }
  const { statusCode } = thrown as { statusCode?: number };
  if (statusCode !== undefined && statusCode < 500) {
    return reply.code(statusCode).send({ error: 'expected a request as HTTP defines it' });
  }
  const { code, message } = asConverterError(thrown);
  const status = STATUSES[code];
  if (status === undefined) log.error('a picture cannot be made', { code, message });
  if (code === 'RATE_LIMITED') reply.header('retry-after', RETRY_AFTER_SECONDS);
  return reply
    .code(status ?? 502)
    .send({ error: status ? message : 'the picture cannot be made', code });
}
