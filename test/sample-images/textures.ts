/** The textures of the sample range, before they are encoded. */
import * as fabric from './fabric.ts';
import * as metal from './metal.ts';
import type { Image } from './pixels.ts';
import { WOODS, woodColour, woodRoughness } from './wood.ts';

/** How each texture is computed. */
export const TEXTURE_DRAWERS: Readonly<Record<string, () => Image>> = {
  oak: () => woodColour(WOODS.oak),
  oakRoughness: () => woodRoughness(WOODS.oak),
  walnut: () => woodColour(WOODS.walnut),
  beech: () => woodColour(WOODS.beech),
  ash: () => woodColour(WOODS.ash),
  fabricPetrol: () => fabric.fabricColour(71, [38, 92, 102], [92, 138, 140]),
  fabricGrey: () => fabric.fabricColour(71, [104, 106, 108], [168, 168, 164]),
  fabricRust: () => fabric.fabricColour(71, [142, 76, 52], [190, 126, 94]),
  fabricSand: () => fabric.fabricColour(71, [186, 170, 144], [222, 212, 192]),
  fabricMoss: () => fabric.fabricColour(71, [86, 96, 62], [134, 140, 98]),
  fabricNormal: () => fabric.fabricNormal(71),
  fabricRoughness: () => fabric.fabricRoughness(71),
  mesh: () => fabric.meshColour(79, [52, 55, 58]),
  feltGrey: () => fabric.feltColour(83, [128, 130, 132], [196, 196, 192]),
  feltBlue: () => fabric.feltColour(83, [54, 76, 104], [120, 142, 166]),
  feltOchre: () => fabric.feltColour(83, [186, 140, 58], [226, 196, 132]),
  feltNormal: () => fabric.feltNormal(83),
  brushedNormal: () => metal.brushedNormal(97),
  brushedRoughness: () => metal.brushedRoughness(97),
  perforated: () => metal.perforatedColour([206, 208, 206]),
  perforatedMetallic: metal.perforatedMetallic,
  perforatedNormal: metal.perforatedNormal,
  perforatedRoughness: () => metal.perforatedRoughness(101),
  leatherCognac: () => metal.leatherColour(107, [168, 98, 52]),
  leatherBlack: () => metal.leatherColour(107, [48, 45, 43]),
  leatherNormal: () => metal.leatherNormal(107),
  leatherRoughness: () => metal.leatherRoughness(107),
  terrazzo: () => metal.terrazzoColour(113),
  room: () => metal.roomColour(127),
};
