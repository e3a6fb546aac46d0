/** Compares what a compressed model looks like with the model before compression: places of meshes, and materials. */
import type { Document, GLTF, Mesh, Node } from '@gltf-transform/core';
import { ConverterError } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import type { Libraries } from './libraries.ts';

/** What a model looks like, independent of how its geometry is stored. */
export interface Look {
  /** The materials of the parts of each mesh, as JSON that names an image by its digest. */
  materials: readonly (readonly string[])[];
  places: readonly Place[];
}

interface Place {
  mesh: number;
  /** The middle of its bounds, then the three edges of its bounds, world metres. */
  vectors: readonly Vector[];
}

type Vector = readonly [number, number, number];

/** Describes a model. */
export async function lookOf(document: Document, { io }: Libraries): Promise<Look> {
  const root = document.getRoot();
  const { json, resources } = await io.writeJSON(document, { basename: 'look' });
  const images = (json.images ?? []).map(({ uri }) => sha256Hex(resources[uri!]!));
  const textures = (json.textures ?? []).map(({ source, sampler, extensions = {} }) => {
    const others = Object.values(extensions) as { source?: number }[];
    const image = others.find((one) => one.source !== undefined)?.source ?? source;
    return { image: images[image!], sampler: json.samplers?.[sampler!] };
  });
  const materials = (json.materials ?? []).map((material) =>
    JSON.stringify(material, (key, value: GLTF.ITextureInfo) =>
      /Texture$/.test(key) ? { ...value, index: textures[value.index] } : value,
    ),
  );
  const meshes = root.listMeshes();
  return {
    materials: (json.meshes ?? []).map(({ primitives }) =>
      primitives.map(({ material }) => materials[material!] ?? 'none'),
    ),
    places: root.listNodes().flatMap((node) => {
      const mesh = node.getMesh();
      return mesh ? [{ mesh: meshes.indexOf(mesh), vectors: vectorsOf(node, mesh) }] : [];
    }),
  };
}

function vectorsOf(node: Node, mesh: Mesh): Vector[] {
  const [least, most] = [Infinity, -Infinity].map((value) => [value, value, value]);
  for (const primitive of mesh.listPrimitives()) {
    const positions = primitive.getAttribute('POSITION')!;
    const [min, max] = [positions.getMinNormalized([]), positions.getMaxNormalized([])];
    for (let axis = 0; axis < 3; axis++) {
      least![axis] = Math.min(least![axis]!, min[axis]!);
      most![axis] = Math.max(most![axis]!, max[axis]!);
    }
  }
  const m = node.getWorldMatrix();
  const middle = [0, 1, 2].map((axis) => (least![axis]! + most![axis]!) / 2);
  const at = (row: number) =>
    m[row]! * middle[0]! + m[row + 4]! * middle[1]! + m[row + 8]! * middle[2]! + m[row + 12]!;
  const edge = (axis: number, row: number) => m[4 * axis + row]! * (most![axis]! - least![axis]!);
  return [
    [at(0), at(1), at(2)],
    ...[0, 1, 2].map((axis): Vector => [edge(axis, 0), edge(axis, 1), edge(axis, 2)]),
  ];
}

/**
 * Compares two models: each mesh has the same materials, textures included, and is at the same places.
 *
 * @param allowedMetres - Largest distance that a place may have moved.
 * @throws {@link ConverterError} `COMPRESSION_FAILED` with what differs.
 */
export function compareLooks(before: Look, after: Look, allowedMetres: number): void {
  for (const [i, materials] of before.materials.entries())
    for (const [part, material] of materials.entries())
      if (material !== after.materials[i]?.[part])
        throw differs(
          `material of part ${part} of mesh ${i}`,
          material,
          after.materials[i]?.[part],
        );
  if (before.places.length !== after.places.length)
    throw differs('places of meshes', before.places.length, after.places.length);
  const left = [...after.places];
  for (const place of before.places) {
    const found = left.findIndex((other) => isSamePlace(place, other, allowedMetres));
    if (found < 0)
      throw differs(`place of mesh ${place.mesh}`, place.vectors.join(' / '), 'none like it');
    left.splice(found, 1);
  }
}

function isSamePlace(one: Place, other: Place, allowedMetres: number): boolean {
  return (
    one.mesh === other.mesh &&
    one.vectors.every((vector, i) =>
      vector.every((value, axis) => Math.abs(value - other.vectors[i]![axis]!) <= allowedMetres),
    )
  );
}

function differs(what: string, expected: unknown, received: unknown): ConverterError {
  return new ConverterError(
    'COMPRESSION_FAILED',
    `${what}: expected ${expected}, received ${received}`,
  );
}
