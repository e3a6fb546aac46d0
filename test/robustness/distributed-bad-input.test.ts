/**
 * Distributed runs that cannot begin: the command ends at once, with a sentence that says what to do. What each part
 * says is tested with that part; this is what an operator sees.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConverterError } from '../../src/support/errors.ts';
import { runChild } from '../helpers/child.ts';
import { type CommandResult, command, writePipeline } from '../helpers/command.ts';
import { until } from '../helpers/distributed.ts';
import { freePort, type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

let queue: QueueServerUnderTest;
let root: string;
beforeAll(async () => {
  [queue, root] = await Promise.all([startPostgres(), temporaryFolder()]);
});
afterAll(async () => {
  await queue.close();
  await rm(root, { recursive: true, force: true });
});

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const options = { timeout: 60_000 };
const SKEW_MS = 60 * 60 * 1000;

interface Fault {
  exit: number;
  /** What the sentence says, and the action after it. */
  says: RegExp;
  /** Variables that are wrong. */
  env?: () => Promise<Record<string, string>>;
  s3?: (server: S3Server) => void;
  bucket?: string;
  /** By how much the clock of the machine is ahead. */
  aheadMs?: number;
  commands?: ('run' | 'worker')[];
}

const otherQueue = (change: Partial<URL>) => async () => ({
  BTG2GLTF_QUEUE_URL: Object.assign(new URL(queue.url), change).href,
});

const FAULTS: Record<string, Fault> = {
  'a queue that is not there': {
    exit: 3,
    says: /queue postgres:.*ECONNREFUSED.*check BTG2GLTF_QUEUE_URL/s,
    env: async () => ({ BTG2GLTF_QUEUE_URL: `postgres://u:p@127.0.0.1:${await freePort()}/q` }),
    commands: ['run', 'worker'],
  },
  'a wrong password of the queue': {
    exit: 3,
    says: /queue postgres:.*password authentication failed.*check user, password/s,
    env: otherQueue({ password: 'not-its-password' }),
    commands: ['run', 'worker'],
  },
  'a clock that is not that of the queue': {
    exit: 2,
    says: /clock of this machine: expected that of the queue's server, received one that is 3600\.\d s ahead.*synchronise the clocks/s,
    aheadMs: SKEW_MS,
  },
  // It is asked for ten seconds.
  ...(IS_LONG && {
    'a store that is not there': {
      exit: 3,
      says: /s3:\/\/furniture\/nightly.*ECONNREFUSED.*check the address of the store/s,
      env: async () => ({ AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${await freePort()}` }),
    },
  }),
  'wrong keys of the store': {
    exit: 3,
    says: /s3:\/\/furniture\/nightly.*SignatureDoesNotMatch.*check AWS_ACCESS_KEY_ID/s,
    env: async () => ({ AWS_SECRET_ACCESS_KEY: 'not-its-secret' }),
    commands: ['run', 'worker'],
  },
  'a bucket that does not exist': {
    exit: 3,
    says: /s3:\/\/none\/nightly.*the bucket does not exist.*create the bucket/s,
    bucket: 'none',
  },
  'a store without conditional writes': {
    exit: 2,
    says: /expected If-None-Match to keep what is there.*use a store with conditional writes/s,
    s3: ({ switches }) => {
      switches.conditions = 'ignored';
    },
  },
  'a clock that is not that of the store': {
    exit: 3,
    says: /the clock of this machine is 1 h behind that of the store.*set the clock/s,
    s3: ({ switches }) => {
      switches.clockAheadMs = SKEW_MS;
    },
    commands: ['run', 'worker'],
  },
};

const rows = Object.entries(FAULTS).flatMap(([name, fault]) =>
  (fault.commands ?? ['run']).map((word) => ({ name, word, ...fault })),
);

test.concurrent.for(rows)(
  '$word is refused at once: $name',
  options,
  async (fault, { onTestFinished }) => {
    const s3 = await startS3Server();
    onTestFinished(() => s3.close());
    fault.s3?.(s3);
    const folder = await temporaryFolder();
    const store = { url: `s3://${fault.bucket ?? s3.bucket}/nightly` };
    const file = await writePipeline(folder, { name: folder, service: { emulator: true }, store });
    const env = { ...s3.env, BTG2GLTF_QUEUE_URL: queue.url, ...(await fault.env?.()) };
    const at = () => Date.now() + (fault.aheadMs ?? 0);
    const ended =
      fault.word === 'run'
        ? await command(['run', file, '--executor', 'bullmq'], { env, at })
        : await runChild(['worker', file], env);
    isSentence(ended, fault);
  },
);

test.concurrent(
  'a second coordinator is refused, on this machine and on another',
  options,
  async ({ onTestFinished }) => {
    const s3 = await startS3Server();
    const folder = await temporaryFolder();
    const store = { url: `s3://${s3.bucket}/nightly` };
    const file = await writePipeline(folder, { name: folder, service: { emulator: true }, store });
    const env = { ...s3.env, BTG2GLTF_QUEUE_URL: queue.url };
    const controller = new AbortController();
    const run = (machine: string, signal?: AbortSignal) => {
      const folders = ['--output', join(folder, machine, 'out'), '--cache', join(folder, machine)];
      return command(['run', file, '--executor', 'bullmq', ...folders], {
        env,
        ...(signal && { signal }),
      });
    };
    onTestFinished(async () => {
      await s3.close();
      await rm(folder, { recursive: true, force: true });
    });
    const first = run('a', controller.signal);
    await until(() => expect(s3.objects.has('nightly/lock.json')).toBe(true));
    const [same, other] = await Promise.all([run('a'), run('b')]);
    isSentence(same, {
      exit: 3,
      says: /another run uses this folder.*wait until the other run ends/s,
    });
    isSentence(other, {
      exit: 3,
      says: /s3:.*expected no other run, but run .* publishes there.*wait until the other run ends/s,
    });
    controller.abort(new ConverterError('INTERRUPTED', 'interrupted'));
    const ended = await first;
    expect(ended, ended.stderr).toMatchObject({ exit: 130 });
  },
);

/** A command ends with one sentence and an action, and without a stack. */
function isSentence(
  { exit, stderr }: Pick<CommandResult, 'stderr'> & { exit: number | null },
  expected: Pick<Fault, 'exit' | 'says'>,
): void {
  expect({ exit, stderr }).toEqual({
    exit: expected.exit,
    stderr: expect.stringMatching(expected.says),
  });
  expect(stderr.match(/^btg2gltf: /gm)).toHaveLength(1);
  expect(stderr).not.toMatch(/^ +at /m);
}
