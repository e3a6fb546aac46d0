/** Materials of Brenkhoff, the invented maker of chairs. A tile of cloth is about 0.2 m wide. */
import type { MaterialRecord } from './record.ts';

/** Woven cloth in one of its colours. */
function cloth(colour: string, dif: string): MaterialRecord {
  return {
    mname: `BRNK::BASIS::STOFF_${colour}`,
    pic: `BRNK::BASIS::STOFF_${colour}`,
    bump: 'BRNK::BASIS::STOFF_N',
    roughness_image: 'BRNK::BASIS::STOFF_R',
    dif,
    metallic: 0,
    scaleu: 5,
    scalev: 5,
    map: 'auto',
  };
}

/** Leather in one of its colours. */
function leather(colour: string, dif: string): MaterialRecord {
  return {
    mname: `BRNK::BASIS::LEDER_${colour}`,
    pic: `LEDER_${colour}`,
    bump: 'LEDER_N',
    roughness_image: 'LEDER_R',
    dif,
    metallic: 0,
    scaleu: 4,
    scalev: 4,
    bump_scaleu: 4,
    bump_scalev: 4,
    map: 'auto',
  };
}

/** Wood of shells and legs; with stored coordinates the grain runs along the sweep. */
function wood(name: string, pic: string, dif: string, map?: string): MaterialRecord {
  return {
    mname: `BRNK::KONVA::${name}`,
    pic: `BRNK::KONVA::${pic}`,
    dif,
    spe: '0x404040',
    shi: 40,
    roughness: 0.48,
    metallic: 0,
    scaleu: 0.9,
    scalev: 1.8,
    ...(map !== undefined && { map }),
  };
}

/** All materials of Brenkhoff. */
export const BRENKHOFF_MATERIALS: readonly MaterialRecord[] = [
  cloth('PETROL', '0x265C66'),
  cloth('GRAU', '0x686A6C'),
  cloth('ROST', '0x964A2C'),
  leather('COGNAC', '0xA86234'),
  leather('SCHWARZ', '0x302D2B'),
  wood('BUCHE', 'BUCHE', '0xDEB892'),
  wood('EICHE', 'EICHE', '0xCEAC80'),
  { ...wood('BUCHE_SCHALE', 'BUCHE', '0xDEB892'), rot: 90 },
  { ...wood('EICHE_SCHALE', 'EICHE', '0xCEAC80'), rot: 90 },
  {
    mname: 'BRNK::BASIS::NETZ',
    pic: 'BRNK::BASIS::NETZ',
    dif: '0x26282A',
    scaleu: 12,
    scalev: 12,
    tra: 0.12,
    roughness: 0.8,
    metallic: 0,
  },
  {
    mname: 'BRNK::BASIS::CHROM',
    dif: '0xD4D6D8',
    amb: '0x808080',
    spe: '0xFFFFFF',
    shi: 120,
    refl: 1,
    metallic: 1,
    roughness: 0.12,
  },
  {
    mname: 'BRNK::BASIS::CHROM_UMGEBUNG',
    pic: 'BRNK::BASIS::RAUM',
    map: 'env',
    dif: '0xC8CACC',
    spe: '0xFFFFFF',
    shi: 120,
    mirror: 1,
    metallic: 1,
    roughness: 0.1,
  },
  {
    mname: 'BRNK::BASIS::ALU_POLIERT',
    dif: '0xCACBCD',
    bump: 'BRNK::BASIS::GEBÜRSTET_N',
    roughness_image: 'BRNK::BASIS::GEBÜRSTET_R',
    metallic: 1,
    scaleu: 6,
    scalev: 6,
    map: 'auto',
  },
  {
    mname: 'BRNK::BASIS::SCHWARZ',
    dif: '0x1D1E1F',
    spe: '0x202020',
    shi: 20,
    roughness: 0.55,
    metallic: 0,
  },
  {
    mname: 'BRNK::BASIS::KUNSTSTOFF_WEISS',
    dif: '0xE0DFDA',
    spe: '0x404040',
    shi: 30,
    roughness: 0.45,
    metallic: 0,
  },
  { mname: 'BRNK::BASIS::KUNSTSTOFF_PETROL', dif: '0x2E6A70', roughness: 0.5, metallic: 0 },
  { mname: 'BRNK::BASIS::KUNSTSTOFF_SENF', dif: '0xC49A3C', roughness: 0.5, metallic: 0 },
  { mname: 'BRNK::BASIS::PULVER_SCHWARZ', dif: '0x222324', roughness: 0.55, metallic: 0 },
  { mname: 'BRNK::BASIS::GUMMI', dif: '0x171717', roughness: 0.85, metallic: 0 },
  { mname: 'BRNK::BASIS::SYMBOL', dif: '0x202020', roughness: 1 },
];
