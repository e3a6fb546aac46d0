/** Files of target profiles, made of articles of the sample range. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blendGlass } from '../../src/deliver/making/glass.ts';
import { type Gltf, writeGlb as writeContainer } from '../../src/deliver/making/glb-container.ts';
import { readFigures } from '../../src/deliver/making/glb-figures.ts';
import type { MadeFile } from '../../src/deliver/making/maker.ts';
import { optimize, QUANTIZATION_BITS } from '../../src/deliver/profiles/optimize.ts';
import { createProfileMaker } from '../../src/deliver/profiles/profile-maker.ts';
import {
  breachesOf,
  PROFILE_NAMES,
  PROFILES,
  type Profile,
  type ProfileName,
  webProfile,
} from '../../src/deliver/profiles/profiles.ts';
import { openTextureEncoder } from '../../src/deliver/profiles/texture-encoder.ts';
import type { DeliveryLine } from '../../src/run/output/delivered-files.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { complaintsAbout, errorsIn } from '../helpers/check-glb.ts';
import { command as commandLine, writePipeline } from '../helpers/command.ts';
import {
  boundsOf,
  decoded,
  drawnVertices,
  readerWithDecoders,
  unmatched,
} from '../helpers/drawn-vertices.ts';
import { deliveryLines } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const { encode: encodeTexture } = openTextureEncoder();
/** test/browser/profile-pictures.test.ts compares pictures. */
const command = (words: string[]) => commandLine(words, { env: { BTG2GLTF_BROWSER: 'none' } });

/** Textures with different transforms. */
const RELIEF = ['FJEL', 'FORUM', 'FM-W160'] as const;
/** Many parts, and glass; transforms and a mirrored part are in bake.test.ts, too. */
const ARTICLES = [
  ['FJEL', 'DEPOT', 'DP-X3/4'],
  ['FJEL', 'FORUM', 'FM-G150+'],
  ...(IS_LONG ? ([RELIEF, ['FJEL', 'DEPOT', 'DP-F2']] as const) : []),
] as const;
/** A round pouf with fabric, from which only budgets make files. */
const POUF = ['BRNK', 'KONVA', 'KV-POUF Ø46'] as const;
/** More than the 256 pixels to which a budget may reduce a texture. */
const POUF_PIXELS = 384;
/** The textures of these articles have 1024 pixels, for which no profile does anything else than for these. */
const CONVERT = IS_LONG ? {} : { maxTextureSize: 128 };

/** What has one file of each article; shared-files.test.ts has the others. */
const NAMES = PROFILE_NAMES.filter((name) => PROFILES[name].files === 'one');

let folder: string;
let pipeline: string;
let lines: DeliveryLine[];
const masters = new Map<string, Uint8Array>();
const bytesOf = async (path: string) => new Uint8Array(await readFile(join(folder, 'out', path)));

beforeAll(async () => {
  folder = await temporaryFolder();
  const write = (articles: readonly (readonly [string, string, string])[], more: object) =>
    writePipeline(folder, {
      service: { emulator: true },
      articles: articles.map(([manufacturer, program, basearticlenumber]) => ({
        article: { manufacturer, program, basearticlenumber },
      })),
      ...more,
    });
  const addMasters = async () => {
    for (const { basearticlenumber, glb } of await readManifest(join(folder, 'out')))
      masters.set(basearticlenumber, await bytesOf(glb!));
  };
  const pouf = await write([POUF, RELIEF], { convert: { maxTextureSize: POUF_PIXELS } });
  expect(await command(['run', pouf])).toMatchObject({ exit: 0 });
  await addMasters();
  pipeline = await write(ARTICLES, { convert: CONVERT, deliver: { profiles: NAMES } });
  // The articles that amazon refuses are rows of the delivery.
  await command(['run', pipeline, '--accept']);
  await addMasters();
  lines = await deliveryLines(join(folder, 'out'));
});
afterAll(() => rm(folder, { recursive: true }));

const put = async (path: string, bytes: Uint8Array) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
};

/** Its colour is then that of the service; test/unit/deliver/profiles/profiles.test.ts says which. */
async function withBlendedGlass(master: Uint8Array): Promise<Uint8Array> {
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
  const document = await io.readBinary(master);
  blendGlass(document);
  return io.writeBinary(document);
}

const madeBy = (name: ProfileName) =>
  lines.filter(({ delivery, error }) => delivery === name && error === undefined);
/** One article of each profile in turn; with `BTG2GLTF_TEST_LONG=1`, each of them. */
function judgedOf(name: ProfileName): DeliveryLine[] {
  const made = madeBy(name);
  return IS_LONG ? made : made.slice(NAMES.indexOf(name) % ARTICLES.length).slice(0, 1);
}

describe.each(NAMES)('the profile %s', (name) => {
  it('is kept by each file that is made, and each other article is a row with the limit', async () => {
    const own = lines.filter(({ delivery }) => delivery === name);
    expect(own).toHaveLength(ARTICLES.length);
    for (const { files, error } of own) {
      if (error !== undefined) {
        expect(error.code).toBe('BUDGET_EXCEEDED');
        expect(error.message).toMatch(/^textures: expected 2048 to 4096 .* received .* × /);
        continue;
      }
      const glb = await bytesOf(files[0]!.path);
      const figures = await readFigures(glb);
      expect(breachesOf(figures, PROFILES[name])).toEqual([]);
      const { triangles, drawCalls, extensionsRequired } = figures;
      const requiredExtensions = extensionsRequired.join(' ');
      expect(files[0]!.facts).toMatchObject({ triangles, drawCalls, requiredExtensions });
    }
    if (name !== 'amazon') expect(madeBy(name)).toHaveLength(ARTICLES.length);
  });

  it('makes valid files, which are the same each time', async () => {
    for (const { files, basearticlenumber } of judgedOf(name)) {
      const glb = await bytesOf(files[0]!.path);
      expect(await errorsIn(glb)).toEqual([]);
      expect(await complaintsAbout(await decoded(glb))).toEqual([]);
      const [again] = await createProfileMaker(name).make(masters.get(basearticlenumber)!, [
        'model.glb',
      ]);
      expect(Buffer.from(again!.bytes).equals(glb)).toBe(true);
    }
  });

  it('shows the vertices of the master at their places, with their normals and UVs', async () => {
    for (const { files, basearticlenumber } of judgedOf(name)) {
      const master = masters.get(basearticlenumber)!;
      const glb = await bytesOf(files[0]!.path);
      expect((await readFigures(glb)).triangles).toBe((await readFigures(master)).triangles);
      const shown = PROFILES[name].glass === 'blend' ? await withBlendedGlass(master) : master;
      const [before, after] = [await drawnVertices(shown), await drawnVertices(glb)];
      const { min, max } = boundsOf(before);
      const shift =
        PROFILES[name].origin === 'floor'
          ? [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2]
          : [0, 0, 0];
      for (const { position } of before) {
        for (let k = 0; k < 3; k++) position[k]! -= shift[k]!;
      }
      const step =
        Math.max(...max.map((value, k) => value - min[k]!)) / 2 ** QUANTIZATION_BITS.position;
      const isExact = PROFILES[name].geometry === 'plain';
      const tolerance = isExact
        ? { metres: 2e-6, normalDegrees: 0.05, uv: 1e-4 }
        : { metres: step, normalDegrees: 0.1, uv: 2 / 2 ** QUANTIZATION_BITS.uv };
      expect(unmatched(after, before, tolerance).slice(0, 1)).toEqual([]);
      expect(unmatched(before, after, tolerance).slice(0, 1)).toEqual([]);
    }
  });
});

describe('what a delivery of profiles promises', () => {
  it('a second run makes nothing again', async () => {
    const { stdout } = await command(['deliver', pipeline]);
    for (const name of NAMES.filter((each) => each !== 'amazon'))
      expect(stdout).toContain(`${name}: 0 made · ${ARTICLES.length} unchanged · 0 failed`);
  });

  it('web needs the decoder that its required extensions name, and no other', async () => {
    const [{ files } = { files: [] }] = madeBy('web');
    const glb = await bytesOf(files[0]!.path);
    const without = new NodeIO().registerExtensions(ALL_EXTENSIONS);
    await expect(without.readBinary(glb)).rejects.toThrow(/meshopt\.decoder/);
    expect((await readerWithDecoders().readBinary(glb)).getRoot().listMeshes()).not.toEqual([]);
  });

  it('ar-android stands on the floor, and has no mirrored part, texture transform or transmission', async () => {
    for (const { files } of madeBy('ar-android')) {
      const glb = await bytesOf(files[0]!.path);
      const { min, max } = boundsOf(await drawnVertices(glb));
      for (const at of [min[1], min[0] + max[0], min[2] + max[2]]) expect(at).toBeCloseTo(0, 5);
      const root = (await readerWithDecoders().readBinary(glb)).getRoot();
      for (const node of root.listNodes()) {
        const [x, y, z] = node.getWorldScale();
        expect(x * y * z).toBeGreaterThan(0);
      }
      const names = root.listExtensionsUsed().map(({ extensionName }) => extensionName);
      expect(names.filter((each) => /transform|transmission/.test(each))).toEqual([]);
      expect(root.listTextures().map((texture) => texture.getMimeType())).not.toContain(
        'image/webp',
      );
    }
    const glass = madeBy('ar-android').find((line) => line.basearticlenumber === 'FM-G150+')!;
    const root = (
      await readerWithDecoders().readBinary(await bytesOf(glass.files[0]!.path))
    ).getRoot();
    expect(root.listMaterials().map((material) => material.getAlphaMode())).toContain('BLEND');
  });

  it('ar-android keeps the transform of relief that differs from that of the colour', async () => {
    const maker = createProfileMaker('ar-android');
    const [{ bytes, facts }] = (await maker.make(masters.get(RELIEF[2])!, [''])) as [MadeFile];
    const root = (await readerWithDecoders().readBinary(bytes)).getRoot();
    const sets = root.listMaterials().map((material) => {
      return material.getNormalTextureInfo()?.getTexCoord();
    });
    expect([sets.includes(1), facts.changedTransforms]).toEqual([true, undefined]);
  });

  it('normal maps keep all of their chroma', async () => {
    let count = 0;
    for (const { files } of madeBy('web')) {
      const root = (await readerWithDecoders().readBinary(await bytesOf(files[0]!.path))).getRoot();
      for (const material of root.listMaterials()) {
        const map = material.getNormalTexture();
        if (map === null) continue;
        count++;
        const { format, chromaSubsampling } = await sharp(map.getImage()!).metadata();
        expect({ format, chromaSubsampling }).toEqual({
          format: 'jpeg',
          chromaSubsampling: '4:4:4',
        });
      }
    }
    expect(count).toBeGreaterThan(0);
  });
});

describe('a choice of web', () => {
  const hasEqualParts = ([number]: [string, ...unknown[]]) => number === 'DP-X3/4';
  const CHOICES = [
    ...(IS_LONG ? ([{ geometry: 'draco' }, { instancing: true }] as const) : []),
    { geometry: 'draco', instancing: true, files: 'shared' },
  ] as const;
  it.each(CHOICES.map((choice) => [JSON.stringify(choice), choice] as const))(
    '%s shows what the master shows',
    async (_title, choice) => {
      const maker = createProfileMaker('web', webProfile(choice));
      for (const [number, master] of IS_LONG ? masters : [...masters].filter(hasEqualParts)) {
        const [{ bytes, facts, shared = [] }] = (await maker.make(master, [''])) as [MadeFile];
        const path = join(folder, 'web', 'model.gltf');
        for (const { name, bytes } of shared) await put(join(folder, 'web', 'files', name), bytes);
        if (shared.length > 0) await put(path, bytes);
        const model = shared.length > 0 ? path : bytes;
        const [before, after] = [await drawnVertices(master), await drawnVertices(model)];
        const tolerance = { metres: 0.0003, normalDegrees: 0.2, uv: 2 / 2 ** 12 };
        expect(unmatched(after, before, tolerance).slice(0, 1)).toEqual([]);
        expect(unmatched(before, after, tolerance).slice(0, 1)).toEqual([]);
        expect(await complaintsAbout(await decoded(model))).toEqual([]);
        const { triangles, drawCalls } = await readFigures(master);
        expect(facts.triangles).toBe(triangles);
        expect(facts.drawCalls).toBeLessThanOrEqual(drawCalls);
        if ('instancing' in choice && hasEqualParts([number]))
          expect(facts.drawCalls).toBeLessThan(drawCalls);
        const required = String(facts.requiredExtensions);
        expect(required.includes('draco')).toBe('geometry' in choice);
      }
      expect(maker.limitation?.()).toBeUndefined();
      await maker.close?.();
    },
  );
});

describe('a budget', () => {
  const pouf = () => masters.get(POUF[2])!;
  const smallest = () => [...masters.values()].sort((a, b) => a.length - b.length)[0]!;
  const make = (budget: Partial<Profile>) =>
    optimize(pouf(), { ...PROFILES.planner, ...budget }, encodeTexture);

  it('of triangles is kept by making surfaces simpler, within the bound', async () => {
    const { triangles } = await readFigures(pouf());
    const limit = Math.round(triangles * 0.8);
    const { figures, bytes } = await make({ triangles: limit, bytes: 1e9, format: 'kept' });
    expect(figures.triangles).toBeLessThanOrEqual(limit);
    expect(figures.triangles).toBeGreaterThan(limit / 2);
    const [before, after] = [
      boundsOf(await drawnVertices(pouf())),
      boundsOf(await drawnVertices(bytes)),
    ];
    const bound = PROFILES.planner.simplifyMillimetres / 1000;
    for (const side of ['min', 'max'] as const) {
      for (let k = 0; k < 3; k++)
        expect(Math.abs(after[side][k]! - before[side][k]!)).toBeLessThan(bound);
    }
  });

  it('of bytes is used up, in small steps: textures become smaller first, then triangles fewer', async () => {
    const { bytes: all, triangles } = await readFigures(pouf());
    for (const share of IS_LONG ? [0.9, 0.85, 0.7, 0.5, 0.35] : [0.85]) {
      const limit = Math.round(all * share);
      const { figures } = await make({ bytes: limit });
      expect(figures.bytes).toBeLessThanOrEqual(limit);
      expect(figures.bytes).toBeGreaterThan(0.75 * limit);
      expect(Math.max(...figures.images.map(({ width }) => width))).toBeLessThan(POUF_PIXELS);
      if (share >= 0.85) expect(figures.triangles).toBe(triangles);
    }
  });

  it('of draw calls is kept by joining the parts of a material', async () => {
    const many = await readFigures(masters.get('DP-X3/4')!);
    expect(many.drawCalls).toBeGreaterThan(PROFILES['khronos-commerce'].drawCalls);
    const made = madeBy('khronos-commerce').find((line) => line.basearticlenumber === 'DP-X3/4')!;
    expect(made.files[0]!.facts.drawCalls).toBeLessThanOrEqual(many.materials);
  });

  it('that cannot be kept is refused with each limit', async () => {
    const few = { ...PROFILES.planner, triangles: 20, format: 'kept' } as const;
    await expect(optimize(smallest(), few, encodeTexture)).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message: expect.stringMatching(/^triangles: expected at most 20, received \d+/),
    });
    const made = optimize(smallest(), { ...PROFILES.planner, bytes: 1000 }, encodeTexture);
    await expect(made).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message: expect.stringMatching(/^bytes: expected at most 1000, received \d+/),
    });
  });

  it('is not asked of what is no model: the sentence is none of the engine', async () => {
    const container = (json: unknown) => writeContainer(json as Gltf, []);
    const scenes = { asset: { version: '2.0' }, scenes: [{ nodes: [7] }], nodes: [{ mesh: 9 }] };
    const wrong = [
      ...[new Uint8Array(100), pouf().subarray(0, 900)],
      ...[null, 5, { asset: { version: '2.0' }, meshes: [null] }, scenes].map(container),
    ];
    for (const bytes of wrong) {
      await expect(optimize(bytes, PROFILES.web, encodeTexture)).rejects.toMatchObject({
        code: 'MODEL_UNREADABLE',
        message: expect.not.stringMatching(/undefined|null|reading|iterable|token|Invalid|offset/),
      });
    }
  });
});
