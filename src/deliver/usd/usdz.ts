/** Writes USDZ, the file that AR on Apple's devices opens. */
import type { Document, Material, Texture } from '@gltf-transform/core';
import { boundsOf } from '../making/bounds.ts';
import { writeCrate } from './crate.ts';
import { storedZip, type ZipEntry } from './stored-zip.ts';
import { collectMeshes, type UsdMesh } from './usd-geometry.ts';
import { withoutProfile } from './usd-image.ts';
import { type Attribute, type Prim, uniqueNames } from './usd-layer.ts';
import { type UsdMaterial, usdMaterial } from './usd-material.ts';

/** Name of the layer, which must come first in the archive. */
const LAYER = 'model.usdc';
const MODEL = 'Model';
const MATERIALS = `/${MODEL}/Materials`;

/** The image types that USDZ can contain, with the required extensions. */
const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png' };

/**
 * Writes the scene of a document: metres, +Y up, the origin in the middle of the floor.
 *
 * The bytes depend only on the document. Images are those of the document, unchanged except for
 * colour profiles, which glTF ignores.
 *
 * @throws ConverterError `NOTHING_TO_DRAW` if the scene has no triangle; `SCENE_TOO_LARGE`.
 * @example
 * ```ts
 * const { bytes, losses } = writeUsdz(await new WebIO().registerExtensions(KHRONOS_EXTENSIONS).readBinary(glb));
 * losses; // → ['material "Sofa": KHR_materials_sheen is left out']
 * ```
 */
export function writeUsdz(document: Document) {
  const losses = new Set<string>();
  const lose = (sentence: string) => void losses.add(sentence);
  const images = imageFiles();
  const nameOf = uniqueNames('Part');
  const materials = new Map<Material, UsdMaterial>();
  const materialOf = (material: Material): UsdMaterial => {
    const known = materials.get(material);
    if (known) return known;
    const context = { pathOf: images.pathOf, lose };
    const made = usdMaterial(material, nameOf(material.getName()), MATERIALS, context);
    materials.set(material, made);
    return made;
  };

  const meshes = collectMeshes(document, { materialOf, lose });
  if (meshes.some(({ material }) => material === null))
    lose('surfaces without a material look as a reader chooses');
  const meshNameOf = uniqueNames('Part');
  const geometry = meshes.map((mesh) => {
    const bound = mesh.material ? materialOf(mesh.material).prim.name : undefined;
    return meshPrim(mesh, meshNameOf(bound ?? 'Plain'), bound);
  });
  const used = [...materials.values()].map(({ prim }) => prim);
  const root: Prim = {
    ...{ type: 'Xform', name: MODEL, kind: 'component', properties: [] },
    children: [
      { type: 'Scope', name: 'Geometry', properties: [], children: geometry },
      { type: 'Scope', name: 'Materials', properties: [], children: used },
    ],
  };
  const layer = writeCrate({ root, upAxis: 'Y', metersPerUnit: 1, creator: 'btg2gltf' });
  const corners = meshes.reduce((sum, { shape }) => sum + shape.indices.length, 0);
  return {
    bytes: storedZip([{ name: LAYER, bytes: layer }, ...images.files]),
    /** Triangles with the backs of double-sided surfaces. */
    triangles: corners / 3,
    textures: images.files.length,
    textureBytes: images.files.reduce((sum, { bytes }) => sum + bytes.length, 0),
    /** Features that USD cannot express, or that its readers do not draw: one sentence each. */
    losses: [...losses],
  };
}

function imageFiles() {
  const files: ZipEntry[] = [];
  const paths = new Map<Texture, string>();
  const nameOf = uniqueNames('image');
  return {
    files,
    pathOf(texture: Texture): string | undefined {
      const known = paths.get(texture);
      if (known !== undefined) return known;
      const bytes = texture.getImage();
      const ending = ENDINGS[texture.getMimeType()];
      if (bytes === null || ending === undefined) return undefined;
      const image = withoutProfile(bytes, texture.getMimeType());
      const equal = files.find((file) => isSame(file.bytes, image));
      const path = equal?.name ?? `textures/${nameOf(texture.getName())}.${ending}`;
      paths.set(texture, path);
      if (equal === undefined) files.push({ name: path, bytes: image });
      return path;
    },
  };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function meshPrim(
  { shape: { points, normals, st, indices }, matrix }: UsdMesh,
  name: string,
  material: string | undefined,
): Prim {
  const { min, max } = boundsOf([points]);
  const ofPoints = { interpolation: 'vertex' } as const;
  const placement: Attribute[] =
    matrix === undefined
      ? []
      : [
          { type: 'matrix4d', name: 'xformOp:transform', value: matrix },
          { type: 'token[]', name: 'xformOpOrder', isUniform: true, value: ['xformOp:transform'] },
        ];
  return {
    ...{ type: 'Mesh', name, apiSchemas: ['MaterialBindingAPI'] },
    properties: [
      { type: 'float3[]', name: 'extent', value: Float32Array.of(...min, ...max) },
      {
        ...{ type: 'int[]', name: 'faceVertexCounts' },
        value: new Int32Array(indices.length / 3).fill(3),
      },
      { type: 'int[]', name: 'faceVertexIndices', value: indices },
      ...(material === undefined
        ? []
        : [{ name: 'material:binding', target: `${MATERIALS}/${material}` }]),
      { type: 'normal3f[]', name: 'normals', value: normals, ...ofPoints },
      { type: 'point3f[]', name: 'points', value: points, ...ofPoints },
      ...(st.length > 0
        ? [{ type: 'texCoord2f[]', name: 'primvars:st', value: st, ...ofPoints } as const]
        : []),
      { type: 'token', name: 'subdivisionScheme', isUniform: true, value: 'none' },
      ...placement,
    ],
  };
}
