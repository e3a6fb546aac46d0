/** `btg2gltf worker PIPELINE.yaml`: works for runs of a pipeline with `--executor bullmq`. */
import type { Logger } from '../support/log.ts';
import { type Arguments, type Command, type Io, textOf, usageError } from './command.ts';
import { listenOptions, readListening, startListening } from './listen.ts';
import { optionsOf, PIPELINE_POSITIONAL, readRunOptions } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';
import { environmentOf } from './service.ts';

/** The port that the units of `pipelines/deploy` use. */
const STATUS_PORT = 9464;

/** The command. */
export const workerCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    ...optionsOf('worker'),
    ...listenOptions(STATUS_PORT),
    port: {
      type: 'string',
      describe:
        'answer /metrics, /health and /ready at this port; 0 is any free one [default: none]',
    },
  },
  notes: [
    'It takes chunks of runs of this pipeline from the queue BTG2GLTF_QUEUE_URL, a redis:// or postgres:// address,',
    'until Ctrl-C or SIGTERM: then it takes no more, and ends within 30 seconds; what it has not done by then,',
    'another worker does. Start as many as you like, with the pipeline file and the version of the run.',
    '',
    'With --port, /health answers 200 while it lives, /ready 200 while it takes chunks and otherwise 503, and /metrics',
    'what it has done, for Prometheus. pipelines/deploy/README.md has units for Kubernetes, systemd and Compose.',
    '',
  ],
  examples: [
    'btg2gltf worker pipeline.yaml',
    `btg2gltf worker pipeline.yaml --port ${STATUS_PORT}`,
    'btg2gltf run pipeline.yaml --executor bullmq',
  ],
  async run(args, io) {
    const options = await readRunOptions(args, io);
    const { log, close } = await openOutput(args, io);
    // It has no progress of its own.
    close();
    const status = await openStatus(options.pipeline.name, args, io, log);
    try {
      const { runWorker } = await import('../pipeline/worker.ts');
      await runWorker(options, { ...environmentOf(io), log }, status?.watch);
      return 0;
    } finally {
      await status?.close();
    }
  },
};

async function openStatus(pipeline: string, args: Arguments, { now }: Io, log: Logger) {
  if (textOf(args, 'port') === undefined) {
    const other = ['host', 'allow-host'].find((name) => textOf(args, name) !== undefined);
    if (other === undefined) return undefined;
    throw usageError(`--${other}: expected also --port, received none`);
  }
  const at = await readListening(args, STATUS_PORT);
  const { openWorkerStatus } = await import('../gateway/worker-status.ts');
  const server = await startListening(() => openWorkerStatus({ ...at, pipeline, now, log }));
  log.info('status server is ready', { url: server.url });
  return server;
}
