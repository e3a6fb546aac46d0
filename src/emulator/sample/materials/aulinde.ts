/** Materials of Aulinde, the invented maker of home furniture. Names contain blanks and umlauts. */
import { brushed, cloth, glossy, leather, type MaterialRecord, tiled } from './record.ts';

/** A material of Aulinde, all of which are in one program. */
const home = (name: string) => `AULI::WOHNEN::${name}`;

/** Veneer with its grain along U, along V for upright boards, and along a turned or swept part. */
function veneer(name: string, dif: string, roughness: number): MaterialRecord[] {
  const stored = {
    pic: home(name),
    dif,
    spe: '0x383838',
    shi: 36,
    roughness,
    metallic: 0,
    scaleu: 0.8,
    scalev: 1.6,
  };
  return [
    { mname: home(name), ...stored, map: 'auto' },
    { mname: home(`${name} HOCH`), ...stored, map: 'auto', rot: 90, offsetx: 0.21 },
    { mname: home(`${name} GEDREHT`), ...stored },
  ];
}

function fabric(colour: string, dif: string): MaterialRecord {
  return cloth(home(`STOFF ${colour}`), home(`STOFF_${colour}`), home('STOFF'), dif, 4.5);
}

/** All materials of Aulinde. */
export const AULINDE_MATERIALS: readonly MaterialRecord[] = [
  ...veneer('EICHE NATUR', '0xCEAC80', 0.52),
  ...veneer('NUSSBAUM', '0x835C40', 0.5),
  ...veneer('ESCHE', '0xE2CFB0', 0.52),
  fabric('SAND', '0xBAAA90'),
  fabric('MOOS', '0x56603E'),
  fabric('ROST', '0x964A2C'),
  leather(home('LEDER COGNAC'), home('LEDER_COGNAC'), home('LEDER'), '0xA86234', 3),
  {
    mname: home('TERRAZZO'),
    pic: home('TERRAZZO'),
    dif: '0xD8D6D2',
    roughness: 0.35,
    metallic: 0,
    ...tiled(3),
    map: 'auto',
  },
  brushed(home('MESSING'), '0xC9A661', home('GEBÜRSTET'), 5),
  glossy(home('SCHWARZ MATT'), '0x222221', '0x101010', 8, 0.65),
  glossy(home('WEISS LACK'), '0xF0EEE8', '0x606060', 60, 0.35),
  glossy(home('SALBEI LACK'), '0x9AA68C', '0x505050', 45, 0.42),
  { mname: home('KERAMIK'), dif: '0xE4DED2', spe: '0x909090', shi: 90, refl: 0.8 },
  {
    mname: home('SCHIRM'),
    dif: '0xF4E6C8',
    tra: 0,
    luminance: 25,
    roughness: 0.9,
    metallic: 0,
  },
  {
    mname: home('OPALGLAS'),
    dif: '0xFFF4DF',
    luminance: 220,
    roughness: 0.25,
    metallic: 0,
  },
  { mname: home('LEUCHTMITTEL'), dif: '0xFFE9C0', luminance: 900, roughness: 0.3 },
  {
    mname: home('RAUCHGLAS'),
    dif: '0x6E6A62',
    spe: '0xFFFFFF',
    shi: 120,
    tra: 0.6,
    refr: 1.52,
    roughness: 0.04,
    metallic: 0,
  },
  { mname: home('KABEL'), dif: '0x1A1A1A', roughness: 0.8, metallic: 0 },
  { mname: home('FILZ'), dif: '0x4A4A48', roughness: 0.95, metallic: 0 },
  { mname: home('SYMBOL'), dif: '0x202020', roughness: 1 },
];
