/**
 * The files that a run writes for people and for monitoring.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockOutput } from '../../src/run/output/lock.ts';
import { jsonLines, readManifest } from '../../src/run/output/manifest.ts';
import { runReportSchema } from '../../src/run/report/run-report.ts';
import { exists, sha256Hex } from '../../src/support/files.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { HOSTILE } from '../helpers/reports.ts';
import { type SmallArticle, type SmallRange, smallRange } from '../helpers/small-range.ts';
import { serveFolder } from '../helpers/static-server.ts';

const NUMBERS = ['D1', 'D2', HOSTILE[0], 'D 4%20#?ä', '../../etc'];
/** One more than the block that the range has by itself. */
const TWO_TRIANGLES = JSON.stringify({
  ...{ N: 'ACME::DESK::X', P: [0, 0, 0], R: [0, 0, 0], T: [] },
  V: [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0],
  A: [{ F: [0, 1, 2, 1, 3, 2], TI: [], C: false }],
});
let articles: SmallArticle[];
let range: SmallRange;
let runs: DailyRuns;
let metrics: string;
let junit: string;

beforeEach(async () => {
  articles = NUMBERS.map((number) => ({ number, blocks: [`ACME::DESK::${number}`] }));
  range = smallRange(articles);
  runs = await openDailyRuns(range);
  metrics = join(runs.outputDir, '..', 'metrics', 'btg2gltf.prom');
  junit = join(runs.outputDir, '..', 'junit.xml');
});
afterEach(() => runs.close());

const run = (day: string, ...options: string[]) =>
  runs.run(day, '--metrics-file', metrics, '--junit', junit, ...options);
const read = (path: string) => readFile(path, 'utf8');
const lastRun = async () => {
  const folder = join(runs.outputDir, 'runs');
  return join(folder, (await readdir(folder)).sort().at(-1)!);
};
const value = async (metric: string) => {
  const line = (await read(metrics)).split('\n').find((one) => one.startsWith(`${metric}{`));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
};

test('a run with a failure writes a page, a report, metrics and JUnit that agree', async () => {
  range.missing.add('ACME::DESK::D2');
  const { exit, stderr } = await run('2026-01-01');
  expect(exit).toBe(1);
  const report = await runs.report();
  expect(runReportSchema.strict().parse(report)).toEqual(report);
  expect(report.changes).toMatchObject({ new: { count: 4 }, changed: { count: 0 } });
  expect(report.causes).toMatchObject([
    { code: 'BLOCK_MISSING', count: 1, example: 'ACME/DESK/D2-STD' },
  ]);
  expect(await value('btg2gltf_changes')).toBe(4);
  expect(await value('btg2gltf_last_run_exit_code')).toBe(1);
  expect(await read(junit)).toContain('<failure type="BLOCK_MISSING"');
  expect(await read(join(await lastRun(), 'report.html'))).toContain(
    '1 of 5 configurations failed',
  );

  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(new Set(lines.map(({ run: id }) => id))).toEqual(new Set([report.run]));
  const failed = lines.filter(({ level }) => level === 'warn');
  expect(failed).toMatchObject([{ article: 'ACME/DESK/D2', code: 'BLOCK_MISSING' }]);
  // No line is about a single article that succeeded.
  expect(lines.filter(({ level, article }) => level === 'info' && article !== undefined)).toEqual(
    [],
  );
});

test('each link of the page leads to a GLB, and each path of the manifest behind the address of a web server', async () => {
  expect(await run('2026-01-01')).toMatchObject({ exit: 0 });
  const folder = await lastRun();
  const page = await read(join(folder, 'report.html'));
  const links = [
    ...new Set(
      [...page.matchAll(/href="(\.\.\/\.\.\/articles\/[^"]+)"/g)].map(([, link]) => link!),
    ),
  ];
  expect(links).toHaveLength(NUMBERS.length);
  for (const link of links) {
    const file = new URL(link, `file://${folder}/report.html`);
    expect((await readFile(file)).subarray(0, 4).toString()).toBe('glTF');
  }
  expect(page).not.toContain('<img');
  const lines = await readManifest(runs.outputDir);
  const server = await serveFolder(runs.outputDir);
  for (const { glb, sha256 } of lines) {
    expect(glb).toMatch(/^articles\/ACME\/DESK\/[A-Za-z0-9._~-]+\/[a-z0-9]+\.glb$/);
    const response = await fetch(`${server.address}/${glb}`);
    expect(response.status, glb).toBe(200);
    expect(sha256Hex(new Uint8Array(await response.arrayBuffer()))).toBe(sha256);
  }
  await server.close();
  expect(lines).toHaveLength(NUMBERS.length);
});

test('an output with names of an earlier version: links move, nothing is built or fetched again', async () => {
  await run('2026-01-01');
  const before = await readManifest(runs.outputDir);
  const former = await Promise.all(
    before.map(async (line) => {
      const glb = `articles/ACME/DESK/${encodeURIComponent(line.finalarticlenumber)}/x.glb`;
      await mkdir(dirname(join(runs.outputDir, glb)), { recursive: true });
      await rename(join(runs.outputDir, line.glb!), join(runs.outputDir, glb));
      return { ...line, glb };
    }),
  );
  await writeFile(join(runs.outputDir, 'manifest.jsonl'), jsonLines(former));
  range.missing.add('ACME::DESK::D2');
  range.convertdate = '2026-01-02';
  expect(await run('2026-01-02')).toMatchObject({ exit: 1 });
  const after = await readManifest(runs.outputDir);
  const moved = after.map((line) => (line.status === 'failed' ? line.lastGood : line)?.glb);
  expect(moved).toEqual(before.map(({ glb }) => glb));
  expect((await runs.report()).configurations).toMatchObject({ converted: 0, failed: 1 });
  const files = await readdir(join(runs.outputDir, 'articles'), { recursive: true });
  expect(files.filter((file) => file.endsWith('.glb'))).toHaveLength(before.length);
  for (const glb of moved) expect(await exists(join(runs.outputDir, glb!))).toBe(true);
});

test('what a gate refuses can be looked at: its links lead to the objects', async () => {
  await run('2026-01-01');
  range.convertdate = '2026-01-02';
  for (const number of NUMBERS) range.bodies.set(`ACME::DESK::${number}`, TWO_TRIANGLES);
  await runs.configure({ gates: { triangles: { refuse: '10%' } } });
  expect(await run('2026-01-02')).toMatchObject({ exit: 4 });
  const { changes, outputDir } = await runs.report();
  expect(changes.changed.count).toBe(NUMBERS.length);
  for (const { glb } of changes.changed.rows) {
    expect(glb).toMatch(/^objects\//);
    expect(await exists(join(outputDir, glb!))).toBe(true);
  }
  expect(await read(join(await lastRun(), 'report.html'))).toContain('Refused');
  expect(await read(junit)).toContain('<failure type="GATE_REFUSED"');
});

test('the second run names the previous run, and reports that nothing has changed', async () => {
  await run('2026-01-01');
  await run('2026-01-02');
  const page = await read(join(await lastRun(), 'report.html'));
  expect(page).toContain('Nothing has changed');
  expect(page).toMatch(/href="\.\.\/2026-01-01T02-00-00\.\d{3}Z\/report\.html"/);
});

test('a service that is gone is reported in all files, and the last successful run is retained', async () => {
  await run('2026-01-01');
  const published = await value('btg2gltf_last_published_timestamp_seconds');
  expect(published).toBeGreaterThan(Date.UTC(2026, 0, 1, 2) / 1000);
  await runs.proxy.close();
  const gone = await run('2026-01-02');
  expect(gone.exit).toBe(3);
  expect(await value('btg2gltf_last_run_exit_code')).toBe(3);
  expect(await value('btg2gltf_last_published_timestamp_seconds')).toBe(published);
  const report = await runs.report();
  expect(runReportSchema.strict().parse(report)).toEqual(report);
  expect(report).toMatchObject({
    ended: 'stopped',
    published: false,
    stop: { code: 'SERVICE_UNREACHABLE' },
  });
  // The log contains the reason under the id of the run.
  const lines = gone.stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line))).toContainEqual({
    ...{ level: 'error', time: expect.any(String), run: report.run, msg: 'stopped', exit: 3 },
    ...report.stop,
  });
  expect(await read(join(await lastRun(), 'report.html'))).toContain('Stopped before the end');
  expect(await read(junit)).toContain('<failure type="SERVICE_UNREACHABLE"');
});

test('a run that may not begin leaves no report, but metrics and JUnit', async () => {
  const release = await lockOutput(runs.outputDir, Date.now());
  expect(await run('2026-01-01')).toMatchObject({ exit: 3 });
  await release();
  expect(await exists(join(runs.outputDir, 'runs'))).toBe(false);
  expect(await value('btg2gltf_last_run_exit_code')).toBe(3);
  expect(await value('btg2gltf_configurations')).toBeUndefined();
  expect(await read(junit)).toContain('<failure type="OUTPUT_LOCKED"');
});

test('a metrics file that cannot be written ends a good run with its name, and hides no other error', async () => {
  await mkdir(metrics, { recursive: true });
  const good = await run('2026-01-01');
  expect(good.exit).toBe(3);
  expect(good.stderr).toContain('btg2gltf.prom');
  expect(good.stderr).toMatch(/^\{.*btg2gltf\.prom.*"exit":3/m);
  await runs.proxy.close();
  const gone = await run('2026-01-02');
  expect(gone.exit).toBe(3);
  expect(gone.stderr).toMatch(/^btg2gltf: (?!.*btg2gltf\.prom).+/m);
});
