/** Every variant of a file looks as its master does: both read by glTF-Transform, corner by corner. */
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Document,
  type Material,
  NodeIO,
  type Primitive,
  VertexLayout,
} from '@gltf-transform/core';
import { ALL_EXTENSIONS, type MappingList, type Transform } from '@gltf-transform/extensions';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import {
  combineVariants,
  groupVariants,
  type VariantSource,
} from '../../../../src/deliver/variants/variants.ts';
import { readCatalogue } from '../../../../src/run/output/manifest.ts';
import { complaintsAbout } from '../../../helpers/check-glb.ts';
import { command, writePipeline } from '../../../helpers/command.ts';
import { boxPoints } from '../../../helpers/graphics.ts';
import { plainGlb } from '../../../helpers/plain-glb.ts';
import { IS_LONG } from '../../../helpers/samples.ts';
import { BOX_BODY, sceneOf } from '../../../helpers/snapshot.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
/** Writes attributes one after the other, as masters have them. */
const separate = new NodeIO()
  .registerExtensions(ALL_EXTENSIONS)
  .setVertexLayout(VertexLayout.SEPARATE);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A configuration with its master in sight. */
type Source = VariantSource & { glb: Uint8Array };

const sourceOf = (glb: Uint8Array, more: Pick<Source, 'number' | 'properties'>): Source => ({
  ...{ ...more, glb, sha256: sha256(glb) },
});

/** Reads the masters of some sources. */
const readerOf = (sources: readonly Source[]) => async (place: number) => sources[place]!.glb;

/** The groups, with the file of each that has several finishes. */
async function combined(sources: readonly Source[]) {
  const { groups, splitBy } = await groupVariants(sources, readerOf(sources));
  const files = groups.map(async (group) => {
    const isOne = group.variants.length === 1;
    const glb = isOne
      ? sources[group.variants[0]!.sources[0]!]!.glb
      : await combineVariants(group, readerOf(sources));
    return { ...group, glb };
  });
  return { groups: await Promise.all(files), splitBy };
}

/** Files that were read: one with several finishes is looked at with each of them. */
const documents = new WeakMap<Uint8Array, Document>();
/** Digests of the corners of a primitive, by the name of the attribute. */
const digests = new WeakMap<Primitive, Map<string, string>>();

/** What is drawn with a variant: of each part its place, its corners and its material with the corners in its textures. */
async function drawn(glb: Uint8Array, variant?: string): Promise<unknown[]> {
  const document = documents.get(glb) ?? (await io.readBinary(glb));
  documents.set(glb, document);
  return document
    .getRoot()
    .listNodes()
    .flatMap((node) =>
      (node.getMesh()?.listPrimitives() ?? []).map((primitive) => {
        const material = materialOf(primitive, variant);
        return {
          place: node.getWorldMatrix(),
          positions: corners(primitive, 'POSITION'),
          normals: corners(primitive, 'NORMAL'),
          material: material && lookOf(primitive, material),
        };
      }),
    );
}

function materialOf(primitive: Primitive, variant: string | undefined): Material | null {
  const list = primitive.getExtension<MappingList>('KHR_materials_variants');
  const mapping = list
    ?.listMappings()
    .find((each) => each.listVariants().some((one) => one.getName() === variant));
  return mapping?.getMaterial() ?? primitive.getMaterial();
}

function corners(primitive: Primitive, name: string): string {
  const known = digests.get(primitive) ?? new Map<string, string>();
  digests.set(primitive, known);
  const digest = known.get(name) ?? digestOf(primitive, name);
  known.set(name, digest);
  return digest;
}

function digestOf(primitive: Primitive, name: string): string {
  const elements = primitive.getAttribute(name)!;
  const size = elements.getElementSize();
  const vertices = primitive.getIndices()!.getArray()!;
  const values = new Float32Array(size * vertices.length);
  for (const [corner, vertex] of vertices.entries())
    values.set(elements.getElement(vertex, []), size * corner);
  return sha256(new Uint8Array(values.buffer));
}

const SLOTS = ['BaseColor', 'Normal', 'MetallicRoughness', 'Emissive', 'Occlusion'] as const;

function lookOf(primitive: Primitive, material: Material) {
  return {
    name: material.getName(),
    factors: [
      material.getBaseColorFactor(),
      material.getRoughnessFactor(),
      material.getMetallicFactor(),
      material.getEmissiveFactor(),
      ...[material.getAlphaMode(), material.getAlphaCutoff(), material.getDoubleSided()],
    ],
    extensions: Array.from(material.listExtensions(), (each) => each.extensionName).sort(),
    textures: SLOTS.map((slot) => {
      const texture = material[`get${slot}Texture`]();
      const info = material[`get${slot}TextureInfo`]();
      if (texture === null || info === null) return slot;
      const transform = info.getExtension<Transform>('KHR_texture_transform');
      return {
        slot,
        image: sha256(texture.getImage()!),
        at: corners(primitive, `TEXCOORD_${info.getTexCoord()}`),
        wrap: [info.getWrapS(), info.getWrapT(), info.getMagFilter(), info.getMinFilter()],
        transform: [transform?.getOffset(), transform?.getRotation(), transform?.getScale()],
      };
    }),
  };
}

/** Each master is drawn by exactly one variant, and the first of a file without any. */
async function expectSameLooks(sources: readonly Source[]) {
  const result = await combined(sources);
  const { groups } = result;
  for (const { glb, variants } of groups) {
    expect(await complaintsAbout(glb)).toEqual([]);
    expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length);
    for (const { name, sources: same } of variants)
      for (const index of same)
        expect(await drawn(glb, name)).toEqual(await drawn(sources[index]!.glb));
    expect(await drawn(glb)).toEqual(await drawn(sources[variants[0]!.sources[0]!]!.glb));
  }
  const all = groups.flatMap(({ variants }) => variants.flatMap((variant) => variant.sources));
  expect(all.toSorted((a, b) => a - b)).toEqual([...sources.keys()]);
  return result;
}

describe('of the sample range', () => {
  let folder: string;
  const articles = new Map<string, Source[]>();

  beforeAll(async () => {
    folder = await temporaryFolder();
    const each = (
      [manufacturer, program, basearticlenumber]: [string, string, string],
      max: number,
      ...properties: string[]
    ) => ({
      configurations: { manufacturer, program, basearticlenumber, each: properties, max },
    });
    const file = await writePipeline(folder, {
      // What a picture shows does not matter.
      ...{ service: { emulator: true }, convert: { maxTextureSize: 64 } },
      articles: [
        each(['FJEL', 'FORUM', 'FM-W160'], 9, 'OBERFLÄCHE.FILZ'),
        each(['BRNK', 'KONVA', 'KV40/H'], 2, 'OBERFLÄCHE.SCHALE'),
        each(['AULI', 'REGALO', 'RG-SIDE 165'], 2, 'OBERFLÄCHE.HOLZ'),
        each(['AULI', 'REGALO', 'RG-SIDE 165'], 2, 'OBERFLÄCHE.FRONT'),
        each(['AULI', 'LUMO', 'LM-DOM 16"'], 2, 'OBERFLÄCHE.METALL'),
        each(['BRNK', 'AKTA', 'AK110 N'], 2, 'BEZUG.STOFF'),
        each(['BRNK', 'AKTA', 'AK110 N'], 3, 'AUSSTATTUNG.ARMLEHNEN', 'AUSSTATTUNG.ROLLEN'),
      ],
    });
    expect((await command(['run', file])).exit).toBe(0);
    const out = join(folder, 'out');
    for (const line of await readCatalogue(out)) {
      const { basearticlenumber, finalarticlenumber: number, properties } = line;
      const source = sourceOf(await readFile(join(out, line.glb!)), { number, properties });
      articles.set(basearticlenumber, [...(articles.get(basearticlenumber) ?? []), source]);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('finishes are one file, named by the texts of their values', async () => {
    const { groups, splitBy } = await expectSameLooks(articles.get('FM-W160')!);
    expect(splitBy).toEqual([]);
    expect(groups.map(({ variants }) => variants.map(({ name }) => name))).toEqual([
      expect.arrayContaining(['Felt, blue', 'Felt, grey', 'Felt, ochre']),
    ]);
  });

  it.each(['LM-DOM 16"', 'KV40/H', 'RG-SIDE 165'])(
    'those of %s are one file, although their textures divide vertices otherwise or lie otherwise',
    async (number) => {
      const sources = articles.get(number)!;
      expect(sources.length).toBeGreaterThan(1);
      expect((await expectSameLooks(sources)).groups).toHaveLength(1);
    },
  );

  it('shapes are grouped, and what divides them is named; what changes no look names no variant', async () => {
    const { groups, splitBy } = await expectSameLooks(articles.get('AK110 N')!);
    expect(groups).toHaveLength(2);
    expect(splitBy.map(({ text }) => text)).toEqual(['Armrests']);
    const names = groups.flatMap(({ variants }) => variants.map(({ name }) => name));
    expect(names.filter((name) => /floors/.test(name))).toEqual([]);
  });
});

describe('of a box', () => {
  const raw = { width: 128, height: 128, channels: 3 } as const;
  /** A picture that does not compress. */
  const noise = (seed: number) => {
    const valueAt = (_: unknown, i: number) => (i * i * (seed + 3) * 2654435761) >>> 13;
    return sharp(Uint8Array.from({ length: 128 * 128 * 3 }, valueAt), { raw })
      .jpeg()
      .toBuffer();
  };

  async function finish(index: number, width = 1): Promise<Source> {
    const [block, image] = ['A::B::C', `A::B::P${index}`];
    const parts = [{ type: 'imp', btgname: block, mat: 'M' }];
    const scene = await sceneOf({
      btg: parts,
      mats: [{ mname: 'M', pic: image }],
      blocks: { [block]: { ...BOX_BODY, V: boxPoints(width) } },
      images: { [image]: await noise(index) },
    });
    const property = { class: 'C', name: 'FINISH', text: 'Finish', value: `${index}` };
    const properties = [{ ...property, valueText: `No ${index}` }];
    return sourceOf(writeGlb(scene), { number: `T1-${index}`, properties });
  }

  it('twelve finishes take less than twice one file and the other eleven pictures', async () => {
    const sources = await Promise.all(Array.from({ length: 12 }, (_, i) => finish(i)));
    const { groups } = await expectSameLooks(sources);
    const [{ glb, variants }] = groups as [(typeof groups)[number]];
    expect(groups).toHaveLength(1);
    expect(variants.map(({ name }) => name)).toEqual(sources.map((_, i) => `No ${i}`));
    const document = await io.readBinary(glb);
    const pictures = document.getRoot().listTextures();
    expect(pictures).toHaveLength(12);
    const bytes = pictures.map((texture) => texture.getImage()!.length);
    const extra = bytes.slice(1).reduce((sum, each) => sum + each, 0);
    expect(glb.length).toBeLessThan(2 * sources[0]!.glb.length + extra);
    // Positions, normals, texture coordinates and indices: once for all.
    expect(document.getRoot().listAccessors()).toHaveLength(4);
  });

  /** The same box, whose pictures are so many times as small. */
  async function repeated(index: number, times: number): Promise<Source> {
    const source = await finish(index);
    const document = await io.readBinary(source.glb);
    for (const primitive of document
      .getRoot()
      .listMeshes()
      .flatMap((mesh) => mesh.listPrimitives())) {
      const uvs = primitive.getAttribute('TEXCOORD_0')!;
      uvs.setArray(Float32Array.from(uvs.getArray() as Float32Array, (value) => value * times));
    }
    return sourceOf(await separate.writeBinary(document), source);
  }

  it('pictures that lie in two ways have two sets of texture coordinates; a third way is a file of its own', async () => {
    const sources = [await finish(0), await repeated(1, 2), await repeated(2, 3), await finish(3)];
    const { groups } = await expectSameLooks(sources);
    const members = groups.map(({ variants }) => variants.flatMap((variant) => variant.sources));
    expect(members).toEqual([[0, 1, 3], [2]]);
    const [mesh] = (await io.readBinary(groups[0]!.glb)).getRoot().listMeshes();
    const names = mesh!.listPrimitives()[0]!.listSemantics();
    expect(names).toEqual(expect.arrayContaining(['TEXCOORD_0', 'TEXCOORD_1']));
  });

  it('one picture that lies in two ways is stored once', async () => {
    const sources = [await repeated(0, 1), await repeated(0, 2)];
    const { groups } = await expectSameLooks(sources);
    expect((await io.readBinary(groups[0]!.glb)).getRoot().listTextures()).toHaveLength(1);
  });

  it('equal finishes are one variant, and one alone is its master', async () => {
    const one = await finish(1);
    const same = { ...one, properties: [{ ...one.properties[0]!, value: '2' }] };
    const { groups } = await groupVariants([one, same], readerOf([one, same]));
    expect(groups).toEqual([{ variants: [{ name: 'T1-1', sources: [0, 1] }] }]);
  });

  it('names that would be equal have the article number too', async () => {
    const sources = [await finish(1), await finish(2), await finish(3)];
    for (const { properties } of sources.slice(0, 2)) properties[0]!.valueText = 'Oak';
    const { groups } = await expectSameLooks(sources);
    const names = groups[0]!.variants.map(({ name }) => name);
    expect(names).toEqual(['Oak · T1-1', 'Oak · T1-2', 'No 3']);
  });

  it('a box of another width is a file of its own', async () => {
    const { groups, splitBy } = await expectSameLooks([await finish(1), await finish(2, 2)]);
    expect(groups).toHaveLength(2);
    expect(splitBy).toEqual([{ class: 'C', name: 'FINISH', text: 'Finish' }]);
  });

  it('the same masters give the same bytes', async () => {
    const sources = [await finish(1), await finish(2)];
    const digests = async () =>
      (await combined(sources)).groups.map(({ glb, variants }) => [variants, sha256(glb)]);
    expect(await digests()).toEqual(await digests());
  });

  it('masters are read one at a time, those of equal content once', async () => {
    const boxes = await Promise.all([1, 2, 3, 1].map((index) => finish(index)));
    let open = 0;
    const asked: string[] = [];
    const read = async (place: number) => {
      expect(++open).toBe(1);
      asked.push(boxes[place]!.number);
      await new Promise(setImmediate);
      open--;
      return boxes[place]!.glb;
    };
    const { groups } = await groupVariants(boxes, read);
    expect(asked.splice(0)).toEqual(['T1-1', 'T1-2', 'T1-3']);
    await combineVariants(groups[0]!, read);
    expect(asked).toEqual(['T1-1', 'T1-2', 'T1-3']);
  });

  // A matter of memory: so much is written.
  it.runIf(IS_LONG)('a file beyond 128 MiB is refused, with what to do', async () => {
    const sources = [await finish(0), await finish(1), await finish(2)];
    const { groups } = await groupVariants(sources, readerOf(sources));
    expect(groups).toHaveLength(1);
    const image = { name: '', mimeType: 'image/jpeg', bytes: new Uint8Array(43 * 2 ** 20) };
    const huge = plainGlb({ triangles: 2, image });
    // The last byte is one of the image.
    const readHuge = async (i: number) => huge.fill(i, -1);
    await expect(combineVariants(groups[0]!, readHuge)).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message: expect.stringMatching(
        /^one file with 3 finishes: expected at most 128 MiB, received/,
      ),
      help: expect.stringContaining('max:'),
    });
  });

  it('what is no GLB is refused with a sentence', async () => {
    const damaged = sourceOf(new Uint8Array(100), await finish(1));
    const sources = [await finish(2), damaged];
    await expect(groupVariants(sources, readerOf(sources))).rejects.toThrow('expected a GLB file');
  });
});
