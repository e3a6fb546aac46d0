/** Worker processes, of which each is a few lines that do what a worker may do. */
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { runWorkerProcesses } from '../../../src/distribute/worker-processes.ts';
import { createTokenSource } from '../../../src/source/service/login.ts';
import { startTimer } from '../../../src/source/service/service-config.ts';
import { ConverterError } from '../../../src/support/errors.ts';
import { SILENT } from '../../../src/support/log.ts';

/** Nothing but the crash of a process: a shell starts in a fraction of the time. */
const CRASH = ['sh', '-c', 'kill -s KILL $$'];
const STAY = 'process.on("message", ({ kind }) => kind === "stop" && process.exit());';

/** Runs the lines, or the words, of each process in the order of their starts; the last ones again and again. */
function processes(count: number, ...programs: (string | string[])[]) {
  return processesWith({}, count, ...programs);
}

function processesWith(
  { failure }: { failure?: Error },
  count: number,
  ...programs: (string | string[])[]
) {
  const controller = new AbortController();
  const events: [worker: number, event: object][] = [];
  let started = 0;
  let logins = 0;
  const loggedOut: string[] = [];
  const tokens = createTokenSource({
    rememberMe: false,
    now: () => 0,
    startTimer,
    async login() {
      if (failure !== undefined) throw failure;
      return `token ${++logins}`;
    },
    logout: async (token) => void loggedOut.push(token),
  });
  const ended = runWorkerProcesses({
    ...{ count, tokens, log: SILENT, signal: controller.signal, pauseMs: 0.01 },
    start: () => {
      const program = programs[Math.min(started++, programs.length - 1)]!;
      const lines = typeof program === 'string' ? [process.execPath, '--eval', program] : program;
      const [command, ...words] = lines;
      return spawn(command!, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    },
    watch: (worker, event) => {
      events.push([worker, event]);
      if (event.kind === 'ready' && event.isReady) controller.abort();
    },
  });
  return { ended, events, loggedOut, counts: () => ({ started, logins }) };
}

const ready = 'process.send({ kind: "event", event: { kind: "ready", isReady: true } });';

test('a process that crashes is replaced, and is not ready meanwhile', async () => {
  const { ended, events, counts } = processes(1, CRASH, CRASH, STAY + ready);
  await ended;
  expect(counts().started).toBe(3);
  const off = [1, { kind: 'ready', isReady: false }];
  expect(events).toEqual([off, off, [1, { kind: 'ready', isReady: true }], off]);
});

test('one that crashes again and again without a chunk ends all workers', async () => {
  const { ended, counts } = processes(2, STAY, CRASH);
  await expect(ended).rejects.toMatchObject({
    code: 'WORKERS_CRASHED',
    message:
      'worker 2: expected a process that does a chunk, received one that ended with SIGKILL, 10 times in a row',
  });
  expect(counts().started).toBe(11);
});

test('a chunk in between begins the count anew', async () => {
  const chunk = `process.send({ kind: "event", event: { kind: "chunk", ms: 1, figures: {} } }, () => process.kill(process.pid, "SIGKILL"));`;
  const crashes = Array.from({ length: 9 }, () => CRASH);
  const { ended, counts } = processes(1, ...crashes, chunk, STAY + ready);
  await ended;
  expect(counts().started).toBe(11);
});

test('the error of one is that of all', async () => {
  const error = '{ code: "WORKER_REFUSED", message: "other options", context: {} }';
  const fail = `process.send({ kind: "failed", error: ${error} }, () => process.exit(2));`;
  await expect(processes(2, STAY, fail).ended).rejects.toMatchObject({
    ...{ code: 'WORKER_REFUSED', message: 'other options' },
  });
});

test('all have the same token, which is logged out at the end', async () => {
  const ask = (replaced: string) => `process.send({ kind: "obtain", id: 1, ${replaced} });`;
  const asking = `
    ${ask('')}
    const told = [];
    process.on("message", (message) => {
      if (message.kind === "stop") process.exit();
      told.push(message.result.token.value);
      if (told.length === 1) ${ask('replaced: "token 1"')}
      else if (told.join() === "token 1,token 2") ${ready}
    });`;
  const { ended, loggedOut, counts } = processes(1, asking);
  await ended;
  expect(counts().logins).toBe(2);
  expect(loggedOut).toEqual(['token 1', 'token 2']);
});

test('a failed login says what the connection failed by: an unknown host is not waited for', async () => {
  const cause = Object.assign(new Error('lost'), { code: 'ENOTFOUND' });
  const failure = new ConverterError('SERVICE_UNREACHABLE', 'cannot reach x', { cause });
  const asking = `
    process.send({ kind: "obtain", id: 1 });
    process.on("message", ({ kind, result }) => {
      if (kind === "stop") process.exit();
      if (result.error.connection === "ENOTFOUND") ${ready}
    });`;
  await processesWith({ failure }, 1, asking).ended;
});
