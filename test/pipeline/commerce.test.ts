/** The catalogue beside the manifest: what a shop shows of each configuration. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../src/emulator/sample/range.ts';
import type { CatalogueLine } from '../../src/run/lists/manifest-line.ts';
import { jsonLines, readCatalogue } from '../../src/run/output/manifest.ts';
import { manifestByNumber } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { type SmallArticle, smallRange } from '../helpers/small-range.ts';

/** An article with these commercial fields, and more. */
const article = (number: string, ocd: Json, more: Json = {}): SmallArticle => ({
  number,
  blocks: [`ACME::DESK::${number}`],
  article: {
    ocd: { finalarticlenumber: `${number}-STD`, reinitstring: `${number};F=STD::`, ...ocd },
    ...more,
  },
});
const propertyOf = (name: string, fields: Json): Json => ({ name, text: name, ...fields });
const inClass = (...properties: Json[]) => [{ name: 'PLAN', text: 'Plan', properties }];

const COMPONENTS = [{ name: 'frame', price: 100, more: { tax: 19 } }];
const OPEN_CHILD = {
  ...{ id: 'C', rootid: 'INCOMPLETE', manufacturer: 'ACME', program: 'DESK' },
  ...{ basearticlenumber: 'CH-1', reinit: '', children: [] },
  propclasses: inClass(propertyOf('COLOR', { obligatory: true, currentvalue: '' })),
  ocd: { finalarticlenumber: 'CH-1', reinitstring: '' },
};
const ARTICLES = [
  article('PRICED', { articlewithprice: true, price: 120.5, pricecomponents: COMPONENTS }),
  article('FREE', { articlewithprice: true, price: 0, varianttext: 'Top: oak' }),
  article('ON-REQUEST', { articlewithprice: false, price: 99 }),
  article('UNPRICED', { articlewithprice: true }),
  article('CH-1', {}),
  article(
    'INCOMPLETE',
    { propclasses: inClass(propertyOf('TOP', { obligatory2c: true, currentvalue: ' ' })) },
    {
      propclasses: inClass(propertyOf('NOTE', { obligatory: false, currentvalue: '' })),
      children: [OPEN_CHILD],
    },
  ),
];

let runs: DailyRuns;
/** The planning draws its child, too. */
const PLANNING = ARTICLES.find(({ number }) => number === 'INCOMPLETE')!;
PLANNING.blocks!.push('ACME::DESK::CH-1');

/** What all tests look at: no run after this one changes it. */
beforeAll(async () => {
  runs = await openDailyRuns(smallRange(ARTICLES));
  expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
});
afterAll(() => runs.close());

const catalogue = async (): Promise<Record<string, CatalogueLine>> => {
  const lines = await readCatalogue(runs.outputDir);
  return Object.fromEntries(lines.map((line) => [line.basearticlenumber, line]));
};

test('a price is a number that the service sent of an article with a price, else null', async () => {
  const lines = await catalogue();
  const prices = Object.entries(lines).map(([number, { price }]) => [number, price]);
  expect(Object.fromEntries(prices)).toMatchObject({
    ...{ PRICED: 120.5, FREE: 0, 'ON-REQUEST': null, UNPRICED: null },
  });
  expect(lines.PRICED!.pricecomponents).toEqual(COMPONENTS);
  expect(lines.FREE).toMatchObject({ varianttext: 'Top: oak', pricecomponents: null });
});

test('a line has path, digest and size of its GLB', async () => {
  const manifest = await manifestByNumber(runs.outputDir);
  for (const [number, line] of Object.entries(await catalogue())) {
    const { glb, sha256, boundsMetres } = manifest[number]!;
    expect([line.glb, line.sha256]).toEqual([glb, sha256]);
    const [x, y, z] = boundsMetres!.max.map((high, axis) => high - boundsMetres!.min[axis]!);
    const { width, height, depth } = line.sizeMillimetres!;
    expect([width, height, depth]).toEqual([x! * 1000, y! * 1000, z! * 1000]);
    expect(Math.max(width, height, depth)).toBe(1000);
  }
});

test('a configuration with an open property, also of a child, is named and needs attention', async () => {
  for (const isNew of [true, false]) {
    if (!isNew) expect(await runs.run('2026-01-02')).toMatchObject({ exit: 0 });
    const { INCOMPLETE: open, PRICED: closed } = await catalogue();
    expect(open).toMatchObject({ complete: false, missing: ['PLAN.TOP', 'CH-1/PLAN.COLOR'] });
    expect(closed).toMatchObject({ complete: true, missing: [] });
    const { incomplete, run } = await runs.report();
    expect(incomplete).toMatchObject({ count: 1, rows: [{ basearticlenumber: 'INCOMPLETE' }] });
    expect(incomplete.rows[0]!.message).toContain('PLAN.TOP, CH-1/PLAN.COLOR');
    const page = await readFile(join(runs.outputDir, 'runs', run, 'report.html'), 'utf8');
    const needs = page.slice(page.indexOf('Needs attention'), page.indexOf('<nav'));
    expect(needs).toContain('1 configuration with properties that need a value');
  }
});

test('a catalogue of an earlier version gets its new fields without a request or a conversion', async () => {
  const before = await readFile(join(runs.outputDir, 'catalogue.jsonl'));
  const former = Object.values(await catalogue()).map(
    ({ complete: _, missing: __, glb: ___, sha256: ____, ...line }) => line,
  );
  await writeFile(join(runs.outputDir, 'catalogue.jsonl'), jsonLines(former));
  await runs.run('2026-01-03');
  expect(await readFile(join(runs.outputDir, 'catalogue.jsonl'))).toEqual(before);
  const { configurations, requests } = await runs.report();
  expect(configurations).toMatchObject({ converted: 0, unchanged: ARTICLES.length });
  expect(requests.byOperation.getArticle).toBeUndefined();
});
