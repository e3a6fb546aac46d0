/** Articles without geometry: services, discounts and others that are purely commercial. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json } from '../../src/emulator/sample/range.ts';
import { readCatalogue } from '../../src/run/output/manifest.ts';
import { runReportSchema } from '../../src/run/report/run-report.ts';
import { exists } from '../../src/support/files.ts';
import { manifestByNumber } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { type SmallArticle, type SmallRange, smallRange } from '../helpers/small-range.ts';

const SERVICE = 'ASSEMBLY';
let articles: SmallArticle[];
let range: SmallRange;
let runs: DailyRuns;
/** Numbers of the articles whose parts lists are empty. */
let empty: Map<string, Json>;

beforeEach(async () => {
  articles = [{ number: 'D1', blocks: ['ACME::DESK::D1'] }, { number: SERVICE }];
  range = smallRange(articles);
  empty = new Map([[SERVICE, { btg: [], blocks: [], mats: [] }]]);
  const drawn = range.partsList;
  range.partsList = (query) => empty.get(query.basearticlenumber!) ?? drawn(query);
  runs = await openDailyRuns(range);
});
afterEach(() => runs.close());

const manifest = () => manifestByNumber(runs.outputDir);

test('are skipped with a reason in manifest, report, summary, metrics and JUnit, and exit 0; cost nothing in a run without changes, and stay skipped when they are requested anew', async () => {
  const [metrics, junit] = [join(runs.outputDir, 'm.prom'), join(runs.outputDir, 'j.xml')];
  const options = ['--metrics-file', metrics, '--junit', junit, '--max-failures', '0'];
  const { exit, stdout } = await runs.run('2026-01-01', ...options);
  expect(exit).toBe(0);
  const { [SERVICE]: line, D1: drawn } = await manifest();
  expect(drawn!.status).toBe('converted');
  expect(line).toMatchObject({ status: 'skipped', requested: [{ basearticlenumber: SERVICE }] });
  expect(line!.reason).toMatchObject({ code: 'NO_GEOMETRY', message: /parts list is empty/ });
  expect([line!.glb, line!.error]).toEqual([undefined, undefined]);
  const report = await runs.report();
  expect(runReportSchema.strict().parse(report)).toEqual(report);
  expect(report.configurations).toMatchObject({ selected: 2, converted: 1, skipped: 1, failed: 0 });
  expect(report.skipped).toMatchObject([{ basearticlenumber: SERVICE, code: 'NO_GEOMETRY' }]);
  expect(stdout).toContain('1 skipped');
  expect(await readFile(metrics, 'utf8')).toMatch(/outcome="skipped"\} 1$/m);
  expect(await readFile(junit, 'utf8')).toContain('<skipped message="NO_GEOMETRY');
  const shop = await readCatalogue(runs.outputDir);
  expect(shop.map(({ basearticlenumber }) => basearticlenumber)).toEqual([SERVICE, 'D1']);
  const explained = await runs.explain(SERVICE);
  expect(explained.stdout).toMatch(/skipped[\s\S]*NO_GEOMETRY: its parts list is empty/);
  expect(explained.stdout).toMatch(/ in run \S+: skipped: its parts list is empty/);

  const before = (await manifest())[SERVICE];
  expect(await runs.run('2026-01-02')).toMatchObject({ exit: 0 });
  const { byOperation } = (await runs.report()).requests;
  expect([byOperation.getArticle, byOperation.getPartsList]).toEqual([undefined, undefined]);
  expect((await manifest())[SERVICE]).toEqual(before);
  range.convertdate = '2026-01-03';
  expect(await runs.run('2026-01-04')).toMatchObject({ exit: 0 });
  expect((await manifest())[SERVICE]).toEqual(before);
});

test('a top node without children is no geometry either, a node that may be drawn fails', async () => {
  const top = (childs: Json[]) => ({
    ...{ btg: [{ type: 'top', prop: { childs } }], blocks: [], mats: [] },
  });
  empty.set(SERVICE, top([]));
  expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
  range.convertdate = '2026-01-02';
  empty.set(SERVICE, top([{ type: 'clsref', prop: {} }]));
  expect(await runs.run('2026-01-03')).toMatchObject({ exit: 1 });
  expect((await manifest())[SERVICE]).toMatchObject({ error: { code: 'NOTHING_TO_DRAW' } });
});

test('a parts list of more than a megabyte is not empty by design', async () => {
  const btg = Array.from({ length: 1_100 }, () => ({ type: 'top', lay: 'A'.repeat(1_000) }));
  empty.set(SERVICE, { btg, blocks: [], mats: [] });
  expect(await runs.run('2026-01-01')).toMatchObject({ exit: 1 });
  expect((await manifest())[SERVICE]).toMatchObject({ error: { code: 'NOTHING_TO_DRAW' } });
});

test('with a dump they fail', async () => {
  articles[1]!.article = { dump: 'class not found' };
  expect(await runs.run('2026-01-01')).toMatchObject({ exit: 1 });
  expect((await manifest())[SERVICE]).toMatchObject({ error: { code: 'NOTHING_TO_DRAW' } });
});

test('what had a GLB before fails in every run, and keeps it', async () => {
  await runs.run('2026-01-01');
  const { glb, sha256 } = (await manifest()).D1!;
  empty.set('D1', { btg: [], blocks: [], mats: [] });
  range.convertdate = '2026-01-02';
  for (const day of ['2026-01-03', '2026-01-04']) {
    expect(await runs.run(day)).toMatchObject({ exit: 1 });
    const line = (await manifest()).D1!;
    expect(line).toMatchObject({ status: 'failed', error: { code: 'NOTHING_TO_DRAW' } });
    expect(line.lastGood).toMatchObject({ glb, sha256 });
    expect(await exists(join(runs.outputDir, glb!))).toBe(true);
  }
});
