/**
 * The readings: options of `convert:` that say what a value of the service means. Another value of such an option is
 * right for one service and wrong for another, whatever is made of the files. All other options are matters of taste,
 * of the format, or limits. So are `heightMaps`, `environmentLook` and `roughnessStrategy`: what the service means is
 * known, and glTF cannot express it (D-504, D-405, D-512).
 */

import { CONVERT_OPTIONS, type ConvertOptions } from '../../convert/transform/convert-options.ts';
import {
  type Features,
  MATERIAL_KINDS as KIND,
  MESH_FEATURES as MESH,
  NODE_FEATURES as NODE,
} from '../articles/features.ts';

/** A value of an option. */
export type ReadingValue = string | number | boolean;

export interface Reading {
  /** What the option is about, as the beginning of a sentence. */
  about: string;
  /** What each value means for the furniture. */
  meaning: Readonly<Record<string, string>>;
  /** Whether another value may change an article with these features. */
  touches(features: Features): boolean;
}

type ReadingOption =
  | 'rotationOrder'
  | 'rotationDirection'
  | 'inheritScale'
  | 'blockPlacement'
  | 'inheritMaterial'
  | 'writtenMaterials'
  | 'inheritLayers'
  | 'pointIndexBase'
  | 'uvIndexBase'
  | 'uvStride'
  | 'winding'
  | 'flipV'
  | 'boxProjection'
  | 'mirrorOppositeSides'
  | 'rauto'
  | 'preferStoredUvs'
  | 'textureRotation'
  | 'textureScale'
  | 'tintTextures'
  | 'normalMap'
  | 'reflection'
  | 'glowingTextures';

const node = (features: Features, name: keyof typeof NODE) =>
  features.count('nodes', NODE[name]) > 0;
const mesh = (features: Features, name: keyof typeof MESH) =>
  features.count('meshes', MESH[name]) > 0;
const kind = (features: Features, name: keyof typeof KIND) =>
  features.count('materials', KIND[name]) > 0;
/** Whether any image is placed by UVs. */
const hasImages = (features: Features) => kind(features, 'textured') || kind(features, 'bumped');
const isProjected = (features: Features) =>
  hasImages(features) &&
  (kind(features, 'projected') ||
    kind(features, 'exchanged') ||
    mesh(features, 'withoutUvs') ||
    node(features, 'solid'));

/** The table, in the order in which a person decides: places first, then surfaces, then materials. */
export const READINGS: Readonly<Record<ReadingOption, Reading>> = {
  winding: {
    about: 'which side of a triangle is its front',
    meaning: {
      auto: 'closed surfaces face outwards, and open ones follow them',
      keep: 'as the service sends it, counter-clockwise',
      flip: 'the other way round, clockwise',
    },
    touches: (has) => mesh(has, 'block'),
  },
  pointIndexBase: {
    about: 'the number of the first point of a mesh',
    meaning: { auto: 'each mesh shows it', 0: '0', 1: '1' },
    touches: (has) => mesh(has, 'uncertainFirst') || mesh(has, 'fromOne'),
  },
  uvIndexBase: {
    about: 'the number of the first stored UV of a mesh',
    meaning: { auto: 'each mesh shows it', 0: '0', 1: '1' },
    touches: (has) => mesh(has, 'storedUvs') && hasImages(has),
  },
  uvStride: {
    about: 'how many numbers a stored UV has',
    meaning: { auto: 'each mesh shows it', 2: 'two', 3: 'three' },
    touches: (has) => mesh(has, 'storedUvs') && hasImages(has),
  },
  rotationOrder: {
    about: 'the order in which a part is turned about its axes',
    meaning: {
      xyz: 'about X, then Y, then Z',
      xzy: 'about X, then Z, then Y',
      yxz: 'about Y, then X, then Z',
      yzx: 'about Y, then Z, then X',
      zxy: 'about Z, then X, then Y',
      zyx: 'about Z, then Y, then X',
    },
    touches: (has) => node(has, 'turnedTwice') || mesh(has, 'placed'),
  },
  rotationDirection: {
    about: 'the direction in which a part is turned',
    meaning: {
      'counter-clockwise': 'counter-clockwise, seen from the tip of the axis',
      clockwise: 'clockwise, seen from the tip of the axis',
    },
    touches: (has) => node(has, 'turnedPartly') || mesh(has, 'placed'),
  },
  inheritScale: {
    about: 'whether a scaled part scales the parts below it, too',
    meaning: { false: 'no, only itself', true: 'yes, all below it' },
    touches: (has) => node(has, 'scaledParent'),
  },
  blockPlacement: {
    about: 'whether a mesh is moved by an offset and a rotation of its own',
    meaning: { apply: 'yes', ignore: 'no, it already is where it belongs' },
    touches: (has) => mesh(has, 'placed'),
  },
  inheritLayers: {
    about: 'whether a part without a layer is on that of the part above it',
    meaning: { false: 'no', true: 'yes, and is left out with it' },
    touches: (has) => node(has, 'withoutLayer'),
  },
  inheritMaterial: {
    about: 'whether a part without a material has that of the part above it',
    meaning: { true: 'yes', false: 'no, it has none' },
    touches: (has) =>
      has.count('nodes', NODE.withoutMaterial) > has.count('nodes', NODE.withoutAnyMaterial),
  },
  writtenMaterials: {
    about: 'whether a part may define or change its material itself',
    meaning: { true: 'yes', false: 'no, the text is only a name' },
    touches: (has) => node(has, 'writtenMaterial'),
  },
  flipV: {
    about: 'whether images stand upright or upside down',
    meaning: { true: 'V runs up', false: 'V runs down' },
    touches: (has) => hasImages(has) && mesh(has, 'storedUvs'),
  },
  textureScale: {
    about: 'what the scale of an image means',
    meaning: { repetitions: 'repetitions in a metre', metres: 'its length in metres' },
    touches: (has) => kind(has, 'scaled') && hasImages(has),
  },
  textureRotation: {
    about: 'the direction in which an image is turned',
    meaning: { 'counter-clockwise': 'counter-clockwise', clockwise: 'clockwise' },
    touches: (has) => kind(has, 'turned') && hasImages(has),
  },
  rauto: {
    about: 'how an image with map rauto lies on a part',
    meaning: { exchange: 'turned by a quarter', auto: 'as with map auto' },
    touches: (has) => kind(has, 'exchanged'),
  },
  preferStoredUvs: {
    about: 'whether a mesh places an image itself, although its material places it by its size',
    meaning: { false: 'no, the material does', true: 'yes, the mesh does' },
    touches: (has) => mesh(has, 'storedUvs') && (kind(has, 'projected') || kind(has, 'exchanged')),
  },
  boxProjection: {
    about: 'the size of an image on a part that is scaled',
    meaning: { scaled: 'the same on every part', unscaled: 'scaled with the part' },
    touches: (has) => isProjected(has) && node(has, 'scaled'),
  },
  mirrorOppositeSides: {
    about: 'whether images are mirrored on the back, the left and the bottom of a part',
    meaning: { false: 'no', true: 'yes' },
    touches: isProjected,
  },
  tintTextures: {
    about: 'what the colour of a material with an image does',
    meaning: { false: 'nothing: the image has its colours', true: 'it tints the image' },
    touches: (has) => kind(has, 'tinted'),
  },
  normalMap: {
    about: 'whether grooves and seams of a surface go in or stand out',
    meaning: { opengl: 'green points up', directx: 'green points down' },
    touches: (has) => kind(has, 'bumped'),
  },
  reflection: {
    about: 'whether a low reflection makes a material less shiny',
    meaning: { specular: 'yes', ignore: 'no' },
    touches: (has) => kind(has, 'reflecting'),
  },
  glowingTextures: {
    about: 'whether the image of a luminous material glows',
    meaning: { true: 'yes', false: 'no, it glows in its colour' },
    touches: (has) => kind(has, 'glowingImage'),
  },
};

/** The names of all readings, in the order of the table. */
export const READING_OPTIONS = Object.keys(READINGS) as ReadingOption[];

export type { ReadingOption };

/** The values that an option can have. */
export function valuesOf(option: ReadingOption): readonly ReadingValue[] {
  const row = CONVERT_OPTIONS[option];
  return row.kind === 'flag' ? [true, false] : row.choices;
}

/** The options with another value of one of them. */
export function withReading(
  options: ConvertOptions,
  option: ReadingOption,
  value: ReadingValue,
): ConvertOptions {
  return { ...options, [option]: value };
}
