/**
 * Load meshes: every part gets its prepared mesh, each content decoded once.
 */

import type { ArticleSnapshot, ContentReader } from '../model/snapshot.ts';
import { decodeBlock } from '../service/wire-block.ts';
import { canonicalName } from '../service/wire-value.ts';
import { asConverterError, ConverterError } from '../support/errors.ts';
import type { ConvertOptions } from './convert-options.ts';
import { isSolidType, type Part } from './flatten.ts';
import type { Ledger } from './ledger.ts';
import type { MeshCache } from './mesh-cache.ts';
import { meshOptionsKey, type PreparedMesh, prepareBlock, preparedBytes } from './prepared-mesh.ts';
import { type SolidType, solidLengths } from './solid-params.ts';
import { makeSolid } from './solids.ts';
import { whyMissing } from './why-missing.ts';

/** A mesh with the key that tells its content and options. */
export interface KeyedMesh {
  key: string;
  name: string;
  mesh: PreparedMesh;
}

/** Finds a part's mesh; undefined where the part cannot be drawn. */
export type MeshFinder = (part: Part) => KeyedMesh | undefined;

interface Workbench {
  snapshot: ArticleSnapshot;
  read: ContentReader;
  options: ConvertOptions;
  cache: MeshCache;
  ledger: Ledger;
}

/**
 * Loads the meshes of all parts.
 *
 * @throws {@link ConverterError} `BLOCK_MISSING`, `BLOCK_INVALID` or what fetch met, naming the
 * block; with `allowMissingParts` these are warnings.
 *
 * @see D-303, D-308.
 */
export async function loadMeshes(parts: readonly Part[], bench: Workbench): Promise<MeshFinder> {
  const byKey = new Map<string, KeyedMesh | undefined>();
  for (const part of parts) {
    const key = sourceKey(part);
    if (byKey.has(key)) continue;
    byKey.set(key, isSolidType(part.node.type) ? solid(part, bench) : await block(part, bench));
  }
  return (part) => byKey.get(sourceKey(part));
}

/** What a part is made of, within its article. */
function sourceKey({ node }: Part): string {
  return node.type === 'imp'
    ? `imp ${canonicalName(node.blockName)}`
    : `${node.type} ${solidLengths(node.type as SolidType, node.params)?.join(' ') ?? 'unreadable'}`;
}

function solid(part: Part, { options, cache, ledger }: Workbench): KeyedMesh | undefined {
  const key = `${sourceKey(part)} ${options.curveToleranceMetres}`;
  const mesh = cache.get(key, () => makeSolid(part.node, options), weightOf);
  if (mesh) return { key, name: part.path, mesh };
  ledger.counts.skippedNodes++;
  ledger.warn('SOLID_INVALID', `parameters of a ${part.node.type} cannot be read`, part.path);
  ledger.lose({
    where: part.path,
    field: 'params',
    value: part.node.type,
    done: 'not drawn',
  });
  return undefined;
}

async function block(part: Part, bench: Workbench): Promise<KeyedMesh | undefined> {
  const name = canonicalName(part.node.blockName);
  try {
    const keyed = await loadBlock(name, part, bench);
    count(keyed, bench.ledger);
    return keyed.mesh.surfaces.length > 0 ? keyed : undefined;
  } catch (error) {
    const { code, message } = asConverterError(error);
    if (!bench.options.allowMissingParts || code === 'INTERNAL') throw error;
    bench.ledger.warn(code, message);
    bench.ledger.lose({ where: name, field: 'btgname', value: name, done: 'part left out' });
    return undefined;
  }
}

async function loadBlock(name: string, part: Part, bench: Workbench): Promise<KeyedMesh> {
  const { snapshot, read, options, cache } = bench;
  const fetched = snapshot.blocks.get(name);
  if (!fetched || 'missing' in fetched) {
    throw name === ''
      ? new ConverterError('BLOCK_MISSING', `node ${part.path} names no block`)
      : whyMissing(fetched, 'BLOCK_MISSING', `block ${name}`);
  }
  const key = `${fetched.digest} ${meshOptionsKey(options)}`;
  const mesh = await cache.getAsync(
    key,
    async () => prepareBlock(decode(name, await read(fetched.digest)), options),
    preparedBytes,
  );
  return { key, name, mesh };
}

function decode(name: string, bytes: Uint8Array) {
  try {
    return decodeBlock(bytes);
  } catch (cause) {
    const { code, message } = asConverterError(cause);
    throw new ConverterError(code, `block ${name}: ${message}`, { cause });
  }
}

function weightOf(mesh: PreparedMesh | undefined): number {
  return mesh ? preparedBytes(mesh) : 8;
}

/** Once per block of an article, however often it is used. */
function count({ name, mesh }: KeyedMesh, ledger: Ledger): void {
  const { droppedTriangles, duplicateTriangles, flippedSurfaces, unusableUvs } = mesh.counts;
  ledger.counts.droppedTriangles += droppedTriangles;
  ledger.counts.duplicateTriangles += duplicateTriangles;
  ledger.counts.flippedSurfaces += flippedSurfaces;
  if (mesh.surfaces.length === 0) {
    ledger.warn('BLOCK_EMPTY', `block ${name} has no triangle that can be drawn`);
    ledger.lose({ where: name, field: 'A', value: '', done: 'part left out' });
  } else if (droppedTriangles > 0) {
    ledger.warn(
      'TRIANGLES_DROPPED',
      `block ${name}: ${droppedTriangles} invalid triangles dropped`,
    );
  }
  if (unusableUvs > 0) {
    ledger.warn(
      'UVS_UNUSABLE',
      `block ${name}: stored UVs of ${unusableUvs} surfaces are unusable`,
    );
    ledger.lose({ where: name, field: 'TI', value: '', done: 'projected instead' });
  }
}
