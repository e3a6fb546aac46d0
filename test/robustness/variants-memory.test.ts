/**
 * Memory of one file with every finish: one master is in memory at a time, beside what the file has of the others.
 */
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { writeGlb as containerOf, type Gltf } from '../../src/deliver/making/glb-container.ts';
import { combineVariants, groupVariants } from '../../src/deliver/variants/variants.ts';
import { IS_LONG } from '../helpers/samples.ts';

const COUNT = 500;
/** What is held is measured as often: it takes a full collection of garbage. */
const EVERY = 5;
const MB = 1e6;
/** Of a master: most is equal in all of them, such as the picture of a grain. */
const SHARED_BYTES = 1.8 * MB;
const OWN_BYTES = 0.2 * MB;
/** A master, its copy in the file, and what the engine frees later: it sweeps in threads of its own. */
const SOME_MASTERS = 20 * MB;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
function held(): number {
  // The second collection waits for what the first one frees in other threads.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** A triangle with two textures. */
function master(finish: number): Uint8Array {
  const positions = new Uint8Array(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer);
  const uvs = new Uint8Array(Float32Array.of(0, 0, 1, 0, 0, 1).buffer);
  const indices = new Uint8Array(Uint16Array.of(0, 1, 2, 0).buffer);
  const pictures = [new Uint8Array(SHARED_BYTES), new Uint8Array(OWN_BYTES).fill(1 + finish)];
  new DataView(pictures[1]!.buffer).setUint32(0, finish);
  const parts = [positions, uvs, indices, ...pictures];
  let byteOffset = 0;
  const bufferViews = parts.map(({ byteLength }) => {
    byteOffset += byteLength;
    return { buffer: 0, byteOffset: byteOffset - byteLength, byteLength };
  });
  const float = { componentType: 5126, count: 3 };
  const images = [3, 4].map((bufferView) => ({ mimeType: 'image/jpeg', bufferView }));
  const json: Gltf = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [
      {
        primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }],
      },
    ],
    materials: [
      {
        normalTexture: { index: 0 },
        pbrMetallicRoughness: { baseColorTexture: { index: 1 } },
      },
    ],
    textures: [{ source: 0 }, { source: 1 }],
    images,
    accessors: [
      { bufferView: 0, ...float, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, ...float, type: 'VEC2' },
      { bufferView: 2, componentType: 5123, count: 3, type: 'SCALAR' },
    ],
    bufferViews,
    buffers: [{ byteLength: byteOffset }],
  };
  return containerOf(json, parts);
}

test.runIf(IS_LONG)(`${COUNT} configurations of 2 MB are not in memory together`, async () => {
  const start = held();
  let most = 0;
  const sources = Array.from({ length: COUNT }, (_, i) => ({
    sha256: createHash('sha256').update(String(i)).digest('hex'),
    number: String(i),
    properties: [],
  }));
  const read = async (i: number) => {
    if (i % EVERY === EVERY - 1) most = Math.max(most, held() - start);
    return master(i);
  };
  const { groups } = await groupVariants(sources, read);
  expect(groups.map(({ variants }) => variants.length)).toEqual([COUNT]);
  expect(most).toBeLessThan(SOME_MASTERS);
  const glb = await combineVariants(groups[0]!, read);
  expect(glb.length).toBeLessThan(SHARED_BYTES + COUNT * (OWN_BYTES + 1000));
  expect(most).toBeLessThan(SOME_MASTERS + COUNT * OWN_BYTES);
});
