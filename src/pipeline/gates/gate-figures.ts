/**
 * Gate figures: how much one configuration differs from the night before, one row a gate.
 *
 * In: the figures of one configuration on two nights. Out: a share from 0 (equal) to 1 (gone, or out of nothing).
 * It must not know how much is too much.
 */
import type { AssetFigures } from '../../model/asset.ts';
import type { Bounds } from '../../model/scene.ts';
import type { Gate } from './gate-schema.ts';

/** What is known of a GLB. */
type Figures = Partial<AssetFigures>;

/** How a figure is compared and told. */
interface FigureRow {
  /** The figure as one number; undefined where it is not known. */
  figure(of: Figures): number | undefined;
  /** How much it differs: 0 to 1. */
  change(before: Figures, now: Figures): number;
  /** What is told of one configuration. */
  tell(of: Figures): string;
  /** What changed, in words: `512 configurations …`. */
  what: string;
}

/** The figures that are compared. `articlesGone` is none: there is nothing to compare with. */
export const GATE_FIGURES = {
  triangles: countRow('triangles', 'have another number of triangles'),
  bounds: {
    figure: ({ boundsMetres }) => boundsMetres && diagonal(boundsMetres),
    change: (before, now) => boundsChange(before.boundsMetres!, now.boundsMetres!),
    tell: ({ boundsMetres }) => `${sizes(boundsMetres!).map(metres).join(' × ')} m`,
    what: 'have another size or place',
  },
  materials: countRow('materials', 'have another number of materials'),
  bytes: countRow('bytes', 'have files of another size'),
  textures: countRow('textures', 'have another number of textures'),
} as const satisfies Record<Exclude<Gate, 'articlesGone'>, FigureRow>;

/**
 * How much a count differs: the difference as a share of the larger one. Half and double are both 0.5.
 *
 * @example
 * ```ts
 * countChange(100, 50);   // → 0.5
 * countChange(0, 7);      // → 1
 * ```
 */
export function countChange(before: number, now: number): number {
  const larger = Math.max(before, now);
  return larger === 0 ? 0 : Math.abs(before - now) / larger;
}

/** Below this nothing has a size: what is flat may be flat in another way. */
const NOTICEABLE_METRES = 0.001;

/**
 * How much a box differs: by its size along an axis, or by the way of its centre as a share of the
 * larger diagonal, whichever is more. So it tells a lost unit, a flattened part, a turn and a shift.
 */
export function boundsChange(before: Bounds, now: Bounds): number {
  const was = sizes(before);
  const bySize = sizes(now).map((size, axis) =>
    Math.abs(size - was[axis]!) < NOTICEABLE_METRES ? 0 : countChange(was[axis]!, size),
  );
  const centre = (box: Bounds) => box.min.map((low, axis) => (low + box.max[axis]!) / 2);
  const at = centre(before);
  const way = Math.hypot(...centre(now).map((place, axis) => place - at[axis]!));
  const larger = Math.max(diagonal(before), diagonal(now));
  const byPlace = way < NOTICEABLE_METRES ? 0 : Math.min(1, way / larger);
  return Math.max(byPlace, ...bySize);
}

function countRow(name: 'triangles' | 'materials' | 'bytes' | 'textures', what: string): FigureRow {
  return {
    figure: (of) => of[name],
    change: (before, now) => countChange(before[name]!, now[name]!),
    tell: (of) => `${of[name]!.toLocaleString('en-US')} ${name}`,
    what,
  };
}

function sizes({ min, max }: Bounds): number[] {
  return max.map((high, axis) => high - min[axis]!);
}

function diagonal(bounds: Bounds): number {
  return Math.hypot(...sizes(bounds));
}

function metres(size: number): string {
  return size.toFixed(2);
}
