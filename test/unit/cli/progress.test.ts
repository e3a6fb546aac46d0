import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import type { Io } from '../../../src/cli/command.ts';
import { openVoice } from '../../../src/cli/progress.ts';
import { command } from '../../helpers/command.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A process whose clock stands until it is moved. */
function processOf(terminal?: NodeJS.WritableStream) {
  const told: string[] = [];
  const clock = { now: 0 };
  const io: Io = {
    env: {},
    print: () => {},
    tell: (text) => told.push(text),
    terminal,
    now: () => clock.now,
    random: Math.random,
    signal: new AbortController().signal,
  };
  return { io, told, clock };
}

test('while articles are chosen a person sees how many there are, until the bar begins', async () => {
  const screen = new PassThrough();
  const voice = await openVoice(undefined, processOf(screen).io);
  voice.selecting(0);
  voice.selecting(17);
  expect(String(screen.read())).toMatch(/selecting · 0 found.*\r.*selecting · 17 found$/);
  voice.progress({ total: 17, done: 0, failed: 0 });
  voice.selecting(18);
  expect(String(screen.read())).not.toContain('found');
  voice.end();
});

test('a log has one line of it, and then a sign of life every half minute, also when nothing moves', async () => {
  vi.useFakeTimers();
  const { io, told, clock } = processOf();
  const voice = await openVoice(undefined, io, { run: 'r1' });
  const pass = (ms: number) => {
    clock.now += ms;
    vi.advanceTimersByTime(ms);
  };
  voice.selecting(0);
  voice.selecting(3);
  pass(29_000);
  expect(told.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'selecting', run: 'r1' }]);
  pass(1000);
  voice.progress({ total: 3, done: 1, failed: 0 });
  pass(30_000);
  pass(30_000);
  voice.end();
  pass(60_000);
  expect(told.slice(1).map((line) => JSON.parse(line))).toMatchObject([
    { run: 'r1', msg: 'selecting', found: 3, sinceMs: 30_000 },
    { run: 'r1', msg: 'working', total: 3, done: 1, failed: 0, sinceMs: 30_000 },
    { run: 'r1', msg: 'working', done: 1, sinceMs: 60_000 },
  ]);
});

test('a run that cannot even begin to choose gives a sign of life', async () => {
  vi.useFakeTimers();
  const { io, told, clock } = processOf();
  const voice = await openVoice('json', io, { run: 'r1' });
  clock.now += 30_000;
  vi.advanceTimersByTime(30_000);
  voice.end();
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    { run: 'r1', msg: 'starting', sinceMs: 30_000 },
  ]);
});

test('the help tells numbers from texts', async () => {
  const { stdout } = await command(['run', '--help']);
  expect(stdout).toMatch(/--limit .*\[number\]/);
  expect(stdout).toMatch(/--only .*\[string\]/);
  expect(stdout).toMatch(/--force .*\[boolean\]/);
});
