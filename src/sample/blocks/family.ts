/**
 * Family: blocks that differ in their measures only; the measures stand in the name, millimetres.
 */
import type { BlockQuirks } from '../shapes/encode.ts';
import type { Shape } from '../shapes/surface.ts';

/** A family of blocks. */
export interface BlockFamily {
  /** How many measures its names carry. */
  measures: number;
  /** Makes the shape from the measures in metres. */
  make: (...metres: number[]) => Shape;
  quirks?: BlockQuirks;
}

/** Families by name. */
export type BlockFamilies = Readonly<Record<string, BlockFamily>>;
