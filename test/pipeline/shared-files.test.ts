/** Profiles whose meshes and textures are files that articles share. */
import { readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryLine } from '../../src/run/output/delivered-files.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { complaintsAbout, complaintsAboutFiles } from '../helpers/check-glb.ts';
import { command as commandLine, writePipeline } from '../helpers/command.ts';
import { decoded, drawnVertices, unmatched } from '../helpers/drawn-vertices.ts';
import { deliveryLines, filesBelow } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** Two bookcases of a series with the same shelves and oak, and a lamp. */
const BOOKCASES = ['RG-BÜCHER 5', 'RG-BÜCHER 3'].map((number) => ({
  article: { manufacturer: 'AULI', program: 'REGALO', basearticlenumber: number },
}));
const LAMP = {
  article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-GLOBUS' },
};

const PROFILES = ['shared', { profile: 'web', files: 'shared' }];
const TOLERANCES = {
  shared: { metres: 1e-6, normalDegrees: 0.01, uv: 1e-6 },
  web: { metres: 0.0002, normalDegrees: 0.1, uv: 2 / 2 ** 14 },
} as const;
type Name = keyof typeof TOLERANCES;
const NAMES = Object.keys(TOLERANCES) as Name[];

/** test/browser/profile-pictures.test.ts compares pictures. */
const command = (words: string[]) => commandLine(words, { env: { BTG2GLTF_BROWSER: 'none' } });

let folder: string;
let out: string;
const write = (articles: object[], profiles: unknown[] = PROFILES) =>
  writePipeline(folder, {
    ...{ service: { emulator: true }, articles, deliver: { profiles } },
    // Small images are shared as large ones are.
    convert: { maxTextureSize: 128 },
  });
const filesIn = async (name: Name) =>
  (await filesBelow(join(out, name, 'files'))).map((path) => basename(path));

let lines: DeliveryLine[];
const masters = new Map<string, Uint8Array>();
beforeAll(async () => {
  folder = await temporaryFolder();
  out = join(folder, 'out');
  expect(await command(['run', await write([...BOOKCASES, LAMP])])).toMatchObject({ exit: 0 });
  lines = await deliveryLines(out);
  for (const { basearticlenumber, glb } of await readManifest(out))
    masters.set(basearticlenumber, new Uint8Array(await readFile(join(out, glb!))));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(NAMES)('the profile %s with shared files', (name) => {
  const own = () => lines.filter(({ delivery }) => delivery === name);

  it('has a .gltf of each article, and each of its files once, named by its content', async () => {
    for (const { files } of own()) {
      expect(files[0]!.name).toBe('model.gltf');
      const path = join(out, files[0]!.path);
      const gltf = JSON.parse(await readFile(path, 'utf8')) as Record<string, { uri?: string }[]>;
      const uris = [...gltf.buffers!, ...(gltf.images ?? [])].flatMap(({ uri }) => uri ?? []);
      // Babylon.js refuses addresses that go up.
      expect(uris.filter((uri) => !/^files\/[0-9a-f]{64}\.\w+$/.test(uri))).toEqual([]);
      const referred = uris.map((uri) => join(dirname(path), uri)).sort();
      const listed = files.slice(1).map((file) => join(out, file.path));
      expect([...new Set(referred)]).toEqual(listed.sort());
      for (const { path, sha256, bytes } of files.slice(1)) {
        const content = await readFile(join(out, path));
        expect(sha256Hex(content)).toBe(sha256);
        expect([content.length, path.includes(`/files/${sha256}.`)]).toEqual([bytes, true]);
      }
    }
    const all = own().flatMap(({ files }) => files.slice(1).map((file) => file.name));
    expect(await filesIn(name)).toEqual([...new Set(all)].sort());
  });

  it('stores the meshes and textures that two bookcases have in common once', () => {
    const [one, other] = own().filter(({ basearticlenumber: number }) => /^RG/.test(number));
    const common = one!.files
      .slice(1)
      .filter(({ name }) => other!.files.some((f) => f.name === name));
    const endings = new Set(common.map((file) => file.name.split('.')[1]));
    expect(endings.has('bin') && endings.size > 1).toBe(true);
  });

  it('shows what the master shows, and the validator has nothing to say', async () => {
    // The lamp and one of the bookcases, which are alike.
    for (const { files, basearticlenumber } of IS_LONG ? own() : own().slice(0, 2)) {
      const path = join(out, files[0]!.path);
      const [before, after] = [
        await drawnVertices(masters.get(basearticlenumber)!),
        await drawnVertices(path),
      ];
      expect(unmatched(after, before, TOLERANCES[name]).slice(0, 1)).toEqual([]);
      expect(unmatched(before, after, TOLERANCES[name]).slice(0, 1)).toEqual([]);
      expect(await complaintsAbout(await decoded(path))).toEqual([]);
      if (name === 'shared') expect(await complaintsAboutFiles(path)).toEqual([]);
    }
  });
});

describe('a delivery with shared files', () => {
  const pipeline = () => join(folder, 'pipeline.yaml');

  it('states its bytes and their share of the masters, each file counted once', async () => {
    const { stdout } = await command(['deliver', pipeline()]);
    const distinct = new Map(
      lines
        .filter(({ delivery }) => delivery === 'shared')
        .flatMap(({ files }) => files.map(({ sha256, bytes }) => [sha256, bytes])),
    );
    const bytes = [...distinct.values()].reduce((sum, each) => sum + each, 0);
    const all = [...masters.values()].reduce((sum, { length }) => sum + length, 0);
    const [, percent] = /shared: 0 made · 3 unchanged .*, (\d+) % of the size of their GLBs/.exec(
      stdout,
    )!;
    expect(Number(percent)).toBe(Math.round((100 * bytes) / all));
  });

  it('is checked by verify, kept by prune, and comes back from the cache', async () => {
    const verified = await command(['verify', pipeline()]);
    expect(verified).toMatchObject({ exit: 0 });
    expect((await command(['prune', pipeline()])).stdout).toContain('nothing to remove');
    const [file] = await filesIn('web');
    await rm(join(out, 'web', 'files', file!));
    await rm(join(out, 'shared'), { recursive: true });
    const missing = await command(['verify', pipeline()]);
    expect([missing.exit, missing.stdout]).toEqual([1, expect.stringContaining('is intact')]);
    expect(await command(['deliver', pipeline()])).toMatchObject({ exit: 0 });
    expect(await filesIn('web')).toContain(file);
    expect(await deliveryLines(out)).toEqual(lines);
    for (const { files } of lines)
      for (const { path, bytes } of files) expect((await stat(join(out, path))).size).toBe(bytes);
  });

  it('loses the files to which nothing refers any more, and no others', async () => {
    await write(BOOKCASES);
    expect(await command(['run', pipeline()])).toMatchObject({ exit: 0 });
    const left = (await deliveryLines(out)).filter(({ delivery }) => delivery === 'shared');
    expect(left).toHaveLength(2);
    const names = left.flatMap(({ files }) => files.slice(1).map(({ name }) => name));
    expect(await filesIn('shared')).toEqual([...new Set(names)].sort());
    await write(BOOKCASES, ['web']);
    expect(await command(['deliver', pipeline()])).toMatchObject({ exit: 0 });
    expect([await filesIn('web'), await filesIn('shared')]).toEqual([[], []]);
    expect((await deliveryLines(out)).map(({ files }) => files.map(({ name }) => name))).toEqual([
      ['model.glb'],
      ['model.glb'],
    ]);
  });
});
