/** Materials of Brenkhoff, the invented maker of chairs. A tile of cloth is about 0.2 m wide. */
import { brushed, cloth, glossy, leather, type MaterialRecord, tiled } from './record.ts';

const basis = (name: string) => `BRNK::BASIS::${name}`;

function fabric(colour: string, dif: string): MaterialRecord {
  return cloth(basis(`STOFF_${colour}`), basis(`STOFF_${colour}`), basis('STOFF'), dif, 5);
}

/** Wood of shells and legs; with stored coordinates the grain runs along the sweep. */
function wood(name: string, pic: string, dif: string): MaterialRecord {
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
  };
}

/** All materials of Brenkhoff. */
export const BRENKHOFF_MATERIALS: readonly MaterialRecord[] = [
  fabric('PETROL', '0x265C66'),
  fabric('GRAU', '0x686A6C'),
  fabric('ROST', '0x964A2C'),
  leather(basis('LEDER_COGNAC'), 'LEDER_COGNAC', 'LEDER', '0xA86234', 4),
  leather(basis('LEDER_SCHWARZ'), 'LEDER_SCHWARZ', 'LEDER', '0x302D2B', 4),
  wood('BUCHE', 'BUCHE', '0xDEB892'),
  { ...wood('BUCHE_SCHALE', 'BUCHE', '0xDEB892'), rot: 90 },
  { ...wood('EICHE_SCHALE', 'EICHE', '0xCEAC80'), rot: 90 },
  {
    mname: basis('NETZ'),
    pic: basis('NETZ'),
    dif: '0x26282A',
    ...tiled(12),
    tra: 0.12,
    roughness: 0.8,
    metallic: 0,
  },
  {
    mname: basis('CHROM'),
    dif: '0xD4D6D8',
    amb: '0x808080',
    spe: '0xFFFFFF',
    shi: 120,
    refl: 1,
    metallic: 1,
    roughness: 0.12,
  },
  {
    mname: basis('CHROM_UMGEBUNG'),
    pic: basis('RAUM'),
    map: 'env',
    dif: '0xC8CACC',
    spe: '0xFFFFFF',
    shi: 120,
    mirror: 1,
    metallic: 1,
    roughness: 0.1,
  },
  brushed(basis('ALU_POLIERT'), '0xCACBCD', basis('GEBÜRSTET'), 6),
  glossy(basis('SCHWARZ'), '0x1D1E1F', '0x202020', 20, 0.55),
  glossy(basis('KUNSTSTOFF_WEISS'), '0xE0DFDA', '0x404040', 30, 0.45),
  { mname: basis('KUNSTSTOFF_PETROL'), dif: '0x2E6A70', roughness: 0.5, metallic: 0 },
  { mname: basis('KUNSTSTOFF_SENF'), dif: '0xC49A3C', roughness: 0.5, metallic: 0 },
  { mname: basis('PULVER_SCHWARZ'), dif: '0x222324', roughness: 0.55, metallic: 0 },
  { mname: basis('GUMMI'), dif: '0x171717', roughness: 0.85, metallic: 0 },
  { mname: basis('SYMBOL'), dif: '0x202020', roughness: 1 },
];
