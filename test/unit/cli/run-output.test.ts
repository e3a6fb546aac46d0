import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import type { Arguments, Io } from '../../../src/cli/command.ts';
import { openLog, openOutput } from '../../../src/cli/run-output.ts';
import { command } from '../../helpers/command.ts';
import { textIn } from '../../helpers/stream-text.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A process with a clock that the test advances. */
function processOf(terminal?: NodeJS.WritableStream) {
  const lines: string[] = [];
  const clock = { now: 0 };
  const io: Io = {
    env: {},
    print: () => {},
    printData: () => {},
    printError: (text) => lines.push(text),
    columns: 80,
    isTerminal: false,
    terminal,
    now: () => clock.now,
    random: Math.random,
    signal: new AbortController().signal,
  };
  return { io, lines, clock };
}

test('during selection the terminal shows the number of articles, until the bar begins', async () => {
  const screen = new PassThrough();
  const output = await openOutput({}, processOf(screen).io);
  output.display.selecting(0);
  output.display.selecting(17);
  expect(textIn(screen)).toMatch(/selecting · 0 found.*\r.*selecting · 17 found$/);
  output.display.progress({ total: 17, done: 0, failed: 0 });
  output.display.selecting(18);
  expect(textIn(screen)).not.toContain('found');
  output.display.close();
});

/** What a terminal shows after these bytes; it has no other control sequences than these. */
function shown(text: string): string[] {
  return text.split('\n').map((line) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's own
    const last = line.split(/\r\u001b\[K/).at(-1)!;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's own
    expect(last).not.toMatch(/[\u001b\r]/);
    return last;
  });
}

test('the bar is cleared before each log line, and at the end nothing of it remains', async () => {
  vi.useFakeTimers();
  const screen = Object.assign(new PassThrough(), { columns: 60 });
  const { io } = processOf(screen);
  const output = await openOutput({}, { ...io, printError: (text) => screen.write(text) });
  output.display.selecting(1);
  output.log.warn('one');
  for (let done = 0; done <= 40; done++) {
    output.display.progress({ total: 40, done, failed: 0 });
    if (done % 20 === 10) output.log.warn(`at ${done}`, { long: 'x'.repeat(100) });
    vi.advanceTimersByTime(60);
  }
  output.display.close();
  output.log.info('finished');
  const written = textIn(screen);
  expect(written).toMatch(/39\/40/);
  const lines = shown(written);
  expect(lines.map((line) => line.slice(9, 24).trim())).toEqual([
    'warn  one',
    'warn  at 10',
    'long=xxxx',
    'warn  at 30',
    'long=xxxx',
    'info  finished',
    '',
  ]);
  for (const drawn of written.match(/ {2}[█░]+[^\r\n]*/g)!) expect(drawn.length).toBeLessThan(60);
});

test('a terminal shows each cause once, as a sentence; JSON and --verbose have every failure', async () => {
  const failed = (number: string) => {
    const article = `ACME/DESK/${number}`;
    const message = `getArticle ${article}: the service has no such article`;
    return { article, code: 'ARTICLE_NOT_FOUND', message };
  };
  const logged = async (args: Arguments, screen?: PassThrough) => {
    const { io, lines } = processOf(screen);
    const { log, display } = await openOutput(args, io);
    for (const number of ['D1', 'D2']) log.warn('configuration failed', failed(number));
    log.warn('the service does not answer', { reason: 'nothing listens there' });
    display.close();
    return lines.join('');
  };
  expect(await logged({}, new PassThrough())).toBe(`\
00:00:00 warn  configuration failed: ACME/DESK/D1: the service has no such
               article (ARTICLE_NOT_FOUND)
00:00:00 warn  the service does not answer: nothing listens there
`);
  expect(await logged({ verbose: true }, new PassThrough())).toContain('ACME/DESK/D2');
  expect((await logged({})).match(/"article":"ACME/g)).toHaveLength(2);
});

test('--quiet logs errors only and draws no bar; --verbose logs every configuration', async () => {
  const screen = new PassThrough();
  const quiet = processOf(screen);
  const output = await openOutput({ quiet: true }, quiet.io);
  output.display.selecting(1);
  output.display.progress({ total: 1, done: 1, failed: 0 });
  output.log.warn('a warning');
  output.log.error('an error');
  output.display.close();
  expect(screen.read()).toBeNull();
  expect(quiet.lines.join('')).toMatch(/^\S+ error an error\n$/);
  const verbose = processOf();
  (await openOutput({ verbose: true }, verbose.io)).log.debug('configuration', { ms: 1 });
  expect(verbose.lines.join('')).toContain('"level":"debug"');
});

test('a log has one line of the selection, then a line every 30 seconds, also without progress', async () => {
  vi.useFakeTimers();
  const { io, lines, clock } = processOf();
  const output = await openOutput({}, io, { run: 'r1' });
  const pass = (ms: number) => {
    clock.now += ms;
    vi.advanceTimersByTime(ms);
  };
  output.display.selecting(0);
  output.display.selecting(3);
  pass(29_000);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'selecting', run: 'r1' }]);
  pass(1000);
  output.display.progress({ total: 3, done: 1, failed: 0 });
  pass(30_000);
  pass(30_000);
  output.display.close();
  pass(60_000);
  expect(lines.slice(1).map((line) => JSON.parse(line))).toMatchObject([
    { run: 'r1', msg: 'selecting', found: 3, sinceMs: 30_000 },
    { run: 'r1', msg: 'working', total: 3, done: 1, failed: 0, sinceMs: 30_000 },
    { run: 'r1', msg: 'working', done: 1, sinceMs: 60_000 },
  ]);
});

test('a log has a line every 30 seconds before the selection too', async () => {
  vi.useFakeTimers();
  const { io, lines, clock } = processOf();
  const output = await openOutput({ 'log-format': 'json' }, io, { run: 'r1' });
  clock.now += 30_000;
  vi.advanceTimersByTime(30_000);
  output.display.close();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { run: 'r1', msg: 'starting', sinceMs: 30_000 },
  ]);
});

test('the help shows the type of each option', async () => {
  const { stdout } = await command(['run', '--help']);
  expect(stdout).toMatch(/--limit .*\[number\]/);
  expect(stdout).toMatch(/--only [^[]*\[string\]/);
  expect(stdout).toMatch(/--quiet .*\[boolean\]/);
});

test('a terminal that reports 0 columns shows the whole bar', async () => {
  const screen = Object.assign(new PassThrough(), { columns: 0 });
  const output = await openOutput({}, processOf(screen).io);
  output.display.progress({ total: 17, done: 0, failed: 0 });
  expect(textIn(screen)).toMatch(/0 failed$/);
  output.display.close();
});

test('a server logs what happens, and nothing while nothing does, on a terminal or not', async () => {
  vi.useFakeTimers();
  const screen = new PassThrough();
  for (const { io, lines } of [processOf(), processOf(screen)]) {
    const log = await openLog({}, io);
    vi.advanceTimersByTime(600_000);
    expect(lines).toEqual([]);
    log.info('a request');
    expect(lines).toEqual([expect.stringContaining('a request')]);
  }
  expect(screen.read()).toBeNull();
  expect(vi.getTimerCount()).toBe(0);
});

test('what is made of the GLBs has a bar of its own, whose time begins with it', async () => {
  vi.useFakeTimers();
  const screen = new PassThrough();
  const { io, clock } = processOf(screen);
  const output = await openOutput({}, io);
  output.display.progress({ total: 112, done: 0, failed: 0 });
  clock.now = 100_000;
  output.display.progress({ total: 112, done: 112, failed: 0 });
  output.display.progress({ making: 'pictures', total: 60, done: 0, failed: 0 });
  expect(shown(textIn(screen)).at(-1)).toMatch(/░ pictures · 0\/60 · 0\.0\/s · – left · 0 failed$/);
  clock.now = 110_000;
  output.display.progress({ making: 'pictures', total: 60, done: 20, failed: 1 });
  vi.advanceTimersByTime(100);
  const bar = shown(textIn(screen)).at(-1);
  expect(bar).toMatch(/█░+ pictures · 20\/60 · 2\.0\/s · 0:20 left · 1 failed$/);
  output.display.close();
});

test('off a terminal a line each 30 s says what is made', async () => {
  vi.useFakeTimers();
  const { io, lines, clock } = processOf();
  const output = await openOutput({}, io);
  output.display.progress({ making: 'pictures', total: 60, done: 20, failed: 1 });
  clock.now = 30_000;
  vi.advanceTimersByTime(30_000);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'making pictures', total: 60, done: 20, failed: 1, sinceMs: 30_000 },
  ]);
  output.display.close();
});

test('kinds that are made at the same time have a line each, until they are done', async () => {
  vi.useFakeTimers();
  const screen = new PassThrough();
  const { io, clock } = processOf(screen);
  const output = await openOutput({}, io);
  output.display.progress({ total: 112, done: 112, failed: 0 });
  output.display.progress({ making: 'web', total: 60, done: 0, failed: 0 });
  output.display.progress({ making: 'pictures', total: 60, done: 0, failed: 0 });
  clock.now = 10_000;
  output.display.progress({ making: 'web', total: 60, done: 30, failed: 0 });
  output.display.progress({ making: 'pictures', total: 60, done: 20, failed: 1 });
  screen.read();
  vi.advanceTimersByTime(100);
  const both = String(screen.read());
  // The two lines that were there are erased first.
  expect(both.startsWith('\r\u001b[K\u001b[A\r\u001b[K')).toBe(true);
  const [web, pictures] = both.split('\n');
  expect(web).toMatch(/web · 30\/60 · 3\.0\/s · 0:10 left · 0 failed$/);
  expect(pictures).toMatch(/pictures · 20\/60 · 2\.0\/s · 0:20 left · 1 failed$/);
  // A kind without anything to make has no line.
  output.display.progress({ making: 'variants', total: 0, done: 0, failed: 0 });
  output.display.progress({ making: 'web', total: 60, done: 60, failed: 0 });
  vi.advanceTimersByTime(100);
  expect(String(screen.read())).not.toMatch(/web|variants/);
  output.display.close();
});

test('off a terminal each kind that is being made has its line, with its rate', async () => {
  vi.useFakeTimers();
  const { io, lines, clock } = processOf();
  const output = await openOutput({}, io);
  output.display.progress({ total: 60, done: 60, failed: 0 });
  for (const making of ['web', 'pictures', 'ar-ios'])
    output.display.progress({ making, total: 60, done: 0, failed: 0 });
  clock.now = 30_000;
  output.display.progress({ making: 'web', total: 60, done: 20, failed: 0 });
  output.display.progress({ making: 'ar-ios', total: 60, done: 60, failed: 0 });
  vi.advanceTimersByTime(30_000);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'making web', done: 20, perSecond: 0.7, secondsLeft: 60 },
    { msg: 'making pictures', done: 0, sinceMs: 30_000 },
  ]);
  output.display.close();
});
