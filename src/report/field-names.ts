/** What a field of the service is called by people who never saw its name. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  A: 'part without surfaces',
  TI: 'texture coordinates',
  amb: 'ambient light',
  btgname: 'missing part',
  bump: 'relief',
  dif: 'diffuse colour',
  luminance: 'brightness of a light',
  map: 'way of mapping',
  mat: 'material unknown',
  metallic_image: 'image of metal',
  mirror: 'mirroring',
  pho: 'gloss exponent',
  pic: 'image',
  refl: 'reflection',
  refr: 'refraction',
  roughness_image: 'image of roughness',
  shi: 'shininess',
  spe: 'colour of highlights',
  tra: 'transparency',
};

/** The name of a field for people; undefined where the field says it itself. */
export function fieldName(field: string): string | undefined {
  return Object.hasOwn(FIELD_NAMES, field) ? FIELD_NAMES[field] : undefined;
}
