/** Writes USDZ, the file that AR on Apple's devices opens. */
import type { Document, Material, Texture } from '@gltf-transform/core';
import { ConverterError } from '../../support/errors.ts';
import { boundsOf } from '../making/bounds.ts';
import { storedZip, type ZipEntry } from './stored-zip.ts';
import { collectMeshes, standOnOrigin, type UsdMesh } from './usd-geometry.ts';
import { withoutProfile } from './usd-image.ts';
import { type UsdMaterial, usdMaterial } from './usd-material.ts';
import { layerText, ofPoints, type Prim, tuples, uniqueNames } from './usd-text.ts';

/** Name of the layer, which must come first in the archive. */
const LAYER = 'model.usda';
const MODEL = 'Model';
const MATERIALS = `/${MODEL}/Materials`;

const LAYER_METADATA = [
  ...['customLayerData = {', '    string creator = "btg2gltf"', '}'],
  'metersPerUnit = 1',
  'upAxis = "Y"',
] as const;

/** The image types that USDZ can contain, with the required extensions. */
const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png' };

/** Decimals: micrometres; 0.003 degrees; 0.004 pixels of an image of 4,096. */
const DECIMALS = { point: 6, normal: 4, st: 6 } as const;

/**
 * Writes the scene of a document: metres, +Y up, the origin in the middle of the floor.
 *
 * The bytes depend only on the document. Images are those of the document, unchanged except for
 * colour profiles, which glTF ignores.
 *
 * @throws {@link ConverterError} `NOTHING_TO_DRAW` if the scene has no triangle; `SCENE_TOO_LARGE`.
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
  for (const [material, { indices }] of meshes) if (indices.length === 0) meshes.delete(material);
  if (meshes.size === 0) {
    const message = 'the scene: expected a triangle at least, received none';
    throw new ConverterError('NOTHING_TO_DRAW', message);
  }
  if (meshes.has(null)) lose('surfaces without a material look as a reader chooses');
  standOnOrigin(meshes.values());
  const geometry = [...meshes].map(([material, mesh]) => {
    const bound = material ? materialOf(material).prim.name : undefined;
    return meshPrim(mesh, bound ?? nameOf('Plain'), bound);
  });
  const used = [...meshes.keys()].flatMap((material) =>
    material ? materialOf(material).prim : [],
  );
  const root: Prim = {
    type: 'Xform',
    name: MODEL,
    metadata: ['kind = "component"'],
    properties: [],
    children: [
      { type: 'Scope', name: 'Geometry', properties: [], children: geometry },
      { type: 'Scope', name: 'Materials', properties: [], children: used },
    ],
  };
  const layer = new TextEncoder().encode(layerText(root, LAYER_METADATA));
  const corners = [...meshes.values()].reduce((sum, { indices }) => sum + indices.length, 0);
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
      const path = `textures/${nameOf(texture.getName())}.${ending}`;
      paths.set(texture, path);
      files.push({ name: path, bytes: withoutProfile(bytes, texture.getMimeType()) });
      return path;
    },
  };
}

function meshPrim(
  { points, normals, st, indices }: UsdMesh,
  name: string,
  material: string | undefined,
): Prim {
  const { min, max } = boundsOf([points]);
  const counts = new Array<number>(indices.length / 3).fill(3);
  return {
    type: 'Mesh',
    name,
    metadata: ['prepend apiSchemas = ["MaterialBindingAPI"]'],
    properties: [
      `float3[] extent = ${tuples([...min, ...max], 3, DECIMALS.point)}`,
      `int[] faceVertexCounts = [${counts.join(', ')}]`,
      `int[] faceVertexIndices = [${indices.join(', ')}]`,
      ...(material === undefined ? [] : [`rel material:binding = <${MATERIALS}/${material}>`]),
      ...ofPoints(`normal3f[] normals = ${tuples(normals, 3, DECIMALS.normal)}`),
      ...ofPoints(`point3f[] points = ${tuples(points, 3, DECIMALS.point)}`),
      ...(st.length > 0
        ? ofPoints(`texCoord2f[] primvars:st = ${tuples(st, 2, DECIMALS.st)}`)
        : []),
      'uniform token subdivisionScheme = "none"',
    ],
  };
}
