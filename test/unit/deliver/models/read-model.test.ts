import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readFigures } from '../../../../src/deliver/making/glb-figures.ts';
import { plainModel } from '../../../../src/deliver/models/plain-model.ts';
import { readModel } from '../../../../src/deliver/models/read-model.ts';
import { optimize } from '../../../../src/deliver/profiles/optimize.ts';
import { webProfile } from '../../../../src/deliver/profiles/profiles.ts';
import { openTextureEncoder } from '../../../../src/deliver/profiles/texture-encoder.ts';
import { errorsIn } from '../../../helpers/check-glb.ts';
import { command } from '../../../helpers/command.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

let folder: string;
/** The same desk in one file, and in several. */
let glb: Uint8Array;
let gltf: Record<string, object[]>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const article = ['--manufacturer', 'FJEL', '--program', 'LINEA', '--basearticlenumber', 'LN-M'];
  for (const ending of ['glb', 'gltf'])
    await command(['convert', '--emulator', ...article, '--output', join(folder, `d.${ending}`)]);
  glb = await readFile(join(folder, 'd.glb'));
  gltf = JSON.parse(await readFile(join(folder, 'd.gltf'), 'utf8'));
});

/** Reads another JSON beside the files of the desk. */
async function readOther(json: unknown): Promise<Uint8Array> {
  const path = join(folder, 'other.gltf');
  await writeFile(path, JSON.stringify(json));
  return readModel(path);
}

test('a .glb is read as it is, a .gltf with its files as one GLB of the same content', async () => {
  expect(Buffer.from(await readModel(join(folder, 'd.glb'))).equals(glb)).toBe(true);
  const read = await readModel(join(folder, 'd.gltf'));
  const { bytes: _, ...figures } = await readFigures(read);
  expect(figures).toEqual({ ...(await readFigures(glb)), bytes: undefined });
  expect(await errorsIn(read)).toEqual([]);
});

test('addresses may hold the content itself', async () => {
  const [image] = gltf.images as { uri: string }[];
  const picture = await readFile(join(folder, image!.uri));
  const uri = `data:image/jpeg;base64,${picture.toString('base64')}`;
  const { images } = await readFigures(await readOther({ ...gltf, images: [{ uri }] }));
  expect(images).toMatchObject([{ bytes: picture.length, mimeType: 'image/jpeg', width: 1024 }]);
});

test('a .gltf reads nothing outside of its folder, and follows no link', async () => {
  await mkdir(join(folder, 'inner'), { recursive: true });
  await symlink(join(folder, 'd.glb'), join(folder, 'linked.jpg'));
  const refused = {
    '../d.glb': 'not in the folder',
    '%2e%2e/d.glb': 'not in the folder',
    '/etc/hostname': 'not in the folder',
    'https://example.com/a.jpg': 'not in the folder',
    'file:///etc/hostname': 'not in the folder',
    'linked.jpg': 'a symbolic link',
    'none.jpg': 'does not exist',
  };
  for (const [uri, reason] of Object.entries(refused)) {
    const error = { code: 'MODEL_UNREADABLE', message: expect.stringContaining(reason) };
    await expect(readOther({ ...gltf, images: [{ uri }] })).rejects.toMatchObject(error);
  }
});

test('what is no model, or has a node below itself, is refused with its path', async () => {
  const nodes = [{ children: [1] }, { children: [0] }];
  const message = (reason: string) => ({
    code: 'MODEL_UNREADABLE',
    message: `${join(folder, 'other.gltf')}: expected a GLB file: ${reason}`,
  });
  await expect(readOther({ ...gltf, nodes })).rejects.toMatchObject(
    message('a node is below itself'),
  );
  for (const json of [{ buffers: 1 }, { nodes: {} }, { nodes: [{ children: 7 }] }, [null], 7])
    await expect(readOther(json)).rejects.toMatchObject({ code: 'MODEL_UNREADABLE' });
});

test('a compressed model becomes one that every maker reads; another stays as it is', async () => {
  expect(await plainModel(glb)).toBe(glb);
  const encoder = openTextureEncoder();
  let texture: ReturnType<typeof encoder.encode> | undefined;
  const encode: typeof encoder.encode = (given) => {
    texture ??= encoder.encode(given);
    return texture;
  };
  for (const geometry of ['meshopt', 'draco'] as const) {
    const textures = { smallest: 1, largest: 64 };
    const profile = { ...webProfile({ geometry, instancing: true }), textures };
    const { bytes } = await optimize(glb, profile, encode);
    const plain = await readFigures(await plainModel(bytes));
    expect(plain.extensionsRequired).toEqual(['EXT_texture_webp']);
    expect(plain.triangles).toBe((await readFigures(glb)).triangles);
  }
  await encoder.close();
});
