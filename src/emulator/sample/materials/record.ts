/** A record of `mats[]`, in the field names of the service; colours are hex strings. */
export interface MaterialRecord {
  mname: string;
  pic?: string;
  bump?: string;
  roughness_image?: string;
  metallic_image?: string;
  roughness?: number;
  metallic?: number;
  scaleu?: number;
  scalev?: number;
  offsetx?: number;
  offsety?: number;
  bump_scaleu?: number;
  bump_scalev?: number;
  bump_offsetx?: number;
  bump_offsety?: number;
  bump_rot?: number;
  amb?: string;
  dif?: string;
  spe?: string;
  map?: string;
  shi?: number;
  tra?: number;
  luminance?: number;
  refr?: number;
  rot?: number;
  pho?: number;
  mirror?: number;
  refl?: number;
}
