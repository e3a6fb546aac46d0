import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { findModels } from '../../../src/cli/model-files.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'a', 'deep'), { recursive: true });
  await mkdir(join(folder, 'b'));
  await symlink(folder, join(folder, 'a', 'loop'));
  const files = ['a/chair.glb', 'a/chair.gltf', 'a/notes.txt', 'a/deep/Lamp.GLB', 'b/chair.glb'];
  for (const name of [...files, 'a/.hidden.glb']) await writeFile(join(folder, name), '');
});

const namesIn = async (...words: string[]) =>
  (await findModels(words.map((word) => join(folder, word)))).map(({ name }) => name);

test('a folder is every model at any depth, by its place; no two have one name', async () => {
  expect(await namesIn('a')).toEqual(['chair', 'chair-2', join('deep', 'Lamp')]);
  expect(await namesIn('.')).toEqual(['a/chair', 'a/chair-2', 'a/deep/Lamp', 'b/chair']);
});

test('a glob matches names of one folder, and with ** of all below', async () => {
  expect(await namesIn('a/*.glb')).toEqual(['chair']);
  expect(await namesIn('*/ch?ir.glb')).toEqual(['a/chair', 'b/chair']);
  expect(await namesIn('**/*.glb')).toEqual(['a/chair', 'a/deep/Lamp', 'b/chair']);
});

test('several words have their places below what they have in common, and each model once', async () => {
  expect(await namesIn('a/chair.glb', 'b', 'b/*.glb')).toEqual(['a/chair', 'b/chair']);
});

test('a word that names no model is an error with the word', async () => {
  for (const word of ['none.glb', 'c/*.glb', 'a/*.obj', 'none'])
    await expect(namesIn('a', word)).rejects.toMatchObject({
      code: 'FILE_MISSING',
      message: `${join(folder, word)}: there is no such .glb or .gltf file`,
    });
});

test('models are not searched in the folder of the output', async () => {
  const found = await findModels([folder], join(folder, 'a'));
  expect(found.map(({ name }) => name)).toEqual([join('b', 'chair')]);
  await expect(findModels([folder], folder)).rejects.toMatchObject({ code: 'USAGE' });
});
