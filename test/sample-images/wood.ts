/** Veneers with the grain along U; one tile is about 1.2 m × 0.6 m. */
import { cos, pow, square } from '../../src/support/elementary.ts';
import { hashLattice, latticeNoise, octaves, smoothstep, TEXTURE_SIZE } from './noise.ts';
import { colourImage, greyImage, type Image, type Rgb } from './pixels.ts';

/** The parameters of a wood. */
interface Wood {
  seed: number;
  /** Earlywood, latewood, pores. */
  light: Rgb;
  dark: Rgb;
  pore: Rgb;
  /** Growth rings over half a veneer leaf. */
  rings: number;
  /** Waviness of the rings. */
  wave: number;
  /** 0..1: darkness of the rings, and density of the pores. */
  ringContrast: number;
  pores: number;
  /** Flecks of medullary rays, 0..1. */
  flecks: number;
}

/** The woods of the sample range. */
export const WOODS = {
  oak: {
    seed: 11,
    ...{ light: [202, 172, 134], dark: [168, 135, 97], pore: [116, 88, 60] },
    ...{ rings: 30, wave: 1.1, ringContrast: 0.75, pores: 0.8, flecks: 0.25 },
  },
  walnut: {
    seed: 23,
    ...{ light: [131, 92, 64], dark: [84, 54, 36], pore: [52, 32, 22] },
    ...{ rings: 24, wave: 1.0, ringContrast: 0.75, pores: 0.45, flecks: 0 },
  },
  beech: {
    seed: 37,
    ...{ light: [222, 184, 146], dark: [203, 159, 119], pore: [174, 126, 88] },
    ...{ rings: 20, wave: 0.8, ringContrast: 0.4, pores: 0.15, flecks: 1 },
  },
  ash: {
    seed: 53,
    ...{ light: [226, 207, 176], dark: [192, 165, 128], pore: [158, 128, 94] },
    ...{ rings: 26, wave: 1.4, ringContrast: 0.8, pores: 0.5, flecks: 0.1 },
  },
} as const satisfies Record<string, Wood>;

/**
 * Rings are the level lines of a cone-like heart that comes near the surface and leaves it again:
 * flat-cut veneer with its pointed arches, mirrored, so that the tile closes.
 */
function ringField(wood: Wood): Float32Array {
  const size = TEXTURE_SIZE;
  const slow = octaves(2, 4, 3, wood.seed, 0.45);
  const fine = octaves(4, 40, 2, wood.seed + 7);
  const out = new Float32Array(size * size);
  const heart = Float64Array.from({ length: size }, (_, x) => {
    const u = (x / size) * 2 * Math.PI;
    return square(0.42 + 0.06 * (1 + cos(u + wood.seed)) + 0.02 * cos(2 * u));
  });
  for (let y = 0; y < size; y++) {
    const d = square((y / size) * 2 - 1);
    for (let x = 0; x < size; x++) {
      const i = y * size + x;
      // Rings are closer near the border of the leaf, where the cut is steeper.
      const phase = wood.rings * pow(d + heart[x]!, 0.8);
      out[i] = phase + wood.wave * (slow[i]! - 0.5) * 3 + (fine[i]! - 0.5) * 0.45;
    }
  }
  return out;
}

/** Colour of a wood. */
export function woodColour(wood: Wood): Image {
  const rings = ringField(wood);
  const tone = octaves(3, 5, 2, wood.seed + 31);
  const fibre = octaves(10, 256, 2, wood.seed + 41, 0.7);
  const pores = latticeNoise(40, 512, wood.seed + 51);
  const strengths = Float64Array.from({ length: 64 }, (_, k) => {
    return 0.4 + 0.6 * hashLattice(k, 3, wood.seed);
  });
  const flecks = latticeNoise(64, 256, wood.seed + 61);
  const { light, dark, pore } = wood;
  return colourImage((i, out) => {
    const phase = rings[i]!;
    const t = phase - Math.floor(phase);
    // A ring darkens slowly towards its latewood and ends abruptly.
    const late = t * (0.3 + 0.7 * t) * (1 - smoothstep(0.84, 1, t));
    const strength = strengths[Math.floor(phase) & 63]!;
    const shade =
      late * strength * wood.ringContrast +
      (fibre[i]! - 0.5) * 0.62 +
      (tone[i]! - 0.5) * 0.55 +
      0.22;
    const hole =
      smoothstep(0.8, 0.92, pores[i]!) * wood.pores * (0.35 + 0.65 * (1 - smoothstep(0, 0.5, t)));
    const fleck = smoothstep(0.78, 0.9, flecks[i]!) * wood.flecks * 0.3;
    for (let c = 0; c < 3; c++) {
      const base = light[c]! + (dark[c]! - light[c]!) * shade;
      out[c] = base + (pore[c]! - base) * (hole * 0.75 + fleck * 0.6);
    }
  });
}

/** Roughness of lacquered wood: pores and latewood a little duller. */
export function woodRoughness(wood: Wood): Image {
  const fibre = octaves(10, 256, 2, wood.seed + 41, 0.7);
  const pores = latticeNoise(40, 512, wood.seed + 51);
  return greyImage(
    (i) => 0.5 + (fibre[i]! - 0.5) * 0.22 + smoothstep(0.8, 0.92, pores[i]!) * wood.pores * 0.25,
  );
}
