/** The delivery of a target profile: one GLB of each master. */
import type { Maker } from './maker.ts';
import { PROFILES, type ProfileName } from './profiles.ts';
import type { EncodeTexture } from './texture-encoder.ts';

/** Raise it where the same model gets another file. */
const VERSION = 1;

/** One is encoded while another is read. */
const AT_ONCE = 2;

/**
 * Makes the files of a profile.
 *
 * @example
 * ```ts
 * const [{ bytes, facts }] = await createProfileMaker('web').make(master, ['model.glb']);
 * facts.requiredExtensions;   // → 'EXT_meshopt_compression EXT_texture_webp KHR_mesh_quantization'
 * ```
 */
export function createProfileMaker(name: ProfileName): Maker {
  const profile = PROFILES[name];
  let encode: EncodeTexture | undefined;
  return {
    name,
    files: [{ name: 'model.glb', key: `${VERSION} ${JSON.stringify(profile)}` }],
    atOnce: AT_ONCE,
    async make(master) {
      const { optimize } = await import('./optimize.ts');
      const { encodeTexture, remembering } = await import('./texture-encoder.ts');
      encode ??= remembering(encodeTexture);
      const { bytes, figures, changedTransforms } = await optimize(master, profile, encode);
      const { triangles, drawCalls, images, extensionsRequired } = figures;
      const sides = images.map(({ width, height }) => Math.max(width, height));
      const facts = {
        triangles,
        drawCalls,
        textures: images.length,
        largestTexture: Math.max(0, ...sides),
        requiredExtensions: extensionsRequired.join(' '),
        ...(changedTransforms > 0 && { changedTransforms }),
      };
      return [{ bytes, facts }];
    },
    async close() {
      encode = undefined;
    },
  };
}
