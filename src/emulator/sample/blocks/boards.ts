/** Tops, panels, fronts, boxes, handles; one corner at the origin unless stated otherwise. */

import { cos, sin } from '../../../support/elementary.ts';
import { chamferedBox, cushion, roundedBox } from '../shapes/box.ts';
import type { BlockFamilies } from '../shapes/encode.ts';
import { slab } from '../shapes/extrude.ts';
import { boat, type Outline, roundedRectangle, superellipse } from '../shapes/outline.ts';
import { addGrid, emptySurface, placed, type Shape } from '../shapes/surface.ts';
import { tube } from '../shapes/sweep.ts';

/** Moves a plan from the origin as its centre to the origin as its corner. */
function fromCorner(outline: Outline, w: number, d: number): Outline {
  return outline.map(([x, z]) => [x + w / 2, z + d / 2] as const);
}

/** A flat sheet in the plane y = 0: symbols of the plan view, back panels. */
function sheet(w: number, d: number): Shape {
  const surface = emptySurface(false);
  addGrid(surface, 1, 1, (i, j) => ({ point: [i * w, 0, d - j * d] }));
  return [surface];
}

/** The plan of a top's extension: an eighth of a circle and a slant widen it towards its joint at x = w. */
function extension(w: number, d: number): Outline {
  const radius = 0.12;
  const arc = Array.from({ length: 5 }, (_, i) => {
    const angle = (i / 4) * (Math.PI / 4);
    return [w - radius + radius * sin(angle), d + radius - radius * cos(angle)] as const;
  });
  return [[0, 0], [w, 0], [w, d + radius * (2 - Math.SQRT2)], ...arc.reverse(), [0, d]];
}

/** Boards by family. */
export const BOARD_FAMILIES: BlockFamilies = {
  // Carcass boards, shelves, fronts, rails: width, height, depth.
  PLATTE: { make: (w, h, d) => chamferedBox(w, h, d, 0.0012) },
  // Native geometry of the OFML family is clockwise. These panels are clockwise on purpose.
  PANEEL: { make: (w, h, d) => chamferedBox(w, h, d, 0.002), quirks: { clockwise: true } },
  // Desk tops with round corners: width, thickness, depth.
  TISCHPLATTE: {
    make: (w, t, d) => slab(fromCorner(roundedRectangle(w, d, 0.03, 8), w, d), t, 0.0025),
  },
  // The two boards of an L-shaped top, grain along x, with sharp corners: width, depth.
  ECKPLATTE: {
    make: (w, d) =>
      slab(
        [
          [0, 0],
          [w, 0],
          [w, d],
          [0, d],
        ],
        0.025,
        0.0025,
      ),
  },
  ANSATZPLATTE: { make: (w, d) => slab(extension(w, d), 0.025, 0.0025) },
  // Tops on a centred origin with a lower edge that slants in.
  BOOTPLATTE: { make: (w, t, d) => slab(boat(w, d, d * 0.78, 0.08), t, 0.0025, 1, t * 0.7) },
  RUNDPLATTE: {
    make: (diameter, t) => slab(superellipse(diameter, diameter, 2, 96), t, 0.0025, 1, t * 0.6),
  },
  KIESELPLATTE: { make: (w, t, d) => slab(superellipse(w, d, 2.7, 80), t, t * 0.45, 4) },
  // Rounded boxes: width, height, depth, radius.
  KASTEN: { make: (w, h, d, r) => roundedBox(w, h, d, r) },
  // Upholstery: width, height, depth.
  KISSEN: {
    make: (w, h, d) =>
      cushion(w, h, d, { radius: Math.min(0.045, h * 0.42), crown: 0.022, bulge: 0.012 }),
  },
  // A loose back cushion: soft on all sides.
  WURFKISSEN: {
    make: (w, h, d) =>
      cushion(w, h, d, { radius: d * 0.4, crown: 0.02, bulge: 0.05, belly: 0.008 }),
  },
  // A bow handle in front of the plane z = 0, centred: distance of its feet.
  BÜGELGRIFF: {
    make: (length) =>
      tube(
        [
          [-length / 2, 0, 0],
          [-length / 2, 0, 0.03],
          [length / 2, 0, 0.03],
          [length / 2, 0, 0],
        ],
        0.005,
        { bend: 0.012, segments: 12 },
      ),
  },
  // An edge grip: a bent strip along the upper edge of a front.
  GRIFFLEISTE: {
    make: (w) => [
      ...chamferedBox(w, 0.002, 0.022, 0.0006),
      ...placed(chamferedBox(w, 0.016, 0.002, 0.0006), { at: [0, -0.014, 0.02] }),
    ],
  },
  // Drawer box behind its front: width, height, depth; open at the top.
  SCHUBKASTEN: {
    make: (w, h, d) => [
      ...chamferedBox(w, 0.008, d, 0.001),
      ...chamferedBox(0.012, h, d, 0.001),
      ...placed(chamferedBox(0.012, h, d, 0.001), { at: [w - 0.012, 0, 0] }),
      ...chamferedBox(w, h, 0.012, 0.001),
    ],
  },
  // A unit board: nodes scale it differently on each axis. Its own position and rotation lay it flat.
  EINHEIT: {
    make: () => chamferedBox(1, 1, 1, 0.01),
    quirks: { position: [1, 0, 0], rotation: [0, 0, 90] },
  },
  // Open sheets: a back panel seen from the front, the symbol of the plan view.
  SYMBOL: { make: sheet, quirks: { withoutClosed: true } },
  RÜCKWAND: { make: (w, h) => placed(sheet(w, h), { rot: [90, 0, 0], at: [0, h, 0] }) },
};
