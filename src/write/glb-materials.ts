/**
 * GLB materials: materials of a scene as glTF objects with their extensions.
 */
import type { LinearRgb, SceneMaterial, TextureUse } from '../model/scene.ts';
import type { GltfObject } from './glb-binary.ts';

type TextureIndex = (use: TextureUse, meaning: 'color' | 'data') => number;

/**
 * Makes the writer of one document's materials.
 *
 * @param textureIndex - Finds or adds a texture.
 * @param extensions - Takes the name of each extension that is used.
 *
 * @see D-500 for where each value comes from.
 */
export function createMaterialWriter(
  textureIndex: TextureIndex,
  extensions: Set<string>,
): (material: SceneMaterial) => GltfObject {
  function texture(use: TextureUse | undefined, meaning: 'color' | 'data'): GltfObject | undefined {
    if (!use) return undefined;
    const info: GltfObject = { index: textureIndex(use, meaning) };
    if (use.uvSet !== 0) info.texCoord = use.uvSet;
    if (!use.transform) return info;
    extensions.add('KHR_texture_transform');
    return { ...info, extensions: { KHR_texture_transform: textureTransform(use.transform) } };
  }

  return (material) => {
    const materialExtensions = extensionsOf(material);
    for (const name of Object.keys(materialExtensions)) extensions.add(name);
    const emits = material.emissiveLinear.some((value) => value > 0);
    return compact({
      name: material.name,
      pbrMetallicRoughness: compact({
        baseColorFactor: baseColorFactor(material),
        baseColorTexture: texture(material.baseColorTexture, 'color'),
        metallicFactor: material.metallic === 1 ? undefined : material.metallic,
        roughnessFactor: material.roughness === 1 ? undefined : material.roughness,
        metallicRoughnessTexture: texture(material.metallicRoughnessTexture, 'data'),
      }),
      normalTexture: texture(material.normalTexture, 'data'),
      emissiveFactor: emits ? material.emissiveLinear : undefined,
      emissiveTexture: emits ? texture(material.emissiveTexture, 'color') : undefined,
      alphaMode: material.alphaMode === 'OPAQUE' ? undefined : material.alphaMode,
      doubleSided: material.doubleSided ? true : undefined,
      extensions: Object.keys(materialExtensions).length > 0 ? materialExtensions : undefined,
      extras: material.extras,
    });
  };
}

function baseColorFactor({ baseColorLinear, alpha }: SceneMaterial): number[] | undefined {
  const factor = [...baseColorLinear, alpha];
  return factor.every((value) => value === 1) ? undefined : factor;
}

function textureTransform({
  offset,
  rotationRadians,
  scale,
}: NonNullable<TextureUse['transform']>): GltfObject {
  return compact({
    offset: offset[0] === 0 && offset[1] === 0 ? undefined : offset,
    rotation: rotationRadians === 0 ? undefined : rotationRadians,
    scale: scale[0] === 1 && scale[1] === 1 ? undefined : scale,
  });
}

function extensionsOf(material: SceneMaterial): GltfObject {
  const { clearcoat, sheen, specular, ior, transmission, emissiveStrength } = material;
  const emits = material.emissiveLinear.some((value) => value > 0);
  return compact({
    KHR_materials_clearcoat: clearcoat && {
      clearcoatFactor: clearcoat.factor,
      clearcoatRoughnessFactor: clearcoat.roughness,
    },
    KHR_materials_emissive_strength:
      emits && emissiveStrength !== 1 ? { emissiveStrength } : undefined,
    KHR_materials_ior: ior === undefined ? undefined : { ior },
    KHR_materials_sheen: sheen && {
      sheenColorFactor: rgb(sheen.colorLinear),
      sheenRoughnessFactor: sheen.roughness,
    },
    KHR_materials_specular: specular === undefined ? undefined : { specularFactor: specular },
    KHR_materials_transmission: transmission > 0 ? { transmissionFactor: transmission } : undefined,
  });
}

function rgb(color: LinearRgb): number[] {
  return [...color];
}

/** Leaves out what is undefined. */
function compact(object: GltfObject): GltfObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
