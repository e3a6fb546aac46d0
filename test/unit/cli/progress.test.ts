import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Io } from '../../../src/cli/command.ts';
import { openVoice } from '../../../src/cli/progress.ts';
import { command } from '../../helpers/command.ts';

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

test('a log has one line of it, and then a sign of life now and then', async () => {
  const { io, told, clock } = processOf();
  const voice = await openVoice(undefined, io);
  voice.selecting(0);
  voice.selecting(1);
  expect(told.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'selecting' }]);
  clock.now = 30_000;
  voice.selecting(2);
  voice.selecting(3);
  expect(told.map((line) => JSON.parse(line))).toMatchObject([{}, { msg: 'selecting', found: 2 }]);
});

test('the help tells numbers from texts', async () => {
  const { stdout } = await command(['run', '--help']);
  expect(stdout).toMatch(/--limit .*\[number\]/);
  expect(stdout).toMatch(/--only .*\[string\]/);
  expect(stdout).toMatch(/--force .*\[boolean\]/);
});
