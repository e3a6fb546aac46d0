import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCartFiles } from '../../../src/pipeline/select/cart-files.ts';

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
  test('are those that the glob names, in the order of their names', async () => {
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

  test('tell what is in them, or why it cannot be read', async () => {
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
