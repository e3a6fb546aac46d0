/** Decoders: what a viewer must load for files that require certain extensions. No imports: pages in a browser use it. */

/** Where packages of npm are, each at `name@version/`: a public server that keeps every version. */
export const PACKAGES = 'https://cdn.jsdelivr.net/npm/';

/** The version of model-viewer with which snippets are tested. */
export const MODEL_VIEWER = {
  package: '@google/model-viewer@4.4.0',
  file: '@google/model-viewer@4.4.0/dist/model-viewer.min.js',
  /** Of this file: a browser refuses another one. */
  integrity: 'sha384-wjsPzEO+lXOf7d9csIDfAQpPt2OKuUU3m0K9qsdKIuzX4N8czSF6hdh23eAbZa3p',
} as const;

interface Decoder {
  /** Name for people. */
  title: string;
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
    title: 'meshopt decoder',
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
    title: 'Draco decoder',
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
    title: 'Basis transcoder',
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

/** The lines that a page with three adds for a file, or none. */
export function threeLines(extensionsRequired: readonly string[]): string[] {
  const lines: string[] = decodersOf(extensionsRequired).flatMap((name) => DECODERS[name].three);
  const isImport = (line: string) => line.startsWith('import ');
  return [...lines.filter(isImport), ...lines.filter((line) => !isImport(line))];
}

/** @example `decoderText(['EXT_meshopt_compression']); // → 'meshopt decoder'` */
export function decoderText(extensionsRequired: readonly string[]): string {
  const titles = decodersOf(extensionsRequired).map((name) => DECODERS[name].title);
  return titles.join(', ') || 'none';
}

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
