/** Accessors: numbers out of the binary chunk, each checked. */
import type { AccessorJson, Glb } from './document.ts';
import { entry, must } from './refusal.ts';

const COMPONENTS: Record<
  number,
  { size: number; read: (view: DataView, at: number) => number; max: number }
> = {
  5121: { size: 1, read: (view, at) => view.getUint8(at), max: 255 },
  5123: { size: 2, read: (view, at) => view.getUint16(at, true), max: 65_535 },
  5125: { size: 4, read: (view, at) => view.getUint32(at, true), max: 4_294_967_295 },
  5126: { size: 4, read: (view, at) => view.getFloat32(at, true), max: Infinity },
};
const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const FLOAT = 5126;
const ELEMENT_ARRAY = 34_963;

export interface Decoded {
  values: Float64Array;
  width: number;
  count: number;
}

/** Decodes vertex data of float32: finite, with the min and max that it states. */
export function decodeFloats(glb: Glb, index: number, type: string, what: string): Decoded {
  const accessor = entry(glb.json.accessors, index, what);
  must(accessor.componentType === FLOAT, `${what}: expected float32`);
  must(accessor.type === type, `${what}: expected ${type}, received ${accessor.type}`);
  const decoded = decode(glb, accessor, what, 4);
  must(decoded.values.every(Number.isFinite), `${what}: a value is not finite`);
  checkExtremes(accessor, decoded, what);
  return decoded;
}

/** Decodes triangle indices: in range, without the restart value, every vertex used. */
export function decodeIndices(
  glb: Glb,
  index: number,
  vertices: number,
  what: string,
): Float64Array {
  const accessor = entry(glb.json.accessors, index, what);
  must(accessor.type === 'SCALAR', `${what}: expected SCALAR`);
  must(accessor.componentType !== FLOAT, `${what}: indices must be integers`);
  must(accessor.count % 3 === 0 && accessor.count > 0, `${what}: not whole triangles`);
  const view = entry(glb.json.bufferViews, accessor.bufferView, what);
  must(view.byteStride === undefined, `${what}: a stride on indices`);
  must(view.target === undefined || view.target === ELEMENT_ARRAY, `${what}: wrong target`);
  const { values } = decode(glb, accessor, what, 1);
  const restart = COMPONENTS[accessor.componentType]!.max;
  const used = new Uint8Array(vertices);
  for (const value of values) {
    must(value !== restart, `${what}: the restart value ${restart} as an index`);
    must(value < vertices, `${what}: ${value} is out of range, ${vertices} vertices`);
    used[value] = 1;
  }
  must(
    used.every((flag) => flag === 1),
    `${what}: a vertex that no triangle uses`,
  );
  return values;
}

function decode(glb: Glb, accessor: AccessorJson, what: string, alignment: number): Decoded {
  const component = COMPONENTS[accessor.componentType];
  must(component, `${what}: component type ${accessor.componentType}`);
  const width = WIDTHS[accessor.type];
  must(width, `${what}: type ${accessor.type}`);
  must(!accessor.normalized, `${what}: normalized`);
  must(Number.isInteger(accessor.count) && accessor.count > 0, `${what}: count ${accessor.count}`);
  const view = entry(glb.json.bufferViews, accessor.bufferView, what);
  must(view.buffer === 0, `${what}: buffer ${view.buffer}`);
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const element = component.size * width;
  const stride = view.byteStride ?? element;
  must(start % Math.max(component.size, alignment) === 0, `${what}: misaligned start ${start}`);
  must(stride % alignment === 0 && stride >= element, `${what}: misaligned stride ${stride}`);
  const end = (accessor.byteOffset ?? 0) + stride * (accessor.count - 1) + element;
  must(end <= view.byteLength, `${what}: runs past its buffer view`);
  must((view.byteOffset ?? 0) + view.byteLength <= glb.bin.length, `${what}: view past the buffer`);
  const data = new DataView(glb.bin.buffer, glb.bin.byteOffset, glb.bin.byteLength);
  const values = new Float64Array(accessor.count * width);
  for (let i = 0; i < accessor.count; i++)
    for (let k = 0; k < width; k++)
      values[i * width + k] = component.read(data, start + i * stride + k * component.size);
  return { values, width, count: accessor.count };
}

function checkExtremes(accessor: AccessorJson, { values, width }: Decoded, what: string): void {
  const stated = [accessor.min, accessor.max] as const;
  if (!what.endsWith('POSITION') && !stated[0] && !stated[1]) return;
  for (let k = 0; k < width; k++) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = k; i < values.length; i += width) {
      low = Math.min(low, values[i]!);
      high = Math.max(high, values[i]!);
    }
    must(stated[0]?.[k] === low, `${what}: min is ${stated[0]?.[k]}, the data says ${low}`);
    must(stated[1]?.[k] === high, `${what}: max is ${stated[1]?.[k]}, the data says ${high}`);
  }
}
