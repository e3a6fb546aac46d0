/** A glTF in files that articles share: each mesh and each texture is a file, named by its content. */
import type { Accessor, Document, Mesh } from '@gltf-transform/core';
import { sha256Hex } from '../../support/files.ts';
import { SHARED_ADDRESS, type SharedFile } from '../making/maker.ts';
import type { Libraries } from './libraries.ts';

/**
 * Gives each mesh its own buffer and accessors, so that equal meshes of different articles become equal files,
 * whatever else these articles contain. Meshes that differ only in materials share a buffer.
 */
export function separateMeshes(document: Document): void {
  const root = document.getRoot();
  const owned = new Set<Accessor>();
  const places = new Map(root.listAccessors().map((accessor, i) => [accessor, i]));
  const setsByKey = new Map<string, ReadonlyMap<Accessor, Accessor>>();
  const ofMeshes = new Set<Accessor>();
  for (const mesh of root.listMeshes()) {
    const accessors = accessorsOf(mesh);
    const key = accessors.map((accessor) => places.get(accessor)).join();
    let own = setsByKey.get(key);
    if (own === undefined) {
      const buffer = document.createBuffer();
      own = new Map(
        accessors.map((accessor) => {
          const each = owned.has(accessor) ? accessor.clone() : accessor;
          return [accessor, each.setBuffer(buffer)];
        }),
      );
      for (const accessor of accessors) owned.add(accessor);
      setsByKey.set(key, own);
    }
    for (const primitive of mesh.listPrimitives())
      for (const [before, after] of own) if (before !== after) primitive.swap(before, after);
  }
  for (const set of setsByKey.values()) for (const accessor of set.values()) ofMeshes.add(accessor);
  const others = root.listAccessors().filter((accessor) => !ofMeshes.has(accessor));
  // The remaining accessors, such as places of instances, belong to one article.
  const rest = others.length > 0 ? document.createBuffer() : null;
  for (const accessor of others) accessor.setBuffer(rest);
  // A buffer without content would have no length, which glTF requires.
  for (const buffer of root.listBuffers()) {
    if (!buffer.listParents().some((parent) => parent !== root)) buffer.dispose();
  }
}

function accessorsOf(mesh: Mesh): Accessor[] {
  const all = mesh
    .listPrimitives()
    .flatMap((primitive) => [...primitive.listAttributes(), primitive.getIndices() ?? []].flat());
  return [...new Set(all)];
}

/** Writes a document whose buffers and textures become files: a `.gltf`, and each file to which it refers once. */
export async function writeSeparateFiles(
  document: Document,
  { core, io }: Libraries,
): Promise<{ gltf: Uint8Array; shared: SharedFile[] }> {
  const { json, resources } = await io.writeJSON(document, { format: core.Format.GLTF });
  const shared = new Map<string, SharedFile>();
  for (const part of [...(json.buffers ?? []), ...(json.images ?? [])]) {
    if (part.uri === undefined) continue;
    const bytes = resources[part.uri]!;
    const name = `${sha256Hex(bytes)}${/\.\w+$/.exec(part.uri)![0]}`;
    shared.set(name, { name, bytes });
    part.uri = `${SHARED_ADDRESS}${name}`;
  }
  return {
    gltf: new TextEncoder().encode(JSON.stringify(json)),
    shared: [...shared.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
