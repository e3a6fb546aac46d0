/** Which published master a request means, of an ERP system that names an article and leaves out its configuration. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedMasters } from '../../../../src/deliver/pictures/published-masters.ts';
import { MANIFEST_FILE } from '../../../../src/run/output/manifest.ts';
import { publishedIn } from '../../../../src/run/output/published.ts';
import { sha256Hex } from '../../../../src/support/files.ts';
import { articleKeyOf } from '../../../helpers/article-key.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

const ids = (number: string, finalarticlenumber = '', reinitstring = '') =>
  articleKeyOf(number, { finalarticlenumber, reinitstring });
/** A published configuration, with the request that led to it. */
const line = (id: ReturnType<typeof ids>, name: string, requested = id) => ({
  ...{ ...id, sha256: sha256Hex(name), glb: `articles/${name}.glb`, status: 'converted' },
  convertdate: '',
  ...{ source: '', losses: [], warnings: [], requested: [requested] },
});

let folder: string;
let findMaster: ReturnType<typeof publishedMasters>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const lines = [
    line(ids('ONE', 'ONE-A', 'r1'), 'one'),
    line(ids('TWO', 'TWO-A', 'r1'), 'default', ids('TWO')),
    line(ids('TWO', 'TWO-B', 'r2'), 'second'),
    line(ids('MANY', 'MANY-A', 'r1'), 'a1'),
    line(ids('MANY', 'MANY-A', 'r2'), 'a2'),
    line(ids('MANY', 'MANY-B', 'r1'), 'b'),
  ];
  const text = lines.map((one) => `${JSON.stringify(one)}\n`).join('');
  await writeFile(join(folder, MANIFEST_FILE), text);
  findMaster = publishedMasters(publishedIn(folder, () => 0));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const found = async (...request: Parameters<typeof ids>) => {
  const { master, candidates } = await findMaster(ids(...request));
  return master?.sha256 ?? candidates.map((one) => `${one.finalarticlenumber} ${one.reinitstring}`);
};

test('an article alone is its default configuration, or the only one', async () => {
  expect(await found('ONE')).toBe(sha256Hex('one'));
  expect(await found('TWO')).toBe(sha256Hex('default'));
});

test('a final article number without a reinit string is the configuration that has it', async () => {
  expect(await found('ONE', 'ONE-A')).toBe(sha256Hex('one'));
  expect(await found('TWO', 'TWO-B')).toBe(sha256Hex('second'));
  expect(await found('MANY', 'MANY-B')).toBe(sha256Hex('b'));
});

test('where several fit, it is none: they are the candidates', async () => {
  expect(await found('MANY')).toEqual(['MANY-A r1', 'MANY-A r2', 'MANY-B r1']);
  expect(await found('MANY', 'MANY-A')).toEqual(['MANY-A r1', 'MANY-A r2']);
  expect(await found('MANY', 'MANY-A', 'r2')).toBe(sha256Hex('a2'));
});

test('what is not published has no candidates, and no other configuration stands for one that is named', async () => {
  expect(await found('NONE')).toEqual([]);
  expect(await found('ONE', 'ONE-X')).toEqual([]);
  expect(await found('TWO', 'TWO-A', 'r9')).toEqual([]);
});
