import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  findPlannings,
  parsePermanentIds,
  readCartFiles,
} from '../../../src/pipeline/stored-plannings.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'btg2gltf-carts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function files(contents: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
const names = async (glob: string) =>
  (await readCartFiles(join(folder, glob))).map(({ name }) => name);

describe('cart files', () => {
  test('are those that the glob matches, in the order of their names', async () => {
    const carts = ['b.json', 'a.json', 'a.txt', '.c.json', 'x/d.json', 'x/y/e.json', 'z.json/f'];
    await files(Object.fromEntries(carts.map((path) => [path, '{}'])));
    expect(await names('*.json')).toEqual(['cart a.json', 'cart b.json']);
    expect(await names('?.txt')).toEqual(['cart a.txt']);
    expect(await names('*/*.json')).toEqual(['cart x/d.json']);
    expect(await names('**/*.json')).toEqual([
      'cart a.json',
      'cart b.json',
      'cart x/d.json',
      'cart x/y/e.json',
    ]);
    expect(await names('x/**/*.json')).toEqual(['cart d.json', 'cart y/e.json']);
    expect(await names('none/*.json')).toEqual([]);
  });

  test('return their content, or why they cannot be read', async () => {
    await files({ 'a.json': '\uFEFF{"id":"1"}', 'b.json': '{"id":' });
    expect(await readCartFiles(join(folder, '*.json'))).toMatchObject([
      { article: { json: { id: '1' } } },
      { article: { error: { code: 'CART_INVALID', message: expect.stringMatching(/JSON/) } } },
    ]);
    expect(await readCartFiles(join(folder, 'c.json'))).toMatchObject([
      { article: { error: { code: 'CART_INVALID', message: 'no such file' } } },
    ]);
  });
});

describe('permanent identifiers', () => {
  test('are read one per line, each once, without blank lines and comments', () => {
    const text = '# orders of May\r\nP-1\n\n  P-2 \nP-1\r#P-3\nä b/;\n';
    expect(parsePermanentIds(text)).toEqual(['P-1', 'P-2', 'ä b/;']);
  });

  test('are found for the service that issued them, and for no other', async () => {
    const known = new Map<string, unknown>([['test P-1', { id: '7' }]]);
    const permanentIds = {
      get: (service: string, id: string) => known.get(`${service} ${id}`),
      put() {},
    };
    expect(await findPlannings(['P-1', 'P-2'], { service: 'test', permanentIds })).toMatchObject([
      { name: 'permanentid P-1', article: { json: { id: '7' } } },
      { name: 'permanentid P-2', article: { error: { code: 'PERMANENT_ID_NOT_RESOLVABLE' } } },
    ]);
    expect(await findPlannings(['P-1'], { service: 'production', permanentIds })).toMatchObject([
      { article: { error: { code: 'PERMANENT_ID_NOT_RESOLVABLE' } } },
    ]);
  });
});
