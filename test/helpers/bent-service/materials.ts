/** Materials of a bent service: the same looks, written for a reader who understands fields otherwise. */

import type { Wire } from '../sample-range.ts';
import type { FoundOnly, Meaning } from './meaning.ts';

/** A grey image under a colour is so bright on average, in linear light. */
export const GREY_MEAN = 0.55;

/** What is known of the images of a range, by their reference. */
export interface Means {
  /** Mean colour, linear. */
  meanOf(reference: string): readonly number[] | undefined;
}

/** Rewrites a material; it may be changed. */
export function bendMaterial(
  material: Wire,
  meaning: Meaning,
  bent: ReadonlySet<FoundOnly>,
  { meanOf }: Means,
): void {
  if (meaning.rauto === 'auto' && material.map === 'rauto') exchange(material);
  if (meaning.textureScale === 'metres')
    for (const field of ['scaleu', 'scalev'])
      if (Number(material[field])) material[field] = 1 / Number(material[field]);
  if (meaning.textureRotation === 'clockwise')
    for (const field of ['rot', 'bump_rot'])
      if (material[field] !== undefined) material[field] = -Number(material[field]);
  if (meaning.preferStoredUvs === true && material.pic && !material.map) material.map = 'auto';
  if (meaning.reflection === 'ignore') material.refl = 0.2;
  const mean = material.pic && meaning.tintTextures === true && meanOf(material.pic);
  if (mean)
    material.dif = hexOf(mean.map((part: number) => encoded(Math.min(1, part / GREY_MEAN))));
  if (bent.has('gloss') && material.roughness !== undefined)
    material.roughness = 1 - Number(material.roughness);
  if (bent.has('opacity')) material.tra = 1 - Number(material.tra ?? 0);
  if (bent.has('colour space') && typeof material.dif === 'string')
    material.dif = hexOf(partsOf(material.dif).map(linear));
}

/** U and V change places by a negative scale and a quarter turn. */
function exchange(material: Wire): void {
  for (const prefix of ['', 'bump_']) {
    const has = ['scaleu', 'scalev', 'rot', 'offsetx', 'offsety'].some(
      (field) => material[`${prefix}${field}`] !== undefined,
    );
    if (prefix !== '' && !has) continue;
    const of = (field: string, otherwise: number) =>
      Number(material[`${prefix}${field}`] ?? material[field] ?? otherwise);
    const [v, y, turn] = [of('scalev', 1), of('offsety', 0), of('rot', 0)];
    if (prefix !== '') {
      const [u, x] = [of('scaleu', 1), of('offsetx', 0)];
      Object.assign(material, { bump_scaleu: u, bump_offsetx: x });
    }
    Object.assign(material, {
      [`${prefix}scalev`]: -v,
      [`${prefix}offsety`]: -y,
      [`${prefix}rot`]: -turn - 90,
    });
  }
}

/** The material of a part that is scaled, for a reader whose projection is made before the scale. */
export function scaledCopy(material: Wire, size: number, mname: string): Wire {
  const copy = { ...material, mname };
  for (const prefix of ['', 'bump_']) {
    for (const field of ['scaleu', 'scalev']) {
      const value = material[`${prefix}${field}`] ?? (prefix === '' ? 1 : undefined);
      if (value !== undefined) copy[`${prefix}${field}`] = Number(value) * size;
    }
    for (const field of ['offsetx', 'offsety']) {
      const value = material[`${prefix}${field}`];
      if (value !== undefined) copy[`${prefix}${field}`] = Number(value) / size;
    }
  }
  return copy;
}

export function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

export function encoded(part: number): number {
  return part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055;
}

function partsOf(hex: string): number[] {
  const value = Number.parseInt(hex.replace(/^0x|^#/i, ''), 16);
  return [value >> 16, (value >> 8) & 255, value & 255].map((part) => part / 255);
}

function hexOf(parts: readonly number[]): string {
  const bytes = parts.map((part) =>
    Math.round(255 * part)
      .toString(16)
      .padStart(2, '0'),
  );
  return `0x${bytes.join('').toUpperCase()}`;
}
