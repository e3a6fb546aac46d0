/**
 * Transform: the snapshot of one article becomes a scene in glTF terms.
 *
 * In: a snapshot, its bodies by digest, options; image work is handed in. Out: a {@link Scene}.
 * It must not know the network, files, clocks, or whose article it is.
 */

import type { PartsList } from '../model/graphics.ts';
import type { ImageCodec } from '../model/image-codec.ts';
import type { Scene } from '../model/scene.ts';
import type { ArticleSnapshot, ContentReader } from '../model/snapshot.ts';
import type { TangentGenerator } from '../model/tangent-generator.ts';
import { decodePartsList } from '../service/wire-parts-list.ts';
import { ConverterError } from '../support/errors.ts';
import { assembleScene } from './assemble-scene.ts';
import type { ConvertOptions } from './convert-options.ts';
import { flattenPartsList } from './flatten.ts';
import { createLedger } from './ledger.ts';
import { loadMeshes } from './load-meshes.ts';
import type { MaterialExplanation } from './material-trace.ts';
import type { MeshCache } from './mesh-cache.ts';
import { resolveMaterials } from './resolve-materials.ts';
import { createTexturePacker } from './texture-pack.ts';

/** What one conversion works on. */
export interface TransformInput {
  snapshot: ArticleSnapshot;
  read: ContentReader;
  options: ConvertOptions;
  images: ImageCodec;
  /** Asked for where `tangents` is `mikktspace`. */
  loadTangents: () => Promise<TangentGenerator>;
  /** Told how each material came to look as it does. */
  explain?: ((explanation: MaterialExplanation) => void) | undefined;
  /** Shared by all articles of a run. */
  cache: MeshCache;
}

/**
 * Transforms one article.
 *
 * @returns Frame: +X right, +Y up, +Z front, metres. Equal input gives an equal scene.
 * @throws {@link ConverterError} `PARTS_LIST_INVALID`, `BLOCK_MISSING`, `BLOCK_INVALID`,
 * `NOTHING_TO_DRAW`, and `LOSSES_REFUSED` with `strict`.
 *
 * @example
 * ```ts
 * const scene = await transformArticle({ snapshot, read, options: CONVERT_DEFAULTS, … });
 * scene.triangles; // → 10372
 * ```
 *
 * @see D-101 to D-550.
 */
export async function transformArticle(input: TransformInput): Promise<Scene> {
  const { snapshot, read, options, images, cache } = input;
  const ledger = createLedger();
  const tangents = options.tangents === 'mikktspace' ? await input.loadTangents() : undefined;
  const bench = { snapshot, read, options, cache, ledger, tangents };
  const partsList = decodePartsList(await read(snapshot.partsList));
  expectDepth(partsList, options);
  const flat = flattenPartsList(partsList.nodes, options, ledger);
  const meshOf = await loadMeshes(flat.parts, bench);
  const packer = createTexturePacker(read, images, options, cache);
  const references = flat.parts.filter(meshOf).map((part) => part.material);
  const materialOf = await resolveMaterials(references, partsList, {
    ...bench,
    packer,
    explain: input.explain,
  });
  const scene = assembleScene(flat, meshOf, materialOf, bench);
  for (const { code, message } of partsList.warnings) ledger.warn(code, message);
  return accept({ ...scene, losses: ledger.losses(), warnings: ledger.warnings() }, options);
}

function expectDepth({ depth }: PartsList, { maxNestingDepth }: ConvertOptions): void {
  if (depth <= maxNestingDepth) return;
  const message = `btg: expected at most ${maxNestingDepth} nested nodes, received ${depth}`;
  throw new ConverterError('PARTS_LIST_TOO_DEEP', message);
}

function accept(scene: Scene, { strict }: ConvertOptions): Scene {
  if (scene.triangles === 0)
    throw new ConverterError(
      'NOTHING_TO_DRAW',
      'parts list: expected a part to draw, received none',
    );
  const [loss] = scene.losses;
  if (strict && loss) {
    const more = scene.losses.length > 1 ? ` and ${scene.losses.length - 1} more` : '';
    const first = `${loss.where}, ${loss.field}: ${loss.done}`;
    throw new ConverterError(
      'LOSSES_REFUSED',
      `strict: expected no loss, received ${first}${more}`,
    );
  }
  return scene;
}
