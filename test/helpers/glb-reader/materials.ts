/** Materials: the values of a glTF material with its extensions and defaults resolved. */
import type { GLTF } from '@gltf-transform/core';
import type { Vec2, Vec3 } from '../evaluator/vectors.ts';
import type { Glb, GlbJson } from './document.ts';
import { entry, must } from './refusal.ts';

// biome-ignore lint/suspicious/noExplicitAny: checked key by key where it is read
type Extensions = Record<string, any>;

export interface ReadTexture {
  bytes: Uint8Array;
  mimeType: string;
  uvSet: number;
  /** Applies KHR_texture_transform to a stored coordinate, V down. */
  address: (uv: Vec2) => Vec2;
  transformed: boolean;
}

/** Colours are linear. */
export interface ReadMaterial {
  name: string;
  doubleSided: boolean;
  baseColor: Vec3;
  alpha: number;
  blend: boolean;
  baseTexture: ReadTexture | undefined;
  metallic: number;
  roughness: number;
  metallicRoughnessTexture: ReadTexture | undefined;
  normalTexture: ReadTexture | undefined;
  /** Factor times strength. */
  emission: Vec3;
  emissionTexture: ReadTexture | undefined;
  transmission: number;
  ior: number | undefined;
  specular: number | undefined;
  clearcoat: { factor: number; roughness: number } | undefined;
  sheen: { color: Vec3; roughness: number } | undefined;
  extras: unknown;
}

const KNOWN = [
  'KHR_materials_transmission',
  'KHR_materials_ior',
  'KHR_materials_specular',
  'KHR_materials_emissive_strength',
  'KHR_materials_clearcoat',
  'KHR_materials_sheen',
];
const REPEAT = 10_497;

export function readMaterial(glb: Glb, index: number): ReadMaterial {
  const what = `materials[${index}]`;
  const json = entry(glb.json.materials, index, 'materials');
  const extensions: Extensions = json.extensions ?? {};
  for (const name of Object.keys(extensions)) must(KNOWN.includes(name), `${what}: ${name}`);
  const pbr = json.pbrMetallicRoughness ?? {};
  const color = pbr.baseColorFactor ?? [1, 1, 1, 1];
  const strength = extensions.KHR_materials_emissive_strength?.emissiveStrength ?? 1;
  const glow = json.emissiveFactor ?? [0, 0, 0];
  const mode = json.alphaMode ?? 'OPAQUE';
  must(mode === 'OPAQUE' || mode === 'BLEND', `${what}: alpha mode ${mode}`);
  checkFactors(json, what);
  return {
    // The second of two of one name says which side it has: D-530.
    name: (json.name ?? '').replace(/ \((?:single|double)-sided\)$/, ''),
    doubleSided: json.doubleSided ?? false,
    baseColor: [color[0]!, color[1]!, color[2]!],
    alpha: mode === 'OPAQUE' ? 1 : color[3]!,
    blend: mode === 'BLEND',
    baseTexture: texture(pbr.baseColorTexture),
    metallic: pbr.metallicFactor ?? 1,
    roughness: pbr.roughnessFactor ?? 1,
    metallicRoughnessTexture: texture(pbr.metallicRoughnessTexture),
    normalTexture: texture(json.normalTexture),
    emission: [glow[0]! * strength, glow[1]! * strength, glow[2]! * strength],
    emissionTexture: texture(json.emissiveTexture),
    ...layers(extensions),
    extras: json.extras,
  };

  function texture(info: GLTF.ITextureInfo | undefined): ReadTexture | undefined {
    return info && readTexture(glb, info, what);
  }
}

function layers(extensions: Extensions) {
  const coat = extensions.KHR_materials_clearcoat;
  const sheen = extensions.KHR_materials_sheen;
  return {
    transmission: extensions.KHR_materials_transmission?.transmissionFactor ?? 0,
    ior: extensions.KHR_materials_ior?.ior as number | undefined,
    specular: extensions.KHR_materials_specular?.specularFactor as number | undefined,
    clearcoat: coat && {
      factor: coat.clearcoatFactor ?? 0,
      roughness: coat.clearcoatRoughnessFactor ?? 0,
    },
    sheen: sheen && {
      color: sheen.sheenColorFactor ?? [0, 0, 0],
      roughness: sheen.sheenRoughnessFactor ?? 0,
    },
  };
}

function checkFactors(json: GLTF.IMaterial, what: string): void {
  const pbr = json.pbrMetallicRoughness ?? {};
  const factors = [
    ...(pbr.baseColorFactor ?? []),
    ...(json.emissiveFactor ?? []),
    pbr.metallicFactor ?? 1,
    pbr.roughnessFactor ?? 1,
  ];
  must(
    factors.every((f) => Number.isFinite(f) && f >= 0 && f <= 1),
    `${what}: a factor not in 0..1`,
  );
  must((json.normalTexture?.scale ?? 1) === 1, `${what}: a scaled normal map`);
}

function readTexture(glb: Glb, info: GLTF.ITextureInfo, what: string): ReadTexture {
  const { json } = glb;
  const texture = entry(json.textures, info.index, `${what} texture`);
  const sampler = texture.sampler === undefined ? {} : entry(json.samplers, texture.sampler, what);
  must((sampler.wrapS ?? REPEAT) === REPEAT, `${what}: wrapS is not REPEAT`);
  must((sampler.wrapT ?? REPEAT) === REPEAT, `${what}: wrapT is not REPEAT`);
  const extensions: Extensions = info.extensions ?? {};
  for (const name of Object.keys(extensions))
    must(name === 'KHR_texture_transform', `${what}: texture extension ${name}`);
  const khr = extensions.KHR_texture_transform;
  const [ox, oy] = khr?.offset ?? [0, 0];
  const [sx, sy] = khr?.scale ?? [1, 1];
  const c = Math.cos(khr?.rotation ?? 0);
  const s = Math.sin(khr?.rotation ?? 0);
  must([ox, oy, sx, sy, c, s].every(Number.isFinite), `${what}: a transform is not finite`);
  return {
    ...imageOf(json, glb.bin, texture.source, what),
    uvSet: khr?.texCoord ?? info.texCoord ?? 0,
    address: ([u, v]) => [c * sx * u + s * sy * v + ox, -s * sx * u + c * sy * v + oy],
    transformed: khr !== undefined,
  };
}

function imageOf(json: GlbJson, bin: Uint8Array, source: number | undefined, what: string) {
  const image = entry(json.images, source, `${what} image`);
  must(image.uri === undefined, `${what}: an image outside the file`);
  const view = entry(json.bufferViews, image.bufferView, `${what} image`);
  must(view.byteStride === undefined && view.target === undefined, `${what}: image view`);
  const start = view.byteOffset ?? 0;
  must(start + view.byteLength <= bin.length, `${what}: image runs past the buffer`);
  const bytes = bin.subarray(start, start + view.byteLength);
  const jpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  const png = bytes[0] === 0x89 && bytes[1] === 0x50;
  must(jpeg || png, `${what}: image is neither JPEG nor PNG`);
  must(image.mimeType === (jpeg ? 'image/jpeg' : 'image/png'), `${what}: wrong mimeType`);
  return { bytes, mimeType: image.mimeType! };
}
