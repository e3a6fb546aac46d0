type Picture = 'pic' | 'bump' | 'roughness_image' | 'metallic_image';
type Colour = 'amb' | 'dif' | 'spe';
type Factor =
  | 'roughness'
  | 'metallic'
  | 'shi'
  | 'tra'
  | 'luminance'
  | 'refr'
  | 'pho'
  | 'mirror'
  | 'refl';
type Placement = 'scaleu' | 'scalev' | 'offsetx' | 'offsety' | 'rot';

/** A record of `mats[]`, in the field names of the service; colours are hex strings. */
export type MaterialRecord = { mname: string } & Partial<
  Record<Picture | Colour | 'map', string> &
    Record<Factor | Placement | `bump_${Placement}`, number>
>;

/** Scale of the pictures of a material, the same in both directions: repetitions per metre. */
export const tiled = (scale: number) => ({ scaleu: scale, scalev: scale });
/** As {@link tiled}, of its normals. */
export const bumpTiled = (scale: number) => ({ bump_scaleu: scale, bump_scalev: scale });

/** A surface with a highlight, such as lacquer or plastic. */
export function glossy(
  mname: string,
  dif: string,
  spe: string,
  shi: number,
  roughness: number,
): MaterialRecord {
  return { mname, dif, spe, shi, roughness, metallic: 0 };
}

/** Woven cloth in one of its colours; `weave` names the pictures that all colours share. */
export function cloth(
  mname: string,
  pic: string,
  weave: string,
  dif: string,
  scale: number,
): MaterialRecord {
  const shared = { bump: `${weave}_N`, roughness_image: `${weave}_R` };
  return { mname, pic, ...shared, dif, metallic: 0, ...tiled(scale), map: 'auto' };
}

/** Leather in one of its colours; `grain` names the pictures that all colours share. */
export function leather(
  mname: string,
  pic: string,
  grain: string,
  dif: string,
  scale: number,
): MaterialRecord {
  const { map: _, ...own } = cloth(mname, pic, grain, dif, scale);
  return { ...own, ...bumpTiled(scale), map: 'auto' };
}

/** Brushed metal. */
export function brushed(mname: string, dif: string, brush: string, scale: number): MaterialRecord {
  const shared = { bump: `${brush}_N`, roughness_image: `${brush}_R` };
  return { mname, dif, ...shared, metallic: 1, ...tiled(scale), map: 'auto' };
}
