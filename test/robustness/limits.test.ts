/**
 * Limits: what a service says reaches no file outside the output folder, and ends no process.
 *
 * `npm test` takes some hostile names as base article numbers, with `BTG2GLTF_TEST_LONG=1` all, and in every other place,
 * too. What becomes of a name by itself: test/unit/run/output/article-path.test.ts, test/unit/support/file-names.test.ts.
 */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { EmulatedRange, Json } from '../../src/emulator/sample/range.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { environmentOf } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { LIVE_ONCE } from '../helpers/daily-runs.ts';
import { type HostileNames, hostileRange } from '../helpers/hostile-range.ts';
import { damagesOf, filesBelow } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

let folder: string;
let emulator: Emulator | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await emulator?.close();
  emulator = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Runs all of a range in a folder below the test's own, so that leaving it shows. */
async function run(range: EmulatedRange, options: string[] = []) {
  emulator = await startEmulator({ range });
  await mkdir(job());
  const file = await writePipeline(job(), { service: LIVE_ONCE });
  return command(['run', file, ...options], { env: environmentOf(emulator) });
}

const job = (...names: string[]) => join(folder, 'job', ...names);
const out = () => job('out');
const manifest = () => readManifest(out());

const ALL_HOSTILE = [
  '../../../escaped',
  '..',
  '.',
  '/etc/escaped',
  'C:\\escaped',
  '\\\\host\\share',
  'a\u0000b',
  'CON',
  'con.txt',
  'LPT1',
  'NUL ',
  'x'.repeat(300),
  `${'x'.repeat(299)}y`,
  'ä'.repeat(120),
  'Straße',
  'STRASSE',
  'straße',
  'kelvin \u212a',
  'kelvin k',
  'é',
  'e\u0301',
  '\uff0e\uff0e\uff0f',
  '\u202egpj.exe',
  '\u200b',
  '%2e%2e%2f',
  '%00',
  '~root',
  '.hidden',
  'ends in a dot.',
  'a/b',
  'a\\b',
  'a:b',
  '-rf',
  '$(touch escaped)',
  '\n',
  '\ud83d\ude00',
  '\ud800',
  '__proto__',
  'constructor',
  'abc',
  'ABC',
  'Abc',
  'manifest.jsonl',
  'default.glb',
  'A;B',
  'A+B',
  "A'B",
  'A"B',
  'A B',
];

/** Of the short form: one of each kind, and those of which two could be one file. */
const HOSTILE_IN_SHORT = new Set([
  ...[
    '../../../escaped',
    '..',
    '/etc/escaped',
    'C:\\escaped',
    'a\u0000b',
    'CON',
    'NUL ',
    'ends in a dot.',
    '%00',
  ],
  ...[
    'x'.repeat(300),
    `${'x'.repeat(299)}y`,
    'Straße',
    'STRASSE',
    'é',
    'e\u0301',
    'abc',
    'ABC',
    'a/b',
    '\n',
  ],
  ...['\ud800', '__proto__', 'manifest.jsonl', 'A;B', 'A"B'],
]);
const HOSTILE = ALL_HOSTILE.filter((name) => IS_LONG || HOSTILE_IN_SHORT.has(name));
const HALF_CHARACTER = '\ud800';

/** What is also a manufacturer, a series and a final article number. */
const ELSEWHERE = [...HOSTILE.entries()]
  .map(([i, name]) => [name, i] as const)
  .filter(([name]) => IS_LONG || ['../../../escaped', 'CON', HALF_CHARACTER].includes(name));

it('names from the service stay below the output folder, one file an article', async () => {
  const plain = { manufacturer: 'ACME', program: 'DESK' };
  const articles: HostileNames[] = [
    ...HOSTILE.map((number) => ({ ...plain, number })),
    ...ELSEWHERE.flatMap(([name, i]): HostileNames[] => [
      { ...plain, manufacturer: name.toUpperCase(), number: `m${i}` },
      { ...plain, program: name.toUpperCase(), number: `p${i}` },
      { ...plain, number: `f${i}`, final: name },
    ]),
  ];
  const { exit, stderr } = await run(hostileRange(articles));
  expect([0, 1], stderr).toContain(exit);
  expect(stderr).not.toContain('INTERNAL');
  const lines = await manifest();
  expect(lines.length).toBeGreaterThan(0.9 * articles.length);
  // Half a character cannot be sent, and nothing else fails.
  const failed = lines.filter(({ status }) => status === 'failed');
  expect(failed.map(({ error }) => error?.code)).toEqual(failed.map(() => 'RESPONSE_INVALID'));
  expect(failed.map(({ basearticlenumber }) => basearticlenumber).sort()).toEqual([
    ...['f', 'm', 'p'].map((where) => where + HOSTILE.indexOf(HALF_CHARACTER)),
    HALF_CHARACTER,
  ]);

  // Nothing else came to be, neither beside the output nor above it.
  expect(await readdir(folder)).toEqual(['job']);
  expect((await readdir(job())).sort()).toEqual(['cache', 'out', 'pipeline.yaml']);
  const published = lines.flatMap(({ glb }) => glb ?? []);
  const different = new Set(published.map((path) => path.toUpperCase()));
  expect(different.size).toBe(lines.length - failed.length);
  const files = (await filesBelow(join(out(), 'articles'))).map((path) =>
    path.slice(out().length + 1),
  );
  expect(files.sort()).toEqual(published.sort());
  for (const part of published.flatMap((path) => path.split(sep))) {
    expect(part).toMatch(/^(?!\.)[A-Za-z0-9\-_.~%]{1,200}(?<!\.)$/);
    expect(part).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
  }
  expect(await damagesOf(out())).toEqual([]);
});

it
  .runIf(process.platform !== 'win32')
  .each([...(IS_LONG ? [[0o000, '644', '444'] as const] : []), [0o077, '600', '400'] as const])(
  'outputs respect a umask of %o, nobody may write GLBs, and the cache database is for its owner alone',
  async (umask, expected, readOnly) => {
    const range = countedRange({ articles: 3, blocks: 3, images: 2 });
    const machines = [job('metrics.prom'), job('junit.xml')] as const;
    const [metrics, junit] = machines;
    const before = process.umask(umask);
    try {
      const options = ['--metrics-file', metrics, '--junit', junit];
      expect(await run(range, options)).toMatchObject({ exit: 0 });
    } finally {
      process.umask(before);
    }
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    for (const path of await filesBelow(out())) {
      expect(await modeOf(path), path).toBe(path.endsWith('.glb') ? readOnly : expected);
    }
    for (const path of machines) expect(await modeOf(path), path).toBe(expected);
    const state = (await filesBelow(job('cache'))).filter(
      (path) => !path.startsWith(job('cache', 'objects')),
    );
    expect(state.length).toBeGreaterThan(0);
    // SQLite may remove a file of its own meanwhile.
    const modes = state.map((path) => modeOf(path).catch(() => '600'));
    expect(new Set(await Promise.all(modes))).toEqual(new Set(['600']));
  },
);

/** A range of one article. */
const boxes = hostileRange([{ manufacturer: 'ACME', program: 'DESK', number: 'D1' }]);

describe('a catalogue', () => {
  const node = (nodeid: string, more: Json = {}): Json => ({
    ...{ nodeid, text: nodeid, nodetype: 'F', manufacturer: 'ACME', program: 'DESK' },
    convertdate: '2024-05-14',
    ...more,
  });
  const D1 = node('D1', { nodetype: 'A', basearticlenumber: 'D1' });

  it('with endless new folders is left at a maximum depth', async () => {
    let asked = 0;
    const nodes = (parentnode: string) => {
      asked++;
      return parentnode === '' ? [node('1'), D1] : [node(`${Number(parentnode) + 1}`)];
    };
    const { exit, stdout } = await run({ ...boxes, nodes });
    expect([exit, stdout]).toEqual([1, expect.stringMatching(/at most 64 folders in one another/)]);
    expect(asked).toBeLessThan(100);
    expect(await manifest()).toMatchObject([{ basearticlenumber: 'D1', status: 'converted' }]);
  });

  it('with cyclic folders is walked once', async () => {
    const all = ['a', 'b', 'c', 'd'];
    const nodes = () => [...all.map((id) => node(id)), D1];
    expect(await run({ ...boxes, nodes })).toMatchObject({ exit: 0 });
    expect(await manifest()).toHaveLength(1);
  });
});

describe('answers nested to any depth', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it.each([
    ['a block', nested(600_000)],
    ['a block that is just not too deep', `{"V":${nested(490_000)}}`],
  ])('%s fails its article by name', async (_name, block) => {
    const range = { ...boxes, block: async () => new TextEncoder().encode(block) };
    expect(await run(range)).toMatchObject({ exit: 1 });
    const [line] = await manifest();
    expect(line!.error!.code).toMatch(/^(BLOCK_INVALID|RESPONSE_INVALID|RESPONSE_TOO_LARGE)$/);
  });
});
