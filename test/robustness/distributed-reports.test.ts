/** The report of a distributed run is that of a local one, but for the table of workers: in each executor of a run. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { reportHtmlWithPictures } from '../../src/report/html.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import { type Child, environmentOf, startChild } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const SIZE = { articles: 120, blocks: 40, images: 10, manufacturers: 2, articlesPerSeries: 60 };
const LIMIT_MS = 120_000;
const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

let queue: QueueServerUnderTest;
let range: CountedRange;
let emulator: Emulator;
let folder: string;
let env: Record<string, string>;
const children: Child[] = [];

beforeAll(async () => {
  queue = await startPostgres();
  folder = await temporaryFolder();
  range = countedRange(SIZE);
  emulator = await startEmulator({ range });
  env = { ...environmentOf(emulator), BTG2GLTF_QUEUE_URL: queue.url };
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.splice(0).map(({ ended }) => ended));
});
afterAll(async () => {
  await emulator.close();
  await queue.close();
  await rm(folder, { recursive: true, force: true });
});

function start(...words: string[]): Child {
  const child = startChild(words, env);
  children.push(child);
  return child;
}

/** Who coordinates, and who works for it. */
const EXECUTORS = {
  local: [['run'], []],
  bullmq: [
    ['run', '--executor', 'bullmq'],
    [['worker'], ['worker']],
  ],
  shard: [['run', '--shard', '1/2'], [['run', '--shard', '2/2']]],
} as const;

type Executor = keyof typeof EXECUTORS;

async function run(name: Executor) {
  await mkdir(join(folder, name), { recursive: true });
  const file = await writePipeline(join(folder, name), { name: 'nightly', service: SERVICE });
  const [[command, ...own], helpers] = EXECUTORS[name];
  const others = helpers.map(([first, ...more]) => start(first, file, ...more));
  const { exit, stdout } = await start(command, file, ...own).ended;
  for (const child of others) child.kill('SIGTERM');
  for (const { ended } of others) await ended;
  const read = (path: string) => readFile(join(folder, name, 'out/runs/latest', path), 'utf8');
  const report: RunReport = JSON.parse(await read('report.json'));
  const failures = (await read('failures.jsonl')).trimEnd().split('\n');
  return { exit, stdout, report, html: await read('report.html'), failures };
}

/** What is measured, or says when or where. Each process logs in, and reads a folder that none has stored yet. */
const OWN = new Set([
  ...['run', 'previousRun', 'startedAt', 'endedAt', 'totalMs', 'stageMs', 'outputDir', 'cacheDir'],
  ...['slowest', 'ms', 'firstSeen', 'lastSeen', 'requests'],
]);

/** A value in which everything of {@link OWN} is that of another one. */
function withOwnOf(like: unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const others = like as Record<string, unknown> | undefined;
  const entries = Object.entries(value).map(([name, inside]) => [
    name,
    OWN.has(name) ? others?.[name] : withOwnOf(others?.[name], inside),
  ]);
  return Array.isArray(value) ? entries.map(([, inside]) => inside) : Object.fromEntries(entries);
}

/** Requests of the conversion. */
const requestsOf = ({ requests: { byOperation, fromCache } }: RunReport) => {
  const { getArticle, getPartsList, getBlock, getMaterial } = byOperation;
  return { fromCache, getArticle, getPartsList, getBlock, getMaterial };
};

const pageOf = (report: RunReport) => reportHtmlWithPictures(report, []);

const withoutTimes = (summary: string) =>
  summary
    .replace(/^ {2}(?:Time|Workers|Output) .*\n/gm, '')
    .replace(/(Requests +)\d+ sent, [\d.]+ kB/, '$1')
    .replace(/\S+report\.html$/m, '');

const CHANGES: Record<string, () => void> = {
  'converts everything, but some fails': () => {
    range.missing.add(range.articleAt(0).blocks[0]!);
    range.gone.add(range.articleAt(5).number);
  },
  'finds everything unchanged': () => {},
  'repairs what has failed': () => {
    range.convertdates.set('N01', '2024-06-01');
    range.missing.clear();
  },
};

test.each(Object.keys(CHANGES).slice(0, IS_LONG ? 3 : 1))(
  'a run that %s has one report, page and summary',
  async (change) => {
    CHANGES[change]!();
    const [local, ...distributed] = await Promise.all([run('local'), run('bullmq'), run('shard')]);
    expect(pageOf(local.report)).toBe(local.html);
    for (const { exit, stdout, report, html, failures } of distributed) {
      expect(exit).toBe(local.exit);
      expect(pageOf(report)).toBe(html);
      const { workers, ...others } = report;
      expect(workers).toHaveLength(2);
      const same = withOwnOf(local.report, others) as RunReport;
      expect(same).toEqual(local.report);
      expect(Object.keys(same)).toEqual(Object.keys(local.report));
      expect(requestsOf(report)).toEqual(requestsOf(local.report));
      expect(pageOf(same)).toBe(local.html);
      expect(failures.map((line, index) => like(local.failures[index], line))).toEqual(
        local.failures,
      );
      expect(withoutTimes(stdout)).toBe(withoutTimes(local.stdout));
    }
  },
  LIMIT_MS,
);

test('doctor connects to the queue', async () => {
  const file = await writePipeline(folder, { name: 'nightly', service: SERVICE });
  const { exit, stdout } = await command(['doctor', file], { env });
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^ok +queue +postgres:\/\/127\.0\.0\.1:\d+\/postgres$/m);
});

/** A line of JSON with what is {@link OWN} of another one. */
function like(other: string | undefined, line: string): string {
  if (line === '') return line;
  return JSON.stringify(withOwnOf(JSON.parse(other ?? '{}'), JSON.parse(line)));
}
