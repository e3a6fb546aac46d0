/**
 * Every JPEG of the sample range by manufacturer and name, made at the first request.
 *
 * Two manufacturers that use the same picture get the same bytes.
 */
import {
  fabricColour,
  fabricNormal,
  fabricRoughness,
  feltColour,
  feltNormal,
  meshColour,
} from './fabric.ts';
import {
  brushedNormal,
  brushedRoughness,
  leatherColour,
  leatherNormal,
  leatherRoughness,
  perforatedColour,
  perforatedMetallic,
  perforatedNormal,
  perforatedRoughness,
  roomColour,
  terrazzoColour,
} from './metal.ts';
import { encodeJpeg, type Image } from './pixels.ts';
import { WOODS, woodColour, woodRoughness } from './wood.ts';

/** The generators of the pictures. */
const PICTURES: Readonly<Record<string, () => Image>> = {
  oak: () => woodColour(WOODS.oak),
  oakRoughness: () => woodRoughness(WOODS.oak),
  walnut: () => woodColour(WOODS.walnut),
  beech: () => woodColour(WOODS.beech),
  ash: () => woodColour(WOODS.ash),
  fabricPetrol: () => fabricColour(71, [38, 92, 102], [92, 138, 140]),
  fabricGrey: () => fabricColour(71, [104, 106, 108], [168, 168, 164]),
  fabricRust: () => fabricColour(71, [142, 76, 52], [190, 126, 94]),
  fabricSand: () => fabricColour(71, [186, 170, 144], [222, 212, 192]),
  fabricMoss: () => fabricColour(71, [86, 96, 62], [134, 140, 98]),
  fabricNormal: () => fabricNormal(71),
  fabricRoughness: () => fabricRoughness(71),
  mesh: () => meshColour(79, [52, 55, 58]),
  feltGrey: () => feltColour(83, [128, 130, 132], [196, 196, 192]),
  feltBlue: () => feltColour(83, [54, 76, 104], [120, 142, 166]),
  feltOchre: () => feltColour(83, [186, 140, 58], [226, 196, 132]),
  feltNormal: () => feltNormal(83),
  brushedNormal: () => brushedNormal(97),
  brushedRoughness: () => brushedRoughness(97),
  perforated: () => perforatedColour([206, 208, 206]),
  perforatedMetallic: () => perforatedMetallic(),
  perforatedNormal: () => perforatedNormal(),
  perforatedRoughness: () => perforatedRoughness(101),
  leatherCognac: () => leatherColour(107, [168, 98, 52]),
  leatherBlack: () => leatherColour(107, [48, 45, 43]),
  leatherNormal: () => leatherNormal(107),
  leatherRoughness: () => leatherRoughness(107),
  terrazzo: () => terrazzoColour(113),
  room: () => roomColour(127),
};

/** The pictures of each manufacturer: the name of GET materials → the picture. */
export const TEXTURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  FJEL: {
    EICHE: 'oak',
    EICHE_RAU: 'oakRoughness',
    NUSSBAUM: 'walnut',
    BUCHE: 'beech',
    FILZ_GRAU: 'feltGrey',
    FILZ_BLAU: 'feltBlue',
    FILZ_OCKER: 'feltOchre',
    FILZ_N: 'feltNormal',
    LOCHBLECH: 'perforated',
    LOCHBLECH_M: 'perforatedMetallic',
    LOCHBLECH_N: 'perforatedNormal',
    LOCHBLECH_R: 'perforatedRoughness',
    GEBÜRSTET_N: 'brushedNormal',
    GEBÜRSTET_R: 'brushedRoughness',
    STOFF_GRAU: 'fabricGrey',
    STOFF_N: 'fabricNormal',
  },
  BRNK: {
    STOFF_PETROL: 'fabricPetrol',
    STOFF_GRAU: 'fabricGrey',
    STOFF_ROST: 'fabricRust',
    STOFF_N: 'fabricNormal',
    STOFF_R: 'fabricRoughness',
    LEDER_COGNAC: 'leatherCognac',
    LEDER_SCHWARZ: 'leatherBlack',
    LEDER_N: 'leatherNormal',
    LEDER_R: 'leatherRoughness',
    BUCHE: 'beech',
    EICHE: 'oak',
    NETZ: 'mesh',
    RAUM: 'room',
    GEBÜRSTET_N: 'brushedNormal',
    GEBÜRSTET_R: 'brushedRoughness',
  },
  AULI: {
    'EICHE NATUR': 'oak',
    NUSSBAUM: 'walnut',
    ESCHE: 'ash',
    STOFF_SAND: 'fabricSand',
    STOFF_MOOS: 'fabricMoss',
    STOFF_ROST: 'fabricRust',
    STOFF_N: 'fabricNormal',
    STOFF_R: 'fabricRoughness',
    LEDER_COGNAC: 'leatherCognac',
    LEDER_N: 'leatherNormal',
    LEDER_R: 'leatherRoughness',
    TERRAZZO: 'terrazzo',
    GEBÜRSTET_N: 'brushedNormal',
    GEBÜRSTET_R: 'brushedRoughness',
  },
};

/** Creates a store that generates each picture at its first request and caches it. */
export function createTextureStore(): (
  manufacturer: string,
  name: string,
) => Promise<Uint8Array> | undefined {
  const cache = new Map<string, Promise<Uint8Array>>();
  return (manufacturer, name) => {
    const picture = Object.hasOwn(TEXTURES, manufacturer)
      ? TEXTURES[manufacturer]![name]
      : undefined;
    if (picture === undefined) return undefined;
    let bytes = cache.get(picture);
    if (bytes === undefined) {
      bytes = encodeJpeg(PICTURES[picture]!());
      cache.set(picture, bytes);
    }
    return bytes;
  };
}
