/** The server of assets: the model and the picture of any configuration, by an address that says which. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  createGateway,
  type GatewayOptions,
  type GatewayServer,
  Refusal,
} from '../servers/http.ts';
import { AssetRoutes, type AssetRoutesOptions } from './asset-routes.ts';
import { type AssetMetrics, createMetrics } from './metrics.ts';
import { sendError, sendPageError } from './problems.ts';

/** Paths of the deprecated operation of the service (Spec 4.4), below its base address and at the root. */
const IMAGE_PATHS = [
  '/api/odb.dll/odb/articlesimage.jpg',
  '/odb.dll/odb/articlesimage.jpg',
  '/articlesimage.jpg',
] as const;

/** What a server of assets needs. */
interface AssetServerOptions extends GatewayOptions, AssetRoutesOptions {
  /** Name of the pipeline, for people and metrics. */
  name: string;
  /** Origins whose pages may read models and descriptions; `*` is all. @defaultValue none */
  origins?: readonly string[] | undefined;
  /** Proxies whose `X-Forwarded-For` says who asks. @defaultValue none */
  proxies?: readonly string[] | undefined;
}

/**
 * Opens the server.
 *
 * `GET /a/<manufacturer>/<program>/<basearticlenumber>.<form>` is an asset, with a strong `ETag`, `Content-Location` of the same
 * content at `/objects/<sha256>.<form>`, which never changes, and links to the other forms; ranges, conditions and HEAD as HTTP
 * defines them. `/ar/<manufacturer>/<program>/<basearticlenumber>` is a page that shows it in a room. An error is
 * `application/problem+json` with a code of this program: 400 and 422 name what to correct, 403 a signature that does not
 * cover the request, 429 and 503 have `Retry-After`. A browser that opens `/ar/…` gets a page with one sentence instead.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 * @see RFC 9110, RFC 9457, RFC 5861; Spec 4.3, 4.4.
 */
export async function openAssetServer(options: AssetServerOptions): Promise<GatewayServer> {
  const { log, origins = [], proxies } = options;
  const settings = {
    forceCloseConnections: 'idle',
    trustProxy: proxies === undefined ? false : [...proxies],
    // The longest number in an address, encoded.
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: (error: unknown, _request: FastifyRequest, reply: FastifyReply) =>
      void sendError(reply, error, log),
  } as const;
  const quiet = { ...options, log: { ...log, info: log.debug } };
  const { app, isClosing, listen } = await createGateway(quiet, sendError, settings);
  if (origins.length > 0) {
    const { default: cors } = await import('@fastify/cors');
    const exposedHeaders = [
      'etag',
      'content-location',
      'content-range',
      'link',
      'retry-after',
      'warning',
      'location',
      'preference-applied',
      'age',
      'content-disposition',
      'server-timing',
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
  app.get('/ready', async (_request, reply) =>
    reply
      .code(isClosing() ? 503 : 200)
      .type('text/plain')
      .send(isClosing() ? 'stopping\n' : 'ready\n'),
  );
  addRoutes(app, new AssetRoutes(options, metrics), metrics, options);
  return listen('');
}

function addRoutes(
  app: FastifyInstance,
  routes: AssetRoutes,
  metrics: AssetMetrics,
  options: AssetServerOptions,
): void {
  app.get('/a/:manufacturer/:program/:file', (request, reply) => routes.asset(request, reply));
  app.get(
    '/ar/:manufacturer/:program/:number',
    { errorHandler: (error, request, reply) => sendPageError(request, reply, error, options) },
    (request, reply) => routes.page(request, reply),
  );
  app.get('/viewer/:file', (request, reply) => routes.viewer(request, reply));
  app.get('/objects/:file', (request, reply) => routes.object(request, reply));
  for (const path of IMAGE_PATHS) app.get(path, (request, reply) => routes.image(request, reply));
  app.get('/jobs', (request, reply) => routes.job(request, reply));
  app.get('/health', async (_request, reply) => reply.type('text/plain').send('alive\n'));
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
