/**
 * A hostile night: articles whose answers are meant to end the run, among good ones. The good ones are converted
 * as always, each hostile one is a failure by name or converted, the memory is bounded, and no process is left.
 *
 * `npm test` takes two good articles and some hostile ones, with `BTG2GLTF_TEST_LONG=1` it is 200 and all kinds, which
 * Ctrl-C interrupts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { valuesOf } from '../../src/emulator/sample/definition.ts';
import { finalNumberOf, reinitOf } from '../../src/emulator/sample/numbering.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { ARTICLES } from '../../src/emulator/sample/series/range.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { type Child, startChild } from '../helpers/child.ts';
import { LIVE } from '../helpers/command.ts';
import { type DailyRuns, lastFailures, openDailyRuns } from '../helpers/daily-runs.ts';
import { HOSTILE_KINDS } from '../helpers/hostile-kinds.ts';
import { EVIL, hostileDisturbances } from '../helpers/hostile-service.ts';
import { damagesOf, filesBelow } from '../helpers/output-folder.ts';
import { descendantsOf, measureMemory, processorSeconds } from '../helpers/process-memory.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { until } from '../helpers/until.ts';

const GOOD = IS_LONG ? 200 : 2;
/** Of the program, and of each of its child processes: a body that is kept whole takes more. */
const MOST_MIB = 900;
/** Processor time of the program and its child processes from Ctrl-C to the end. */
const MOST_INTERRUPT_SECONDS = 2;
/** Moments of a whole run at which it is interrupted, as shares of its requests. */
const MOMENTS = [0.1, 0.25, 0.4, 0.55, 0.7, 0.85];
/** Kinds that keep a processor busy. */
const BUSY = Object.keys(HOSTILE_KINDS).filter((name) => HOSTILE_KINDS[name]!.isBusy);
/** After so much processor time since its last answer was sent, a busy article is interrupted. */
const BUSY_SECONDS = [0.1, 1];

/** Processor time that a process has taken once it converts, and no longer starts. To pack the picture takes ten times as much. */
const CONVERTS_SECONDS = 0.6;

const SERVICE = {
  ...LIVE,
  concurrency: 16,
  timeoutMs: IS_LONG ? 15_000 : 60_000,
  retries: IS_LONG ? 4 : 1,
  backoffMs: 20,
  // One that demands an hour stops all requests for so long.
  maxPauseMs: 100,
};
const LIMITS = { articleTimeoutMs: IS_LONG ? 120_000 : 60_000 };
const HEADER = 'manufacturer,program,basearticlenumber,finalarticlenumber,reinitstring';

let runs: DailyRuns;
const at = (name: string) => join(runs.folder, name);
/** Base article numbers of the hostile articles. */
let hostile: string[];
let onAnswered: (number: string) => void = () => {};

beforeAll(async () => {
  runs = await openDailyRuns(createSampleRange());
  const all = Object.entries(HOSTILE_KINDS);
  const tried = all.filter(([, { isShort }]) => IS_LONG || isShort);
  hostile = tried.flatMap(([name, { times = 1 }]) =>
    Array.from({ length: IS_LONG ? times : 1 }, (_, i) => `${name}-${i + 1}`),
  );
  runs.proxy.disturb(hostileDisturbances(new Map(all), (number) => onAnswered(number)));
});
afterAll(() => runs.close());

/** Lines of a list: every article as it is, then desks of many sizes and finishes. */
function goodArticles(): string[] {
  const desk = ARTICLES.find(({ number }) => number === 'LN-M')!;
  const desks = ['EI', 'NB', 'BU', 'WS', 'LG'].flatMap((DEKOR) =>
    ['SW', 'WS', 'SI'].flatMap((GESTELL) =>
      Array.from({ length: 13 }, (_, i) => {
        const values = valuesOf(desk, { DEKOR, GESTELL, BREITE: String(800 + 50 * i) });
        return [desk, finalNumberOf(desk, values), reinitOf(desk, values)] as const;
      }),
    ),
  );
  const plain = ARTICLES.map((article) => [article, '', ''] as const);
  const chosen = IS_LONG ? [...plain, ...desks] : desks;
  return chosen
    .slice(0, GOOD)
    .map(([{ manufacturer, program, number }, final, reinit]) =>
      line([manufacturer, program, number, final, reinit]),
    );
}

const line = (cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join();
const hostileLine = (number: string) => line([EVIL.manufacturer, EVIL.program, number, '', '']);

/** Hostile articles spread evenly among good ones. */
function spread(good: string[], evil: string[]): string[] {
  const at = (index: number, of: number) => (index + 0.5) / of;
  return [
    ...good.map((text, i) => ({ text, place: at(i, good.length) })),
    ...evil.map((text, i) => ({ text, place: at(i, evil.length) })),
  ]
    .sort((a, b) => a.place - b.place)
    .map(({ text }) => text);
}

/** Writes the pipeline for a list of articles, with an output folder and a cache of that name. */
async function configure(name: string, lines: string[]): Promise<void> {
  await writeFile(at(`${name}.csv`), `${[HEADER, ...lines].join('\n')}\n`);
  await runs.configure({
    ...{ service: SERVICE, limits: LIMITS, articles: [{ list: `${name}.csv` }] },
    ...{ output: { dir: name }, cache: { dir: `${name}-cache` } },
  });
}

/** Starts the built program. */
async function start(name: string, lines: string[]): Promise<Child> {
  await configure(name, lines);
  return startChild(['run', runs.pipelineFile], runs.proxy.env);
}

/** The digests of the good articles of a manifest by their configuration. */
async function digestsOf(name: string): Promise<Map<string, string | undefined>> {
  const lines = await readManifest(at(name));
  return new Map(
    lines
      .filter(({ manufacturer }) => manufacturer !== EVIL.manufacturer)
      .map((found) => [`${found.basearticlenumber} ${found.finalarticlenumber}`, found.sha256]),
  );
}

let requests = 0;

it(`converts ${GOOD} good articles unchanged, and names each hostile one`, async () => {
  const good = goodArticles();
  await configure('clean', good);
  const clean = await runs.call(['run', runs.pipelineFile]);
  expect(clean.exit, clean.stderr).toBe(0);

  const before = runs.proxy.seen.length;
  const run = await start('night', spread(good, hostile.map(hostileLine)));
  const stopMeasuring = measureMemory(run.pid);
  const night = await run.ended;
  const { largestMib } = stopMeasuring();
  requests = runs.proxy.seen.length - before;
  console.info(
    `hostile night: ${hostile.length} hostile and ${good.length} good articles, ${requests} requests, ${largestMib.toFixed(0)} MiB at most`,
  );
  expect(night.exit, night.stderr).toBe(1);
  await expectEachNamed();
  expect(await digestsOf('night')).toEqual(await digestsOf('clean'));
  expect((await digestsOf('night')).size).toBe(GOOD);
  expect(await damagesOf(at('night'))).toEqual([]);
  expect(await readdir(runs.folder)).toEqual(
    expect.not.arrayContaining(['escaped', 'escaped.glb']),
  );
  expect(largestMib).toBeLessThan(MOST_MIB);
});

/** Each hostile article has a line of the manifest: converted, without geometry, or failed with a row that helps. */
async function expectEachNamed(): Promise<void> {
  const lines = await readManifest(at('night'));
  const failures = await lastFailures(at('night'));
  const results = hostile.map((number) => {
    const found = lines.find(({ requested }) =>
      requested.some(({ basearticlenumber }) => basearticlenumber === number),
    );
    return [number, found?.error?.code ?? found?.status, found?.error?.message] as const;
  });
  console.info(
    results
      .map(([number, code, message]) => `${number}: ${code}: ${message?.slice(0, 200)}`)
      .join('\n'),
  );
  expect(results.filter(([, code]) => code === undefined || code === 'INTERNAL')).toEqual([]);
  for (const { code, message, help } of failures) {
    expect(message, code).toMatch(/\S/);
    expect(help, code).toMatch(/\S/);
    expect(message.length, message.slice(0, 200)).toBeLessThan(1000);
  }
  expect(failures.map(({ code }) => code)).not.toContain('INTERNAL');
}

/**
 * Starts a run, interrupts it at a moment, and returns the processor time that it took from then on; undefined if it
 * was over.
 */
async function interruptAt(
  name: string,
  lines: string[],
  isMoment: (pid: number) => boolean,
): Promise<number | undefined> {
  await rm(at(name), { recursive: true, force: true });
  await rm(at(`${name}-cache`), { recursive: true, force: true });
  const child = await start(name, lines);
  let isOver = false;
  void child.ended.finally(() => {
    isOver = true;
  });
  await until(() => isOver || isMoment(child.pid));
  const wasOver = isOver;
  const before = processorSeconds(child.pid);
  let seconds = before;
  child.kill('SIGINT');
  await until(() => {
    seconds = Math.max(seconds, processorSeconds(child.pid));
    return isOver;
  });
  const { exit, signal, stderr } = await child.ended;
  expect(await damagesOf(at(name))).toEqual([]);
  expect((await filesBelow(at(name))).filter((file) => file.includes('.tmp'))).toEqual([]);
  // After its last line a run no longer listens to signals.
  if (wasOver || (signal === 'SIGINT' && stderr.includes('"finished"'))) return undefined;
  expect(signal, stderr).toBe(null);
  expect([130, 1], stderr).toContain(exit);
  return seconds - before;
}

it.runIf(IS_LONG)('ends at once after Ctrl-C, whatever it is working on', async () => {
  const took: [when: string, seconds: number | undefined][] = [];
  for (const moment of MOMENTS) {
    const lines = spread(goodArticles(), hostile.map(hostileLine));
    const last = runs.proxy.seen.length + moment * requests;
    const seconds = await interruptAt('stopped', lines, () => runs.proxy.seen.length >= last);
    took.push([`at ${Math.round(100 * moment)} % of the run`, seconds]);
  }
  for (const name of BUSY) {
    for (const afterSeconds of BUSY_SECONDS) {
      let answeredAt: number | undefined;
      let isAnswered = false;
      onAnswered = (number) => {
        isAnswered ||= number === `${name}-1`;
      };
      const seconds = await interruptAt('busy', [hostileLine(`${name}-1`)], (pid) => {
        const now = processorSeconds(pid);
        if (isAnswered) answeredAt ??= now;
        return answeredAt !== undefined && now >= answeredAt + afterSeconds;
      });
      took.push([`${afterSeconds} s after the answer of ${name}`, seconds]);
    }
  }
  onAnswered = () => {};
  console.info(
    took.map(([when, seconds]) => `Ctrl-C ${when}: ${seconds ?? 'was over'}`).join('\n'),
  );
  expect(took.filter(([, seconds = 0]) => seconds > MOST_INTERRUPT_SECONDS)).toEqual([]);
});

it.runIf(process.platform === 'linux')('leaves no process behind when it is killed', async () => {
  // It is in native code, which a process that exits would wait for.
  const child = await start('killed', [hostileLine('picture-slow-to-pack-1')]);
  const conversion = await until(() => {
    const [process] = descendantsOf(child.pid);
    return process !== undefined && processorSeconds(process) > CONVERTS_SECONDS && process;
  });
  child.kill('SIGKILL');
  await child.ended;
  await until(() => !isRunning(conversion as number));
  // It has not come to its end.
  expect(await filesBelow(at('killed/objects'))).toEqual([]);
});

/** One that has ended may still be listed as a zombie. */
function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !readFileSync(status, 'utf8').includes('State:\tZ');
}
