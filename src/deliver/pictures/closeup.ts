/** What a closeup shows: a part of the material that covers most of a view. No imports from Node: a page uses this file. */
import type { Vec3 } from '../../convert/model/graphics.ts';
import { boundsOf } from '../making/bounds.ts';
import type { PlacedCamera } from './camera.ts';

/** Triangles of one material, in the coordinates of the model. */
export interface Surface {
  /** x y z of each point, metres. */
  points: ArrayLike<number>;
  /** Three points of each triangle. */
  corners: ArrayLike<number>;
  /** Equal for surfaces of the same material. */
  material: unknown;
}

/** A square that faces the camera, about a visible point. */
interface Closeup {
  centre: Vec3;
  sideMetres: number;
}

/** Cells along the longer side of a view: on a desk a cell has 3 cm, a tenth of a closeup. */
const CELLS = 64;
/** Least side of a view: the points of a broken model may all be one. */
const LEAST_METRES = 1e-6;
/** Largest share of the longer side of a view that a closeup shows. */
const MOST_OF_VIEW = 1 / 3;
/** Largest side of a closeup by the width of its material there: a tube does not become a line. */
const MOST_WIDTHS = 2;

/** Distance of a place from other materials, as a share of half a closeup: its edge may be visible at one side. */
const INSIDE = 0.7;

type Axes = Pick<PlacedCamera, 'right' | 'up' | 'back'>;

/**
 * Chooses what a closeup shows: of the material that covers most of a view, a place well inside of it; of several, the
 * one nearest to the viewer, where a front has its edges. Narrow parts count less: of an office chair, the cover of the
 * seat is shown, though tubes, wheels and armrests cover more.
 *
 * @param surfaces - In the order in which they are drawn; read twice, so that they need not be in memory together.
 * @param axes - Of the camera: parallel rays, one for each cell of a grid, decide what is visible.
 * @param mostMetres - Side of the closeup, unless the model or its parts are small.
 * @returns A square; undefined if no ray meets a triangle.
 * @example
 * ```ts
 * closeupOf(surfaces, heroCamera, 0.3);   // → { centre: [0.41, 0.72, 0.4], sideMetres: 0.3 }
 * ```
 */
export function closeupOf(
  surfaces: Iterable<Surface>,
  axes: Axes,
  mostMetres: number,
): Closeup | undefined {
  const { cellMetres, columns, materials, depths, pointAt } = visibleCells(surfaces, axes);
  const most = Math.min(mostMetres, MOST_OF_VIEW * CELLS * cellMetres);
  const enough = Math.ceil((INSIDE * most) / (2 * cellMetres));
  const steps = stepsToOthers(materials, columns).map((each) => Math.min(each, enough));
  const covers = new Map<unknown, number>();
  for (const [cell, material] of materials.entries())
    covers.set(material, (covers.get(material) ?? 0) + steps[cell]!);
  covers.delete(undefined);
  const [[main] = [undefined]] = [...covers].sort(([, a], [, b]) => b - a);
  if (main === undefined) return undefined;
  const own = materials.flatMap((material, cell) => (material === main ? [cell] : []));
  const widest = own.reduce((most, cell) => Math.max(most, steps[cell]!), 0);
  const sideMetres = Math.min(most, MOST_WIDTHS * (2 * widest - 1) * cellMetres);
  const inside = own.filter((cell) => steps[cell] === widest);
  const depthOf = (cell: number) => Math.round(depths[cell]! / cellMetres);
  const nearest = inside.reduce((most, cell) => Math.max(most, depthOf(cell)), -Infinity);
  const places = inside.filter((cell) => depthOf(cell) === nearest);
  return { centre: pointAt(middleOf(places, columns)), sideMetres };
}

/** The material in each cell of a grid over a view, row by row from the lowest; undefined where there is none. */
function visibleCells(surfaces: Iterable<Surface>, axes: Axes) {
  const { x: firstX, y: firstY, cellMetres, columns, rows } = gridOver(surfaces, axes);
  const depths = new Float64Array(columns * rows).fill(-Infinity);
  const materials = new Array<unknown>(columns * rows).fill(undefined);
  for (const { points, corners, material } of surfaces) {
    // Columns and rows, whose whole numbers are the centres of cells, and metres towards the viewer.
    const at = seenBy(points, axes);
    for (let i = 0; i < at.length; i += 3) {
      at[i] = (at[i]! - firstX) / cellMetres - 0.5;
      at[i + 1] = (at[i + 1]! - firstY) / cellMetres - 0.5;
    }
    for (let i = 0; i + 2 < corners.length; i += 3) {
      const [a, b, c] = [3 * corners[i]!, 3 * corners[i + 1]!, 3 * corners[i + 2]!];
      const [ax, ay, az] = [at[a]!, at[a + 1]!, at[a + 2]!];
      const [bx, by, bz] = [at[b]! - ax, at[b + 1]! - ay, at[b + 2]! - az];
      const [cx, cy, cz] = [at[c]! - ax, at[c + 1]! - ay, at[c + 2]! - az];
      const area = bx * cy - cx * by;
      if (area === 0) continue;
      const [left, right] = [ax + Math.min(0, bx, cx), ax + Math.max(0, bx, cx)];
      const [low, high] = [ay + Math.min(0, by, cy), ay + Math.max(0, by, cy)];
      for (let row = Math.ceil(low); row <= high; row++) {
        for (let column = Math.ceil(left); column <= right; column++) {
          const [x, y] = [column - ax, row - ay];
          const ofB = (x * cy - cx * y) / area;
          const ofC = (bx * y - x * by) / area;
          if (ofB < 0 || ofC < 0 || ofB + ofC > 1) continue;
          const [cell, depth] = [row * columns + column, az + ofB * bz + ofC * cz];
          // Of coplanar faces, the last one is visible.
          if (depth < depths[cell]!) continue;
          depths[cell] = depth;
          materials[cell] = material;
        }
      }
    }
  }
  const { right, up, back } = axes;
  const pointAt = (cell: number): Vec3 => {
    const x = firstX + ((cell % columns) + 0.5) * cellMetres;
    const y = firstY + (Math.floor(cell / columns) + 0.5) * cellMetres;
    const along = (k: 0 | 1 | 2) => x * right[k] + y * up[k] + depths[cell]! * back[k];
    return [along(0), along(1), along(2)];
  };
  return { cellMetres, columns, materials, depths, pointAt };
}

/** A grid that covers a view; x and y of its lower left, metres. */
function gridOver(surfaces: Iterable<Surface>, axes: Axes) {
  const boxes = Array.from(surfaces, ({ points }) => boundsOf([seenBy(points, axes)]));
  const { min, max } = boundsOf(boxes.flatMap(({ min, max }) => [min, max]));
  const [width, height] = [max[0] - min[0], max[1] - min[1]];
  const cellMetres = Math.max(width, height, LEAST_METRES) / CELLS;
  const cells = (metres: number) => Math.max(1, Math.ceil(metres / cellMetres));
  return { x: min[0], y: min[1], cellMetres, columns: cells(width), rows: cells(height) };
}

/** Points along the axes of a camera: right, up and back, metres. */
function seenBy(points: ArrayLike<number>, { right, up, back }: Axes): Float64Array {
  const seen = new Float64Array(points.length);
  for (let i = 0; i + 2 < points.length; i += 3) {
    for (const [k, axis] of [right, up, back].entries())
      seen[i + k] = axis[0] * points[i]! + axis[1] * points[i + 1]! + axis[2] * points[i + 2]!;
  }
  return seen;
}

/** The steps of a king from each cell to the nearest one of another material, or out of the view: 1 at an edge. */
function stepsToOthers(materials: readonly unknown[], columns: number): number[] {
  const rows = materials.length / columns;
  const steps = materials.map(() => Infinity);
  const stepsBy = (cell: number, column: number, row: number) => {
    const isInside = column >= 0 && column < columns && row >= 0 && row < rows;
    const other = row * columns + column;
    return 1 + (isInside && materials[other] === materials[cell] ? steps[other]! : 0);
  };
  // Chessboard distances need one pass forward and one back.
  for (const step of [1, -1]) {
    for (let i = 0; i < steps.length; i++) {
      const cell = step === 1 ? i : steps.length - 1 - i;
      const [column, row] = [cell % columns, Math.floor(cell / columns)];
      const before = [-1, 0, 1].map((beside) => stepsBy(cell, column + beside, row - step));
      steps[cell] = Math.min(steps[cell]!, stepsBy(cell, column - step, row), ...before);
    }
  }
  return steps;
}

/** Of some cells, the one that is nearest to the middle of them all. */
function middleOf(cells: readonly number[], columns: number): number {
  const placeOf = (cell: number) => [cell % columns, Math.floor(cell / columns)] as const;
  const mean = (k: 0 | 1) => cells.reduce((sum, cell) => sum + placeOf(cell)[k], 0) / cells.length;
  const middle = [mean(0), mean(1)] as const;
  const distance = (cell: number) => {
    const [column, row] = placeOf(cell);
    return (column - middle[0]) ** 2 + (row - middle[1]) ** 2;
  };
  return cells.reduce((a, b) => (distance(b) < distance(a) ? b : a));
}
