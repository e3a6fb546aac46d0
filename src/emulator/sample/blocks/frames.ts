/** Bent tubes of chairs and stools; origin on the floor below the middle of the seat. */
import type { BlockFamilies } from '../shapes/encode.ts';
import { cylinder } from '../shapes/lathe.ts';
import { type Point, placed, type Shape } from '../shapes/surface.ts';
import { circle, tube } from '../shapes/sweep.ts';
import { belowShell } from './seating.ts';

/** Half of a frame (x > 0) and its mirror image. */
function both(half: Shape): Shape {
  return [...half, ...placed(half, { scale: [-1, 1, 1] })];
}

/** A path and its mirror image, back to the other side. */
function thereAndBack(half: readonly Point[]): Point[] {
  return [...half, ...half.map(([x, y, z]): Point => [-x, y, z]).reverse()];
}

/** The shell on these frames, the places on it that they bear, and the end of a leg in its glide. */
const SHELL_WIDTH = 0.46;
const FRONT = 0.21;
const REAR = 0.42;
const FOOT = 0.008;

/** A tube from foot to foot that follows the underside of a shell. */
function underShell(seat: number, radius: number, t: number, foot: Point): Point[] {
  const across = [0.16, 0.12, 0.08, 0.04, 0, -0.04, -0.08, -0.12, -0.16].map((x) =>
    onSeat(seat, belowShell(SHELL_WIDTH, x, t, radius)),
  );
  return [foot, ...across, [-foot[0], foot[1], foot[2]]];
}

/** Two tubes between those that run across. */
function lengthwise(seat: number, radius: number): Shape {
  const path = Array.from({ length: 6 }, (_, i) =>
    onSeat(seat, belowShell(SHELL_WIDTH, 0.1, FRONT + ((REAR - FRONT) * i) / 5, radius)),
  );
  return both(tube(path, radius));
}

const onSeat = (seat: number, [x, y, z]: Point): Point => [x, seat + y, z];

/** Frames by kind. */
export const FRAME_FAMILIES: BlockFamilies = {
  // A cantilever chair: one tube from one seat rail over the floor to the other: seat height, width.
  FREISCHWINGER: {
    make: (seat, w) =>
      tube(
        thereAndBack([
          [w / 2, seat + 0.03, -0.235],
          [w / 2, seat - 0.01, -0.16],
          [w / 2, seat - 0.02, 0.2],
          [w / 2, 0.0125, 0.23],
          [w / 2, 0.0125, -0.26],
        ]),
        0.0125,
        { bend: 0.06, bendSteps: 8, segments: 16 },
      ),
  },
  // Two arm loops from the seat rails to the back: seat height, width.
  ARMBÜGEL: {
    make: (seat, w) =>
      both(
        tube(
          [
            [w / 2, seat - 0.02, 0.14],
            [w / 2 + 0.03, seat + 0.06, 0.15],
            [w / 2 + 0.03, seat + 0.215, 0.13],
            [w / 2 + 0.03, seat + 0.205, -0.2],
            [w / 2, seat + 0.2, -0.262],
          ],
          0.0115,
          { bend: 0.05, bendSteps: 7 },
        ),
      ),
  },
  // Uprights of a back on a cantilever frame: seat height, width, height of the back's upper edge.
  LEHNENBOGEN: {
    make: (seat, w, h) =>
      tube(
        thereAndBack([
          [w / 2, seat - 0.02, -0.14],
          [w / 2, seat + 0.02, -0.235],
          [w / 2, h, -0.3],
        ]),
        0.0115,
        { bend: 0.05, bendSteps: 7 },
      ),
  },
  // Four bent legs that bear a shell: seat height.
  VIERFUSS: {
    make: (seat) => [
      ...tube(underShell(seat, 0.009, FRONT, [0.23, FOOT, 0.235]), 0.009, { bend: 0.05 }),
      ...tube(underShell(seat, 0.009, REAR, [0.22, FOOT, -0.25]), 0.009, { bend: 0.05 }),
      ...lengthwise(seat, 0.009),
    ],
  },
  // Sled base: seat height.
  KUFENGESTELL: {
    make: (seat) => {
      const front = underShell(seat, 0.006, FRONT, [0.24, 0.006, 0.22]);
      const rear = underShell(seat, 0.006, REAR, [0.24, 0.006, -0.24]);
      return [
        ...tube([...front, ...rear.reverse()], 0.006, { loop: true, bend: 0.035, segments: 12 }),
        ...lengthwise(seat, 0.006),
      ];
    },
  },
  // A foot ring about a column: diameter, height.
  FUSSRING: {
    make: (diameter, h) => {
      const spoke: Point[] = [
        [0.02, h - 0.03, 0],
        [diameter / 4, h - 0.02, 0],
        [diameter / 2, h, 0],
      ];
      return [
        ...tube(circle(diameter, h, 40), 0.009, { loop: true, up: [0, 1, 0] }),
        ...[0, 120, 240].flatMap((turn) => placed(tube(spoke, 0.007), { rot: [0, turn, 0] })),
        ...cylinder(0.034, h - 0.055, h - 0.005, 24),
      ];
    },
  },
};
