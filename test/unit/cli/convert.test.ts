import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readGlb } from '../../helpers/check-glb.ts';
import { command } from '../../helpers/command.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ARTICLE = ['--manufacturer', 'FJEL', '--program', 'LINEA', '--basearticlenumber', 'LN-M'];
const convert = (output: string, ...options: string[]) =>
  command(['convert', '--emulator', ...ARTICLE, '--output', join(folder, output), ...options]);

test('what the file cannot express is a sentence about what one sees; --verbose lists the values', async () => {
  const { stdout } = await convert('desk.glb');
  expect(stdout).toContain(`\
note: some surfaces may shine a little more or less than the manufacturer defined
  (--verbose lists the 3 values that the format glTF cannot express exactly)
`);
  expect(stdout).not.toContain('roughness');
  expect((await convert('desk.glb', '--verbose')).stdout).toContain(`\
what glTF cannot express exactly (material: value):
  FJEL::BASIS::KUNSTSTOFF: shininess (shi): approximated by a roughness of 0.977
`);
});

describe('the ending of --output decides on the container', () => {
  test('.gltf: a text file, its buffer and its images, which say the same as a .glb', async () => {
    expect(await convert('desk.glb')).toMatchObject({ exit: 0 });
    const gltf = await convert('desk.gltf');
    expect(gltf).toMatchObject({ exit: 0, stderr: '' });
    const written = (await readdir(folder)).filter((name) => name !== '.cache').sort();
    expect(written).toEqual(expect.arrayContaining(['desk.bin', 'desk.glb', 'desk.gltf']));
    const images = written.filter((name) => /^desk-[\w.~-]+\.(?:jpg|png)$/.test(name));
    expect(images).toHaveLength(written.length - 3);
    expect(gltf.stdout).toContain(`in ${written.length - 1} files`);
    const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
    const document = await io.read(join(folder, 'desk.gltf'));
    const { triangles, boundsMetres } = await readGlb(await readFile(join(folder, 'desk.glb')));
    const copy = await readGlb(await io.writeBinary(document));
    expect(copy).toMatchObject({ triangles, boundsMetres });
  });

  test('any other: exit 2 with a sentence, before anything is requested or written', async () => {
    for (const output of ['desk.obj', 'desk', 'desk.gltf.zip', '.glb']) {
      const sentence = `expected a file name that ends with .glb or .gltf, received "${output}"`;
      const { exit, stderr } = await convert(output);
      expect([exit, stderr]).toEqual([2, expect.stringContaining(`output: ${sentence}`)]);
    }
    expect(await readdir(folder)).toEqual([]);
  });
});
