import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endPublication, replaceLists } from '../../../../src/run/output/publication.ts';
import { watchFileOperations } from '../../../../src/support/file-operations.ts';
import { exists, listFolder, readText, removeTree } from '../../../../src/support/files.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

let outputDir: string;
beforeEach(async () => {
  outputDir = await temporaryFolder();
});
afterEach(async () => {
  watchFileOperations(undefined);
  await removeTree(outputDir);
});

async function put(path: string): Promise<void> {
  await mkdir(dirname(join(outputDir, path)), { recursive: true });
  await writeFile(join(outputDir, path), path);
}
const isThere = (path: string) => exists(join(outputDir, path));
const replace = (former: string[], content: string) =>
  replaceLists(outputDir, former, async (lists) => {
    await lists.write('a.jsonl', content);
    await lists.write('b/c.txt', content);
  });

test('all files are written before the first gets its name; if one cannot be, all stay as they were', async () => {
  await replace([], 'one');
  const renamed: string[] = [];
  watchFileOperations((operation, path) => {
    if (operation === 'rename') renamed.push(path);
    if (operation === 'open' && path.endsWith('.tmp') && renamed.length === 0 && --left < 0)
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  });
  let left = 1;
  await expect(replace([], 'two')).rejects.toMatchObject({ code: 'DISK_FULL' });
  watchFileOperations(undefined);
  expect(renamed).toEqual([]);
  for (const name of ['a.jsonl', 'b/c.txt'])
    expect(await readText(join(outputDir, name))).toBe('one');
  expect(await listFolder(join(outputDir, '.tmp'))).toEqual([]);
});

test('former files go when no list names them, with the folders that they leave empty, and then the note', async () => {
  const [gone, kept, former] = ['web/A/B/x.glb', 'web/A/y.glb', 'articles/A/z.glb'];
  for (const path of [gone, kept, former]) await put(path);
  await replace([former], 'one');
  await replace([gone, kept], 'two');
  expect(await Promise.all([gone, kept, former].map(isThere))).toEqual([true, true, true]);
  // Names compare without case.
  await endPublication(outputDir, async () => [kept.toUpperCase()]);
  expect(await Promise.all([gone, kept, former].map(isThere))).toEqual([false, true, false]);
  expect(await listFolder(outputDir)).toEqual(['.tmp', 'a.jsonl', 'articles', 'b', 'web']);
  expect(await listFolder(join(outputDir, 'web/A'))).toEqual(['y.glb']);
});

test('where no list changes, there is no note', async () => {
  await replaceLists(outputDir, [], async () => {});
  expect(await listFolder(outputDir)).toEqual([]);
});

test('a note that was edited removes nothing else', async () => {
  const others = ['objects/aa/b.glb', 'runs/x/report.json', 'manifest.jsonl', '.tmp/x', 'outside'];
  for (const path of others) await put(path);
  const paths = [...others, '../outside', 'web/../outside', '/outside', 'web/..', '', 3];
  const lines = [...paths.map((path) => JSON.stringify(path)), '{broken'];
  await writeFile(join(outputDir, 'publishing.jsonl'), lines.join('\n'));
  await endPublication(outputDir, async () => []);
  expect(await Promise.all(others.map(isThere))).toEqual(others.map(() => true));
  expect(await isThere('publishing.jsonl')).toBe(false);
});
