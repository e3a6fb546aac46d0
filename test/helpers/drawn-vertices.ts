/** Everything that a GLB draws, in world coordinates, as glTF-Transform reads it with the decoder of meshoptimizer. */
import { type Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS, type Transform } from '@gltf-transform/extensions';
import { dequantize, uninstance, unpartition } from '@gltf-transform/functions';
import draco from 'draco3dgltf';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { dot, type Vec2 } from './evaluator/vectors.ts';
import { movePoint, normalMover } from './glb-reader/nodes.ts';

type Triple = [number, number, number];

/** A vertex; metres, unit vector, and the place in the texture of the base colour where there is one. */
export interface DrawnVertex {
  position: Triple;
  normal: Triple;
  uv: Vec2 | undefined;
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
    const turned = normalMover(m);
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const positions = primitive.getAttribute('POSITION')!;
      const normals = primitive.getAttribute('NORMAL')!;
      const material = primitive.getMaterial()!;
      const info = material.getBaseColorTextureInfo();
      const transform = info?.getExtension<Transform>('KHR_texture_transform') ?? null;
      const uvs = info && primitive.getAttribute(`TEXCOORD_${info.getTexCoord()}`);
      for (let i = 0; i < positions.getCount(); i++) {
        vertices.push({
          position: movePoint(m, positions.getElement<Triple>(i, [0, 0, 0])),
          normal: turned(normals.getElement<Triple>(i, [0, 0, 0])),
          uv: uvs ? placed(uvs.getElement(i, []), transform) : undefined,
          color: material.getBaseColorFactor().slice(0, 3).join(' '),
        });
      }
    }
  }
  return vertices;
}

/** KHR_texture_transform: scale, then rotation, then offset. */
function placed([u, v]: number[], transform: Transform | null): Vec2 {
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
    dot(a.normal, b.normal) >= leastCosine &&
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
