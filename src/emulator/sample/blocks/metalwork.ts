/** Legs, feet, columns, glides, castors and frames of tables and cabinets. */

import { pow } from '../../../support/elementary.ts';
import { chamferedBox, roundedBox } from '../shapes/box.ts';
import type { BlockFamilies } from '../shapes/encode.ts';
import { cylinder, lathe } from '../shapes/lathe.ts';
import { roundedRectangle } from '../shapes/outline.ts';
import { type Point, placed, type Shape } from '../shapes/surface.ts';
import { sweep, tube } from '../shapes/sweep.ts';

/** A twin castor on the floor below the origin; its stem is on the y axis. */
function castor(radius: number): Shape {
  const wheel = lathe(
    [
      [radius * 0.55, 0],
      [radius * 0.93, 0],
      [radius, radius * 0.12],
      [radius, radius * 0.52],
      [radius * 0.88, radius * 0.66],
      [radius * 0.3, radius * 0.72],
    ],
    // The number is a multiple of four, so that one vertex is exactly the lowest.
    { segments: 24 },
  );
  const trail = -radius * 0.55;
  const hood = cylinder(radius * 1.05, -radius * 0.1, radius * 0.1, 24);
  return [
    ...placed(wheel, { rot: [90, 0, 0], at: [trail, radius, radius * 0.12] }),
    ...placed(wheel, { rot: [-90, 0, 0], at: [trail, radius, -radius * 0.12] }),
    ...placed(hood, { rot: [90, 0, 0], at: [trail, radius * 1.06, 0] }),
    ...placed(
      lathe(
        [
          [radius * 0.3, 0],
          [radius * 0.3, radius * 0.5],
          [radius * 0.18, radius * 0.5],
          [radius * 0.18, radius * 1.1],
        ],
        { segments: 16 },
      ),
      { at: [0, radius * 1.25, 0] },
    ),
  ];
}

/** The foot of a sit-stand desk along z, flat below and tapering to its ends. */
function deskFoot(length: number): Shape {
  const section = roundedRectangle(0.075, 0.034, 0.008, 3);
  const path: Point[] = Array.from({ length: 9 }, (_, i) => [0, 0.026, (i / 8) * length]);
  return sweep(section, path, {
    endChamfer: 0.004,
    scaleAt: (t) => [1, 1 - 0.5 * pow(Math.abs(2 * t - 1), 2.2)],
  }).map((surface) => ({
    // The lower side stays level: points that the taper lifts are moved down again.
    ...surface,
    positions: surface.positions.map((value, k) =>
      k % 3 === 1 ? 0.009 + Math.max(0, value - 0.009) : value,
    ),
  }));
}

/** Legs, feet, glides, castors. */
export const METAL_FAMILIES: BlockFamilies = {
  // A glide on the floor: diameter.
  GLEITER: {
    make: (diameter) =>
      lathe(
        [
          [diameter * 0.42, 0],
          [diameter / 2, diameter * 0.12],
          [diameter / 2, diameter * 0.3],
          [diameter * 0.16, diameter * 0.38],
          [diameter * 0.16, diameter * 0.8],
        ],
        { segments: 20 },
      ),
    quirks: { threeFloatUvs: true },
  },
  ROLLE: { make: castor },
  // A rectangular tube on the floor, corner at the origin: width, height, depth.
  PROFIL: { make: (w, h, d) => chamferedBox(w, h, d, 0.0025) },
  // A round column with a collar: diameter, height.
  RUNDROHR: {
    make: (diameter, h) =>
      lathe(
        [
          [diameter / 2 - 0.001, 0],
          [diameter / 2, 0.001],
          [diameter / 2, h - 0.001],
          [diameter / 2 - 0.001, h],
        ],
        { segments: 28 },
      ),
    quirks: { oneBasedUvs: true },
  },
  // A turned leg: height, upper and lower diameter.
  KONUSBEIN: {
    make: (h, upper, lower) =>
      lathe(
        [
          [lower / 2 - 0.003, 0],
          [lower / 2, 0.004],
          [lower / 2 + (upper - lower) * 0.3, h * 0.55],
          [upper / 2, h],
        ],
        { segments: 22, round: 0.05, roundSteps: 2 },
      ),
  },
  TFUSS: { make: deskFoot },
  // The column of a sit-stand desk: outer tube height, inner tube height; centred in x and z.
  HUBSÄULE: {
    make: (outer, inner) => [
      ...placed(roundedBox(0.08, outer, 0.05, 0.006), { at: [-0.04, 0, -0.025] }),
      ...placed(roundedBox(0.07, inner, 0.041, 0.005), { at: [-0.035, 0, -0.0205] }),
    ],
  },
  // A trumpet base on the floor: diameter of the plate, height.
  TROMPETENFUSS: {
    make: (diameter, h) => {
      const r = diameter / 2;
      const flare = Array.from({ length: 13 }, (_, i) => {
        const t = i / 12;
        return [0.038 + (r * 0.62 - 0.038) * pow(1 - t, 4), 0.012 + t * h * 0.42] as const;
      });
      return lathe(
        [[r - 0.004, 0], [r, 0.003], [r, 0.007], [r - 0.012, 0.011], ...flare, [0.038, h]],
        { segments: 56 },
      );
    },
  },
  // A loop leg of flat steel in the plane x = 0: height, depth, width of the steel.
  KUFE: {
    make: (h, d, width) =>
      sweep(
        roundedRectangle(width, 0.012, 0.002, 2),
        [
          [0, h - 0.006, 0.0],
          [0, 0.03, 0.0],
          [0, 0.018, 0.002],
          [0, 0.01, 0.007],
          [0, 0.006, 0.018],
          [0, 0.006, d - 0.018],
          [0, 0.01, d - 0.007],
          [0, 0.018, d - 0.002],
          [0, 0.03, d],
          [0, h - 0.006, d],
        ],
        { up: [0, 0, -1] },
      ),
  },
  // A cable tray below a top: length.
  KABELWANNE: {
    make: (length) => [
      ...chamferedBox(length, 0.0015, 0.12, 0.0005),
      ...chamferedBox(length, 0.07, 0.0015, 0.0005),
      ...placed(chamferedBox(length, 0.04, 0.0015, 0.0005), { at: [0, 0, 0.1185] }),
    ],
  },
  // A wire pull or rail along x: length, diameter.
  STANGE: {
    make: (length, diameter) =>
      tube(
        [
          [0, 0, 0],
          [length, 0, 0],
        ],
        diameter / 2,
        { segments: 16 },
      ),
  },
};
