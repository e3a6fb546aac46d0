/**
 * Judges a USDZ by the specifications of USDZ, UsdGeom and UsdPreviewSurface, without the code that writes it: layout
 * of the archive, values, references, counts and indices.
 */
import { crc32 } from 'node:zlib';
import { cross, dot, type Vec3 } from './evaluator/vectors.ts';
import {
  readUsdc,
  type UsdLayer,
  type UsdPrim,
  type UsdProperty,
  type UsdValue,
  withDescendants,
} from './usdc-judge.ts';

/** A mesh in the frame of the scene; numbers in a row, metres. */
export interface JudgedMesh {
  path: string;
  material: UsdPrim | undefined;
  points: number[];
  normals: number[];
  st: number[] | undefined;
  indices: number[];
  /** In its own frame. */
  ownPoints: Float32Array;
  /** Where each list is in the file. */
  places: Record<string, bigint>;
}

export interface JudgedUsdz {
  /** What is wrong, a sentence each. */
  problems: string[];
  layer: UsdLayer;
  meshes: JudgedMesh[];
  images: Map<string, Uint8Array>;
}

interface StoredFile {
  name: string;
  bytes: Uint8Array;
}

/** Reads a USDZ and says what is wrong with it. @throws Error where it cannot be read at all. */
export function judgeUsdz(bytes: Uint8Array): JudgedUsdz {
  const problems: string[] = [];
  const files = readArchive(bytes, problems);
  const [first, ...others] = files;
  if (!first || !/^[\w-]+\.usdc$/.test(first.name)) throw new Error('the first file is no layer');
  const layer = readUsdc(new Uint8Array(first.bytes));
  const { metersPerUnit, upAxis, defaultPrim } = layer.metadata;
  if (metersPerUnit !== 1 || upAxis !== 'Y') problems.push('not in metres, or not Y up');
  const root = layer.prims.find(({ path }) => path === `/${String(defaultPrim)}`);
  if (root === undefined) problems.push('there is no default prim');
  const prims = layer.prims.flatMap(withDescendants);
  const byPath = new Map(prims.map((prim) => [prim.path, prim]));
  if (byPath.size !== prims.length) problems.push('two prims have one path');
  const images = new Map(others.map((file) => [file.name, file.bytes]));
  for (const prim of prims) judgePrim(prim, byPath, images, problems);
  const used = new Set(prims.flatMap((prim) => assetsOf(prim)));
  for (const [name, content] of images) {
    if (!used.has(name)) problems.push(`${name} is not referred to`);
    if (!hasFormatOf(name, content)) problems.push(`${name} has another format`);
  }
  const meshes = prims
    .filter(({ type }) => type === 'Mesh')
    .map((prim) => judgeMesh(prim, byPath, problems));
  return { problems, layer, meshes, images };
}

/** By the specification of the zip format, APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16. */
function readArchive(bytes: Uint8Array, problems: string[]): StoredFile[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = bytes.length - 22;
  if (view.getUint32(end, true) !== 0x06054b50) throw new Error('there is no end of an archive');
  const count = view.getUint16(end + 10, true);
  const [length, start] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  if (start + length !== end) problems.push('the directory does not end where the archive does');
  const files: StoredFile[] = [];
  let [at, expected] = [start, 0];
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new Error(`entry ${i} is no entry`);
    const nameLength = view.getUint16(at + 28, true);
    const name = Buffer.from(bytes.subarray(at + 46, at + 46 + nameLength)).toString('latin1');
    const offset = view.getUint32(at + 42, true);
    if (offset !== expected) problems.push(`${name} does not follow the file before it`);
    if (view.getUint32(offset, true) !== 0x04034b50) throw new Error(`${name} has no header`);
    for (let field = 0; field < 22; field++) {
      if (bytes[at + 6 + field] !== bytes[offset + 4 + field])
        problems.push(`${name}: its headers differ at ${field}`);
    }
    if (view.getUint16(at + 8, true) !== 0) problems.push(`${name} has flags`);
    if (view.getUint16(at + 10, true) !== 0) problems.push(`${name} is compressed`);
    const size = view.getUint32(at + 24, true);
    if (view.getUint32(at + 20, true) !== size) problems.push(`${name} has two sizes`);
    const extra = view.getUint16(offset + 28, true);
    if (extra > 0 && view.getUint16(offset + 30 + nameLength + 2, true) !== extra - 4)
      problems.push(`${name}: its extra field has another length`);
    const data = offset + 30 + nameLength + extra;
    if (data % 64 !== 0) problems.push(`${name} begins at ${data}, which is no multiple of 64`);
    const content = bytes.subarray(data, data + size);
    if (crc32(content) !== view.getUint32(at + 16, true)) problems.push(`${name} has another CRC`);
    if (!/^[\w-]+(?:\/[\w-]+)*\.\w+$/.test(name)) problems.push(`${name} is no portable path`);
    files.push({ name, bytes: content });
    expected = data + size;
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  if (at !== end || expected !== start) problems.push('there are bytes between the files');
  return files;
}

/** What a value of a type looks like. */
const isNumber = (value: UsdValue | undefined) =>
  typeof value === 'number' && Number.isFinite(value);
const isTuple = (size: number) => (value: UsdValue | undefined) => {
  const parts = (value as { tuple?: number[] } | undefined)?.tuple;
  return parts?.length === size && parts.every(isNumber);
};
const isText = (value: UsdValue | undefined) => typeof value === 'string';
const areNumbers = (size: number) => (value: UsdValue | undefined) =>
  value instanceof Float32Array && value.length % size === 0 && value.every(isNumber);
const VALUES: Record<string, (value: UsdValue | undefined) => boolean> = {
  ...{ int: Number.isInteger, float: isNumber, string: isText, token: isText, asset: isText },
  ...{ rel: (value) => typeof (value as { path?: string }).path === 'string' },
  ...{ float2: isTuple(2), float3: isTuple(3), float4: isTuple(4) },
  ...{ color3f: isTuple(3), normal3f: isTuple(3), matrix4d: isTuple(16) },
  ...{ 'int[]': (value) => value instanceof Int32Array, 'token[]': Array.isArray },
  ...{ 'float3[]': areNumbers(3), 'normal3f[]': areNumbers(3), 'point3f[]': areNumbers(3) },
  ...{ 'texCoord2f[]': areNumbers(2) },
};

/** Inputs and outputs of the nodes: specification of UsdPreviewSurface 2.6. */
const NODES: Record<string, Record<string, string>> = {
  UsdPreviewSurface: {
    ...{ 'inputs:diffuseColor': 'color3f', 'inputs:emissiveColor': 'color3f' },
    ...{ 'inputs:useSpecularWorkflow': 'int', 'inputs:metallic': 'float' },
    ...{ 'inputs:roughness': 'float', 'inputs:clearcoat': 'float' },
    ...{ 'inputs:clearcoatRoughness': 'float', 'inputs:opacity': 'float' },
    ...{ 'inputs:opacityThreshold': 'float', 'inputs:ior': 'float' },
    ...{ 'inputs:normal': 'normal3f', 'inputs:occlusion': 'float', 'outputs:surface': 'token' },
  },
  UsdUVTexture: {
    ...{ 'inputs:file': 'asset', 'inputs:st': 'float2', 'inputs:wrapS': 'token' },
    ...{ 'inputs:wrapT': 'token', 'inputs:scale': 'float4', 'inputs:bias': 'float4' },
    ...{ 'inputs:sourceColorSpace': 'token', 'outputs:rgb': 'float3', 'outputs:r': 'float' },
    ...{ 'outputs:g': 'float', 'outputs:b': 'float', 'outputs:a': 'float' },
  },
  UsdPrimvarReader_float2: { 'inputs:varname': 'string', 'outputs:result': 'float2' },
  UsdTransform2d: {
    ...{ 'inputs:in': 'float2', 'inputs:rotation': 'float', 'inputs:scale': 'float2' },
    ...{ 'inputs:translation': 'float2', 'outputs:result': 'float2' },
  },
};
const TOKENS: Record<string, readonly string[]> = {
  'inputs:wrapS': ['repeat', 'clamp', 'mirror', 'black', 'useMetadata'],
  'inputs:wrapT': ['repeat', 'clamp', 'mirror', 'black', 'useMetadata'],
  'inputs:sourceColorSpace': ['raw', 'sRGB', 'auto'],
};

const sizeOf = (type: string) => /\d/.exec(type)?.[0] ?? type;

function judgePrim(
  { path, type, properties }: UsdPrim,
  prims: ReadonlyMap<string, UsdPrim>,
  images: ReadonlyMap<string, unknown>,
  problems: string[],
): void {
  const node = type === 'Shader' ? NODES[String(properties.get('info:id')?.value)] : undefined;
  if (type === 'Shader' && node === undefined) problems.push(`${path} is no known node`);
  for (const [name, { type: written, value, connect }] of properties) {
    const where = `${path}.${name}`;
    const fits = VALUES[written];
    if (!fits || (value !== undefined && !fits(value))) problems.push(`${where} is no ${written}`);
    if (node && name !== 'info:id' && node[name] !== written)
      problems.push(`${where} is a ${written}, which the node does not have`);
    if (TOKENS[name] && !TOKENS[name].includes(String(value)))
      problems.push(`${where} is ${value}`);
    if (written === 'asset' && !images.has(String(value)))
      problems.push(`${where}: no file ${value}`);
    if (connect === undefined) continue;
    const [target = '', output = ''] = connect.split('.');
    const source = prims.get(target)?.properties.get(output);
    if (!source || !output.startsWith('outputs:')) problems.push(`${where}: no ${connect}`);
    else if (sizeOf(source.type) !== sizeOf(written))
      problems.push(`${where} is a ${written}, and ${connect} a ${source.type}`);
  }
}

function assetsOf({ properties }: UsdPrim): string[] {
  return [...properties.values()].flatMap(({ type, value }) =>
    type === 'asset' ? String(value) : [],
  );
}

function hasFormatOf(name: string, content: Uint8Array): boolean {
  const begins = name.endsWith('.png') ? [0x89, 0x50, 0x4e, 0x47] : [0xff, 0xd8, 0xff];
  return /\.(?:png|jpg)$/.test(name) && begins.every((byte, i) => content[i] === byte);
}

function judgeMesh(
  { path, metadata, properties }: UsdPrim,
  prims: ReadonlyMap<string, UsdPrim>,
  problems: string[],
): JudgedMesh {
  const listOf = (name: string) => properties.get(name)?.value as Float32Array | undefined;
  const whole = (name: string) => (properties.get(name)?.value ?? new Int32Array()) as Int32Array;
  const empty = new Float32Array();
  const [points = empty, normals = empty] = [listOf('points'), listOf('normals')];
  const [counts, indices] = [whole('faceVertexCounts'), whole('faceVertexIndices')];
  const st = listOf('primvars:st');
  const count = points.length / 3;
  const wrong = (what: string) => problems.push(`${path}: ${what}`);
  if (counts.length === 0 || counts.some((each) => each !== 3)) wrong('not all are triangles');
  if (indices.length !== 3 * counts.length) wrong('there are more or fewer corners than indices');
  if (indices.some((index) => index < 0 || index >= count)) wrong('an index has no point');
  if (normals.length !== points.length) wrong('there is no normal for each point');
  if (st && st.length !== 2 * count) wrong('there are no coordinates for each point');
  for (const name of ['points', 'normals', 'primvars:st']) {
    const property = properties.get(name);
    if (property && property.metadata.interpolation !== 'vertex') wrong(`${name} has no order`);
  }
  if (properties.get('subdivisionScheme')?.value !== 'none') wrong('it is subdivided');
  if (!isBox(listOf('extent'), points)) wrong('its extent is another');
  const bound = (properties.get('material:binding')?.value as { path: string } | undefined)?.path;
  const material = bound === undefined ? undefined : prims.get(bound);
  if (bound !== undefined && material?.type !== 'Material') wrong(`there is no material ${bound}`);
  const schemas = metadata.apiSchemas;
  if (bound !== undefined && !(Array.isArray(schemas) && schemas.includes('MaterialBindingAPI')))
    wrong('it is bound without MaterialBindingAPI');
  if (material && withDescendants(material).some((prim) => assetsOf(prim).length > 0) && !st)
    wrong('its material has images, and it no coordinates');
  const matrix = matrixOf(properties, wrong);
  return {
    ...{ path, material, st: st && [...st], indices: [...indices], ownPoints: points },
    ...{ points: transformed(points, matrix, 1), normals: transformed(normals, matrix, 0) },
    places: Object.fromEntries(
      [...properties].flatMap(([name, { type, place }]) =>
        type.endsWith('[]') && place !== undefined ? [[name, place]] : [],
      ),
    ),
  };
}

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Row by row, for points as rows: a mesh is moved and turned, so that its normals are turned as its points. */
function matrixOf(
  properties: ReadonlyMap<string, UsdProperty>,
  wrong: (what: string) => void,
): number[] {
  const matrix = properties.get('xformOp:transform')?.value as { tuple: number[] } | undefined;
  const order = properties.get('xformOpOrder')?.value;
  const expected = matrix && ['xformOp:transform'];
  if (JSON.stringify(order) !== JSON.stringify(expected)) wrong('its transform is not in order');
  if (matrix === undefined) return IDENTITY;
  const [a, b, c, d, e, f, g, h, i] = [0, 1, 2, 4, 5, 6, 8, 9, 10].map((at) => matrix.tuple[at]!);
  const rows = [
    [a!, b!, c!],
    [d!, e!, f!],
    [g!, h!, i!],
  ] as const satisfies Vec3[];
  const isTurned = rows.every((row) =>
    rows.every((other) => Math.abs(dot(row, other) - (row === other ? 1 : 0)) < 1e-5),
  );
  if (!isTurned || dot(cross(rows[0], rows[1]), rows[2]) < 0) wrong('it is stretched or mirrored');
  return matrix.tuple;
}

/** @param w - 1: points, which are moved, too. */
function transformed(values: Float32Array, m: readonly number[], w: 0 | 1): number[] {
  const result: number[] = [];
  for (let at = 0; at < values.length; at += 3) {
    const [x, y, z] = [values[at]!, values[at + 1]!, values[at + 2]!];
    for (const axis of [0, 1, 2])
      result.push(x * m[axis]! + y * m[4 + axis]! + z * m[8 + axis]! + w * m[12 + axis]! + 0);
  }
  return result;
}

function isBox(extent: Float32Array | undefined, points: Float32Array): boolean {
  if (extent?.length !== 6) return false;
  return [0, 1, 2].every((axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (let at = axis; at < points.length; at += 3) {
      low = Math.min(low, points[at]!);
      high = Math.max(high, points[at]!);
    }
    return Math.abs(low - extent[axis]!) < 2e-6 && Math.abs(high - extent[axis + 3]!) < 2e-6;
  });
}
