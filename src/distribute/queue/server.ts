/** The server of the queue, Redis or PostgreSQL: its address, a check at the start, and the connections of BullMQ to it. */
import type {
  BackendFactory,
  ConnectionOptions,
  IQueueBackend,
  PgPoolClient,
  PostgresConnection,
  Processor,
  Queue,
  QueueBase,
  QueueEvents,
  QueueEventsProducer,
  Worker,
  WorkerOptions,
} from 'bullmq';
import { ConverterError } from '../../support/errors.ts';
import { requireInstalled } from '../../support/optional.ts';
import { registerSecret } from '../../support/redact.ts';
import type { ChunkJob } from './chunk-queue.ts';

/** An address that has been parsed; plain data, which a thread receives. */
export interface QueueServer {
  kind: 'redis' | 'postgres';
  /** Address with credentials: never for a message. */
  url: string;
  /** Address without credentials, for messages. */
  name: string;
}

const KINDS: Readonly<Record<string, QueueServer['kind']>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};

/** Longest wait for a connection, milliseconds. */
const CONNECT_MS = 5_000;
/**
 * Largest difference to the clock of the server, milliseconds: PostgreSQL compares the end of a lock, written by one
 * machine, with the clock of another. A lock has at least half of its 5 s left.
 */
const MAX_CLOCK_DIFFERENCE_MS = 2_000;

/**
 * Parses the address of a queue and registers its password as a secret.
 *
 * @example
 * ```ts
 * parseQueueUrl('redis://:secret@queue:6379').name; // → 'redis://queue:6379'
 * ```
 *
 * @throws {@link ConverterError} `USAGE`.
 */
export function parseQueueUrl(url: string): QueueServer {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const kind = address === undefined ? undefined : KINDS[address.protocol];
  if (address === undefined || kind === undefined) {
    const received = address?.protocol ?? 'a text that is no address';
    throw new ConverterError(
      'USAGE',
      `BTG2GLTF_QUEUE_URL: expected redis://, rediss:// or postgres://, received ${received}`,
      { help: 'set it to the address of a server, such as postgres://user:password@host/database' },
    );
  }
  const passwords = [address.password, ...address.searchParams.getAll('password')];
  for (const secret of [...passwords, ...passwords.map(decoded)]) registerSecret(secret);
  const path = address.pathname === '/' ? '' : address.pathname;
  return { kind, url, name: `${address.protocol}//${address.host}${path}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The time that the clock of a server showed. */
export interface ServerClock {
  /** Milliseconds since 1970. */
  time: number;
  /** When the request was sent and when the answer arrived, by {@link elapsed}. */
  asked: number;
  answered: number;
}

/** Milliseconds by a clock that cannot be set, the same one in all threads. */
const elapsed = () => Number(process.hrtime.bigint()) / 1e6;

async function readClock(ask: () => Promise<number>): Promise<ServerClock> {
  const asked = elapsed();
  const time = await ask();
  return { time, asked, answered: elapsed() };
}

/**
 * Checks that the server answers, accepts the account and is new enough; creates the tables in PostgreSQL.
 *
 * @returns The time of its clock, for {@link checkClock}.
 * @throws {@link ConverterError} `LIBRARY_MISSING`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`.
 */
export async function checkQueueServer(server: QueueServer): Promise<ServerClock> {
  requireInstalled('the queue of --executor bullmq');
  try {
    return await CHECKS[server.kind](server);
  } catch (error) {
    throw connectionError(server, error);
  }
}

const CHECKS = { redis: checkRedis, postgres: checkPostgres } satisfies Record<
  QueueServer['kind'],
  unknown
>;

async function checkRedis({ url }: QueueServer): Promise<ServerClock> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    ...{ lazyConnect: true, connectTimeout: CONNECT_MS, maxRetriesPerRequest: 0 },
    retryStrategy: () => null,
  });
  // The error is thrown below, too; without a listener the library prints it.
  let failure: Error | undefined;
  client.on('error', (error) => {
    failure ??= error;
  });
  try {
    await within(CONNECT_MS, client.connect());
    const info = await within(CONNECT_MS, client.info('server'));
    const [, major, minor] = /redis_version:(\d+)\.(\d+)/.exec(info) ?? [];
    if (Number(major) * 100 + Number(minor) < 602) {
      throw new Error(`expected Redis 6.2 or later, received ${major}.${minor}`);
    }
    return await readClock(async () => {
      const [seconds, microseconds] = await within(CONNECT_MS, client.time());
      return 1_000 * Number(seconds) + Number(microseconds) / 1_000;
    });
  } catch (error) {
    throw failure ?? error;
  } finally {
    client.disconnect();
  }
}

async function checkPostgres(server: QueueServer): Promise<ServerClock> {
  const bullmq = await import('bullmq');
  const connection = new bullmq.PostgresConnection(connectionOf(server));
  connection.on('error', () => {});
  try {
    const client = await within(CONNECT_MS, connection.pool.connect());
    try {
      await migrate(bullmq, client);
      return await readClock(async () => {
        const { rows } = await client.query(
          'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS milliseconds',
        );
        return Number(rows[0].milliseconds);
      });
    } finally {
      client.release();
    }
  } finally {
    await connection.close();
  }
}

/** A worker may lack the right to create tables that already exist. */
async function migrate(bullmq: BullMQ, client: PgPoolClient): Promise<void> {
  const { assertSchemaCompatibility, runMigrations, LATEST_SCHEMA_VERSION } = bullmq;
  const version = await assertSchemaCompatibility(client).catch((error) => {
    if (error instanceof bullmq.SchemaMigrationRequiredError) return 0;
    throw error;
  });
  if (version < LATEST_SCHEMA_VERSION) await runMigrations(client);
}

/**
 * Checks that the clock of this machine differs from that of the server by less than two seconds.
 *
 * A slow machine is not refused: the time that passed during the request and since the answer does not count.
 *
 * @param now - Clock of this machine, milliseconds since 1970.
 * @throws {@link ConverterError} `WORKER_REFUSED`.
 */
export function checkClock({ time, asked, answered }: ServerClock, now: () => number): void {
  const difference = now() - (elapsed() - answered) - time;
  if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS + (answered - asked)) return;
  const seconds = (Math.abs(difference) / 1000).toFixed(1);
  throw new ConverterError(
    'WORKER_REFUSED',
    `clock of this machine: expected that of the queue's server, received one that is ${seconds} s ${difference > 0 ? 'ahead' : 'behind'}`,
    { help: 'synchronise the clocks of all machines, such as by NTP' },
  );
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const error = new Error(`no answer within ${milliseconds / 1000} s`);
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** SQLSTATE of PostgreSQL: invalid authorisation, no such database, no right. */
const REFUSED_STATES = /^(?:28...|3D000|42501)$/;
const REFUSED_WORDS =
  /\b(?:NOAUTH|WRONGPASS|NOPERM|invalid password|invalid username-password|SSL is not enabled|version)\b|does not support SSL|expected Redis/i;

function connectionError(server: QueueServer, thrown: unknown): ConverterError {
  const { code = '', message } = thrown as { code?: string; message: string };
  const isRefused = REFUSED_STATES.test(code) || REFUSED_WORDS.test(message);
  // An AggregateError, for several addresses, has no message.
  const reason = message || code || 'no answer';
  return new ConverterError(
    isRefused ? 'QUEUE_REFUSED' : 'QUEUE_UNREACHABLE',
    `queue ${server.name}: expected a connection, received: ${reason}`,
    { cause: thrown },
  );
}

/**
 * PostgreSQL allows 100 connections by default: a worker needs one that listens to messages, one to each kind of jobs
 * that a run has, and one for everything else.
 */
const POSTGRES_CONNECTIONS = 5;

function connectionOf({ kind, url }: QueueServer): Record<string, unknown> {
  if (kind === 'postgres') {
    return {
      ...{ connectionString: url, max: POSTGRES_CONNECTIONS, keepAlive: true },
      ...{ connectionTimeoutMillis: CONNECT_MS },
    };
  }
  // A command waits until the server is reachable again.
  return {
    ...{ url, maxRetriesPerRequest: null, connectTimeout: CONNECT_MS },
    retryStrategy: (attempt: number) => Math.min(100 * attempt, 1_000),
  };
}

/** How often events are read without a notification, milliseconds. */
const READ_EVENTS_MS = 1_000;
/** Events that a queue of jobs keeps: the coordinator reads none of them. */
const EVENTS_OF_JOBS = 100;
const CLOSE_MS = 2_000;

type BullMQ = typeof import('bullmq');
/** A queue of jobs. */
export type JobQueue = Queue<ChunkJob, true, 'chunk', ChunkJob, true, 'chunk', IQueueBackend>;
/** Takes jobs from a queue. */
export type JobWorker = Worker<ChunkJob, true, 'chunk', IQueueBackend>;
type EventReader = QueueEvents<null, IQueueBackend>;

/** The connections of BullMQ to one server. */
export class QueueConnections {
  /** Address without credentials, for messages. */
  readonly serverName: string;
  /** The errors by which a worker determines the outcome of a job. */
  readonly errors: Pick<BullMQ, 'UnrecoverableError' | 'WaitingError'>;
  readonly #bullmq: BullMQ;
  readonly #postgres: PostgresConnection | undefined;
  readonly #connection: ConnectionOptions;
  /** Without a backend, the classes of BullMQ connect to Redis. */
  readonly #backend: BackendFactory<IQueueBackend, ConnectionOptions>;
  readonly #onError: (error: Error) => void;
  readonly #all: QueueBase<IQueueBackend>[] = [];

  /** @param onError - Called with each error of a connection; all connections reconnect automatically. */
  constructor(bullmq: BullMQ, server: QueueServer, onError: (error: Error) => void) {
    this.serverName = server.name;
    this.errors = bullmq;
    this.#bullmq = bullmq;
    this.#onError = onError;
    if (server.kind === 'postgres') {
      this.#postgres = new bullmq.PostgresConnection(connectionOf(server));
      this.#postgres.on('error', onError);
      // The pool listens to idle connections, and a query to its own: between both, an error would end the process.
      this.#postgres.pool.on('connect', (client) => client.on('error', onError));
    }
    this.#connection = (this.#postgres?.pool ?? connectionOf(server)) as ConnectionOptions;
    this.#backend = (this.#postgres && bullmq.createPostgresBackend) as never;
  }

  openQueue(name: string): JobQueue {
    const streams = { events: { maxLen: EVENTS_OF_JOBS } };
    const options = { connection: this.#connection, streams };
    return this.#opened<JobQueue>(new this.#bullmq.Queue(name, options, this.#backend));
  }

  openWorker(
    name: string,
    process: Processor<ChunkJob, true, 'chunk'>,
    given: Omit<WorkerOptions, 'connection'>,
  ): JobWorker {
    const options = { ...given, connection: this.#connection };
    return this.#opened<JobWorker>(new this.#bullmq.Worker(name, process, options, this.#backend));
  }

  openEvents(name: string): EventReader {
    const options = { connection: this.#connection, blockingTimeout: READ_EVENTS_MS };
    return this.#opened<EventReader>(new this.#bullmq.QueueEvents(name, options, this.#backend));
  }

  openEventsProducer(name: string): QueueEventsProducer<IQueueBackend> {
    const options = { connection: this.#connection };
    return this.#opened(new this.#bullmq.QueueEventsProducer(name, options, this.#backend));
  }

  /** Closes every connection, also while the server is unreachable. */
  async close(): Promise<void> {
    const closing = this.#all.map((one) => one.close());
    await settledWithin(CLOSE_MS, closing);
    const ends = this.#all.map((one) => one.disconnect());
    await settledWithin(CLOSE_MS, [...ends, this.#postgres?.close() ?? Promise.resolve()]);
  }

  #opened<T extends QueueBase<IQueueBackend>>(one: T): T {
    one.on('error', this.#onError);
    this.#all.push(one);
    return one;
  }
}

/** Loads BullMQ, and connects it to a server. @param onError - As for {@link QueueConnections}. */
export async function openQueueConnections(
  server: QueueServer,
  onError: (error: Error) => void,
): Promise<QueueConnections> {
  return new QueueConnections(await import('bullmq'), server, onError);
}

/** Waits until all promises have resolved or rejected, or until a time has passed. */
export async function settledWithin(
  milliseconds: number,
  promises: readonly Promise<unknown>[],
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([Promise.allSettled(promises), limit]);
  clearTimeout(timer);
}

/** Name of the event queue of a pipeline; with a digest and a kind of jobs, of their queue. BullMQ allows no `:`. */
export function queueName(pipeline: string, jobs?: { digest: string; kind: string }): string {
  const name = `btg2gltf.${encodeURIComponent(pipeline)}`;
  return jobs === undefined ? name : `${name}.${jobs.digest}.${jobs.kind}`;
}

/** The reason why a job of a cancelled run has failed. */
export const CANCELLED = 'the run was cancelled';
