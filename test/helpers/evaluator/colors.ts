/** Colours of the evaluator: sRGB and linear light. */
import type { Vec3 } from './vectors.ts';

/** IEC 61966-2-1, 0..1 to 0..1. */
export const linearOf = (srgb: number): number =>
  srgb <= 0.04045 ? srgb / 12.92 : ((srgb + 0.055) / 1.055) ** 2.4;

export const srgbOf = (linear: number): number =>
  linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;

export const linearRgb = ([r, g, b]: Vec3): Vec3 => [linearOf(r), linearOf(g), linearOf(b)];

/** `0xRRGGBB`, `#RRGGBB` or `RRGGBB` as sRGB 0..1; undefined for anything else. */
export function colorOf(value: unknown): Vec3 | undefined {
  if (typeof value !== 'string' || !/^(0x|#|)[0-9a-f]{6}$/i.test(value.trim())) return undefined;
  const hex = Number.parseInt(value.trim().slice(-6), 16);
  return [(hex >> 16) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];
}

/** Relative luminance of a linear colour. */
export const luminanceOf = ([r, g, b]: Vec3): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

export const mix = (a: number, b: number, t: number): number => a * (1 - t) + b * t;
