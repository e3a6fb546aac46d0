import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkOrCopy } from '../../../src/support/links.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

test('a name that several tasks give to one content at once has it, whoever was first', async () => {
  const folder = await temporaryFolder();
  const sources = ['a', 'b', 'c'].map((name) => join(folder, name));
  for (const path of sources) await writeFile(path, 'one content');
  const to = join(folder, 'articles', 'named');
  const done = await Promise.all(sources.map((from) => linkOrCopy(from, to)));
  expect(done.toSorted()).toEqual(['linked', 'present', 'present']);
  expect(await readFile(to, 'utf8')).toBe('one content');
  expect((await stat(to)).nlink).toBe(2);
  await rm(folder, { recursive: true });
});
