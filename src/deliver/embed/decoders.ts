/** Decoders: what a viewer must load for files that require certain extensions. No imports: pages in a browser use it. */

/** Where packages of npm are, each at `name@version/`: a public server that keeps every version. */
export const PACKAGES = 'https://cdn.jsdelivr.net/npm/';

/** The version of model-viewer that the snippets name, and with which they are tested. */
export const MODEL_VIEWER = '@google/model-viewer@4.4.0/dist/model-viewer.min.js';

interface Decoder {
  /** The extension of glTF whose data it reads. */
  extension: string;
  /** How model-viewer finds it: its static property, and the file or folder below {@link PACKAGES}. */
  modelViewer: { property: string; file: string };
  /** What a page with three adds for its `GLTFLoader`, named `loader`; `renderer` is its `WebGLRenderer`. */
  three: readonly string[];
}

/**
 * The decoders by name.
 *
 * @see modelviewer.dev/examples/loading (`meshoptSupport`, Draco, KTX2); threejs.org/docs, `GLTFLoader`; both 2026-11.
 */
export const DECODERS = {
  meshopt: {
    extension: 'EXT_meshopt_compression',
    // The last version with a file that is no module, as model-viewer loads it.
    modelViewer: {
      property: 'meshoptDecoderLocation',
      file: 'meshoptimizer@0.25.0/meshopt_decoder.js',
    },
    three: [
      "import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';",
      'loader.setMeshoptDecoder(MeshoptDecoder);',
    ],
  },
  draco: {
    extension: 'KHR_draco_mesh_compression',
    modelViewer: {
      property: 'dracoDecoderLocation',
      file: 'three@0.187.0/examples/jsm/libs/draco/gltf/',
    },
    three: [
      "import { DRACOLoader } from 'three/addons/loaders/DRACOLoader.js';",
      `loader.setDRACOLoader(new DRACOLoader().setDecoderPath('${PACKAGES}three@0.187.0/examples/jsm/libs/draco/gltf/'));`,
    ],
  },
  basis: {
    extension: 'KHR_texture_basisu',
    modelViewer: {
      property: 'ktx2TranscoderLocation',
      file: 'three@0.187.0/examples/jsm/libs/basis/',
    },
    three: [
      "import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';",
      `loader.setKTX2Loader(new KTX2Loader().setTranscoderPath('${PACKAGES}three@0.187.0/examples/jsm/libs/basis/').detectSupport(renderer));`,
    ],
  },
} as const satisfies Record<string, Decoder>;

export type DecoderName = keyof typeof DECODERS;

/**
 * The decoders of a file, by the extensions that it requires.
 *
 * @example `decodersOf(['EXT_texture_webp', 'EXT_meshopt_compression']); // → ['meshopt']`
 */
export function decodersOf(extensionsRequired: readonly string[]): DecoderName[] {
  const names = Object.keys(DECODERS) as DecoderName[];
  return names.filter((name) => extensionsRequired.includes(DECODERS[name].extension));
}
