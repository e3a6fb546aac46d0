/** The input of the rows of the material table. */
import type { ImageField, ServiceMaterial } from '../model/graphics.ts';
import type { LinearRgb, SceneMaterial } from '../model/scene.ts';
import type { ConvertOptions } from './convert-options.ts';

/** A material's values in glTF's terms, and which images it uses; they are not yet packed. */
export type MaterialShading = Omit<SceneMaterial, 'doubleSided' | 'extras' | `${string}Texture`> & {
  images: Record<'baseColor' | 'normal' | 'roughness' | 'metallic' | 'emissive', boolean>;
  /** Fields without a counterpart in glTF, for the extras. */
  kept: Record<string, unknown>;
};

/** An image: whether a normal map is grey, and the mean colour of a picture that is shown as metal. */
type KnownImage = { grey?: boolean; meanLinear?: LinearRgb };

/** The input of a row. */
export interface MaterialContext {
  material: ServiceMaterial;
  /** Readable images only. */
  images: Partial<Record<ImageField, KnownImage>>;
  options: ConvertOptions;
  shading: MaterialShading;
  /** Reports that a field is not carried over exactly. */
  lose(field: string, done: string): void;
}
