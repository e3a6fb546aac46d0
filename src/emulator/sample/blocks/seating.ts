/**
 * Shells, pads, meshes, frames and bases of chairs, facing +z; complete parts have their origin on
 * the floor below the middle of the seat.
 */

import { cos, exp, pow, sin, square } from '../../../support/elementary.ts';
import { chamferedBox, roundedBox } from '../shapes/box.ts';
import type { BlockFamilies } from '../shapes/encode.ts';
import { cylinder, lathe } from '../shapes/lathe.ts';
import { type Flat, type Outline, roundedRectangle, superellipse } from '../shapes/outline.ts';
import { rowShell, shell } from '../shapes/shell.ts';
import { type Point, placed } from '../shapes/surface.ts';
import { sweep, tube } from '../shapes/sweep.ts';

/** A seat: flat in the middle, falling over its front edge; y of the seat's plane is 0. */
function seatBend(depth: number) {
  return (x: number, y: number): Point => {
    const front = Math.max(0, -y - depth * 0.22) / (depth * 0.28);
    const rear = Math.max(0, y - depth * 0.3) / (depth * 0.2);
    return [x, 0.012 * square(x / 0.24) - 0.035 * pow(front, 2.4) + 0.01 * square(rear), -y];
  };
}

/** A back: hugging at the sides, with a lumbar curve; y from the lower edge is plan y + h / 2. */
function backBend(h: number) {
  return (x: number, y: number): Point => {
    const t = Math.max(0, y / h + 0.5);
    const lumbar = 0.032 * exp(-square((t - 0.28) / 0.22));
    return [x, y + h / 2, 0.055 * square(x / 0.23) + lumbar - 0.09 * pow(t, 1.6)];
  };
}

const pad =
  (middle: number, rim: number) =>
  (t: number): number =>
    rim + (middle - rim) * Math.sqrt(Math.max(0, 1 - pow(t, 5)));

function backOutline(w: number, h: number): Outline {
  // The plan is narrower at the shoulders than at the hips.
  return superellipse(w, h, 4.2, 56).map(([x, y]) => [x * (1 - 0.12 * (y / h + 0.5)), y] as const);
}

const SHELL_THICKNESS = 0.009;

/** The middle line of a chair shell from the front edge to the top: y, z. */
const SHELL_LINE: readonly Flat[] = [
  [-0.032, 0.235],
  [-0.012, 0.212],
  [-0.006, 0.15],
  [-0.014, 0.05],
  [-0.018, -0.05],
  [-0.008, -0.12],
  [0.022, -0.172],
  [0.075, -0.205],
  [0.15, -0.226],
  [0.24, -0.243],
  [0.32, -0.262],
  [0.375, -0.282],
];

/** A point of the middle line; t from 0 (front) to 1 (top). */
function shellLine(t: number): Flat {
  const at = Math.min(0.9999, Math.max(0, t)) * (SHELL_LINE.length - 1);
  const i = Math.floor(at);
  const f = at - i;
  const p = (k: number): Flat => SHELL_LINE[Math.max(0, Math.min(SHELL_LINE.length - 1, k))]!;
  const spline = (k: 0 | 1): number => {
    const [a, b, c, d] = [p(i - 1)[k], p(i)[k], p(i + 1)[k], p(i + 2)[k]];
    return b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
  };
  return [spline(0), spline(1)];
}

/** Half the width of a chair shell: full at the seat, slim at the waist, round at both ends. */
function shellHalfWidth(w: number, t: number): number {
  const waist = 0.1 * exp(-square((t - 0.56) / 0.17)) + 0.06 * smooth((t - 0.5) / 0.4);
  const corner = (distance: number, radius: number): number => {
    const d = Math.max(0, radius - distance);
    return radius - Math.sqrt(Math.max(0, square(radius) - square(d)));
  };
  const length = 0.92;
  return (w / 2) * (1 - waist) - corner(t * length, 0.085) - corner((1 - t) * length, 0.13);
}

const smooth = (t: number): number => {
  const c = Math.min(1, Math.max(0, t));
  return c * c * (3 - 2 * c);
};

/** Position of a shell point: the sides turn up at the seat and forward at the back. */
function bucket(w: number, x: number, t: number): Point {
  const [y, z] = shellLine(t);
  const side = pow(Math.abs(x / (w / 2)), 2.2);
  const upright = smooth((t - 0.38) / 0.3);
  const front = 1 - 0.7 * smooth((0.25 - t) / 0.25);
  return [
    x,
    y + side * 0.05 * (1 - upright) * front,
    z + side * (0.075 - 0.03 * smooth((t - 0.7) / 0.3)) * upright,
  ];
}

/**
 * A point below a chair shell for the middle of a tube that touches it, relative to the seat.
 *
 * @param t - From the front edge (0) to the top (1).
 */
export function belowShell(w: number, x: number, t: number, tubeRadius: number): Point {
  const [px, y, z] = bucket(w, x, t);
  return [px, y - SHELL_THICKNESS / 2 - tubeRadius, z];
}

/** Pads and shells. */
export const SEATING_FAMILIES: BlockFamilies = {
  // A task chair's seat pad: width, depth, thickness.
  SITZPOLSTER: {
    make: (w, d, thickness) =>
      shell({
        outline: superellipse(w, d, 4.5, 56),
        bend: seatBend(d),
        front: pad(thickness * 0.72, thickness * 0.18),
        back: pad(thickness * 0.28, thickness * 0.12),
        rim: thickness * 0.16,
        rings: 7,
      }),
  },
  SITZSCHALE: {
    make: (w, d) =>
      shell({
        outline: superellipse(w, d, 4.5, 40),
        bend: seatBend(d),
        front: () => 0.004,
        back: pad(0.022, 0.004),
        rim: 0.004,
        rings: 6,
      }),
  },
  // Backs start at their lower edge: width, height.
  RÜCKENPOLSTER: {
    make: (w, h) =>
      shell({
        outline: backOutline(w, h),
        bend: backBend(h),
        front: pad(0.04, 0.01),
        back: pad(0.014, 0.008),
        rim: 0.009,
        rings: 7,
      }),
  },
  RÜCKENNETZ: {
    make: (w, h) =>
      shell({
        outline: backOutline(w, h),
        bend: backBend(h),
        front: () => 0,
        back: () => 0,
        rings: 6,
        sheet: true,
      }),
  },
  // The rim of a back: a tube that follows it.
  RÜCKENRAHMEN: {
    make: (w, h) => {
      const bend = backBend(h);
      const path = backOutline(w, h).map(([x, y]) => bend(x, y));
      const section = roundedRectangle(0.009 * 2.4, 0.009 * 1.5, 0.009 * 0.7, 2);
      return sweep(section, path, { loop: true, up: [1, 0, 0] });
    },
  },
  // The carrier behind a back, from under the seat: height of its upper end.
  LEHNENTRÄGER: {
    make: (h) =>
      sweep(
        roundedRectangle(0.07, 0.018, 0.008, 4),
        Array.from({ length: 15 }, (_, i): Point => {
          const angle = Math.min(1, i / 8) * (Math.PI / 2);
          const up = Math.max(0, (i - 8) / 6);
          return [
            0,
            0.09 - 0.09 * cos(angle) + up * (h - 0.09),
            -0.1 - 0.16 * sin(angle) - up * 0.025,
          ];
        }),
        { endChamfer: 0.003, scaleAt: (t) => [1 - 0.35 * t, 1] },
      ),
  },
  // One arm of a five-star base along +x; five of them make the base.
  STERNARM: {
    make: (length) =>
      sweep(
        roundedRectangle(0.05, 0.036, 0.012, 4),
        Array.from({ length: 11 }, (_, i): Point => {
          const t = i / 10;
          return [0.02 + (length - 0.02) * t, 0.105 - 0.034 * t * t, 0];
        }),
        { endChamfer: 0.004, scaleAt: (t) => [1 - 0.42 * t, 1 - 0.5 * t] },
      ),
  },
  // Hub and gas spring: height of the seat mechanism.
  SÄULE: {
    make: (h) => [
      ...lathe(
        [
          [0.03, 0.072],
          [0.04, 0.08],
          [0.036, 0.13],
          [0.027, 0.135],
          [0.027, h * 0.66],
        ],
        { segments: 28, round: 0.002, roundSteps: 2 },
      ),
      ...cylinder(0.015, h * 0.6, h, 20),
    ],
  },
  // The mechanism below a seat with its levers; its upper side is y = 0.
  MECHANIK: {
    make: () => [
      ...placed(roundedBox(0.17, 0.055, 0.24, 0.014), { at: [-0.085, -0.058, -0.13] }),
      ...placed(chamferedBox(0.3, 0.01, 0.05, 0.002), { at: [-0.15, -0.012, -0.05] }),
      ...tube(
        [
          [0.07, -0.03, 0.03],
          [0.2, -0.03, 0.03],
          [0.24, -0.03, 0.05],
        ],
        0.005,
        { bend: 0.02 },
      ),
      ...placed(chamferedBox(0.05, 0.012, 0.024, 0.004), { at: [0.215, -0.036, 0.036] }),
      ...tube(
        [
          [-0.07, -0.03, -0.02],
          [-0.21, -0.03, -0.02],
        ],
        0.005,
      ),
      ...placed(chamferedBox(0.05, 0.012, 0.024, 0.004), { at: [-0.245, -0.036, -0.032] }),
    ],
  },
  // The right armrest's bracket and the pad on it; the left one is its mirror image.
  ARMTRÄGER: {
    make: (h) =>
      sweep(
        roundedRectangle(0.046, 0.02, 0.008, 4),
        [
          [0.12, -0.012, 0],
          [0.24, -0.012, 0],
          [0.268, -0.008, 0],
          [0.284, 0.004, 0],
          [0.29, 0.028, 0],
          [0.29, h - 0.02, 0],
        ],
        { endChamfer: 0.003, up: [0, 1, 0] },
      ),
  },
  ARMAUFLAGE: {
    make: () => placed(roundedBox(0.085, 0.026, 0.25, 0.012), { at: [-0.0425, 0, -0.125] }),
  },
  // A moulded chair shell, seat and back in one: width.
  SCHALE: {
    make: (w) =>
      rowShell({
        rows: 34,
        columns: 14,
        at: (u, v) => bucket(w, u * shellHalfWidth(w, v), v),
        uv: (u, v) => [u * shellHalfWidth(w, v), v * 0.92],
        thickness: SHELL_THICKNESS,
      }),
  },
  SCHALENPOLSTER: {
    make: (w) =>
      shell({
        outline: superellipse(w * 0.86, 0.39, 4, 56),
        bend: (x, y) => bucket(w, x, (y + 0.245) / 0.92),
        front: pad(0.027, 0.007),
        back: () => -0.003,
        rim: 0.002,
        rings: 8,
      }),
  },
  // A round seat pad: diameter, thickness.
  RUNDPOLSTER: {
    make: (diameter, h) => {
      const r = diameter / 2;
      return lathe(
        [
          [r * 0.9, 0],
          [r, h * 0.3],
          [r, h * 0.65],
          [r * 0.9, h * 0.9],
          [r * 0.5, h],
        ],
        { segments: 48, round: h * 0.3, roundSteps: 5 },
      );
    },
  },
};
