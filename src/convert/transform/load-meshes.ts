/** Load meshes: every part gets its prepared mesh, each content decoded and prepared once. */

import { asConverterError, ConverterError } from '../../support/errors.ts';
import type { Block } from '../model/graphics.ts';
import type { ContentReader, ConversionInput, DecodedReader } from '../model/input.ts';
import { decodeBlock } from '../wire/block.ts';
import { canonicalName, describe } from '../wire/value.ts';
import { meshOptionsKey, type PreparedMesh, prepareBlock } from './block-mesh.ts';
import type { ConvertOptions } from './convert-options.ts';
import type { Part } from './flatten.ts';
import { type Losses, missingError } from './losses.ts';
import type { MeshCache } from './mesh-cache.ts';
import { makeSolid, solidLengths } from './solids.ts';

const OPEN_BRACE = 0x7b;

/** A mesh with the key of its content and options. */
export interface KeyedMesh {
  key: string;
  name: string;
  mesh: PreparedMesh;
}

/**
 * Prepares the mesh of a block in another thread, by the digest of its body; undefined if that fails.
 *
 * @param isLast - Whether the article has no other block for the thread.
 */
export type PrepareAhead = (digest: string, isLast: boolean) => Promise<PreparedMesh | undefined>;

interface MeshInput {
  snapshot: ConversionInput;
  read: ContentReader;
  decoded?: DecodedReader | undefined;
  options: ConvertOptions;
  cache: MeshCache;
  losses: Losses;
  prepareAhead?: PrepareAhead | undefined;
  /** Option of `transformArticle`, like the next two. */
  maxSurfaces?: number | undefined;
  release?: ((body: Uint8Array) => Promise<void>) | undefined;
  betweenSteps?: (() => void | Promise<void>) | undefined;
}

interface LoadInput extends MeshInput {
  ahead: Ahead;
  /** Throws if the scene has no room for this many triangles of the part. */
  expectRoom(triangles: number, part: Part): void;
}

/**
 * Loads the meshes of all parts (D-202, D-303, D-308, D-542).
 *
 * @returns The parts that can be drawn, in their order, with their meshes, and the parts that are left out.
 * @throws {@link ConverterError} `SCENE_TOO_LARGE`; `BLOCK_MISSING`, `BLOCK_INVALID`, `SOLID_INVALID` or the error
 * of fetching, naming the part; with `allowMissingParts` these are warnings and losses.
 */
export async function loadMeshes(
  parts: readonly Part[],
  input: MeshInput,
): Promise<{ meshes: Map<Part, KeyedMesh>; holes: Part[] }> {
  const bySource = new Map<string, KeyedMesh | undefined>();
  const meshes = new Map<Part, KeyedMesh>();
  const holes: Part[] = [];
  const ahead = createAhead(parts, input);
  let triangles = 0;
  const expectRoom = (more: number, { path }: Part) => {
    const { maxTriangles } = input.options;
    if (triangles + more <= maxTriangles) return;
    const message = `node ${path}: expected at most ${maxTriangles} triangles in the scene, received more`;
    throw new ConverterError('SCENE_TOO_LARGE', message);
  };
  for (const part of parts) {
    const isBlock = part.node.type === 'imp';
    const source = isBlock ? canonicalName(part.node.blockName) : solidKey(part, input.options);
    const load = isBlock ? loadBlock : loadSolid;
    if (!bySource.has(source))
      bySource.set(source, await orHole(load, source, part, { ...input, ahead, expectRoom }));
    const mesh = bySource.get(source);
    if (mesh === undefined) holes.push(part);
    if (mesh === undefined || mesh.mesh.surfaces.length === 0) continue;
    meshes.set(part, mesh);
    expectRoom(trianglesOf(mesh), part);
    triangles += trianglesOf(mesh);
  }
  return { meshes, holes };
}

/** Least size of a block that is worth a second thread, and largest size that takes little memory. */
const AHEAD_BYTES = { least: 1024 * 1024, most: 20 * 1024 * 1024 };

type Ahead = ReturnType<typeof createAhead>;

/** Prepares the next large block in another thread, while this one prepares one. */
function createAhead(parts: readonly Part[], { snapshot, decoded, prepareAhead }: MeshInput) {
  const large = new Set<string>();
  for (const { node } of parts) {
    const block = node.type === 'imp' && snapshot.blocks.get(canonicalName(node.blockName));
    if (!block || 'missing' in block) continue;
    const { least, most } = AHEAD_BYTES;
    if (block.bytes >= least && block.bytes <= most) large.add(block.digest);
  }
  const order = [...large];
  const running = new Map<string, Promise<PreparedMesh | undefined>>();
  return {
    /** Returns the mesh of a block whose preparation was begun; otherwise begins the next one. */
    async meshOf(digest: string): Promise<PreparedMesh | undefined> {
      const mesh = await running.get(digest);
      if (mesh) return mesh;
      const place = order.indexOf(digest) + 1;
      const next = order[place];
      if (place > 0 && next !== undefined && !decoded?.block(next)) {
        // Every other block is prepared here.
        const begun = prepareAhead?.(next, place + 2 >= order.length);
        if (begun) running.set(next, begun);
      }
      return undefined;
    },
  };
}

/** Number of triangles of a block as received. Dropped ones count, because they are counted before preparation. */
function trianglesOf({ mesh: { surfaces, counts } }: KeyedMesh): number {
  return surfaces.reduce(
    (sum, { localPoints }) => sum + localPoints.length / 3,
    counts.droppedTriangles,
  );
}

function solidKey({ node: { type, params } }: Part, options: ConvertOptions): string {
  const lengths = solidLengths(type, params)?.join(' ') ?? `unreadable ${describe(params)}`;
  // A block's name is in upper case, a solid's type in lower case.
  return `${type} ${lengths} ${options.curveToleranceMetres}`;
}

/** Loads a part. One that should have geometry and has none is a hole: it fails the article or is left out: D-542. */
async function orHole(
  load: (name: string, part: Part, input: LoadInput) => Promise<KeyedMesh>,
  name: string,
  part: Part,
  input: LoadInput,
): Promise<KeyedMesh | undefined> {
  const { options, losses } = input;
  try {
    return await load(name, part, input);
  } catch (error) {
    const { code, message } = asConverterError(error);
    if (!options.allowMissingParts || code === 'INTERNAL' || code === 'SCENE_TOO_LARGE')
      throw error;
    losses.counts.skippedNodes++;
    losses.warn(code, message);
    const { type, blockName, params, unreadable } = part.node;
    const sent =
      type === 'imp'
        ? { where: name || part.path, field: 'btgname', value: blockName }
        : { where: part.path, field: 'params', value: params };
    // An unreadable name was already reported as a loss of its node.
    if (unreadable?.btgname === undefined) losses.add({ ...sent, done: 'part left out' });
    return undefined;
  }
}

/** Loads a solid, which has at most 9,024 triangles, so it may be made before they are counted. */
async function loadSolid(key: string, part: Part, { options, cache }: LoadInput) {
  const mesh = cache.get(key, () => makeSolid(part.node, options));
  if (mesh) return { key, name: part.path, mesh };
  const { type, params } = part.node;
  const message = `node ${part.path}, params: expected the lengths of a ${type}, received ${describe(params)}`;
  throw new ConverterError('SOLID_INVALID', message);
}

/** Size of blocks with about 5,000 triangles or more: reading one back takes an eighth of decoding and preparing it. */
const STORED_FROM_BYTES = 200 * 1024;

async function loadBlock(name: string, part: Part, input: LoadInput): Promise<KeyedMesh> {
  const { snapshot, read, decoded, options, cache, losses, ahead, expectRoom } = input;
  const { maxSurfaces = Infinity, release, betweenSteps } = input;
  const fetched = snapshot.blocks.get(name);
  if (!fetched || 'missing' in fetched) {
    if (name !== '') throw missingError(fetched, 'BLOCK_MISSING', `block ${name}`);
    const received = describe(part.node.unreadable?.btgname);
    const message = `node ${part.path}: expected the name of a block, received ${received}`;
    throw new ConverterError('BLOCK_MISSING', message);
  }
  const { digest } = fetched;
  const key = `${digest} ${meshOptionsKey(options)}`;
  const prepare = async () => {
    const early = await ahead.meshOf(digest);
    if (early) return early;
    // The separate function does not keep the body.
    const readBlock = async () => {
      const bytes = await read(digest);
      if (!hasFewSurfaces(bytes, maxSurfaces)) throw tooManySurfaces(name, maxSurfaces);
      const block = decode(name, bytes);
      await release?.(bytes);
      return block;
    };
    const block = decoded?.block(digest) ?? (await readBlock());
    if (block.surfaces.length > maxSurfaces) throw tooManySurfaces(name, maxSurfaces);
    await betweenSteps?.();
    let received = 0;
    for (const { triangles } of block.surfaces) received += Math.ceil(triangles.length / 3);
    expectRoom(received, part);
    return prepareBlock(block, options);
  };
  const isStored = fetched.bytes >= STORED_FROM_BYTES;
  const mesh = await cache.getAsync(key, prepare, isStored ? 'stored' : undefined);
  await betweenSteps?.();
  report(name, mesh, losses);
  return { key, name, mesh };
}

/** Whether a body has few surfaces, checked without decoding: each surface is an object, and so is the block. */
function hasFewSurfaces(bytes: Uint8Array, most: number): boolean {
  if (most === Infinity) return true;
  let objects = 0;
  for (let at = -1; objects <= most + 1; objects++) {
    at = bytes.indexOf(OPEN_BRACE, at + 1);
    if (at < 0) return true;
  }
  return false;
}

function tooManySurfaces(name: string, most: number): ConverterError {
  const message = `block ${name}: expected at most ${most} surfaces, received more`;
  return new ConverterError('SCENE_TOO_LARGE', message);
}

function decode(name: string, bytes: Uint8Array): Block {
  try {
    return decodeBlock(bytes);
  } catch (cause) {
    const { code, message } = asConverterError(cause);
    throw new ConverterError(code, `block ${name}: ${message}`, { cause });
  }
}

/** Reports losses once for each block of an article, however often it is used. */
function report(name: string, mesh: PreparedMesh, losses: Losses): void {
  const { counts, surfaces, unreadableClosed = [] } = mesh;
  const { droppedTriangles, duplicateTriangles, flippedSurfaces, unusableUvs } = counts;
  losses.counts.droppedTriangles += droppedTriangles;
  losses.counts.duplicateTriangles += duplicateTriangles;
  losses.counts.flippedSurfaces += flippedSurfaces;
  if (surfaces.length === 0 && droppedTriangles > 0) {
    const message = `block ${name}: expected triangles that can be drawn, received ${droppedTriangles} invalid ones`;
    throw new ConverterError('BLOCK_INVALID', message);
  }
  if (surfaces.length === 0) losses.warn('BLOCK_EMPTY', `block ${name} has no triangles`);
  if (droppedTriangles > 0) {
    const message = `block ${name}: ${droppedTriangles} invalid triangles dropped`;
    losses.warn('TRIANGLES_DROPPED', message);
    losses.add({ where: name, field: 'F', value: droppedTriangles, done: 'triangles dropped' });
  }
  if (unusableUvs > 0) {
    const message = `block ${name}: stored UVs of ${unusableUvs} surfaces are unusable`;
    losses.warn('UVS_UNUSABLE', message);
    losses.add({ where: name, field: 'TI', value: unusableUvs, done: 'projected instead' });
  }
  const done = 'cannot be read: derived from the edges';
  for (const value of unreadableClosed) losses.add({ where: name, field: 'C', value, done });
}
