/** Images of models that are shown one after the other: configurations of an article have most of them in common. */
import { Texture, TextureSource } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/** Reads the images of models, those of the model before without decoding and uploading them again. */
export interface SharedImages {
  /** Reads the images of a parser as the graphics need them. */
  readFor(parser: GLTFParser): void;
  /** The model that was read last is shown: what only those before it had is forgotten. */
  keep(): void;
}

/** Opens them; the images are closed by who disposes of the models. */
export function openSharedImages(): SharedImages {
  let known = new Map<string, TextureSource<ImageBitmap>>();
  let latest = new Map<string, TextureSource<ImageBitmap>>();
  return {
    readFor(parser) {
      const own = new Map<string, TextureSource<ImageBitmap>>();
      latest = own;
      const sourceOf = async (bytes: ArrayBuffer): Promise<TextureSource<ImageBitmap>> => {
        const key = await digestOf(bytes);
        const found = key === undefined ? undefined : (own.get(key) ?? known.get(key));
        // One that is closed has no size.
        const source = found && found.data.width > 0 ? found : await decoded(bytes);
        if (key !== undefined) own.set(key, source);
        return source;
      };
      const loader = {
        // Three.js hands such a loader the bytes: an address of its own for each image may be forbidden by a policy.
        isKTX2Loader: true,
        parse(bytes: ArrayBuffer, done: (texture: Texture) => void, fail: (why: unknown) => void) {
          sourceOf(bytes).then((source) => done(textureOf(source)), fail);
        },
      };
      Object.assign(parser, { textureLoader: loader });
    },
    keep() {
      known = latest;
    },
  };
}

/** Undefined where the browser has none, which is on pages without HTTPS. */
async function digestOf(bytes: ArrayBuffer): Promise<string | undefined> {
  const digest = await globalThis.crypto.subtle?.digest('SHA-256', bytes);
  return digest && String(new Uint32Array(digest));
}

async function decoded(bytes: ArrayBuffer): Promise<TextureSource<ImageBitmap>> {
  const asTheyAre = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' } as const;
  const source = new TextureSource(await createImageBitmap(new Blob([bytes]), asTheyAre));
  source.needsUpdate = true;
  return source;
}

function textureOf(source: TextureSource<ImageBitmap>): Texture {
  const texture = new Texture();
  texture.source = source;
  // Not `needsUpdate`, which would upload the source again.
  texture.version = 1;
  return texture;
}
