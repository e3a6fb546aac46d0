/**
 * The strict reader refuses what viewers might forgive.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Gltf, writeGlb } from '../../src/deliver/glb-container.ts';
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

describe('the strict reader', () => {
  let good: Uint8Array;
  beforeAll(async () => {
    good = await convert({ partsList: PARTS_LIST, blocks: new Map(), images: new Map() });
  });

  test('reads a written box as twelve triangles', () => {
    expect(readGlb(good).triangles).toHaveLength(12);
  });

  const JSON_FAULTS: [string, (json: GlbJson) => unknown, RegExp][] = [
    ['an unused material', (json) => json.materials!.push({ name: 'X' }), /nothing refers to it/],
    ['an unused node', (json) => json.nodes!.push({ name: 'X' }), /in no scene/],
    ['an accessor out of range', (json) => setPosition(json, 99), /nothing refers|out of range/],
    ['a wrong maximum', (json) => positions(json).max!.fill(7), /max is 7/],
    [
      'a position without bounds',
      (json) => Object.assign(positions(json), { max: undefined }),
      /max is undefined/,
    ],
    ['a misaligned accessor', (json) => shift(json, 2), /misaligned/],
    ['a view past the buffer', (json) => shift(json, 1 << 20), /runs past|past the buffer|shared/],
    ['an undeclared extension', extend, /extensionsUsed/],
    [
      'a rotation that is no unit',
      (json) => Object.assign(json.nodes![0]!, { rotation: [0, 0, 0, 2] }),
      /unit/,
    ],
    ['a factor above one', (json) => Object.assign(pbr(json), { roughnessFactor: 1.5 }), /0\.\.1/],
    [
      'a node that is its own child',
      (json) => Object.assign(json.nodes![0]!, { children: [0] }),
      /twice/,
    ],
  ];

  test.for(JSON_FAULTS)('refuses %s', ([, spoil, sentence]) => {
    const { json, bin } = parseChunks(good);
    spoil(json);
    expect(() => readGlb(assemble(json, bin))).toThrow(GlbRefused);
    expect(() => readGlb(assemble(json, bin))).toThrow(sentence);
  });

  const DATA_FAULTS: [string, (json: GlbJson, data: DataView) => void, RegExp][] = [
    [
      'an index out of range',
      (json, data) => data.setUint16(startOf(json, primitive(json).indices!), 999, true),
      /out of range/,
    ],
    [
      'the restart value as an index',
      (json, data) => data.setUint16(startOf(json, primitive(json).indices!), 65_535, true),
      /restart value 65535/,
    ],
    [
      'a vertex without a triangle',
      (json, data) => {
        const at = startOf(json, primitive(json).indices!);
        for (let i = 0; i < 36; i++) data.setUint16(at + 2 * i, i % 3, true);
      },
      /no triangle uses/,
    ],
    [
      'a position that is not finite',
      (json, data) => data.setFloat32(startOf(json, attribute(json, 'POSITION')), NaN, true),
      /not finite/,
    ],
    [
      'a normal that is no unit',
      (json, data) => data.setFloat32(startOf(json, attribute(json, 'NORMAL')), 0.5, true),
      /NORMAL: length/,
    ],
  ];

  test.for(DATA_FAULTS)('refuses %s', ([, spoil, sentence]) => {
    const { json, bin } = parseChunks(good);
    const copy = bin.slice();
    spoil(json, new DataView(copy.buffer));
    expect(() => readGlb(assemble(json, copy))).toThrow(sentence);
  });

  test('refuses a file that was cut', () => {
    expect(() => readGlb(good.subarray(0, good.length - 4))).toThrow(/length of the file/);
  });
});

const primitive = (json: GlbJson) => json.meshes![0]!.primitives[0]!;
const attribute = (json: GlbJson, name: string) => primitive(json).attributes[name]!;
const positions = (json: GlbJson) => json.accessors![attribute(json, 'POSITION')]!;
const pbr = (json: GlbJson) => json.materials![0]!.pbrMetallicRoughness!;

function setPosition(json: GlbJson, index: number): void {
  primitive(json).attributes.POSITION = index;
}

function shift(json: GlbJson, bytes: number): void {
  positions(json).byteOffset = (positions(json).byteOffset ?? 0) + bytes;
}

function extend(json: GlbJson): void {
  json.materials![0]!.extensions = { KHR_materials_ior: { ior: 1.4 } };
}

function startOf(json: GlbJson, accessor: number): number {
  const { bufferView, byteOffset = 0 } = json.accessors![accessor]!;
  return (json.bufferViews![bufferView]!.byteOffset ?? 0) + byteOffset;
}

const assemble = (json: GlbJson, bin: Uint8Array) => writeGlb(json as unknown as Gltf, [bin]);
