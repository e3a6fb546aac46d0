/**
 * Materials of Fjelmark, the invented maker of office furniture.
 *
 * Scales are repetitions per metre; a wood tile is about 1.3 m along the grain and 0.65 m across.
 */
import type { MaterialRecord } from './record.ts';

/**
 * Veneer with its grain along U (lying boards), along V by `rot` (upright boards), by `rauto`; wide leaves
 * cover tops up to 2.5 m × 1.13 m about the origin.
 */
function veneer(name: string, pic: string, dif: string, roughness: number): MaterialRecord[] {
  const base = {
    pic,
    amb: dif,
    dif,
    spe: '0x404040',
    shi: 40,
    roughness,
    metallic: 0,
    scaleu: 0.77,
    scalev: 1.54,
    map: 'auto',
    tra: 0,
    refr: 1,
  };
  return [
    { mname: `FJEL::BASIS::${name}`, ...base },
    { mname: `FJEL::BASIS::${name}_HOCH`, ...base, rot: 90, offsetx: 0.13, offsety: 0.31 },
    { mname: `FJEL::BASIS::${name}_FRONT`, ...base, map: 'rauto', offsetx: 0.42 },
    { mname: `FJEL::BASIS::${name}_BREIT`, ...base, scaleu: 0.4, scalev: 0.88, offsety: 0.5 },
  ];
}

/** Painted metal: structured powder coating. */
function powder(name: string, dif: string, roughness = 0.55): MaterialRecord {
  return {
    mname: `FJEL::BASIS::${name}`,
    dif,
    amb: dif,
    spe: '0x303030',
    shi: 20,
    roughness,
    metallic: 0,
  };
}

/** Felt of the acoustic screens. */
function felt(name: string, pic: string, dif: string): MaterialRecord {
  return {
    mname: `FJEL::BASIS::${name}`,
    pic: `FJEL/BASIS/${pic}.jpg`,
    bump: 'FJEL/BASIS/FILZ_N.jpg',
    dif,
    roughness: 0.95,
    metallic: 0,
    scaleu: 2,
    scalev: 2,
    bump_scaleu: 3,
    bump_scalev: 3,
    bump_offsetx: 0.25,
    bump_offsety: 0.5,
    bump_rot: 30,
    map: 'auto',
  };
}

/** All materials of Fjelmark. */
export const FJELMARK_MATERIALS: readonly MaterialRecord[] = [
  ...veneer('EICHE', 'FJEL::BASIS::EICHE', '0xCEAC80', 0.5),
  ...veneer('NUSSBAUM', 'FJEL::BASIS::NUSSBAUM', '0x835C40', 0.48),
  ...veneer('BUCHE', 'BUCHE.JPG', '0xDEB892', 0.5),
  {
    mname: 'FJEL::BASIS::EICHE_MASSIV',
    pic: 'FJEL::BASIS::EICHE',
    roughness_image: 'FJEL::BASIS::EICHE_RAU',
    dif: '0xCEAC80',
    metallic: 0,
    scaleu: 0.77,
    scalev: 1.54,
    map: 'auto',
  },
  {
    mname: 'FJEL::BASIS::WEISS',
    dif: '0xF1F1EE',
    amb: '0xF1F1EE',
    spe: '0x505050',
    shi: 50,
    roughness: 0.42,
    metallic: 0,
  },
  {
    mname: 'FJEL::BASIS::LICHTGRAU',
    dif: '0xCFD1CF',
    amb: '0xCFD1CF',
    spe: '0x404040',
    shi: 40,
    roughness: 0.45,
    metallic: 0,
  },
  {
    mname: 'FJEL::BASIS::ANTHRAZIT',
    dif: '0x3A3D40',
    spe: '0x303030',
    shi: 30,
    roughness: 0.5,
    metallic: 0,
  },
  { mname: 'FJEL::BASIS::KANTE', dif: '0x2B2C2D', roughness: 0.6, metallic: 0 },
  powder('PULVER_WEISS', '0xEBECEA'),
  powder('PULVER_SCHWARZ', '0x1F2021', 0.6),
  {
    mname: 'FJEL::BASIS::PULVER_SILBER',
    dif: '0xA9ACAE',
    amb: '0xA9ACAE',
    spe: '0x909090',
    shi: 60,
    roughness: 0.42,
    metallic: 0.8,
  },
  {
    mname: 'FJEL::BASIS::EDELSTAHL',
    dif: '0xC2C3C4',
    bump: 'FJEL::BASIS::GEBÜRSTET_N',
    roughness_image: 'FJEL::BASIS::GEBÜRSTET_R',
    metallic: 1,
    scaleu: 4,
    scalev: 4,
    bump_scaleu: 4,
    bump_scalev: 4,
    map: 'auto',
  },
  {
    mname: 'FJEL::DEPOT::LOCHBLECH',
    pic: 'FJEL\\DEPOT\\LOCHBLECH.JPG',
    bump: 'FJEL\\DEPOT\\LOCHBLECH_N.JPG',
    roughness_image: 'FJEL\\DEPOT\\LOCHBLECH_R.JPG',
    metallic_image: 'FJEL\\DEPOT\\LOCHBLECH_M.JPG',
    dif: '0xCED0CE',
    scaleu: 5,
    scalev: 5,
    bump_scaleu: 5,
    bump_scalev: 5,
    map: 'auto',
  },
  felt('FILZ_GRAU', 'FILZ_GRAU', '0x828486'),
  felt('FILZ_BLAU', 'FILZ_BLAU', '0x364C68'),
  felt('FILZ_OCKER', 'FILZ_OCKER', '0xBA8C3A'),
  {
    mname: 'FJEL::DEPOT::POLSTER',
    pic: 'FJEL::DEPOT::STOFF_GRAU',
    bump: 'FJEL::DEPOT::STOFF_N',
    dif: '0x7A7B7C',
    roughness: 0.9,
    metallic: 0,
    scaleu: 5,
    scalev: 5,
    map: 'auto',
  },
  {
    mname: 'FJEL::BASIS::KUNSTSTOFF',
    dif: '0x242526',
    spe: '0x202020',
    shi: 15,
    pho: 2,
    mirror: 0,
    refl: 0.6,
  },
  { mname: 'FJEL::BASIS::GUMMI', dif: '0x161616', roughness: 0.85, metallic: 0 },
  {
    mname: 'FJEL::FORUM::GLAS',
    dif: '0xDCE8E6',
    spe: '0xFFFFFF',
    shi: 120,
    tra: 0.75,
    refr: 1.5,
    roughness: 0.03,
    metallic: 0,
  },
  { mname: 'FJEL::BASIS::ANZEIGE', dif: '0x7FD8FF', luminance: 180, roughness: 0.4, metallic: 0 },
  { mname: 'FJEL::BASIS::SYMBOL', dif: '0x202020', roughness: 1 },
];
