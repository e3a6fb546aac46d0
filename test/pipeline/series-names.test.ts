/** Names of manufacturers and series: from the catalogue, since articles have their ids only. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCatalogue } from '../../src/run/output/manifest.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { parsedLines } from '../helpers/output-folder.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';

let range: SmallRange;
let runs: DailyRuns;

beforeEach(async () => {
  range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::D1'] },
    { number: 'D2', blocks: ['ACME::DESK::D2'] },
  ]);
  runs = await openDailyRuns(range);
});
afterEach(() => runs.close());

const namesOf = async () =>
  (await readCatalogue(runs.outputDir)).map(
    ({ basearticlenumber, manufacturername, programname }) =>
      `${basearticlenumber}: ${manufacturername} / ${programname}`,
  );
const NAMES = ['D1: Acme / Desks', 'D2: Acme / Desks'];

/** The catalogue calls the series so. */
function rename(text: string): void {
  const { nodes } = range;
  range.nodes = (...parameters) =>
    nodes(...parameters)?.map((node) => (node.nodetype === 'F' ? { ...node, text } : node));
}

async function selectList(content: Record<string, unknown>): Promise<void> {
  const list = 'manufacturer,program,basearticlenumber\nacme,Desk,D1\nacme,Desk,D2\n';
  await writeFile(join(runs.folder, 'list.csv'), list);
  await runs.configure({ articles: [{ list: 'list.csv' }], ...content });
}

test('an article of the catalogue has the names of its manufacturer and of the outermost folder of its series, and a new name changes its texts, though it is unchanged', async () => {
  await runs.run('2026-01-01');
  expect(await namesOf()).toEqual(NAMES);
  rename('Tables');
  range.convertdate = '2026-01-02';
  await runs.run('2026-01-02');
  expect(await namesOf()).toEqual(['D1: Acme / Tables', 'D2: Acme / Tables']);
  const changes = parsedLines<{ what: string[] }>(
    await readFile(join(runs.outputDir, 'changes.jsonl'), 'utf8'),
  );
  expect(changes.map(({ what }) => what)).toEqual([['text'], ['text']]);
});

test('a result of a search has the name of its manufacturer', async () => {
  await runs.configure({ articles: [{ search: { manufacturer: 'ACME', query: 'D1' } }] });
  await runs.run('2026-01-01');
  expect(await namesOf()).toEqual(['D1: Acme / ']);
});

test('for the articles of a list the names are read if something is delivered; a series whose name the catalogue does not have any more keeps it', async () => {
  await selectList({});
  await runs.run('2026-01-01');
  expect(await namesOf()).toEqual(['D1:  / ', 'D2:  / ']);
  await selectList({ deliver: { gallery: true } });
  await runs.run('2026-01-02');
  expect(await namesOf()).toEqual(NAMES);
  const { configurations } = await runs.report();
  expect(configurations).toMatchObject({ unchanged: 2, converted: 0 });
  rename('');
  expect(await runs.run('2026-01-03')).toMatchObject({ exit: 0 });
  expect(await namesOf()).toEqual(NAMES);
});
