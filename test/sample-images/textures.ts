/** The textures of the sample range, before they are encoded. */
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
import type { Image } from './pixels.ts';
import { WOODS, woodColour, woodRoughness } from './wood.ts';

/** How each texture is computed. */
export const TEXTURE_DRAWERS: Readonly<Record<string, () => Image>> = {
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
