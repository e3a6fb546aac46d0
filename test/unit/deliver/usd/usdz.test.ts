import { Document, type Material, type Node, NodeIO, type Texture } from '@gltf-transform/core';
import {
  ALL_EXTENSIONS,
  KHRMaterialsClearcoat,
  KHRMaterialsIOR,
  KHRMaterialsSheen,
  KHRMaterialsSpecular,
  KHRMaterialsTransmission,
  KHRTextureTransform,
} from '@gltf-transform/extensions';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { writeUsdz } from '../../../../src/deliver/usd/usdz.ts';
import { withDescendants } from '../../../helpers/usdc-judge.ts';
import { type JudgedMesh, type JudgedUsdz, judgeUsdz } from '../../../helpers/usdz-judge.ts';

/** A corner of a box, so that three axes differ: two triangles in one plane and one in another. */
const POINTS = [0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 0, 3];
const NORMALS = [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, -1, 0, 0];
const UVS = [0, 1, 1, 1, 1, 0, 0, 0, 0.5, 0.5];
const INDICES = [0, 1, 2, 0, 2, 3, 0, 4, 3];

const image = async (format: 'png' | 'jpeg') =>
  new Uint8Array(
    await sharp({ create: { width: 2, height: 2, channels: 4, background: '#c8141480' } })
      .toFormat(format)
      .toBuffer(),
  );
const [PNG, JPEG] = await Promise.all([image('png'), image('jpeg')]);

interface Made {
  document: Document;
  material: Material;
  png(name?: string): Texture;
  jpeg(name?: string): Texture;
}

/** A document with one mesh. */
function sheet(describeMaterial: (made: Made) => void = () => {}, hasNormals = true): Document {
  const document = new Document();
  const buffer = document.createBuffer();
  const list = (type: 'VEC2' | 'VEC3' | 'SCALAR', array: Float32Array | Uint16Array) =>
    document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const material = document.createMaterial('Eiche, geölt');
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', list('VEC3', Float32Array.from(POINTS)))
    .setAttribute('TEXCOORD_0', list('VEC2', Float32Array.from(UVS)))
    .setIndices(list('SCALAR', Uint16Array.from(INDICES)))
    .setMaterial(material);
  if (hasNormals) primitive.setAttribute('NORMAL', list('VEC3', Float32Array.from(NORMALS)));
  const node = document.createNode('sheet').setMesh(document.createMesh().addPrimitive(primitive));
  document.createScene().addChild(node);
  const image = (bytes: Uint8Array, mimeType: string) => (name?: string) =>
    document.createTexture(name).setImage(bytes).setMimeType(mimeType);
  const [png, jpeg] = [image(PNG, 'image/png'), image(JPEG, 'image/jpeg')];
  describeMaterial({ document, material, png, jpeg });
  return document;
}

/** A document with a dome of so many points that it is worth a mesh for each use. */
function dome(): Document {
  const document = sheet();
  const [around, up] = [24, 8];
  const points: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row <= up; row++) {
    for (let column = 0; column <= around; column++) {
      const [turn, height] = [(2 * Math.PI * column) / around, (1.5 / up) * row];
      const radius = Math.cos(height);
      points.push(radius * Math.cos(turn), Math.sin(height), -radius * Math.sin(turn));
      if (row === up || column === around) continue;
      const [a, b] = [row * (around + 1) + column, (row + 1) * (around + 1) + column];
      indices.push(a, a + 1, b, b, a + 1, b + 1);
    }
  }
  const primitive = document.getRoot().listMeshes()[0]!.listPrimitives()[0]!;
  for (const semantic of ['POSITION', 'NORMAL'])
    primitive.getAttribute(semantic)!.setArray(Float32Array.from(points));
  primitive.setAttribute('TEXCOORD_0', null);
  primitive.getIndices()!.setArray(Uint16Array.from(indices));
  return document;
}

/** The points of a node in the frame of the scene. */
function worldPoints(node: Node): number[] {
  const m = node.getWorldMatrix();
  const points = [...node.getMesh()!.listPrimitives()[0]!.getAttribute('POSITION')!.getArray()!];
  return points.map((_, i) => {
    const [first, row] = [i - (i % 3), i % 3];
    return [0, 1, 2].reduce((sum, k) => sum + m[4 * k + row]! * points[first + k]!, m[12 + row]!);
  });
}

function written(document: Document): JudgedUsdz & { losses: string[]; bytes: Uint8Array } {
  const { bytes, losses } = writeUsdz(document);
  const judged = judgeUsdz(bytes);
  expect(judged.problems).toEqual([]);
  return { ...judged, losses, bytes };
}

/** Values and connections of a node of the material, the last two parts of a connection's path; empty without it. */
function inputsOf({ layer }: JudgedUsdz, name: string): Record<string, unknown> {
  const prims = layer.prims.flatMap(withDescendants);
  const { properties = [] } = prims.find(({ path }) => path.endsWith(`/${name}`)) ?? {};
  return Object.fromEntries(
    [...properties].flatMap(([property, { value, connect }]) => {
      const [, input] = property.split('inputs:');
      const tuple = (value as { tuple?: number[] } | undefined)?.tuple;
      return input ? [[input, connect?.split('/').at(-1) ?? tuple ?? value]] : [];
    }),
  );
}

type Point = readonly [number, number, number];
const at = (values: readonly number[], i: number): Point =>
  values.slice(3 * i, 3 * i + 3) as unknown as Point;
const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const facing = (a: Point, b: Point, c: Point): Point => {
  const [p, q] = [minus(b, a), minus(c, a)];
  return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
};

/** Triangles whose side that is wound outside is not the one that the normals of their corners face. */
function turnedTriangles({ points, normals, indices }: JudgedMesh): number {
  let turned = 0;
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = indices.slice(i, i + 3) as [number, number, number];
    const side = facing(at(points, a), at(points, b), at(points, c));
    const sum = [a, b, c].reduce((total, corner) => total + dot(side, at(normals, corner)), 0);
    if (sum < 0) turned++;
  }
  return turned;
}

describe('the triangles of a USDZ', () => {
  const component = fc.double({ min: -3, max: 3, noNaN: true });
  const stretch = component.filter((value) => Math.abs(value) > 0.1);
  const rotation = fc
    .tuple(component, component, component, component)
    .filter((q) => Math.hypot(...q) > 0.1)
    .map((q) => q.map((value) => value / Math.hypot(...q)) as [number, number, number, number]);

  it('are where the nodes put them, face outward also under mirrored nodes, and stand on the middle of the floor', () => {
    const moved = fc.record({
      translation: fc.tuple(component, component, component),
      scale: fc.tuple(stretch, stretch, stretch),
      rotation,
    });
    fc.assert(
      fc.property(moved, moved, (outer, inner) => {
        const document = sheet();
        const [node] = document.getRoot().listNodes();
        const parent = document.createNode().addChild(node!);
        document.getRoot().listScenes()[0]!.addChild(parent);
        parent.setTranslation(outer.translation).setRotation(outer.rotation).setScale(outer.scale);
        node!.setTranslation(inner.translation).setRotation(inner.rotation).setScale(inner.scale);
        const [mesh] = written(document).meshes as [JudgedMesh];
        const m = node!.getWorldMatrix();
        const world = Array.from({ length: 5 }, (_, i) =>
          [0, 1, 2].map((row) =>
            [0, 1, 2].reduce((sum, k) => sum + m[4 * k + row]! * POINTS[3 * i + k]!, m[12 + row]!),
          ),
        ) as unknown as Point[];
        const mostOf = (axis: 0 | 1 | 2) => Math.max(...world.map((p) => p[axis]));
        const leastOf = (axis: 0 | 1 | 2) => Math.min(...world.map((p) => p[axis]));
        const middleOf = (axis: 0 | 2) => (mostOf(axis) + leastOf(axis)) / 2;
        const origin: Point = [middleOf(0), leastOf(1), middleOf(2)];
        world.forEach((point, i) => {
          const [x, y, z] = minus(minus(point, origin), at(mesh.points, i));
          expect(Math.hypot(x, y, z)).toBeLessThan(1e-5);
          expect(Math.hypot(...at(mesh.normals, i))).toBeCloseTo(1, 3);
        });
        // The normals of the sheet face its front, whose corners are counter-clockwise: of the first two triangles.
        const front = { ...mesh, indices: mesh.indices.slice(0, 6) };
        expect(turnedTriangles(front)).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('are there once for each side of a double-sided surface', () => {
    const document = sheet(({ material }) => material.setDoubleSided(true));
    const [mesh] = written(document).meshes as [JudgedMesh];
    expect(mesh.indices).toHaveLength(2 * INDICES.length);
    expect(mesh.points.slice(0, 15)).toEqual(mesh.points.slice(15));
    // Of the third triangle, not all corners have a normal that faces its front.
    const [front, back] = [mesh.indices.slice(0, 6), mesh.indices.slice(9, 15)];
    expect(turnedTriangles({ ...mesh, indices: [...front, ...back] })).toBe(0);
    expect(mesh.normals.slice(15)).toEqual(mesh.normals.slice(0, 15).map((value) => 0 - value));
  });

  it('have normals of their own where the surface has none', () => {
    const [mesh] = written(sheet(undefined, false)).meshes as [JudgedMesh];
    expect(mesh.points).toHaveLength(27);
    expect(at(mesh.normals, 0)).toEqual([0, 0, 1]);
    expect(at(mesh.normals, 8)).toEqual([-1, 0, 0]);
    expect(turnedTriangles(mesh)).toBe(0);
  });

  it('of one material are one mesh', () => {
    const document = sheet();
    const [node] = document.getRoot().listNodes();
    const copy = document.createNode().setMesh(node!.getMesh()).setTranslation([5, 0, 0]);
    document.getRoot().listScenes()[0]!.addChild(copy);
    const { meshes } = written(document);
    expect(meshes).toHaveLength(1);
    expect(meshes[0]!.indices).toHaveLength(2 * INDICES.length);
  });

  it('of a large shape that is only moved and turned are stored once, and elsewhere are parts of one mesh', () => {
    const document = dome();
    const [node] = document.getRoot().listNodes();
    const use = (describe: (copy: typeof node) => void) => {
      const copy = document.createNode().setMesh(node!.getMesh());
      document.getRoot().listScenes()[0]!.addChild(copy);
      describe(copy);
    };
    use((copy) => copy!.setTranslation([5, 0, 0]).setRotation([0, Math.SQRT1_2, 0, Math.SQRT1_2]));
    use((copy) => copy!.setTranslation([-5, 0, 0]).setScale([-1, 1, 1]));
    use((copy) => copy!.setTranslation([0, 5, 0]).setScale([2, 2, 2]));
    const { meshes } = written(document);
    const [together, first, second, ...others] = meshes as [JudgedMesh, JudgedMesh, JudgedMesh];
    expect(others).toEqual([]);
    for (const list of ['points', 'normals', 'faceVertexIndices', 'faceVertexCounts'])
      expect(first.places[list]).toBe(second.places[list]);
    expect(together.indices).toHaveLength(2 * first.indices.length);
    expect(first.material).toBe(second.material);
    for (const mesh of [together, first, second]) expect(turnedTriangles(mesh)).toBe(0);
    const drawn = document
      .getRoot()
      .listNodes()
      .flatMap((each) => worldPoints(each));
    const found = [first, second, together].flatMap(({ points }) => points);
    const origin = [0, 1, 2].map((axis) => found[axis]! - drawn[axis]!);
    found.forEach((value, i) => {
      expect(Math.abs(value - drawn[i]! - origin[i % 3]!)).toBeLessThan(1e-5);
    });
  });

  it('are a million at most', () => {
    const document = sheet(({ material }) => material.setDoubleSided(true));
    const [mesh] = document.getRoot().listMeshes();
    const indices = mesh!.listPrimitives()[0]!.getIndices()!;
    indices.setArray(new Uint16Array(3 * 500_001));
    expect(() => writeUsdz(document)).toThrow('expected at most 1000000 triangles');
  });

  it('are needed: an empty scene is refused', () => {
    expect(() => writeUsdz(new Document())).toThrow('expected a triangle');
  });
});

describe('a material in USDZ', () => {
  it('has its factors, and images unchanged', () => {
    const file = written(
      sheet(({ material, png, jpeg }) => {
        const rough = jpeg('oak/1');
        material.setBaseColorTexture(png('oak 1')).setBaseColorFactor([0.5, 0.25, 1, 1]);
        material.setMetallicRoughnessTexture(rough).setMetallicFactor(0.5).setRoughnessFactor(0.8);
        material.setNormalTexture(rough).setNormalScale(0.5);
        material.setOcclusionTexture(rough).setOcclusionStrength(0.25);
        material.setEmissiveFactor([1, 0.5, 0]);
      }),
    );
    expect(inputsOf(file, 'surface')).toEqual({
      diffuseColor: 'diffuseColor_image.outputs:rgb',
      metallic: 'metallic_image.outputs:b',
      roughness: 'roughness_image.outputs:g',
      normal: 'normal_image.outputs:rgb',
      occlusion: 'occlusion_image.outputs:r',
      emissiveColor: [1, 0.5, 0],
      useSpecularWorkflow: 0,
    });
    expect(inputsOf(file, 'diffuseColor_image')).toMatchObject({
      scale: [0.5, 0.25, 1, 1],
      sourceColorSpace: 'sRGB',
    });
    expect(inputsOf(file, 'normal_image')).toMatchObject({
      scale: [1, 1, 2, 1],
      bias: [-0.5, -0.5, -1, 0],
      sourceColorSpace: 'raw',
    });
    expect(inputsOf(file, 'occlusion_image')).toMatchObject({
      scale: [0.25, 0.25, 0.25, 0.25],
      bias: [0.75, 0.75, 0.75, 0.75],
    });
    expect(Object.fromEntries(file.images)).toEqual({
      'textures/oak_1.png': PNG,
      'textures/oak_1_2.jpg': JPEG,
    });
    expect(file.losses).toEqual([]);
  });

  it('has an image that several textures contain once', () => {
    const file = written(
      sheet(({ material, png }) => {
        material.setBaseColorTexture(png('oak')).setNormalTexture(png('oak again'));
      }),
    );
    expect([...file.images.keys()]).toEqual(['textures/oak.png']);
    expect(inputsOf(file, 'normal_image').file).toBe('textures/oak.png');
  });

  it('has the transform of its first image in the coordinates, and what differs of another in a node', () => {
    const transformed = (isShared: boolean) =>
      written(
        sheet(({ document, material, png }) => {
          const texture = png();
          material.setBaseColorTexture(texture).setNormalTexture(texture);
          const extension = document.createExtension(KHRTextureTransform).createTransform();
          extension.setScale([2, 4]).setOffset([0.5, 0]);
          const [info, other] = [
            material.getBaseColorTextureInfo(),
            material.getNormalTextureInfo(),
          ];
          info!.setExtension('KHR_texture_transform', extension);
          if (isShared) other!.setExtension('KHR_texture_transform', extension);
        }),
      );
    const st = UVS.map((value, i) => (i % 2 === 0 ? 2 * value + 0.5 : 1 - 4 * value));
    const shared = transformed(true);
    expect(shared.meshes[0]!.st).toEqual(st);
    expect(inputsOf(shared, 'diffuseColor_transform')).toEqual({});
    const apart = transformed(false);
    expect(apart.meshes[0]!.st).toEqual(st);
    expect(inputsOf(apart, 'diffuseColor_transform')).toEqual({});
    expect(inputsOf(apart, 'normal_transform')).toMatchObject({
      scale: [0.5, 0.25],
      translation: [-0.25, 0.75],
    });
  });

  it('has no image where its factor is nothing', () => {
    const file = written(
      sheet(({ material, png }) => {
        material.setMetallicRoughnessTexture(png()).setMetallicFactor(0);
      }),
    );
    const surface = { metallic: 0, roughness: 'roughness_image.outputs:g' };
    expect(inputsOf(file, 'surface')).toMatchObject(surface);
  });

  it('blends or is cut out by its alpha', () => {
    const alpha = (mode: 'BLEND' | 'MASK', format: 'png' | 'jpeg') => {
      const document = sheet(({ material, [format]: texture }) => {
        material.setBaseColorTexture(texture()).setBaseColorFactor([1, 1, 1, 0.5]);
        material.setAlphaMode(mode).setAlphaCutoff(0.3);
      });
      return inputsOf(written(document), 'surface');
    };
    expect(alpha('BLEND', 'png')).toMatchObject({ opacity: 'opacity_image.outputs:a' });
    expect(alpha('BLEND', 'jpeg')).toMatchObject({ opacity: 0.5 });
    expect(alpha('BLEND', 'png')).not.toHaveProperty('opacityThreshold');
    expect(alpha('MASK', 'png')).toMatchObject({
      opacity: 'opacity_image.outputs:a',
      opacityThreshold: 0.3,
    });
  });

  it('of grey glass shows as much of itself and of what is behind it', () => {
    const share = fc.double({ min: 0, max: 0.85, noNaN: true });
    const grey = fc.double({ min: 0.05, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, grey, (transmission, base) => {
        const document = sheet(({ document, material }) => {
          material.setBaseColorFactor([base, base, base, 1]);
          const extension = document.createExtension(KHRMaterialsTransmission);
          const glass = extension.createTransmission().setTransmissionFactor(transmission);
          material.setExtension('KHR_materials_transmission', glass);
        });
        const { diffuseColor, opacity = 1 } = inputsOf(written(document), 'surface') as {
          diffuseColor: number[];
          opacity?: number;
        };
        expect(diffuseColor[0]! * opacity).toBeCloseTo(base * (1 - transmission), 4);
        expect(1 - opacity).toBeCloseTo(base * transmission, 4);
      }),
      { numRuns: 40 },
    );
  });

  it('has coat and refraction, a weaker reflection as refraction, and a sentence on what is lost', () => {
    const file = written(
      sheet(({ document, material, png }) => {
        const coat = document.createExtension(KHRMaterialsClearcoat).createClearcoat();
        coat.setClearcoatFactor(0.7).setClearcoatRoughnessFactor(0.2);
        material.setExtension('KHR_materials_clearcoat', coat);
        const ior = document.createExtension(KHRMaterialsIOR).createIOR().setIOR(1.8);
        material.setExtension('KHR_materials_ior', ior);
        const specular = document.createExtension(KHRMaterialsSpecular).createSpecular();
        material.setExtension('KHR_materials_specular', specular.setSpecularFactor(0.25));
        const sheen = document.createExtension(KHRMaterialsSheen).createSheen();
        material.setExtension('KHR_materials_sheen', sheen.setSheenColorFactor([1, 1, 1]));
        material.setNormalTexture(png().setMimeType('image/webp'));
      }),
    );
    expect(inputsOf(file, 'surface')).toMatchObject({
      clearcoat: 0.7,
      clearcoatRoughness: 0.2,
      // A quarter of ((1.8 - 1) / (1.8 + 1))² is (1 / 7)².
      ior: 1.333333,
    });
    expect(file.losses).toEqual([
      'material "Eiche, geölt": KHR_materials_sheen is left out',
      'material "Eiche, geölt": an image of image/webp is left out',
      'material "Eiche, geölt": KHR_materials_specular is expressed by the refractive index',
    ]);
  });
});

it('is the same bytes for the same GLB', async () => {
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
  const glb = await io.writeBinary(sheet());
  const [first, second] = await Promise.all([io.readBinary(glb), io.readBinary(glb)]);
  expect(writeUsdz(first).bytes).toEqual(writeUsdz(second).bytes);
});
