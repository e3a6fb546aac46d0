/** What a bent service may mean by its values, with what can be rewritten so that the furniture stays the same. */

import { samples } from '../samples.ts';

type Value = string | number | boolean;

/** Values of options of `convert:` that are right for a bent service; the others are the defaults. */
export type Meaning = Readonly<Record<string, Value>>;

/** Each option that can be bent, with the values that its data can be rewritten for, besides the default. */
export const BENDABLE = {
  winding: ['flip'],
  pointIndexBase: [1],
  uvIndexBase: [1],
  uvStride: [3, 2],
  rotationOrder: ['xzy', 'yxz', 'yzx', 'zxy', 'zyx'],
  rotationDirection: ['clockwise'],
  inheritScale: [true, false],
  blockPlacement: ['ignore'],
  inheritLayers: [true],
  inheritMaterial: [true],
  flipV: [false],
  textureScale: ['metres'],
  textureRotation: ['clockwise'],
  rauto: ['auto'],
  preferStoredUvs: [true],
  boxProjection: ['unscaled'],
  tintTextures: [true],
  normalMap: ['directx'],
  reflection: ['ignore'],
} as const satisfies Record<string, readonly Value[]>;

/** Values that no rewriting of the furniture leads to, with the reason. */
export const UNBENDABLE: Readonly<Record<string, string>> = {
  'winding: keep': 'equals auto where all closed surfaces face outwards',
  'pointIndexBase: 0': 'auto sees it, since every list then has an index 0',
  'uvIndexBase: 0': 'auto sees it, since every list then has an index 0',
  'inheritMaterial: false': 'every part of the furniture has a material',
  writtenMaterials: 'a listed material wins over a written one: no text can be both',
  mirrorOppositeSides: 'a material places its image on all six sides alike',
  glowingTextures: 'no luminous material of the furniture has an image',
};

/** Meanings that no option has: a survey reports them as findings. */
export const FOUND_ONLY = ['unit', 'up axis', 'gloss', 'opacity', 'colour space'] as const;

export type FoundOnly = (typeof FOUND_ONLY)[number];

/** One bend each. */
export const SINGLE_MEANINGS: readonly Meaning[] = Object.entries(BENDABLE).flatMap(
  ([option, values]) => values.map((value): Meaning => ({ [option]: value })),
);

/** Random combinations of bends, the same ones in each run. */
export function combinedMeanings(count = samples(40)): Meaning[] {
  const random = generator(39);
  return Array.from({ length: count }, () => {
    const chosen = Object.entries(BENDABLE).flatMap(([option, values]) => {
      const [isBent, which] = [random() < 0.3, Math.floor(random() * values.length)];
      return isBent ? [[option, values[which]!] as const] : [];
    });
    return Object.fromEntries(chosen);
  });
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
