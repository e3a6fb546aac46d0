/**
 * Material look: a material's values in glTF's terms, and what a rule of the table is.
 */
import type { Rgb } from '../math/color.ts';
import type { ImageField, ServiceMaterial } from '../model/graphics.ts';
import type { SceneMaterial } from '../model/scene.ts';
import type { ConvertOptions } from './convert-options.ts';

/** White, in sRGB as in linear light. */
export const WHITE: Rgb = [1, 1, 1];

/** What is known of an image that a material refers to and that was obtained. */
export interface KnownImage {
  /** Red, green and blue are alike: a picture without colour. */
  grey: boolean;
  /** Mean colour, averaged in linear light. */
  meanLinear: Rgb;
}

/** A material's values in glTF's terms; which image goes where is said, not yet how it is packed. */
export type MaterialLook = Pick<
  SceneMaterial,
  | 'name'
  | 'baseColorLinear'
  | 'alpha'
  | 'alphaMode'
  | 'metallic'
  | 'roughness'
  | 'emissiveLinear'
  | 'emissiveStrength'
  | 'transmission'
  | 'ior'
  | 'specular'
  | 'clearcoat'
  | 'sheen'
> & {
  images: {
    baseColor: boolean;
    normal: boolean;
    roughness: boolean;
    metallic: boolean;
    emissive: boolean;
  };
  /** What viewers cannot show but people may want back. */
  kept: Record<string, unknown>;
};

/** What a row works on. */
export interface MaterialContext {
  material: ServiceMaterial;
  /** Obtained and readable images only. */
  images: Partial<Record<ImageField, KnownImage>>;
  options: ConvertOptions;
  look: MaterialLook;
  /** Notes that a field is not carried over exactly. */
  lose(field: string, done: string): void;
}

/** One row: where a field goes, why, and how. */
export interface MaterialRule {
  /** glTF target; null for a field that is dropped. */
  target: string | null;
  why: string;
  /** Changes the look; called whether or not the field was sent, so that defaults are rules too. */
  apply?(context: MaterialContext): void;
  /** A field of the later material format; `extendedFields` says whether it counts. */
  extended?: true;
}

/** The look before any row: white, opaque, matt, not metallic. */
export function neutralLook(): MaterialLook {
  return {
    name: '',
    baseColorLinear: WHITE,
    alpha: 1,
    alphaMode: 'OPAQUE',
    metallic: 0,
    roughness: 1,
    emissiveLinear: [0, 0, 0],
    emissiveStrength: 1,
    transmission: 0,
    ior: undefined,
    specular: undefined,
    clearcoat: undefined,
    sheen: undefined,
    images: { baseColor: false, normal: false, roughness: false, metallic: false, emissive: false },
    kept: {},
  };
}
