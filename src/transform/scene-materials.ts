/**
 * Scene materials: resolved materials enter a scene, one entry a name and sidedness, and bring their
 * images along, one entry a content.
 */
import type { Scene, SceneMaterial, TextureUse } from '../model/scene.ts';
import type { ContentPool } from './content-pool.ts';
import type { PlacedImage, ResolvedMaterial } from './resolve-materials.ts';

/** Finds or adds materials of a scene. */
export interface SceneMaterials {
  /** Index into {@link Scene.materials}. */
  indexOf(material: ResolvedMaterial, doubleSided: boolean): number;
}

/** Makes the finder for a scene, which it fills. */
export function createSceneMaterials(scene: Scene, pool: ContentPool): SceneMaterials {
  const known = [new Map<ResolvedMaterial, number>(), new Map<ResolvedMaterial, number>()];
  const imageIndex = new Map<Uint8Array, number>();

  function imageFor({ image }: PlacedImage): number {
    const bytes = pool.intern(image.bytes);
    let index = imageIndex.get(bytes);
    if (index === undefined) {
      index = scene.images.push({ ...image, bytes }) - 1;
      imageIndex.set(bytes, index);
    }
    return index;
  }

  function use(placed: PlacedImage | undefined): TextureUse | undefined {
    return placed && { image: imageFor(placed), uvSet: placed.uvSet, transform: placed.transform };
  }

  return {
    indexOf(resolved, doubleSided) {
      const bySide = known[doubleSided ? 1 : 0]!;
      let index = bySide.get(resolved);
      if (index === undefined) {
        index = scene.materials.push(sceneMaterial(resolved, doubleSided, use)) - 1;
        bySide.set(resolved, index);
      }
      return index;
    },
  };
}

function sceneMaterial(
  { look, images, extras }: ResolvedMaterial,
  doubleSided: boolean,
  use: (placed: PlacedImage | undefined) => TextureUse | undefined,
): SceneMaterial {
  const { images: _wanted, kept: _kept, ...values } = look;
  return {
    ...values,
    doubleSided,
    baseColorTexture: use(images.baseColorTexture),
    metallicRoughnessTexture: use(images.metallicRoughnessTexture),
    normalTexture: use(images.normalTexture),
    emissiveTexture: use(images.emissiveTexture),
    extras,
  };
}
