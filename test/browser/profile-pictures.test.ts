/**
 * What looks unlike its master is refused. With `BTG2GLTF_TEST_LONG=1`, files of every profile look like their masters,
 * which show glass in the same way: each article of the sample range, and real furniture (CC0) where `../shared` has it.
 * `profile-files.test.ts` has one article.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NodeIO } from '@gltf-transform/core';
import { KHRONOS_EXTENSIONS } from '@gltf-transform/extensions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blendGlass } from '../../src/deliver/making/glass.ts';
import { takePictures } from '../../src/deliver/pictures/picture.ts';
import { PICTURE_DEFAULTS } from '../../src/deliver/pictures/picture-options.ts';
import type { Renderer } from '../../src/deliver/pictures/renderer.ts';
import { comparePictures } from '../../src/deliver/profiles/check-back.ts';
import { createProfileMaker } from '../../src/deliver/profiles/profile-maker.ts';
import { PROFILE_NAMES, PROFILES, type ProfileName } from '../../src/deliver/profiles/profiles.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { sharedRenderer } from '../helpers/browser.ts';
import { complaintsAbout, errorsIn } from '../helpers/check-glb.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { decoded } from '../helpers/drawn-vertices.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { plainGlb } from '../helpers/plain-glb.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { similarity } from '../helpers/similarity.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const RECORDING = fileURLToPath(new URL('../../../shared/data/cc0-furniture', import.meta.url));
const SIZE = 512;
const LEAST_SIMILARITY = 0.97;
/** Of the articles, but of `amazon`: it takes no small textures. */
const LEAST_PASSED = 0.8;

let folder: string;
let renderer: Renderer;
beforeAll(async () => {
  if (!HAS_BROWSER) return;
  folder = await temporaryFolder();
  renderer = await sharedRenderer();
});
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function pictureOf(glb: Uint8Array): Promise<Uint8Array> {
  const options = { ...PICTURE_DEFAULTS, width: SIZE, height: SIZE, format: 'png' } as const;
  const [picture] = await takePictures(renderer, glb, options);
  return picture!.bytes;
}

/** The master with glass as a profile shows it. */
async function treated(master: Uint8Array, name: ProfileName): Promise<Uint8Array> {
  if (PROFILES[name].glass === 'transmission') return master;
  const io = new NodeIO().registerExtensions(KHRONOS_EXTENSIONS);
  const document = await io.readBinary(master);
  blendGlass(document);
  for (const extension of document.getRoot().listExtensionsUsed())
    if (extension.extensionName === 'KHR_materials_transmission') extension.dispose();
  return io.writeBinary(document);
}

describe.runIf(HAS_BROWSER)('what was compressed', () => {
  const black = { pbrMetallicRoughness: { baseColorFactor: [0, 0, 0, 1] } };
  const master = plainGlb({ triangles: 200 });

  it('is accepted where it looks like its master', async () => {
    const made = async () => plainGlb({ triangles: 200 });
    expect(await comparePictures(renderer, master, made)).toBe(true);
  });

  it.each([
    [
      'with another colour than that of its master',
      plainGlb({ triangles: 200, material: black }),
      /^picture: tone: expected an error of at most 0.0300 of its range/,
    ],
    [
      'where it cannot be drawn, and its master can',
      plainGlb({ triangles: 0 }),
      /^picture: .*no triangle/,
    ],
  ])('is refused %s', async (_, made, message) => {
    const decoded = async () => made;
    await expect(comparePictures(renderer, master, decoded)).rejects.toMatchObject({
      code: 'COMPRESSION_FAILED',
      message: expect.stringMatching(message),
    });
  });
});

/** `shared` has the files of the master. */
const CHANGED = PROFILE_NAMES.filter((name) => PROFILES[name].files === 'one');

const RANGES = [
  ['the sample range', { emulator: true }],
  ...(existsSync(RECORDING) ? [['real furniture', { recording: RECORDING }] as const] : []),
] as const;

describe.runIf(HAS_BROWSER && IS_LONG).each(RANGES)('%s', (range, service) => {
  const masters = new Map<string, Uint8Array>();
  beforeAll(async () => {
    const below = join(folder, range);
    await mkdir(below);
    const articles = [{ catalogue: {} }];
    const convert = { allowMissingParts: true };
    const pipeline = await writePipeline(below, { service, articles, convert });
    await command(['run', pipeline]);
    for (const line of await readManifest(join(below, 'out'))) {
      if ('glb' in line && line.glb)
        masters.set(
          `${line.program} ${line.basearticlenumber}`,
          new Uint8Array(await readFile(join(below, 'out', line.glb))),
        );
    }
    expect(masters.size).toBeGreaterThan(5);
  });

  it.each(CHANGED)('in the profile %s is valid, before and after decoding', async (name) => {
    const maker = createProfileMaker(name);
    const complaints: [article: string, string[]][] = [];
    for (const [article, master] of masters) {
      const made = await maker.make(master, ['model.glb']).catch(() => []);
      for (const { bytes } of made) {
        const found = [
          ...(await errorsIn(bytes)),
          ...(await complaintsAbout(await decoded(bytes))),
        ];
        if (found.length > 0) complaints.push([article, found]);
      }
    }
    expect(complaints).toEqual([]);
  });

  it.each(CHANGED)(
    'in the profile %s looks like the masters, or is refused by its limits',
    async (name) => {
      const maker = createProfileMaker(name);
      const unlike: [article: string, similarity: number][] = [];
      const refused: string[] = [];
      for (const [article, master] of masters) {
        try {
          const [made] = await maker.make(master, ['model.glb']);
          const expected = await pictureOf(await treated(master, name));
          const alike = await similarity(expected, await pictureOf(made!.bytes));
          if (alike < LEAST_SIMILARITY) unlike.push([article, alike]);
        } catch (error) {
          expect([article, error]).toMatchObject([article, { code: 'BUDGET_EXCEEDED' }]);
          refused.push(article);
        }
      }
      expect(unlike).toEqual([]);
      if (name === 'amazon') return;
      expect(refused.length / masters.size, refused.join(', ')).toBeLessThan(1 - LEAST_PASSED);
    },
  );
});
