/** Terminal: what is printed and logged has no line that data began, and no character that a terminal obeys. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { ConverterError } from '../../src/support/errors.ts';
import { visible } from '../../src/support/visible.ts';
import { runChild } from '../helpers/child.ts';
import type { CommandResult } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { smallRange } from '../helpers/small-range.ts';

/** Clears the screen, begins lines of its own, turns the direction, rings, and colours with one byte. */
const EVIL =
  '\u001b[2J\nFORGED\r\nFORGED\rFORGED\u2028FORGED\u2029FORGED\u0085FORGED\u000bFORGED\u000cFORGED\u202e\u0007\u009b31m';
const LINE_END = /\r\n|[\n\r\v\f\x85\u2028\u2029]/;

let runs: DailyRuns;
/** The pipeline file. */
let file: string;

/** A range that has the text in every field that a command shows. */
function evilRange(): EmulatedRange {
  const property = { name: EVIL, text: EVIL, proptype: 'C', currentvalue: '', obligatory: true };
  const values = [{ valuefrom: EVIL, text: EVIL }];
  const propclasses = [
    { name: EVIL, text: EVIL, properties: [{ ...property, propertyvalues: values }] },
  ];
  const texts = { shorttext: EVIL, longtext: 'text', varianttext: '', currency: EVIL, price: 1 };
  const ocd = (number: string) => ({ id: '1', finalarticlenumber: number, reinitstring: EVIL });
  const range = smallRange([
    {
      number: 'GOOD',
      blocks: ['ACME::DESK::BOX'],
      article: { ocd: { ...ocd('GOOD'), ...texts, propclasses } },
    },
    { number: 'LOST', blocks: [`ACME::DESK::${EVIL}`] },
    { number: 'SAID', article: { dump: EVIL, ocd: undefined } },
    { number: `NAME ${EVIL}`, blocks: ['ACME::DESK::BOX'] },
  ]);
  range.missing.add(`ACME::DESK::${EVIL}`);
  const { nodes, partsList } = range;
  const listed: EmulatedRange = {
    ...range,
    nodes: (parent) =>
      nodes(parent)?.map((node) => ({ ...node, text: EVIL, manufacturername: EVIL })),
    partsList: (query) => {
      const list = partsList(query) as { btg: { prop: object }[] } | undefined;
      if (query.basearticlenumber !== 'GOOD' || list === undefined) return list;
      const box = { type: 'imp', prop: { btgname: 'ACME::DESK::BOX', mat: EVIL, lay: EVIL } };
      const mats = [{ mname: EVIL, [EVIL]: EVIL, pic: EVIL, tra: EVIL, map: EVIL }];
      return { ...list, btg: [box, { type: EVIL, prop: {} }], mats, blocks: ['ACME::DESK::BOX'] };
    },
  };
  return listed;
}

beforeEach(async () => {
  runs = await openDailyRuns(evilRange(), {
    articles: [{ catalogue: {} }, { carts: 'carts/*.json' }],
  });
  file = runs.pipelineFile;
  await mkdir(join(runs.folder, 'carts'));
  const ids = { manufacturer: EVIL, program: EVIL, basearticlenumber: EVIL };
  const cart = JSON.stringify({ id: EVIL, rootid: 'x', ...ids });
  await writeFile(join(runs.folder, 'carts', 'evil.json'), cart);
});
afterEach(() => runs.close());

const run = (...words: string[]) => runs.call(words);

/** What commands print, and what the process makes of errors. */
function expectHarmless({ stdout, stderr }: CommandResult): void {
  expectHarmlessText(stdout);
  expectHarmlessText(visible(stderr));
}

function expectHarmlessText(text: string): void {
  expect(text.split(LINE_END).filter((line) => /^\s*FORGED/.test(line))).toEqual([]);
  expect(text).not.toMatch(/[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/u);
}

test('a run, and what explains its result', async () => {
  const first = await run('run', file, '--verbose');
  expect(first.stdout).toContain('\\u{a}FORGED');
  expectHarmless(first);
  for (const line of first.stderr.split('\n').filter((text) => text.startsWith('{'))) {
    expect(() => JSON.parse(line)).not.toThrow();
  }
  const explained = await run('explain', '*', '--pipeline', file, '--all');
  expect(explained.stdout).toContain('FORGED');
  expectHarmless(explained);
  for (const words of [
    ['run', file, '--verbose', '--log-format', 'pretty', '--force'],
    ['run', file, '--dry-run'],
    ['explain', '*', '--pipeline', file, '--json'],
    ['verify', file],
    ['verify', file, '--json'],
    ['prune', file, '--verbose'],
    ['record', file, '--to', join(runs.folder, 'recording')],
  ])
    expectHarmless(await run(...words));
  const written = ['manifest.jsonl', 'catalogue.jsonl', 'runs/latest/report.json'];
  for (const name of [...written, 'runs/latest/failures.jsonl']) {
    const text = await readFile(join(runs.outputDir, name), 'utf8');
    expect(text, name).toContain('\\u202e');
    expectHarmlessText(text);
  }
  const lines = await readManifest(runs.outputDir);
  expect(lines.map(({ basearticlenumber }) => basearticlenumber)).toContain(`NAME ${EVIL}`);
});

test('the catalogue, an article and a conversion', async () => {
  const pipeline = ['--pipeline', file];
  const listed = await run('catalogue', 'ls', '--depth', '3', ...pipeline);
  expect(listed.stdout).toContain('FORGED');
  expectHarmless(listed);
  const shown = await run('catalogue', 'show', 'ACME/DESK/GOOD', ...pipeline);
  expect(shown.stdout).toContain('FORGED');
  expectHarmless(shown);
  expectHarmless(await run('catalogue', 'show', 'ACME/DESK/SAID', ...pipeline));
  expectHarmless(await run('catalogue', 'search', 'GOOD', '--manufacturer', 'ACME', ...pipeline));
  expectHarmless(await run('catalogue', 'show', `ACME/DESK/${EVIL}`, ...pipeline));
  for (const number of ['GOOD', 'LOST', 'SAID']) {
    const article = ['--manufacturer', 'ACME', '--program', 'DESK', '--basearticlenumber', number];
    const output = join(runs.folder, 'one.glb');
    expectHarmless(await run('convert', ...article, '--output', output, ...pipeline));
  }
  expect(runs.emulator.openSessions()).toBe(0);
});

test('an address from a page', async () => {
  const address = `https://old.example/configurator.php?${EVIL}=1&manuid=ACME`;
  const migrated = await run('migrate-url', address, '--frontend-url', 'https://new.example');
  expect(migrated.stdout).toContain('\\u{a}FORGED');
  expectHarmless(migrated);
  expectHarmless(await run('migrate-url', address, '--json'));
});

test('the process prints no such character into a pipe or file, as JSON the same values', async () => {
  const words = ['catalogue', 'show', 'ACME/DESK/GOOD', '--pipeline', file];
  const [shown, json] = await Promise.all([
    runChild(words, runs.proxy.env),
    runChild([...words, '--json'], runs.proxy.env),
  ]);
  expect(shown.stdout).toContain('FORGED');
  expectHarmlessText(shown.stdout);
  expectHarmlessText(json.stdout);
  expect(JSON.parse(json.stdout)).toMatchObject({ ocd: { shorttext: EVIL } });
});

test('an error is one line for each sentence, whatever its data is', () => {
  const one = new ConverterError('BLOCK_INVALID', `block ${EVIL}: expected triangles`);
  expect(one.message.split(LINE_END)).toHaveLength(1);
  const two = new ConverterError('NOTHING_SELECTED', [`first ${EVIL}`, `second ${EVIL}`]);
  expect(two.message.split(LINE_END)).toHaveLength(2);
});
