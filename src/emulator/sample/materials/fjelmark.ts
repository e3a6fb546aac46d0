/**
 * Materials of Fjelmark, the invented maker of office furniture.
 *
 * Scales are repetitions per metre; a wood tile is about 1.3 m along the grain and 0.65 m across.
 */
import { bumpTiled, type MaterialRecord, tiled } from './record.ts';

const basis = (name: string) => `FJEL::BASIS::${name}`;

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
    { mname: basis(name), ...base },
    { mname: basis(`${name}_HOCH`), ...base, rot: 90, offsetx: 0.13, offsety: 0.31 },
    { mname: basis(`${name}_FRONT`), ...base, map: 'rauto', offsetx: 0.42 },
    { mname: basis(`${name}_BREIT`), ...base, scaleu: 0.4, scalev: 0.88, offsety: 0.5 },
  ];
}

/** A painted surface: structured powder coating, or lacquer. */
function painted(name: string, dif: string, roughness = 0.55): MaterialRecord {
  return {
    mname: basis(name),
    dif,
    amb: dif,
    spe: '0x303030',
    shi: 20,
    roughness,
    metallic: 0,
  };
}

/** Felt of the acoustic screens. */
function felt(name: string, dif: string): MaterialRecord {
  return {
    mname: basis(name),
    pic: `FJEL/BASIS/${name}.jpg`,
    bump: 'FJEL/BASIS/FILZ_N.jpg',
    dif,
    roughness: 0.95,
    metallic: 0,
    ...tiled(2),
    ...bumpTiled(3),
    bump_offsetx: 0.25,
    bump_offsety: 0.5,
    bump_rot: 30,
    map: 'auto',
  };
}

/** All materials of Fjelmark. */
export const FJELMARK_MATERIALS: readonly MaterialRecord[] = [
  ...veneer('EICHE', basis('EICHE'), '0xCEAC80', 0.5),
  ...veneer('NUSSBAUM', basis('NUSSBAUM'), '0x835C40', 0.48),
  ...veneer('BUCHE', 'BUCHE.JPG', '0xDEB892', 0.5),
  {
    mname: basis('EICHE_MASSIV'),
    pic: basis('EICHE'),
    roughness_image: basis('EICHE_RAU'),
    dif: '0xCEAC80',
    metallic: 0,
    scaleu: 0.77,
    scalev: 1.54,
    map: 'auto',
  },
  { ...painted('WEISS', '0xF1F1EE', 0.42), spe: '0x505050', shi: 50 },
  { ...painted('LICHTGRAU', '0xCFD1CF', 0.45), spe: '0x404040', shi: 40 },
  { mname: basis('KANTE'), dif: '0x2B2C2D', roughness: 0.6, metallic: 0 },
  painted('PULVER_WEISS', '0xEBECEA'),
  painted('PULVER_SCHWARZ', '0x1F2021', 0.6),
  { ...painted('PULVER_SILBER', '0xA9ACAE', 0.42), spe: '0x909090', shi: 60, metallic: 0.8 },
  {
    mname: basis('EDELSTAHL'),
    dif: '0xC2C3C4',
    bump: basis('GEBÜRSTET_N'),
    roughness_image: basis('GEBÜRSTET_R'),
    metallic: 1,
    ...tiled(4),
    ...bumpTiled(4),
    map: 'auto',
  },
  {
    mname: 'FJEL::DEPOT::LOCHBLECH',
    pic: 'FJEL\\DEPOT\\LOCHBLECH.JPG',
    bump: 'FJEL\\DEPOT\\LOCHBLECH_N.JPG',
    roughness_image: 'FJEL\\DEPOT\\LOCHBLECH_R.JPG',
    metallic_image: 'FJEL\\DEPOT\\LOCHBLECH_M.JPG',
    dif: '0xCED0CE',
    ...tiled(5),
    ...bumpTiled(5),
    map: 'auto',
  },
  felt('FILZ_GRAU', '0x828486'),
  felt('FILZ_BLAU', '0x364C68'),
  felt('FILZ_OCKER', '0xBA8C3A'),
  {
    mname: 'FJEL::DEPOT::POLSTER',
    pic: 'FJEL::DEPOT::STOFF_GRAU',
    bump: 'FJEL::DEPOT::STOFF_N',
    dif: '0x7A7B7C',
    roughness: 0.9,
    metallic: 0,
    ...tiled(5),
    map: 'auto',
  },
  {
    mname: basis('KUNSTSTOFF'),
    dif: '0x242526',
    spe: '0x202020',
    shi: 15,
    pho: 2,
    mirror: 0,
    refl: 0.6,
  },
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
  { mname: basis('ANZEIGE'), dif: '0x7FD8FF', luminance: 180, roughness: 0.4, metallic: 0 },
  { mname: basis('SYMBOL'), dif: '0x202020', roughness: 1 },
];
