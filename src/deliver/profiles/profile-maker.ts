/** The delivery of a target profile: one GLB or `.gltf` per master. */
import pLimit from 'p-limit';
import type { MadeFile, Maker } from '../making/maker.ts';
import { createOnce, type Once } from '../making/once.ts';
import type { Renderer } from '../pictures/renderer.ts';
import { PROFILES, type Profile, type ProfileName } from './profiles.ts';
import type { TextureEncoder } from './texture-encoder.ts';

/** Increase this version if the same model gets another file. */
const VERSION = 4;

/** One master is encoded while another is read. */
const AT_ONCE = 2;

/** What a maker works with. */
export interface ProfileTools {
  /** Encodes and compares a texture once for several makers. @defaultValue once for this maker */
  once?: Once;
  /** Of so many compressed files, pictures are compared too; a browser cannot read KTX2. */
  pictures?: { renderer: Renderer | undefined; count: number } | undefined;
  /** Makes the files whose pictures are not compared. @defaultValue the maker itself */
  inThread?: Required<Pick<Maker, 'make' | 'makeFromFile'>> | undefined;
}

/**
 * Makes the files of a profile. What is compressed is decoded and compared with the master.
 *
 * @param profile - The requirements, if a pipeline chooses some of them.
 * @example
 * ```ts
 * const [{ bytes, facts }] = await createProfileMaker('web').make(master, ['model.glb']);
 * facts.requiredExtensions;   // → 'EXT_meshopt_compression EXT_texture_webp KHR_mesh_quantization'
 * ```
 */
export function createProfileMaker(
  name: ProfileName,
  profile: Profile = PROFILES[name],
  { once = createOnce(), pictures, inThread }: ProfileTools = {},
): Maker {
  const file = profile.files === 'shared' ? 'model.gltf' : 'model.glb';
  const isCompressed = profile.geometry !== 'plain' || profile.format === 'webp';
  let remaining = isCompressed && profile.format !== 'ktx2' ? (pictures?.count ?? 0) : 0;
  let encoder: TextureEncoder | undefined;
  let isNotCompared = false;
  const turn = pLimit(AT_ONCE);
  const makeHere = async (master: Uint8Array, isCompared: boolean): Promise<MadeFile[]> => {
    const { optimize } = await import('./optimize.ts');
    const { openTextureEncoder } = await import('./texture-encoder.ts');
    encoder ??= openTextureEncoder(once);
    const made = await optimize(master, profile, encoder.encode, once);
    if (isCompared) {
      const { comparePictures } = await import('./check-back.ts');
      if (!(await comparePictures(pictures?.renderer, master, made.decoded))) isNotCompared = true;
    }
    const { triangles, drawCalls, images, extensionsRequired } = made.figures;
    const sides = images.map(({ width, height }) => Math.max(width, height));
    const facts = {
      triangles,
      drawCalls,
      textures: images.length,
      largestTexture: Math.max(0, ...sides),
      requiredExtensions: extensionsRequired.join(' '),
      ...(made.movedMillimetres > 0 && {
        movedMillimetres: Number(made.movedMillimetres.toFixed(3)),
      }),
      ...(made.changedTransforms > 0 && { changedTransforms: made.changedTransforms }),
    };
    const { bytes, shared } = made;
    return [{ bytes, facts, ...(shared.length > 0 && { shared }) }];
  };
  return {
    name,
    isFlat: profile.files === 'shared',
    files: [{ name: file, key: `${VERSION} ${JSON.stringify(profile)}` }],
    atOnce: AT_ONCE,
    isMadeLate: remaining > 0,
    // Where pictures are compared, all come through `make`, which counts them.
    ...(remaining === 0 && inThread && { makeFromFile: inThread.makeFromFile }),
    async make(master, names, spend) {
      const isCompared = remaining-- > 0;
      if (!isCompared && inThread !== undefined) return inThread.make(master, names, spend);
      return turn(() => makeHere(master, isCompared));
    },
    limitation() {
      if (isNotCompared) return `${name}: without a browser, no pictures were compared`;
      if (profile.format !== 'ktx2') return undefined;
      return `${name}: its KTX2 textures were not compared with those of the masters`;
    },
    async close() {
      await encoder?.close();
      encoder = undefined;
      await pictures?.renderer?.close();
    },
  };
}
