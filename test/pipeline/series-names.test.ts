/** Names of manufacturers and series, and categories: from the catalogue, since articles have ids only. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json } from '../../src/emulator/sample/range.ts';
import { readCatalogue } from '../../src/run/output/manifest.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { parsedLines } from '../helpers/output-folder.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';

let range: SmallRange;
let original: SmallRange['nodes'];
let runs: DailyRuns;

beforeEach(async () => {
  range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::D1'] },
    { number: 'D2', blocks: ['ACME::DESK::D2'] },
  ]);
  original = range.nodes;
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

/** The catalogue has articles in folders of the series, by number; those without one are in the series itself. */
function sortInto(folders: Readonly<Record<string, string>>): void {
  range.nodes = (parentnode, view) => {
    const [series] = original('', view)!;
    const all = original(String(series!.nodeid), view)!;
    const textOf = ({ basearticlenumber }: Json) => folders[String(basearticlenumber)] ?? '';
    if (parentnode === '') return [series!];
    if (parentnode !== series!.nodeid)
      return all.filter((node) => textOf(node) === parentnode.replace('folder ', ''));
    const inner = [...new Set(Object.values(folders))].map((text) => {
      return { ...series, nodeid: `folder ${text}`, text };
    });
    return [...inner, ...all.filter((node) => textOf(node) === '')];
  };
}

const categoriesOf = async () =>
  (await readCatalogue(runs.outputDir)).map(
    ({ basearticlenumber, category }) => `${basearticlenumber}: ${category}`,
  );
const changesOf = async () =>
  parsedLines<{ basearticlenumber: string; what: string[] }>(
    await readFile(join(runs.outputDir, 'changes.jsonl'), 'utf8'),
  ).map(({ basearticlenumber, what }) => `${basearticlenumber}: ${what}`);

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

test('a folder of a series is the category of its articles; another name of it changes the texts of these alone, and it ends with the folder', async () => {
  sortInto({ D1: 'Benches' });
  await runs.run('2026-01-01');
  expect(await namesOf()).toEqual(NAMES);
  expect(await categoriesOf()).toEqual(['D1: Benches', 'D2: ']);
  sortInto({ D1: 'Bench desks' });
  range.convertdate = '2026-01-02';
  await runs.run('2026-01-02');
  expect(await categoriesOf()).toEqual(['D1: Bench desks', 'D2: ']);
  expect(await changesOf()).toEqual(['D1: text']);
  sortInto({});
  range.convertdate = '2026-01-03';
  await runs.run('2026-01-03');
  expect(await categoriesOf()).toEqual(['D1: ', 'D2: ']);
  expect(await changesOf()).toEqual(['D1: text']);
});

test('an article that a list selects keeps the category that the catalogue gave it', async () => {
  sortInto({ D2: 'Benches' });
  await runs.run('2026-01-01');
  await selectList({});
  await runs.run('2026-01-02');
  expect(await categoriesOf()).toEqual(['D1: ', 'D2: Benches']);
  rename('Tables');
  await selectList({ deliver: { gallery: true } });
  expect(await runs.run('2026-01-03', '--force')).toMatchObject({ exit: 0 });
  expect(await categoriesOf()).toEqual(['D1: ', 'D2: Benches']);
});

test('lines of an older version, which have no category, stay as they are while there is none', async () => {
  await runs.run('2026-01-01');
  const path = join(runs.outputDir, 'catalogue.jsonl');
  const older = (await readFile(path, 'utf8')).replaceAll('"category":"",', '');
  await writeFile(path, older);
  await runs.run('2026-01-02');
  expect(await readFile(path, 'utf8')).toBe(older);
});
