/** Usage: refuses entries that nothing refers to, and extensions that are not declared. */
import type { GLTF } from '@gltf-transform/core';
import type { GlbJson } from './document.ts';
import { must } from './refusal.ts';

/** Checks each list of the document against what refers to it. */
export function refuseUnused(json: GlbJson): void {
  const primitives = (json.meshes ?? []).flatMap((mesh) => mesh.primitives);
  const textures = (json.materials ?? []).flatMap(texturesOf).map((info) => info.index);
  const accessors = primitives.flatMap((p) => [...Object.values(p.attributes), p.indices]);
  const views = [
    ...(json.accessors ?? []).map((accessor) => accessor.bufferView),
    ...(json.images ?? []).map((image) => image.bufferView),
  ];
  const lists: [string, readonly unknown[] | undefined, (number | undefined)[]][] = [
    ['meshes', json.meshes, (json.nodes ?? []).map((node) => node.mesh)],
    ['accessors', json.accessors, accessors],
    ['materials', json.materials, primitives.map((p) => p.material)],
    ['textures', json.textures, textures],
    ['images', json.images, (json.textures ?? []).map((texture) => texture.source)],
    ['samplers', json.samplers, (json.textures ?? []).map((texture) => texture.sampler)],
    ['bufferViews', json.bufferViews, views],
  ];
  for (const [name, list, uses] of lists) {
    const used = new Set(uses);
    must(list?.length !== 0, `${name}: an empty list`);
    list?.forEach((_, index) => {
      must(used.has(index), `${name}[${index}]: nothing refers to it`);
    });
  }
  checkExtensions(json);
  checkOverlap(json);
}

function texturesOf(material: GLTF.IMaterial): GLTF.ITextureInfo[] {
  const pbr = material.pbrMetallicRoughness;
  const all = [
    pbr?.baseColorTexture,
    pbr?.metallicRoughnessTexture,
    material.normalTexture,
    material.emissiveTexture,
  ];
  return all.filter((info) => info !== undefined);
}

function checkExtensions(json: GlbJson): void {
  const used = new Set<string>();
  for (const material of json.materials ?? []) {
    for (const name of Object.keys(material.extensions ?? {})) used.add(name);
    for (const info of texturesOf(material))
      for (const name of Object.keys(info.extensions ?? {})) used.add(name);
  }
  const declared = [...(json.extensionsUsed ?? [])].sort();
  must(
    declared.join() === [...used].sort().join(),
    `extensionsUsed: declares ${declared.join()}, the file uses ${[...used].sort().join()}`,
  );
  for (const name of json.extensionsRequired ?? [])
    must(used.has(name), `extensionsRequired: ${name} is not used`);
}

/** Two buffer views never share a byte. */
function checkOverlap(json: GlbJson): void {
  const spans = (json.bufferViews ?? [])
    .map((view) => ({ from: view.byteOffset ?? 0, to: (view.byteOffset ?? 0) + view.byteLength }))
    .sort((a, b) => a.from - b.from);
  spans.forEach((span, index) => {
    const before = spans[index - 1];
    if (before) must(before.to <= span.from, `bufferViews: bytes ${span.from} are shared`);
  });
}
