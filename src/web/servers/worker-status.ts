/** The state of the workers of a machine for operators: whether they live and can work, and metrics for Prometheus. */
import type { FastifyReply } from 'fastify';
import type { WorkerEvent } from '../../distribute/worker.ts';
import { createGateway, type GatewayOptions, type GatewayServer, Refusal } from './http.ts';

interface WorkerStatusOptions extends GatewayOptions {
  /** Name of the pipeline, a label of all metrics. */
  pipeline: string;
  /** Number of workers: their numbers, from 1, are the other label. */
  workers: number;
}

export interface WorkerStatusServer extends GatewayServer {
  watch(worker: number, event: WorkerEvent): void;
}

/** How long the shutdown waits for an answer that is being sent, milliseconds: the worker has 30 s in all. */
const GRACE_MS = 1_000;
const TEXT_TYPE = 'text/plain; charset=utf-8';

/**
 * Starts the server: `/health` answers 200 while the process lives, `/ready` 200 while all workers are connected to the queue and
 * otherwise 503, `/metrics` the figures of each. Any other path is a 404.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 *
 * @example
 * ```ts
 * const status = await openWorkerStatus({ port: 9464, pipeline: 'nightly', workers: 1, now: Date.now, log });
 * await runWorker(options, environment, name, (event) => status.watch(1, event));
 * ```
 */
export async function openWorkerStatus(options: WorkerStatusOptions): Promise<WorkerStatusServer> {
  // Probes arrive every few seconds: their answers are logged only with --verbose.
  const log = { ...options.log, info: options.log.debug };
  const limits = { graceMs: GRACE_MS, ...options, log };
  const { app, listen } = await createGateway(limits, sendError, { forceCloseConnections: true });
  const workers = Array.from({ length: options.workers }, (_, index) => index + 1);
  const { registry, watch } = await createMetrics(options.pipeline, workers);
  const waiting = new Set(workers);
  app.setNotFoundHandler((_request, reply) => sendError(reply, new Refusal(404, 'nothing here')));
  app.get('/health', async (_request, reply) => reply.type(TEXT_TYPE).send('alive\n'));
  app.get('/ready', async (_request, reply) => {
    const isReady = waiting.size === 0;
    const which = workers.length > 1 ? `worker ${[...waiting].sort().join(', ')}: ` : '';
    const text = isReady ? 'ready' : `${which}not connected to the queue, or stopping`;
    return reply
      .code(isReady ? 200 : 503)
      .type(TEXT_TYPE)
      .send(`${text}\n`);
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  const server = await listen('/metrics');
  return {
    ...server,
    watch(worker, event) {
      if (event.kind === 'ready') waiting[event.isReady ? 'delete' : 'add'](worker);
      watch(worker, event);
    },
  };
}

function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  const { status, message } =
    error instanceof Refusal ? error : { status: 500, message: 'this could not be done' };
  return reply.code(status).type(TEXT_TYPE).send(`${message}\n`);
}

const PREFIX = 'btg2gltf_worker_';

/** A kind of jobs without the browser that its queue names. */
function kindOf(queue: string): string {
  return queue.split('.')[0]!;
}

/** The figures of all workers, from zero at the start of the first process. */
async function createMetrics(pipeline: string, workers: readonly number[]) {
  const { Registry, Counter, Gauge } = (await import('prom-client')).default;
  const registry = new Registry();
  registry.setDefaultLabels({ pipeline });
  const spec = (name: string, help: string, ...others: string[]) => {
    return { name: PREFIX + name, help, labelNames: ['worker', ...others], registers: [registry] };
  };
  const ready = new Gauge(spec('ready', 'Whether the worker is connected to the queue: 1 or 0.'));
  const share = new Gauge(
    spec('share', 'The part of the limits of the service that this worker has, from 0 to 1.'),
  );
  const chunks = new Counter(
    spec(
      'chunks_total',
      'Chunks by kind and result; failed ones are done again.',
      'kind',
      'result',
    ),
  );
  const seconds = new Counter(
    spec('chunk_seconds_total', 'Seconds from taking chunks to storing their results.', 'kind'),
  );
  const configurations = new Counter(
    spec('configurations_total', 'Configurations by result.', 'result'),
  );
  const requests = new Counter(
    spec('requests_total', 'Requests by status of the response; none: without one.', 'status'),
  );
  const received = new Counter(spec('received_bytes_total', 'Bytes received from the service.'));
  const hits = new Counter(spec('cache_hits_total', 'Responses from the cache.'));
  const tasks = new Counter(
    spec(
      'delivery_tasks_total',
      'Files of GLBs for deliveries, by kind and result.',
      'kind',
      'result',
    ),
  );
  const jobs = new Gauge({
    name: `${PREFIX}jobs`,
    help: 'Jobs on the queue, of all workers together, by kind and state.',
    ...{ labelNames: ['kind', 'state'], registers: [registry] },
  });
  const memory = new Gauge(spec('memory_bytes', 'Resident memory of the process.'));
  // Without a value, an alarm would not detect that a worker has never started.
  for (const worker of workers) ready.set({ worker }, 0);
  const HEARD: {
    [K in WorkerEvent['kind']]: (event: Extract<WorkerEvent, { kind: K }>, worker: number) => void;
  } = {
    ready: ({ isReady }, worker) => ready.set({ worker }, Number(isReady)),
    share: ({ part }, worker) => share.set({ worker }, part),
    memory: ({ bytes }, worker) => memory.set({ worker }, bytes),
    jobs({ counts }) {
      for (const { kind: queue, waiting, running } of counts) {
        const kind = kindOf(queue);
        jobs.set({ kind, state: 'waiting' }, waiting);
        jobs.set({ kind, state: 'running' }, running);
      }
    },
    chunk({ jobs: queue, ms, figures }, worker) {
      const kind = kindOf(queue);
      chunks.inc({ worker, kind, result: figures === undefined ? 'failed' : 'done' });
      seconds.inc({ worker, kind }, ms / 1000);
      for (const [result, count] of Object.entries(figures?.tasks ?? {}))
        tasks.inc({ worker, kind, result }, count);
      for (const [result, count] of Object.entries(figures?.configurations ?? {}))
        configurations.inc({ worker, result }, count);
      for (const [status, count] of Object.entries(figures?.requests ?? {}))
        requests.inc({ worker, status }, count);
      received.inc({ worker }, figures?.bytesReceived ?? 0);
      hits.inc({ worker }, figures?.fromCache ?? 0);
    },
  };
  const watch = (worker: number, event: WorkerEvent) => HEARD[event.kind](event as never, worker);
  return { registry, watch };
}
