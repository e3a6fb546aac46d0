/**
 * The stages of a conversion in one warm thread, without files and network; prints one JSON object, name of the row
 * to its value.
 *
 * Usage: `node stages-process.js FOLDER ARTICLE ROUNDS`, the folder being one of `article.ts`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Document, NodeIO } from '@gltf-transform/core';
import { IDENTITY3 } from '../../src/convert/math/vec.ts';
import type { ConversionInput } from '../../src/convert/model/input.ts';
import type { Scene } from '../../src/convert/model/scene.ts';
import { prepareBlock, weldPoints } from '../../src/convert/transform/block-mesh.ts';
import { CONVERT_DEFAULTS } from '../../src/convert/transform/convert-options.ts';
import { createMeshCache } from '../../src/convert/transform/mesh-cache.ts';
import { transformArticle } from '../../src/convert/transform/transform-article.ts';
import { buildVertexData, type VertexPlan } from '../../src/convert/transform/vertex-data.ts';
import { decodeBlock, parseBlock } from '../../src/convert/wire/block.ts';
import { canonicalName } from '../../src/convert/wire/value.ts';
import { writeGlb } from '../../src/convert/write/glb.ts';
import { sharpImageCodec } from '../../src/support/image-codec.ts';
import { SERIES } from './article.ts';
import { median } from './process.ts';

const [folder, article, rounds] = process.argv.slice(2) as [string, string, string];
const list = `${article}-STD`;
const bodies = new Map<string, Uint8Array>();
const read = async (...path: string[]) => {
  bodies.set(path.at(-1)!, await readFile(join(folder, ...path)));
};
await read('lists', `${list}.json`);
const blockNames = JSON.parse(String(Buffer.from(bodies.get(`${list}.json`)!))).blocks as string[];
const fileOf = (name: string) => `${name.split('::').at(-1)}.json`;
for (const name of blockNames) await read('blocks', fileOf(name));
const blockBodies = blockNames.map((name) => bodies.get(fileOf(name))!);
const bodyBytes = blockBodies.reduce((sum, body) => sum + body.length, 0);

/** Of what takes seconds. */
const SLOW_ROUNDS = 2;
const PLAN: VertexPlan = {
  useStoredUvs: true,
  swapProjected: false,
  uvSets: [undefined],
  flipV: true,
  doubleSided: 'open',
  mirrorOppositeSides: false,
  projectAt: IDENTITY3,
  shape: IDENTITY3,
};
const snapshot: ConversionInput = {
  key: {
    ...SERIES,
    basearticlenumber: article,
    ...{ finalarticlenumber: list, reinitstring: '', metareinitstring: '' },
  },
  partsList: `${list}.json`,
  blocks: new Map(
    blockNames.map((name, i) => [
      canonicalName(name),
      { digest: fileOf(name), bytes: blockBodies[i]!.length },
    ]),
  ),
  images: new Map(),
};

const sceneOf = () =>
  transformArticle({
    snapshot,
    read: async (digest) => bodies.get(digest)!,
    options: CONVERT_DEFAULTS,
    images: sharpImageCodec(),
    cache: createMeshCache(),
  });
const scene = await sceneOf();
const blocks = blockBodies.map((body) => decodeBlock(body));
const meshes = blocks.map((block) => prepareBlock(block, CONVERT_DEFAULTS));

/** Milliseconds of some work: medians of the rounds after the first half, in which the engine warms up. */
async function timeOf(work: () => unknown, times = Number(rounds)) {
  const all: { ms: number; cpuMs: number }[] = [];
  for (let round = 0; round < 2 * times; round++) {
    const [start, before] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(before);
    all.push({ ms: performance.now() - start, cpuMs: (user + system) / 1000 });
  }
  const warm = all.slice(times);
  return { ms: median(warm.map(({ ms }) => ms)), cpuMs: median(warm.map(({ cpuMs }) => cpuMs)) };
}

function weldWithTexts(positions: Float32Array): number {
  const known = new Map<string, number>();
  for (let i = 0; i < positions.length; i += 3) {
    const key = `${positions[i]},${positions[i + 1]},${positions[i + 2]}`;
    if (!known.has(key)) known.set(key, known.size);
  }
  return known.size;
}

/** The geometry of a scene as a document of a general library. */
function documentOf({ geometries }: Scene): Document {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type: 'VEC2' | 'VEC3' | 'SCALAR', array: Float32Array | Uint32Array) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(array.slice() as never)
      .setBuffer(buffer);
  const meshes = geometries.map(({ positions, normals, uvs, indices }) => {
    const primitive = document
      .createPrimitive()
      .setAttribute('POSITION', accessor('VEC3', positions))
      .setAttribute('NORMAL', accessor('VEC3', normals))
      .setAttribute('TEXCOORD_0', accessor('VEC2', uvs[0]!))
      .setIndices(accessor('SCALAR', Uint32Array.from(indices)));
    return document.createMesh().addPrimitive(primitive);
  });
  const drawn = document.createScene();
  for (const mesh of meshes) drawn.addChild(document.createNode().setMesh(mesh));
  return document;
}

const all = await timeOf(async () => writeGlb(await sceneOf()));
const stages = {
  scan: await timeOf(() => blockBodies.map((body) => decodeBlock(body))),
  prepare: await timeOf(() => blocks.map((block) => prepareBlock(block, CONVERT_DEFAULTS))),
  weld: await timeOf(() => blocks.map(({ positions }) => weldPoints(positions, 0))),
  split: await timeOf(() => meshes.map((mesh) => buildVertexData(mesh, PLAN))),
  write: await timeOf(() => writeGlb(scene)),
  'plain scan': await timeOf(() => blockBodies.map((body) => parseBlock(body)), SLOW_ROUNDS),
  'plain weld': await timeOf(
    () => blocks.map(({ positions }) => weldWithTexts(positions)),
    SLOW_ROUNDS,
  ),
  'plain write': await timeOf(() => new NodeIO().writeBinary(documentOf(scene)), SLOW_ROUNDS),
};
console.log(JSON.stringify({ triangles: scene.triangles, bodyBytes, all, stages }));
