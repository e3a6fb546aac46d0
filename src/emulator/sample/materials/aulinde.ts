/** Materials of Aulinde, the invented maker of home furniture. Names contain blanks and umlauts. */
import type { MaterialRecord } from './record.ts';

/** Veneer with its grain along U, along V for upright boards, and along a turned or swept part. */
function veneer(name: string, dif: string, roughness: number): MaterialRecord[] {
  const stored = {
    pic: `AULI::WOHNEN::${name}`,
    dif,
    spe: '0x383838',
    shi: 36,
    roughness,
    metallic: 0,
    scaleu: 0.8,
    scalev: 1.6,
  };
  return [
    { mname: `AULI::WOHNEN::${name}`, ...stored, map: 'auto' },
    { mname: `AULI::WOHNEN::${name} HOCH`, ...stored, map: 'auto', rot: 90, offsetx: 0.21 },
    { mname: `AULI::WOHNEN::${name} GEDREHT`, ...stored },
  ];
}

/** Upholstery cloth. */
function cloth(colour: string, dif: string): MaterialRecord {
  return {
    mname: `AULI::WOHNEN::STOFF ${colour}`,
    pic: `AULI::WOHNEN::STOFF_${colour}`,
    bump: 'AULI::WOHNEN::STOFF_N',
    roughness_image: 'AULI::WOHNEN::STOFF_R',
    dif,
    metallic: 0,
    scaleu: 4.5,
    scalev: 4.5,
    map: 'auto',
  };
}

/** All materials of Aulinde. */
export const AULINDE_MATERIALS: readonly MaterialRecord[] = [
  ...veneer('EICHE NATUR', '0xCEAC80', 0.52),
  ...veneer('NUSSBAUM', '0x835C40', 0.5),
  ...veneer('ESCHE', '0xE2CFB0', 0.52),
  cloth('SAND', '0xBAAA90'),
  cloth('MOOS', '0x56603E'),
  cloth('ROST', '0x964A2C'),
  {
    mname: 'AULI::WOHNEN::LEDER COGNAC',
    pic: 'AULI::WOHNEN::LEDER_COGNAC',
    bump: 'AULI::WOHNEN::LEDER_N',
    roughness_image: 'AULI::WOHNEN::LEDER_R',
    dif: '0xA86234',
    metallic: 0,
    scaleu: 3,
    scalev: 3,
    bump_scaleu: 3,
    bump_scalev: 3,
    map: 'auto',
  },
  {
    mname: 'AULI::WOHNEN::TERRAZZO',
    pic: 'AULI::WOHNEN::TERRAZZO',
    dif: '0xD8D6D2',
    roughness: 0.35,
    metallic: 0,
    scaleu: 3,
    scalev: 3,
    map: 'auto',
  },
  {
    mname: 'AULI::WOHNEN::MESSING',
    dif: '0xC9A661',
    bump: 'AULI::WOHNEN::GEBÜRSTET_N',
    roughness_image: 'AULI::WOHNEN::GEBÜRSTET_R',
    metallic: 1,
    scaleu: 5,
    scalev: 5,
    map: 'auto',
  },
  {
    mname: 'AULI::WOHNEN::SCHWARZ MATT',
    dif: '0x222221',
    spe: '0x101010',
    shi: 8,
    roughness: 0.65,
    metallic: 0,
  },
  {
    mname: 'AULI::WOHNEN::WEISS LACK',
    dif: '0xF0EEE8',
    spe: '0x606060',
    shi: 60,
    roughness: 0.35,
    metallic: 0,
  },
  {
    mname: 'AULI::WOHNEN::SALBEI LACK',
    dif: '0x9AA68C',
    spe: '0x505050',
    shi: 45,
    roughness: 0.42,
    metallic: 0,
  },
  { mname: 'AULI::WOHNEN::KERAMIK', dif: '0xE4DED2', spe: '0x909090', shi: 90, refl: 0.8 },
  {
    mname: 'AULI::WOHNEN::SCHIRM',
    dif: '0xF4E6C8',
    tra: 0,
    luminance: 25,
    roughness: 0.9,
    metallic: 0,
  },
  {
    mname: 'AULI::WOHNEN::OPALGLAS',
    dif: '0xFFF4DF',
    luminance: 220,
    roughness: 0.25,
    metallic: 0,
  },
  { mname: 'AULI::WOHNEN::LEUCHTMITTEL', dif: '0xFFE9C0', luminance: 900, roughness: 0.3 },
  {
    mname: 'AULI::WOHNEN::RAUCHGLAS',
    dif: '0x6E6A62',
    spe: '0xFFFFFF',
    shi: 120,
    tra: 0.6,
    refr: 1.52,
    roughness: 0.04,
    metallic: 0,
  },
  { mname: 'AULI::WOHNEN::KABEL', dif: '0x1A1A1A', roughness: 0.8, metallic: 0 },
  { mname: 'AULI::WOHNEN::FILZ', dif: '0x4A4A48', roughness: 0.95, metallic: 0 },
  { mname: 'AULI::WOHNEN::SYMBOL', dif: '0x202020', roughness: 1 },
];
