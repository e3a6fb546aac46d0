/** Transform: the snapshot of one article becomes a scene in glTF terms. */

import type { ImageCodec } from '../../model/image-codec.ts';
import { ConverterError } from '../../support/errors.ts';
import type { PartsList } from '../model/graphics.ts';
import type { ContentReader, ConversionInput, DecodedReader } from '../model/input.ts';
import type { Scene, TangentGenerator } from '../model/scene.ts';
import { decodePartsList } from '../wire/parts-list.ts';
import { assembleScene } from './assemble-scene.ts';
import type { ConvertOptions } from './convert-options.ts';
import { flattenPartsList } from './flatten.ts';
import { loadMeshes, type PrepareAhead } from './load-meshes.ts';
import { Losses } from './losses.ts';
import type { MaterialExplanation } from './material-table.ts';
import type { MeshCache } from './mesh-cache.ts';
import { resolveMaterials } from './resolve-materials.ts';
import { TexturePacker } from './texture-pack.ts';

interface TransformInput {
  snapshot: ConversionInput;
  read: ContentReader;
  /** Bodies decoded earlier in the run; they are neither read nor decoded again. */
  decoded?: DecodedReader | undefined;
  options: ConvertOptions;
  images: ImageCodec;
  /** Loads the generator for the option `tangents: mikktspace`, such as `loadTangentGenerator`. */
  loadTangents?: (() => Promise<TangentGenerator>) | undefined;
  explain?: ((explanation: MaterialExplanation) => void) | undefined;
  /** Cache that all articles of a run share. */
  cache: MeshCache;
  prepareAhead?: PrepareAhead | undefined;
  /** Most surfaces of a block; a block with more is `SCENE_TOO_LARGE`. @defaultValue no limit */
  maxSurfaces?: number | undefined;
  /** Receives each body of a block that `read` returned, once it is decoded and no longer used. */
  release?: ((body: Uint8Array) => Promise<void>) | undefined;
  /** Called between the steps of a block, to free lists that are no longer needed and to do other work meanwhile. */
  betweenSteps?: (() => void | Promise<void>) | undefined;
}

/**
 * Transforms one article (D-101 to D-550).
 *
 * @returns Frame: +X right, +Y up, +Z front, metres. Equal input gives an equal scene.
 * @throws {@link ConverterError} `PARTS_LIST_INVALID`, `PARTS_LIST_TOO_DEEP`, `BLOCK_MISSING`,
 * `BLOCK_INVALID`, `IMAGE_UNREADABLE`, `NOTHING_TO_DRAW`, `LOSSES_REFUSED` with `strict`, and `USAGE` without
 * `loadTangents` if it is needed.
 */
export async function transformArticle(input: TransformInput): Promise<Scene> {
  const { snapshot, read, decoded, options, images, cache } = input;
  const losses = new Losses(options.expectedLosses, options.maxListedLosses);
  const tangents = options.tangents === 'mikktspace' ? await loadTangents(input) : undefined;
  const partsList =
    decoded?.partsList(snapshot.partsList) ?? decodePartsList(await read(snapshot.partsList));
  expectFewNodes(partsList, options);
  const { manufacturer, program } = snapshot.key;
  const names = [`${manufacturer}::${program}::`, ...partsList.blockNames];
  const flat = flattenPartsList(partsList.nodes, options, losses, names);
  const { meshes, holes } = await loadMeshes(flat.parts, { ...input, losses });
  const packer = new TexturePacker(read, images, options, cache);
  const references = Array.from(meshes.keys(), (part) => part.material);
  const materialOf = await resolveMaterials(references, partsList, { ...input, packer, losses });
  const scene = assembleScene(flat, meshes, materialOf, {
    ...{ options, cache, losses, tangents },
    holes,
  });
  for (const { code, message } of partsList.warnings) losses.warn(code, message);
  const usedOverrides = Object.keys(options.overrides).length > 0 && {
    usedOverrides: [...losses.usedOverrides].sort(),
  };
  return accepted({ ...scene, ...losses.listed(), ...usedOverrides }, options);
}

function loadTangents(input: TransformInput): Promise<TangentGenerator> {
  if (input.loadTangents) return input.loadTangents();
  const expected = 'a function, since options.tangents is mikktspace';
  throw new ConverterError('USAGE', `loadTangents: expected ${expected}, received nothing`, {
    help: 'pass loadTangentGenerator',
  });
}

function expectFewNodes(
  { depth, nodeCount }: PartsList,
  { maxNestingDepth, maxNodes }: ConvertOptions,
): void {
  if (nodeCount > maxNodes) {
    const message = `btg: expected at most ${maxNodes} nodes, received ${nodeCount}`;
    throw new ConverterError('SCENE_TOO_LARGE', message);
  }
  if (depth <= maxNestingDepth) return;
  const message = `btg: expected at most ${maxNestingDepth} nested nodes, received ${depth}`;
  throw new ConverterError('PARTS_LIST_TOO_DEEP', message);
}

function accepted(scene: Scene, { strict }: ConvertOptions): Scene {
  if (scene.triangles === 0) {
    const message = 'parts list: expected a part to draw, received none';
    throw new ConverterError('NOTHING_TO_DRAW', message);
  }
  const unexpected = scene.losses.filter(({ expected }) => !expected);
  const [loss] = unexpected;
  if (strict && loss) {
    const more = unexpected.length > 1 ? ` and ${unexpected.length - 1} more` : '';
    const first = `${loss.where}, ${loss.field}: ${loss.done}`;
    const message = `strict: expected no loss, received ${first}${more}`;
    throw new ConverterError('LOSSES_REFUSED', message);
  }
  return scene;
}
