/** Images of models that are shown one after the other: the configurations of an article share most of them. */
import { Texture, TextureSource } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

export interface ModelImages {
  /** Keeps the images for the next model, because this model is shown. */
  keep(): void;
  /** Closes the images of a model that is never shown, also later ones, except those of the visible model. */
  close(): void;
}

type ImageSource = TextureSource<ImageBitmap>;

/** The images of the model that was shown last, by digest. */
let shown: ReadonlyMap<string, ImageSource> = new Map();

/**
 * Reads the images of a parser in the form that the graphics need. An image of the previous model is not decoded and
 * uploaded again; those of a model that was shown are closed by the code that disposes of the model.
 */
export function readImages(parser: GLTFParser): ModelImages {
  const own = new Map<string, ImageSource>();
  const decoded = new Set<ImageSource>();
  let isClosed = false;
  const sourceOf = async (bytes: ArrayBuffer): Promise<ImageSource> => {
    const key = await digestOf(bytes);
    const found = key === undefined ? undefined : (own.get(key) ?? shown.get(key));
    // A closed image has no size.
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
    // Three.js passes the bytes to such a loader: a policy may forbid a separate address for each image.
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
}

/** The digest of bytes; undefined if the browser cannot compute it, as on pages without HTTPS. */
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
  // `needsUpdate` is not set, because it would upload the source again.
  texture.version = 1;
  return texture;
}
