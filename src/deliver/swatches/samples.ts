/** The samples of a master: each of its materials alone, on a small surface. */
import type { Document, Material, Mesh, Primitive } from '@gltf-transform/core';
import type { Transform, Transmission } from '@gltf-transform/extensions';
import { readDocument } from '../making/read-document.ts';
import { SAMPLE_SHAPES, type SampleShapeName, type SampleSurface } from './sample-shapes.ts';
import { type Part, textureScaleOf } from './texture-scale.ts';

export interface Sample {
  /** Name of the material in the master; empty without one. */
  material: string;
  /** Equal for equal finishes: it has no names. */
  glb: Uint8Array;
}

/**
 * Makes a sample of each material of which the scene has a triangle. A texture has the scale that it has there.
 *
 * @returns Sorted by the name of the material, then as the master has them.
 * @throws {@link ConverterError} `STORE_DAMAGED` if the bytes are not a GLB.
 * @example
 * ```ts
 * await samplesOf(desk, 'ball');   // → [{ material: 'EI', glb }, { material: 'SW', glb }]
 * ```
 */
export async function samplesOf(master: Uint8Array, shape: SampleShapeName): Promise<Sample[]> {
  const { document, io } = await readDocument(master);
  const { Document } = await import('@gltf-transform/core');
  const { copyToDocument, listTextureInfoByMaterial } = await import('@gltf-transform/functions');
  const { surface, behind } = SAMPLE_SHAPES[shape];
  const samples: Sample[] = [];
  for (const [material, parts] of partsByMaterial(document)) {
    const uvSets = listTextureInfoByMaterial(material).map(
      (info) =>
        info.getExtension<Transform>('KHR_texture_transform')?.getTexCoord() ?? info.getTexCoord(),
    );
    const sample = new Document();
    for (const extension of document.getRoot().listExtensionsUsed())
      sample.createExtension(extension.constructor as Parameters<Document['createExtension']>[0]);
    const copy = copyToDocument(sample, document, [material]).get(material) as Material;
    withoutNotes(sample, copy);
    const mesh = meshOf(sample);
    const shown = primitiveOf(sample, surface()).setMaterial(copy);
    addUvs(sample, shown, surface(), parts, Math.max(-1, ...uvSets));
    mesh.addPrimitive(shown);
    if (behind !== undefined && isClear(copy))
      mesh.addPrimitive(primitiveOf(sample, behind()).setMaterial(darkGrey(sample)));
    samples.push({ material: material.getName(), glb: await io.writeBinary(sample) });
  }
  return samples.sort((a, b) => (a.material < b.material ? -1 : Number(a.material > b.material)));
}

/** The primitives of the scene that have a triangle, by their material, in the order of the materials. */
function partsByMaterial(document: Document): [Material, Part[]][] {
  const root = document.getRoot();
  const parts = new Map(root.listMaterials().map((material) => [material, [] as Part[]]));
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  scene?.traverse((node) => {
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const material = primitive.getMaterial();
      const corners = primitive.getIndices() ?? primitive.getAttribute('POSITION');
      if (material === null || corners === null || corners.getCount() < 3) continue;
      if (primitive.getMode() !== 4) continue;
      parts.get(material)!.push({ primitive, worldMatrix: node.getWorldMatrix() });
    }
  });
  return [...parts].filter(([, own]) => own.length > 0);
}

/** Removes names, what the service says of the material, its backs, and extensions of other materials. */
function withoutNotes(sample: Document, material: Material): void {
  const root = sample.getRoot();
  material.setName('').setExtras({}).setDoubleSided(false);
  for (const texture of root.listTextures()) texture.setName('').setURI('').setExtras({});
  for (const extension of root.listExtensionsUsed())
    if (extension.listProperties().length === 0) extension.dispose();
}

/** The mesh of the scene of a sample, empty at first. */
function meshOf(sample: Document): Mesh {
  const mesh = sample.createMesh();
  const scene = sample.createScene().addChild(sample.createNode().setMesh(mesh));
  sample.getRoot().setDefaultScene(scene);
  sample.createBuffer();
  return mesh;
}

function primitiveOf(sample: Document, { positions, normals, indices }: SampleSurface): Primitive {
  return sample
    .createPrimitive()
    .setAttribute('POSITION', accessorOf(sample, 'VEC3', positions))
    .setAttribute('NORMAL', accessorOf(sample, 'VEC3', normals))
    .setIndices(accessorOf(sample, 'SCALAR', indices));
}

/** Adds texture coordinates. @param lastUvSet - Of the textures of the material; -1: it has none. */
function addUvs(
  sample: Document,
  primitive: Primitive,
  { uvMetres }: SampleSurface,
  parts: readonly Part[],
  lastUvSet: number,
): void {
  for (let uvSet = 0; uvSet <= lastUvSet; uvSet++) {
    const { u, v } = textureScaleOf(parts, uvSet);
    const uvs = uvMetres.map((metres, i) => metres / (i % 2 === 0 ? u : v));
    primitive.setAttribute(`TEXCOORD_${uvSet}`, accessorOf(sample, 'VEC2', uvs));
  }
}

function accessorOf(
  sample: Document,
  type: 'SCALAR' | 'VEC2' | 'VEC3',
  array: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>,
) {
  const [buffer] = sample.getRoot().listBuffers();
  return sample.createAccessor().setType(type).setArray(array).setBuffer(buffer!);
}

/** Whether light passes through a material. */
function isClear(material: Material): boolean {
  const glass = material.getExtension<Transmission>('KHR_materials_transmission');
  return (glass?.getTransmissionFactor() ?? 0) > 0 || material.getAlphaMode() !== 'OPAQUE';
}

/** As dark as a wall that one sees through a pane. */
function darkGrey(sample: Document): Material {
  return sample
    .createMaterial()
    .setBaseColorFactor([0.1, 0.1, 0.1, 1])
    .setMetallicFactor(0)
    .setRoughnessFactor(1);
}
