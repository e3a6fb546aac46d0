import { appendFile, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configurationKey } from '../../../../src/model/configuration-id.ts';
import type { ManifestLine } from '../../../../src/run/lists/manifest-line.ts';
import {
  MANIFEST_FILE,
  manifestLines,
  openManifest,
  writeLines,
} from '../../../../src/run/output/manifest.ts';
import { replaceLists } from '../../../../src/run/output/publication.ts';
import { PackedMap } from '../../../../src/support/packed-map.ts';
import { Spool } from '../../../../src/support/spool.ts';
import { articleKeyOf } from '../../../helpers/article-key.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (lines: PackedMap<ManifestLine>, before?: PackedMap<ManifestLine>) =>
  replaceLists(folder, [], (lists) => writeLines(lists, MANIFEST_FILE, lines, before));

const lineOf = (basearticlenumber: string, message = ''): ManifestLine => {
  const key = articleKeyOf(basearticlenumber);
  const error = { code: 'HTTP_STATUS', message };
  const lists = { losses: [], warnings: [], requested: [key] };
  return { ...key, status: 'failed', convertdate: '', source: '', ...lists, error };
};

test('lines of all lengths are read as they were written, and an equal file is left alone', async () => {
  const lines = new PackedMap<ManifestLine>();
  // The last one is longer than a piece of the file.
  for (let at = 0; at <= 10; at++) {
    const line = lineOf(String(at).padStart(3, '0'), 'ü'.repeat(4 ** at));
    lines.set(configurationKey(line), line);
  }
  await write(lines);
  const before = await stat(join(folder, MANIFEST_FILE));
  const read = await openManifest(folder);
  expect([...read.values()]).toEqual([...lines.values()]);
  await write(read);
  expect((await stat(join(folder, MANIFEST_FILE))).ino).toBe(before.ino);
  const [first] = [...lines.keys()];
  lines.set(first!, { ...lines.get(first!)!, source: 'x' });
  lines.delete([...lines.keys()].at(-1)!);
  await write(lines);
  expect([...(await openManifest(folder)).values()]).toEqual([...lines.values()]);
});

test('a file is written anew where it has changed since its lines were read, or they are in another order', async () => {
  const path = join(folder, MANIFEST_FILE);
  const lines = [lineOf('1'), lineOf('2')];
  const sorted = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const unchanged = async (text: string, change = '') => {
    await writeFile(path, text);
    const spool = new Spool();
    const before = await openManifest(folder, { spool });
    const now = new PackedMap<ManifestLine>(spool);
    for (const key of before.keys()) now.share(key, before);
    await writeFile(path, change, { flag: 'a' });
    await write(now, before);
    return readFile(path, 'utf8');
  };
  expect(await unchanged(sorted)).toBe(sorted);
  expect(await unchanged(sorted, 'x')).toBe(sorted);
  expect(await unchanged(`\n${sorted}`)).toBe(sorted);
  expect(await unchanged(`${JSON.stringify(lineOf('2'))}\n${sorted}`)).toBe(sorted);
  expect(await unchanged(sorted.split('\n').reverse().join('\n').slice(1))).toBe(sorted);
});

test('a line that is too long is damaged, and the others are read', async () => {
  const path = join(folder, MANIFEST_FILE);
  const first = `${JSON.stringify(lineOf('1'))}\n`;
  await writeFile(path, first);
  // The second line is a gap in the file, which is read as zeros.
  await truncate(path, first.length + 64 * 1024 * 1024 + 1);
  await appendFile(path, `\n${JSON.stringify(lineOf('3'))}`);
  const damaged: string[] = [];
  const numbers: string[] = [];
  const onDamaged = (...problem: [where: string, what: string]) =>
    void damaged.push(problem.join(': '));
  for await (const { basearticlenumber } of manifestLines(folder, onDamaged))
    numbers.push(basearticlenumber);
  expect(numbers).toEqual(['1', '3']);
  const problem = 'expected a line of at most 67108864 bytes, received a longer one';
  expect(damaged).toEqual([`${path}:2: ${problem}`]);
});

test('a line that is damaged is refused by default', async () => {
  await writeFile(join(folder, MANIFEST_FILE), '{}\n');
  await expect(openManifest(folder)).rejects.toMatchObject({
    code: 'MANIFEST_DAMAGED',
    message: expect.stringMatching(/manifest\.jsonl:1: expected/),
  });
});
