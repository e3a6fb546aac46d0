/** Images of models that are shown one after the other: configurations of an article have most of them in common. */
import { Texture, TextureSource } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/** Reads the images of models, those of the model before without decoding and uploading them again. */
export interface SharedImages {
  /** Reads the images of a parser as the graphics need them. */
  readFor(parser: GLTFParser): ModelImages;
}

/** The images of one model. */
export interface ModelImages {
  /** The model is shown: its images are those that the next one may have, too. */
  keep(): void;
  /** The model is never shown: its images are closed, but for those of the one that is, also those that come later. */
  close(): void;
}

type ImageSource = TextureSource<ImageBitmap>;

/** Opens them; the images of a model that was shown are closed by who disposes of it. */
export function openSharedImages(): SharedImages {
  let shown: ReadonlyMap<string, ImageSource> = new Map();
  return {
    readFor(parser) {
      const own = new Map<string, ImageSource>();
      const decoded = new Set<ImageSource>();
      let isClosed = false;
      const sourceOf = async (bytes: ArrayBuffer): Promise<ImageSource> => {
        const key = await digestOf(bytes);
        const found = key === undefined ? undefined : (own.get(key) ?? shown.get(key));
        // One that is closed has no size.
        if (found && found.data.width > 0) {
          own.set(key!, found);
          return found;
        }
        const source = await decode(bytes);
        if (isClosed) source.data.close();
        else decoded.add(source);
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
      return {
        keep() {
          shown = own;
        },
        close() {
          isClosed = true;
          for (const { data } of decoded) data.close();
        },
      };
    },
  };
}

/** Undefined where the browser has none, which is on pages without HTTPS. */
async function digestOf(bytes: ArrayBuffer): Promise<string | undefined> {
  const digest = await globalThis.crypto.subtle?.digest('SHA-256', bytes);
  return digest && String(new Uint32Array(digest));
}

async function decode(bytes: ArrayBuffer): Promise<ImageSource> {
  const asTheyAre = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' } as const;
  const source = new TextureSource(await createImageBitmap(new Blob([bytes]), asTheyAre));
  source.needsUpdate = true;
  return source;
}

function textureOf(source: ImageSource): Texture {
  const texture = new Texture();
  texture.source = source;
  // Not `needsUpdate`, which would upload the source again.
  texture.version = 1;
  return texture;
}
