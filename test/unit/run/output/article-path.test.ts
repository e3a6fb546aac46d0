import { expect, test } from 'vitest';
import type { ArticleKey } from '../../../../src/model/article.ts';
import { configurationKey } from '../../../../src/model/configuration-id.ts';
import { assignPaths } from '../../../../src/run/output/article-path.ts';
import { sha256Hex } from '../../../../src/support/files.ts';
import { articleKeyOf } from '../../../helpers/article-key.ts';

const key = (fields: Partial<ArticleKey> = {}) => articleKeyOf('D1', fields);
const pathsOf = (...keys: ArticleKey[]) => {
  const paths = new Map(assignPaths(keys.map(configurationKey)));
  return keys.map((k) => paths.get(configurationKey(k)));
};
const hash8 = (text: string) => sha256Hex(text).slice(0, 8);

test('an article is stored under its final number, else under its base number', () => {
  expect(pathsOf(key())).toEqual(['articles/ACME/DESK/D1/default.glb']);
  expect(pathsOf(key({ finalarticlenumber: 'LM-DOM 16";METALL=MS' }))).toEqual([
    'articles/ACME/DESK/LM-DOM-16-METALL-MS~516fba5b/default.glb',
  ]);
});

test('a configuration is named by the digest of both strings as resolved', () => {
  const name = sha256Hex('a::\0b').slice(0, 16);
  expect(pathsOf(key({ reinitstring: 'a::', metareinitstring: 'b' }))).toEqual([
    `articles/ACME/DESK/D1/${name}.glb`,
  ]);
});

test('numbers that would leave the folder do not', () => {
  for (const path of pathsOf(
    key({ finalarticlenumber: '..' }),
    key({ finalarticlenumber: '../../x' }),
    key({ finalarticlenumber: 'x'.repeat(300) }),
  )) {
    expect(path).toMatch(/^articles\/ACME\/DESK\/[A-Za-z0-9._~-]{1,89}\/default\.glb$/);
    expect(path).not.toMatch(/\/\.\.?\//);
  }
});

test('two articles of one final number: the second owner gets the digest of its base number', () => {
  const [first, second] = [
    key({ basearticlenumber: 'A', finalarticlenumber: 'X' }),
    key({ basearticlenumber: 'B', finalarticlenumber: 'x' }),
  ];
  const expected = [
    'articles/ACME/DESK/X/default.glb',
    `articles/ACME/DESK/x~${hash8('B')}/default.glb`,
  ];
  expect(pathsOf(first, second)).toEqual(expected);
  expect(pathsOf(second, first)).toEqual([...expected].reverse());
});

test('numbers that differ in letter case alone never share a path, even of different owners', () => {
  const paths = pathsOf(
    ...['aa', 'aA', 'Aa', 'AA'].map((finalarticlenumber) => key({ finalarticlenumber })),
  );
  expect(new Set(paths.map((path) => path!.toLowerCase())).size).toBe(4);
});

test('configurations of one article share its folder', () => {
  const [a, b] = pathsOf(key(), key({ reinitstring: 'x::' }));
  expect(a!.split('/').slice(0, -1)).toEqual(b!.split('/').slice(0, -1));
});
