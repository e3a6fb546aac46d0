/** Raw JSON of the service as the evaluator reads it. */
import type { Vec3 } from './vectors.ts';

export type Json = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number, or the text of one with a point or a comma; else undefined. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value.trim().replace(',', '.'));
  return Number.isFinite(number) ? number : undefined;
}

/** Three numbers; a missing list is the given default. */
export function threeOf(value: unknown, missing: number): Vec3 {
  const list = Array.isArray(value) ? value : [];
  const at = (index: number) => numberOf(list[index]) ?? missing;
  return [at(0), at(1), at(2)];
}

/** Names are compared in upper case and without a leading `::`. */
export const canonical = (name: string): string => name.replace(/^::/, '').toUpperCase();

/** A glob with `*` only, without regard to case. */
export function matchesGlob(glob: string, text: string): boolean {
  const source = glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${source}$`, 'is').test(text);
}
