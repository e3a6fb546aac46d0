/** Shades, stands, globes and bulbs; origin on the axis. */
import { cos, pow, sin } from '../../../support/elementary.ts';
import type { BlockFamilies } from '../shapes/encode.ts';
import { lathe } from '../shapes/lathe.ts';
import type { Flat } from '../shapes/outline.ts';
import type { Point } from '../shapes/surface.ts';
import { circle, tube } from '../shapes/sweep.ts';

function arc(from: number, to: number, steps: number, at: (angle: number) => Flat): Flat[] {
  return Array.from({ length: steps + 1 }, (_, i) => at(from + ((to - from) * i) / steps));
}

/** Parts of lamps. */
export const LIGHT_FAMILIES: BlockFamilies = {
  // A cloth shade, one sheet: lower diameter, upper diameter, height.
  SCHIRM: {
    make: (lower, upper, h) =>
      lathe(
        [
          [lower / 2, 0],
          [upper / 2, h],
        ],
        { segments: 64, open: true },
      ),
  },
  // The wire ring at the edge of a shade: diameter.
  SCHIRMRING: {
    make: (diameter) =>
      tube(circle(diameter, 0, 48), 0.0022, { loop: true, up: [0, 1, 0], segments: 8 }),
  },
  // A spun metal dome, 2 mm thick, open below: diameter, height.
  KUPPEL: {
    make: (diameter, h) => {
      const [r, t] = [diameter / 2, 0.002];
      const outer = arc(0, Math.PI / 2, 12, (a) => [
        Math.max(0.016, r * pow(cos(a), 0.8)),
        h * sin(a),
      ]);
      const inner = outer.map(([x, y]): Flat => [Math.max(0.012, x - t), y - t]).reverse();
      return lathe([...outer, ...inner.slice(0, -1), [r - t, 0]], { segments: 48, ring: true });
    },
  },
  // A stand plate on the floor: diameter.
  LAMPENFUSS: {
    make: (diameter) => {
      const r = diameter / 2;
      return lathe(
        [
          [r - 0.003, 0],
          [r, 0.003],
          [r, 0.014],
          [r - 0.006, 0.019],
          [0.02, 0.022],
          [0.012, 0.03],
          [0.012, 0.05],
        ],
        { segments: 48, round: 0.002, roundSteps: 2 },
      );
    },
  },
  // A vase-like body of a table lamp: diameter, height.
  VASENFUSS: {
    make: (diameter, h) => {
      const r = diameter / 2;
      const body = arc(0, 1, 22, (t) => [
        r * (0.42 + 0.58 * pow(sin(Math.PI * pow(t, 0.8)), 1.1) * (1 - 0.35 * t)) * (1 - 0.25 * t),
        0.004 + t * (h - 0.004),
      ]);
      return lathe([[r * 0.38, 0], ...body, [r * 0.12, h + 0.01]], { segments: 48 });
    },
  },
  // An incandescent shape: diameter; it hangs below the origin.
  GLÜHLAMPE: {
    make: (diameter) => {
      const r = diameter / 2;
      const glass = arc(-Math.PI / 2, Math.PI * 0.32, 14, (a) => [
        r * Math.max(0, cos(a)),
        -r * 2 + r * sin(a),
      ]);
      return lathe([...glass, [r * 0.42, -r * 0.75], [r * 0.42, 0]], { segments: 28 });
    },
  },
  // A bowed stand: height, reach; it starts vertical and ends hanging.
  BOGEN: {
    make: (h, reach) =>
      tube(
        [
          [0, 0, 0] as Point,
          [0, h * 0.45, 0] as Point,
          ...Array.from({ length: 24 }, (_, i): Point => {
            const a = ((i + 1) / 24) * Math.PI * 0.86;
            return [(reach / 1.76) * (1 - cos(a)) * 0.93, h * 0.45 + h * 0.55 * sin(a), 0];
          }),
        ],
        0.011,
        { segments: 16 },
      ),
  },
};
