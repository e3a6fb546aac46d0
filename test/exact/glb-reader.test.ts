/**
 * The strict reader refuses what viewers might forgive.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Gltf, writeGlb } from '../../src/deliver/making/glb-container.ts';
import { type GlbJson, parseChunks } from '../helpers/glb-reader/document.ts';
import { readGlb } from '../helpers/glb-reader/read-glb.ts';
import { GlbRefused } from '../helpers/glb-reader/refusal.ts';
import { body } from '../helpers/graphics.ts';
import { convert } from './convert.ts';

const PARTS_LIST = body({
  btg: [{ type: 'block', prop: { params: [1, 2, 3], mat: '$ dif 0.2 0.4 0.6;roughness 0.5' } }],
  blocks: [],
  mats: [],
});

const node = (json: GlbJson) => json.nodes![0]!;
const material = (json: GlbJson) => json.materials![0]!;
const primitive = (json: GlbJson) => json.meshes![0]!.primitives[0]!;
const attributes = (json: GlbJson) => primitive(json).attributes;
const positions = (json: GlbJson) => json.accessors![attributes(json).POSITION!]!;

const change = (of: (json: GlbJson) => object, fields: object) => (json: GlbJson) =>
  Object.assign(of(json), fields);

/** Moves the positions. */
const shift = (bytes: number) => (json: GlbJson) => {
  positions(json).byteOffset = (positions(json).byteOffset ?? 0) + bytes;
};

/** Where the data of an accessor begin. */
function startOf(json: GlbJson, accessor: number | undefined): number {
  const { bufferView, byteOffset = 0 } = json.accessors![accessor!]!;
  return (json.bufferViews![bufferView]!.byteOffset ?? 0) + byteOffset;
}

const setIndices = (of: (i: number) => number) => (json: GlbJson, data: DataView) => {
  const { indices } = primitive(json);
  for (let i = 0; i < json.accessors![indices!]!.count; i++)
    data.setUint16(startOf(json, indices) + 2 * i, of(i), true);
};
const setFirst = (name: string, value: number) => (json: GlbJson, data: DataView) =>
  data.setFloat32(startOf(json, attributes(json)[name]), value, true);

describe('the strict reader', () => {
  let good: Uint8Array;
  beforeAll(async () => {
    good = await convert({ partsList: PARTS_LIST, blocks: new Map(), images: new Map() });
  });

  test('reads a written box as twelve triangles', () => {
    expect(readGlb(good).triangles).toHaveLength(12);
  });

  test.for<[string, (json: GlbJson, data: DataView) => unknown, RegExp]>([
    ['an unused material', (json) => json.materials!.push({ name: 'X' }), /nothing refers to it/],
    ['an unused node', (json) => json.nodes!.push({ name: 'X' }), /in no scene/],
    [
      'an accessor out of range',
      change(attributes, { POSITION: 99 }),
      /nothing refers|out of range/,
    ],
    ['a wrong maximum', (json) => positions(json).max!.fill(7), /max is 7/],
    ['a position without bounds', change(positions, { max: undefined }), /max is undefined/],
    ['a misaligned accessor', shift(2), /misaligned/],
    ['a view past the buffer', shift(1 << 20), /runs past|past the buffer|shared/],
    [
      'an undeclared extension',
      change(material, { extensions: { KHR_materials_ior: { ior: 1.4 } } }),
      /extensionsUsed/,
    ],
    ['a rotation that is no unit', change(node, { rotation: [0, 0, 0, 2] }), /unit/],
    [
      'a factor above one',
      change((json) => material(json).pbrMetallicRoughness!, { roughnessFactor: 1.5 }),
      /0\.\.1/,
    ],
    ['a node that is its own child', change(node, { children: [0] }), /twice/],
    ['an index out of range', setIndices((i) => 999 + i), /out of range/],
    ['the restart value as an index', setIndices(() => 65_535), /restart value 65535/],
    ['a vertex without a triangle', setIndices((i) => i % 3), /no triangle uses/],
    ['a position that is not finite', setFirst('POSITION', NaN), /not finite/],
    ['a normal that is no unit', setFirst('NORMAL', 0.5), /NORMAL: length/],
  ])('refuses %s', ([, spoil, sentence]) => {
    const { json, bin } = parseChunks(good);
    const data = bin.slice();
    spoil(json, new DataView(data.buffer));
    const read = () => readGlb(writeGlb(json as unknown as Gltf, [data]));
    expect(read).toThrow(GlbRefused);
    expect(read).toThrow(sentence);
  });

  test('refuses a file that was cut', () => {
    expect(() => readGlb(good.subarray(0, good.length - 4))).toThrow(/length of the file/);
  });
});
