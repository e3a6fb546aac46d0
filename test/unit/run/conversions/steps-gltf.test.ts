import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import { writeGltf } from '../../../../src/run/conversions/steps.ts';
import { TANGENT_WARNING } from '../../../helpers/check-glb.ts';
import { RICH_ARTICLE as RICH } from '../../../helpers/rich-article.ts';
import { sceneOf } from '../../../helpers/snapshot.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const reader = () => new NodeIO().registerExtensions(ALL_EXTENSIONS);

/** What a document consists of, however its files are arranged. */
function contentOf(document: Document) {
  const root = document.getRoot();
  return {
    accessors: root.listAccessors().map((accessor) => accessor.getArray()),
    images: root.listTextures().map((i) => [i.getMimeType(), Uint8Array.from(i.getImage()!)]),
    nodes: root.listNodes().map((node) => [node.getName(), node.getMatrix()]),
    materials: root.listMaterials().map((material) => material.getBaseColorFactor()),
  };
}

describe('writeGltf', () => {
  it('writes the same content as a GLB: the JSON, one buffer, and each image', async () => {
    const scene = await sceneOf(RICH);
    const stem = 'Tisch 50 % größer #1';
    for (const { name, bytes } of await writeGltf(scene, stem))
      await writeFile(join(folder, name), bytes);
    const separate = await reader().read(join(folder, `${stem}.gltf`));
    const binary = await reader().readBinary(writeGlb(scene));
    expect(contentOf(separate)).toEqual(contentOf(binary));
    expect(scene.images.length).toBeGreaterThan(1);
  });

  it('writes files that the validator accepts, the .gltf file last', async () => {
    const files = await writeGltf(await sceneOf(RICH), 'desk');
    const { issues } = await validateBytes(files.at(-1)!.bytes, {
      maxIssues: 0,
      externalResourceFunction: async (uri) =>
        files.find(({ name }) => name === decodeURIComponent(uri))!.bytes,
    });
    const problems = issues.messages.filter(({ severity }) => severity <= 1);
    expect(problems.filter(({ code }) => code !== TANGENT_WARNING)).toEqual([]);
    expect(files.slice(-2).map(({ name }) => name)).toEqual(['desk.bin', 'desk.gltf']);
  });

  it('gives equal bytes for equal scenes', async () => {
    const [one, other] = [await sceneOf(RICH), await sceneOf(RICH)];
    expect(await writeGltf(one, 'desk')).toEqual(await writeGltf(other, 'desk'));
  });

  it('gives each image a name of its own that every file system and address accepts', async () => {
    const scene = await sceneOf(RICH);
    const names = ['../WOOD.JPG', 'WOOD', 'wood', 'HOLZ "ä"/1', 'nul', 'x'.repeat(300)];
    const images = names.map((name) => ({ ...scene.images[0]!, name }));
    const files = await writeGltf({ ...scene, materials: [], images }, 'desk');
    const made = files.map(({ name }) => name).slice(0, images.length);
    expect(new Set(made.map((name) => name.toLowerCase())).size).toBe(images.length);
    for (const name of made) expect(name).toMatch(/^desk-[\w.~-]{1,100}\.jpg$/);
  });
});
