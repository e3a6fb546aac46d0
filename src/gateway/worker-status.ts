/** What the operators of a worker can ask it: whether it lives, whether it can work, and metrics for Prometheus. */
import type { FastifyInstance } from 'fastify';
import type { WorkerWatch } from '../pipeline/worker.ts';
import { createGateway, type GatewayOptions, type GatewayServer, Refusal } from './http.ts';

interface WorkerStatusOptions extends GatewayOptions {
  /** Name of the pipeline, the label of all metrics. */
  pipeline: string;
}

/** A status server, which learns from the worker what it answers. */
export interface WorkerStatusServer extends GatewayServer {
  watch: WorkerWatch;
}

/** How long the end waits for an answer that is being sent, milliseconds: the worker has 30 s in all. */
const GRACE_MS = 1_000;
const TEXT_TYPE = 'text/plain; charset=utf-8';

/**
 * Starts the server: `/health` answers 200 while the process lives, `/ready` 200 while the worker takes chunks and
 * otherwise 503, `/metrics` the counters of this process. Any other path is a 404.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 *
 * @example
 * ```ts
 * const status = await openWorkerStatus({ port: 9464, pipeline: 'nightly', now: Date.now, log });
 * await runWorker(options, environment, status.watch);
 * ```
 */
export async function openWorkerStatus(options: WorkerStatusOptions): Promise<WorkerStatusServer> {
  const { fastify } = await import('fastify');
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
  }) as unknown as FastifyInstance;
  // Probes come every few seconds: their answers are for --verbose.
  const log = { ...options.log, info: options.log.debug };
  const gateway = createGateway(app, { graceMs: GRACE_MS, ...options, log });
  const { registry, watch } = await createMetrics(options.pipeline);
  let isReady = false;
  app.setErrorHandler(async (error, _request, reply) => {
    const status = error instanceof Refusal ? error.status : 500;
    const text = error instanceof Refusal ? error.message : 'this could not be done';
    return reply.code(status).type(TEXT_TYPE).send(`${text}\n`);
  });
  app.setNotFoundHandler(async (_request, reply) =>
    reply.code(404).type(TEXT_TYPE).send('nothing here\n'),
  );
  app.get('/health', async (_request, reply) => reply.type(TEXT_TYPE).send('alive\n'));
  app.get('/ready', async (_request, reply) => {
    const text = isReady ? 'ready' : 'not connected to the queue, or stopping';
    return reply
      .code(isReady ? 200 : 503)
      .type(TEXT_TYPE)
      .send(`${text}\n`);
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  const server = await gateway.listen('/metrics');
  return {
    ...server,
    watch: {
      ...watch,
      onReady(is) {
        isReady = is;
        watch.onReady(is);
      },
    },
  };
}

const PREFIX = 'btg2gltf_worker_';

/** The counters of a worker, from zero at its start. */
async function createMetrics(pipeline: string) {
  const { Registry, Counter, Gauge } = (await import('prom-client')).default;
  const registry = new Registry();
  registry.setDefaultLabels({ pipeline });
  const spec = (name: string, help: string, labelNames: string[] = []) => {
    return { name: PREFIX + name, help, labelNames, registers: [registry] };
  };
  const ready = new Gauge(spec('ready', 'Whether the worker is connected to the queue: 1 or 0.'));
  const share = new Gauge(
    spec('share', 'The part of the limits of the service that this worker has, from 0 to 1.'),
  );
  const chunks = new Counter(
    spec('chunks_total', 'Chunks by result; failed ones are done again.', ['result']),
  );
  const seconds = new Counter(
    spec('chunk_seconds_total', 'Seconds from taking chunks to storing what became of them.'),
  );
  const configurations = new Counter(
    spec('configurations_total', 'Configurations by result.', ['result']),
  );
  const requests = new Counter(
    spec('requests_total', 'Requests by status of the response; none: without one.', ['status']),
  );
  const received = new Counter(spec('received_bytes_total', 'Bytes received from the service.'));
  const hits = new Counter(spec('cache_hits_total', 'Responses from the cache.'));
  new Gauge({
    ...spec('memory_bytes', 'Resident memory of the process.'),
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  const watch: WorkerWatch = {
    onReady: (isReady) => ready.set(Number(isReady)),
    onShare: ({ count }) => share.set(1 / count),
    onChunk(ms, result) {
      chunks.inc({ result: result === undefined ? 'failed' : 'done' });
      seconds.inc(ms / 1000);
      if (result === undefined) return;
      const { requests: sent, fromCache } = result.measured;
      for (const { result: one } of result.results) configurations.inc({ result: one.status });
      for (const [status, count] of Object.entries(sent.byStatus)) requests.inc({ status }, count);
      received.inc(sent.bytesReceived);
      hits.inc(fromCache);
    },
  };
  return { registry, watch };
}
