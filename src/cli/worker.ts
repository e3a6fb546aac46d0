/** `btg2gltf worker PIPELINE.yaml`: works for runs of a pipeline with `--executor bullmq`. */
import { JOB_KINDS, type JobKind } from '../run/executor.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { asConverterError, ERROR_CODES } from '../support/errors.ts';
import type { Logger } from '../support/log.ts';
import { type Arguments, type Command, type Io, numberOf, textOf, usageError } from './command.ts';
import { setEngineFlags } from './engine-flags.ts';
import { listenOptions, readListening, startListening } from './listen.ts';
import { optionsOf, PIPELINE_POSITIONAL, readRunOptions } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';
import { environmentOf } from './service-options.ts';

/** The port that the units of `pipelines/deploy` use. */
const STATUS_PORT = 9464;
const WORKERS = 1;

/** The command. */
export const workerCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    ...optionsOf('worker'),
    workers: {
      type: 'number',
      min: 1,
      default: WORKERS,
      describe: 'workers on this machine, a process each, with one login and one port',
    },
    kinds: {
      type: 'string',
      value: 'LIST',
      describe: `jobs that it does, of ${JOB_KINDS.join(', ')}, with commas [default: all that this machine can]`,
    },
    memory: {
      type: 'number',
      value: 'MIB',
      describe:
        'MiB for browsers: so many of the workers take pictures, with 640 MiB each; by default half of the memory of the machine',
    },
    ...listenOptions(STATUS_PORT),
    port: {
      type: 'string',
      describe:
        'answer /metrics, /health and /ready at this port, or at any free port if it is 0 [default: none]',
    },
  },
  notes: [
    'It takes chunks of runs of this pipeline from the queue BTG2GLTF_QUEUE_URL, a redis:// or postgres:// address,',
    'until Ctrl-C or SIGTERM: then it takes no more, and ends within 30 seconds; what it has not done by then,',
    'another worker does. Start it on each machine, with the pipeline file and the version of the run.',
    '',
    'It converts articles, and makes the files of deliver:. Without a browser it takes no pictures; with another',
    'browser than that of the run it takes none either, since pixels would differ.',
    '',
    'With --workers, one process logs in for all; one that crashes is started again. All workers together hold the',
    'limits of the pipeline: with more of them than service.concurrency, those that came last wait.',
    '',
    'With --port, /health answers 200 while it lives, /ready 200 while all its workers are connected, otherwise 503,',
    'and /metrics what each has done, for Prometheus. pipelines/deploy/README.md has units for Kubernetes, systemd and',
    'Compose.',
    '',
  ],
  examples: [
    'btg2gltf worker pipeline.yaml',
    `btg2gltf worker pipeline.yaml --workers 4 --port ${STATUS_PORT}`,
    'btg2gltf run pipeline.yaml --executor bullmq',
  ],
  async run(args, io) {
    const options = await readRunOptions(args, io);
    setEngineFlags(options, 'worker');
    const kinds = kindsOf(args);
    if (io.workerProcess !== undefined) {
      const { process, number } = io.workerProcess;
      return workForParent(process, options, await kindsOfProcess(number, kinds, args), args, io);
    }
    const workers = numberOf(args, 'workers') ?? WORKERS;
    const name = workers === 1 ? await newName() : undefined;
    const log = await openLog(args, io, name);
    const { pipeline } = options;
    const status = await openStatus({ pipeline: pipeline.name, workers }, args, io, log);
    try {
      if (name === undefined) {
        const { runWorkerProcesses } = await import('../distribute/worker-processes.ts');
        const { openServiceTokens } = await import('../run/open/service-tokens.ts');
        const tokens = await openServiceTokens(pipeline.service, io);
        const { startWorker: start, signal } = io;
        if (start === undefined) throw usageError('--workers: expected 1 here, received more');
        await runWorkerProcesses({
          ...{ count: workers, start, tokens, log, signal },
          watch: status?.watch,
        });
      } else {
        const { runWorker } = await import('../distribute/worker.ts');
        const environment = { ...environmentOf(io), log };
        await runWorker(options, environment, { name, kinds }, (event) => status?.watch(1, event));
      }
      return 0;
    } finally {
      await status?.close();
    }
  },
};

/** Works in a process of `--workers`: the parent process has its login, its port and its errors. */
async function workForParent(
  parent: NodeJS.Process,
  options: RunOptions,
  kinds: readonly JobKind[],
  args: Arguments,
  io: Io,
): Promise<number> {
  const { ParentLink } = await import('../distribute/worker-processes.ts');
  const { runWorker } = await import('../distribute/worker.ts');
  const link = new ParentLink(parent);
  try {
    const name = await newName();
    const log = await openLog(args, io, name);
    const signal = AbortSignal.any([io.signal, link.signal]);
    const environment = { ...environmentOf(io), log, signal, tokens: link.tokens };
    await runWorker(options, environment, { name, kinds }, (event) => link.watch(event));
    return 0;
  } catch (thrown) {
    await link.fail(thrown);
    return ERROR_CODES[asConverterError(thrown).code].exit;
  } finally {
    link.close();
  }
}

function kindsOf(args: Arguments): readonly JobKind[] {
  const text = textOf(args, 'kinds');
  if (text === undefined) return JOB_KINDS;
  const kinds = text.split(',').map((word) => word.trim());
  const unknown = kinds.find((word) => !(JOB_KINDS as readonly string[]).includes(word));
  if (unknown === undefined) return kinds as JobKind[];
  throw usageError(`--kinds: expected some of ${JOB_KINDS.join(', ')}, received ${unknown}`);
}

/** The kinds of one of several processes: each browser needs memory of its own. */
async function kindsOfProcess(
  number: number,
  kinds: readonly JobKind[],
  args: Arguments,
): Promise<readonly JobKind[]> {
  const { browsersIn } = await import('../deliver/pictures/run-renderer.ts');
  const browsers = browsersIn(numberOf(args, 'memory'));
  return number <= browsers ? kinds : kinds.filter((kind) => kind !== 'pictures');
}

async function newName(): Promise<string> {
  return (await import('../distribute/worker.ts')).createWorkerName();
}

/** Opens the log, in which each line of a worker has the name of the worker; progress is not shown. */
async function openLog(args: Arguments, io: Io, worker: string | undefined): Promise<Logger> {
  const { log, display } = await openOutput(args, io, worker === undefined ? {} : { worker });
  display.close();
  return log;
}

async function openStatus(
  of: { pipeline: string; workers: number },
  args: Arguments,
  { now }: Io,
  log: Logger,
) {
  if (textOf(args, 'port') === undefined) {
    const other = ['host', 'allow-host'].find((name) => textOf(args, name) !== undefined);
    if (other === undefined) return undefined;
    throw usageError(`--${other} needs --port`);
  }
  const at = await readListening(args, STATUS_PORT);
  const { openWorkerStatus } = await import('../web/servers/worker-status.ts');
  const server = await startListening(() => openWorkerStatus({ ...at, ...of, now, log }));
  log.info('status server is ready', { url: server.url });
  return server;
}
