/** Plain GLBs: one surface of as many triangles as wanted, drawn where and as often as wanted. */
import { type Gltf, writeGlb } from '../../src/deliver/making/glb-container.ts';

/** What is in a plain GLB. */
interface PlainModel {
  /** Of the surface, a rippled square; 0: there is none. */
  triangles: number;
  /** Side of the square, metres. @defaultValue 1 */
  sideMetres?: number;
  /** Nodes that draw it, a micrometre apart. @defaultValue 1 */
  instances?: number;
  material?: object;
  /** The base colour texture. */
  image?: { name: string; mimeType: string; bytes: Uint8Array };
  /** Of an image that is not in the file. */
  address?: string;
}

/** Makes it. */
export function plainGlb(model: PlainModel): Uint8Array {
  const { triangles, sideMetres = 1, instances = 1, material = {}, image, address } = model;
  const side = Math.max(1, Math.round(Math.sqrt(triangles / 2)));
  const surface = triangles === 0 ? undefined : ripple(side, sideMetres);
  const parts = [
    ...(surface ? Object.values(surface) : []),
    ...(image ? [padded(image.bytes)] : []),
  ].map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  let byteOffset = 0;
  const bufferViews = parts.map(({ length }, i) => {
    const view = { buffer: 0, byteOffset, byteLength: length };
    byteOffset += length;
    const isImage = image !== undefined && i === parts.length - 1;
    return isImage ? { ...view, byteLength: image.bytes.length } : view;
  });
  const count = (side + 1) ** 2;
  const half = sideMetres / 2;
  const bounds = { min: [-half, 0, -half], max: [half, half, half] };
  const drawn = Array.from({ length: instances }, (_, i) => {
    return { mesh: 0, translation: [0, i / 1e6, 0] };
  });
  const attributes = { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 };
  const used = surface && {
    meshes: [{ primitives: [{ attributes, indices: 3, material: 0 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count, type: 'VEC3', ...bounds },
      { bufferView: 1, componentType: 5126, count, type: 'VEC3' },
      { bufferView: 2, componentType: 5126, count, type: 'VEC2' },
      { bufferView: 3, componentType: 5125, count: 6 * side * side, type: 'SCALAR' },
    ],
  };
  const elsewhere = address !== undefined && {
    images: [{ uri: address }],
    textures: [{ source: 0 }],
  };
  const texture = image && {
    images: [{ name: image.name, mimeType: image.mimeType, bufferView: parts.length - 1 }],
    textures: [{ source: 0 }],
  };
  const color = image && { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } };
  const json = {
    asset: { version: '2.0' },
    buffers: [{ byteLength: byteOffset }],
    scene: 0,
    scenes: [{ nodes: surface ? drawn.map((_, i) => i) : [] }],
    ...(surface && { nodes: drawn, materials: [{ ...color, ...material }] }),
    ...{ bufferViews, ...used, ...texture, ...elsewhere },
  };
  return writeGlb(json as unknown as Gltf, parts);
}

function ripple(side: number, sideMetres: number) {
  const [row, half] = [side + 1, sideMetres / 2];
  const positions = new Float32Array(3 * row * row);
  const normals = new Float32Array(3 * row * row);
  const uvs = new Float32Array(2 * row * row);
  const corners = new Uint32Array(6 * side * side);
  for (let i = 0, corner = 0; i < row * row; i++) {
    const [x, z] = [(i % row) / side, Math.floor(i / row) / side];
    const y = 0.5 + 0.5 * Math.sin(20 * x) * Math.sin(20 * z);
    positions.set([sideMetres * x - half, half * y, sideMetres * z - half], 3 * i);
    normals.set([0, 1, 0], 3 * i);
    uvs.set([x, z], 2 * i);
    if (x === 1 || z === 1) continue;
    corners.set([i, i + row, i + 1, i + 1, i + row, i + row + 1], corner);
    corner += 6;
  }
  return { positions, normals, uvs, corners };
}

function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array((bytes.length + 3) & ~3);
  whole.set(bytes);
  return whole;
}
