import { Document, NodeIO } from '@gltf-transform/core';
import { bench, describe } from 'vitest';
import { IDENTITY3 } from '../../src/math/vec.ts';
import { decodeBlock, parseBlock } from '../../src/service/wire-block.ts';
import { prepareBlock } from '../../src/transform/block-mesh.ts';
import { CONVERT_DEFAULTS } from '../../src/transform/convert-options.ts';
import { buildVertexData, type VertexPlan } from '../../src/transform/vertex-data.ts';
import { weldPoints } from '../../src/transform/weld.ts';
import { writeGlb } from '../../src/write/glb.ts';
import { generatedBlock } from './generated-block.ts';
import { sceneOf } from './scene-of.ts';

const TRIANGLES = 200_000;
const short = generatedBlock(TRIANGLES, 6);
const long = generatedBlock(TRIANGLES, 17);
const block = decodeBlock(short);
const mesh = prepareBlock(block, CONVERT_DEFAULTS);
const plan: VertexPlan = {
  useStoredUvs: true,
  swapProjected: false,
  uvSets: [undefined],
  flipV: true,
  doubleSided: 'open',
  mirrorOppositeSides: false,
  projectAt: IDENTITY3,
  shape: IDENTITY3,
};
const geometry = buildVertexData(mesh, plan).singleSided!;
const scene = sceneOf(geometry);

describe('bytes to typed arrays, six decimals', () => {
  bench('JSON.parse, then typed arrays', () => void parseBlock(short));
  bench('scanner', () => void decodeBlock(short));
});

describe('bytes to typed arrays, seventeen decimals', () => {
  bench('JSON.parse, then typed arrays', () => void parseBlock(long));
  bench('scanner', () => void decodeBlock(long));
});

describe('weld', () => {
  bench('Map keyed by strings', () => {
    const known = new Map<string, number>();
    const p = block.positions;
    for (let i = 0; i < p.length; i += 3) {
      const key = `${p[i]},${p[i + 1]},${p[i + 2]}`;
      if (!known.has(key)) known.set(key, known.size);
    }
  });
  bench('typed hash', () => void weldPoints(block.positions, 0));
});

describe('block to vertex data', () => {
  bench('clean, weld, normals', () => void prepareBlock(block, CONVERT_DEFAULTS));
  bench('split and fill', () => void buildVertexData(mesh, plan));
});

describe('GLB', () => {
  const io = new NodeIO();
  bench('general document writer', async () => {
    const document = new Document();
    const buffer = document.createBuffer();
    const accessor = (type: 'VEC2' | 'VEC3' | 'SCALAR', array: Float32Array | Uint32Array) =>
      document
        .createAccessor()
        .setType(type)
        .setArray(new (array.constructor as typeof Float32Array)(array) as never)
        .setBuffer(buffer);
    const primitive = document
      .createPrimitive()
      .setAttribute('POSITION', accessor('VEC3', geometry.positions))
      .setAttribute('NORMAL', accessor('VEC3', geometry.normals))
      .setAttribute('TEXCOORD_0', accessor('VEC2', geometry.uvs[0]!))
      .setIndices(accessor('SCALAR', Uint32Array.from(geometry.indices)));
    const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
    document.createScene().addChild(node);
    await io.writeBinary(document);
  });
  bench('direct writer', () => void writeGlb(scene));
});
