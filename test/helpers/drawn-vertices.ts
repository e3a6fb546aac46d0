/** Everything that a GLB draws, in world coordinates, as glTF-Transform reads it with the decoder of meshoptimizer. */
import { type Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS, type Transform } from '@gltf-transform/extensions';
import { dequantize, uninstance, unpartition } from '@gltf-transform/functions';
import draco from 'draco3dgltf';
import { MeshoptDecoder } from 'meshoptimizer/decoder';

/** A vertex; metres, unit vector, and the place in the texture of the base colour where there is one. */
export interface DrawnVertex {
  position: [number, number, number];
  normal: [number, number, number];
  uv: [number, number] | undefined;
  /** Base colour: names change where materials became equal, and alpha where glass blends. */
  color: string;
}

const dracoDecoder = await draco.createDecoderModule();

/** A reader that knows every extension, and the decoders that files may require. */
export function readerWithDecoders(): NodeIO {
  return new NodeIO()
    .registerExtensions(ALL_EXTENSIONS)
    .registerDependencies({ 'meshopt.decoder': MeshoptDecoder, 'draco3d.decoder': dracoDecoder });
}

/** A GLB, or the file of one or of a `.gltf`, as one GLB without compression and quantization. */
export async function decoded(model: Uint8Array | string): Promise<Uint8Array> {
  const document = await read(model);
  await document.transform(dequantize(), unpartition());
  for (const extension of document.getRoot().listExtensionsUsed()) {
    if (/meshopt|quantization|draco/.test(extension.extensionName)) extension.dispose();
  }
  return new NodeIO().registerExtensions(ALL_EXTENSIONS).writeBinary(document);
}

async function read(model: Uint8Array | string): Promise<Document> {
  const reader = readerWithDecoders();
  const document = await (typeof model === 'string'
    ? reader.read(model)
    : reader.readBinary(model));
  return document.transform(uninstance());
}

/** The vertices of all triangles. */
export async function drawnVertices(model: Uint8Array | string): Promise<DrawnVertex[]> {
  const document = await read(model);
  const vertices: DrawnVertex[] = [];
  for (const node of document.getRoot().listNodes()) {
    const m = node.getWorldMatrix();
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const [positions, normals] = [
        primitive.getAttribute('POSITION')!,
        primitive.getAttribute('NORMAL')!,
      ];
      const material = primitive.getMaterial()!;
      const info = material.getBaseColorTextureInfo();
      const transform = info?.getExtension<Transform>('KHR_texture_transform') ?? null;
      const uvs = info && primitive.getAttribute(`TEXCOORD_${info.getTexCoord()}`);
      for (let i = 0; i < positions.getCount(); i++) {
        vertices.push({
          position: affine(m, positions.getElement(i, []), 1),
          normal: unit(cofactor(m, normals.getElement(i, []))),
          uv: uvs ? placed(uvs.getElement(i, []), transform) : undefined,
          color: material.getBaseColorFactor().slice(0, 3).join(' '),
        });
      }
    }
  }
  return vertices;
}

type Triple = [number, number, number];

function affine(m: readonly number[], [x, y, z]: number[], w: number): Triple {
  return [0, 1, 2].map(
    (k) => m[k]! * x! + m[4 + k]! * y! + m[8 + k]! * z! + m[12 + k]! * w,
  ) as Triple;
}

/** Normals turn with the cofactors of the matrix; a mirrored part keeps its outside. */
function cofactor(m: readonly number[], [x, y, z]: number[]): Triple {
  const axis = (c: number) => [m[4 * c]!, m[4 * c + 1]!, m[4 * c + 2]!] as Triple;
  const cross = (a: Triple, b: Triple) =>
    [0, 1, 2].map((k) => a[(k + 1) % 3]! * b[(k + 2) % 3]! - a[(k + 2) % 3]! * b[(k + 1) % 3]!);
  const columns = [cross(axis(1), axis(2)), cross(axis(2), axis(0)), cross(axis(0), axis(1))];
  const determinant = columns[0]!.reduce((sum, value, k) => sum + value * m[k]!, 0);
  const hand = determinant < 0 ? -1 : 1;
  return [0, 1, 2].map(
    (k) => hand * (columns[0]![k]! * x! + columns[1]![k]! * y! + columns[2]![k]! * z!),
  ) as Triple;
}

function unit(v: Triple): Triple {
  const length = Math.hypot(...v);
  return v.map((value) => value / length) as Triple;
}

/** KHR_texture_transform: scale, then rotation, then offset. */
function placed([u, v]: number[], transform: Transform | null): [number, number] {
  const [x, y] = transform?.getOffset() ?? [0, 0];
  const [width, height] = transform?.getScale() ?? [1, 1];
  const angle = transform?.getRotation() ?? 0;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [c * u! * width! + s * v! * height! + x!, -s * u! * width! + c * v! * height! + y!];
}

/** Bounds of vertices, metres. */
export function boundsOf(vertices: readonly DrawnVertex[]): { min: Triple; max: Triple } {
  const along = (of: (...values: number[]) => number, start: number) =>
    [0, 1, 2].map((k) =>
      vertices.reduce((most, { position }) => of(most, position[k]!), start),
    ) as Triple;
  return {
    min: along(Math.min, Number.POSITIVE_INFINITY),
    max: along(Math.max, Number.NEGATIVE_INFINITY),
  };
}

/** How far a vertex may be from one of the other file. */
export interface Tolerance {
  metres: number;
  normalDegrees: number;
  uv: number;
}

/** The vertices that the other list has not, within a tolerance: none in equal models. */
export function unmatched(
  vertices: readonly DrawnVertex[],
  others: readonly DrawnVertex[],
  { metres, normalDegrees, uv }: Tolerance,
): DrawnVertex[] {
  const cells = new Map<string, DrawnVertex[]>();
  const cellOf = (position: Triple) => position.map((value) => Math.floor(value / (2 * metres)));
  for (const other of others) {
    const key = `${other.color} ${cellOf(other.position)}`;
    const cell = cells.get(key) ?? [];
    cell.push(other);
    cells.set(key, cell);
  }
  const leastCosine = Math.cos((normalDegrees * Math.PI) / 180);
  const isSame = (a: DrawnVertex, b: DrawnVertex) =>
    a.position.every((value, k) => Math.abs(value - b.position[k]!) <= metres) &&
    a.normal.reduce((sum, value, k) => sum + value * b.normal[k]!, 0) >= leastCosine &&
    (a.uv === undefined) === (b.uv === undefined) &&
    (a.uv?.every((value, k) => Math.abs(value - b.uv![k]!) <= uv) ?? true);
  // The own cell first: it nearly always has the vertex.
  const steps = [0, -1, 1];
  const around = steps.flatMap((x) => steps.flatMap((y) => steps.map((z) => [x, y, z] as const)));
  return vertices.filter((vertex) => {
    const [x, y, z] = cellOf(vertex.position);
    return !around.some(([dx, dy, dz]) =>
      cells
        .get(`${vertex.color} ${[x! + dx, y! + dy, z! + dz]}`)
        ?.some((other) => isSame(vertex, other)),
    );
  });
}
