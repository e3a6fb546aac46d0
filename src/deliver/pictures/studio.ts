/**
 * The studio in which models are shown, by pictures, gallery and planning page alike: neutral light from five soft boxes
 * and bright walls, as a function of direction, and the cube map with which surfaces of every roughness reflect it.
 *
 * A matt surface that faces up receives a radiance of 1.02, one that faces the front 0.87 of that, one that faces the
 * right side 0.58, and none receives more than 1.09. So Khronos PBR Neutral, which reproduces base colours up to 0.8,
 * shows a colour as it is in the catalogue, and faces of one colour differ as they do in daylight.
 *
 * Frame: +X right, +Y up, +Z to the front of the furniture. Radiance is linear, 1 is white.
 */

import { cross, normalize } from '../../convert/math/vec.ts';
import type { Vec3 } from '../../convert/model/graphics.ts';
import { cos, sin } from '../../support/elementary.ts';

/** A rectangle of light, far away. */
interface SoftBox {
  direction: Vec3;
  /** Half its width and height, at distance 1. */
  half: readonly [number, number];
  radiance: number;
  /** Width of its soft edge, at distance 1. */
  edge: number;
}

/**
 * Key light from the left front, a tall light on each side, in which metal shows its form, a low and wide light from
 * behind, in which lacquered tops are brighter than fronts, and the ceiling.
 */
const BOXES: readonly SoftBox[] = [
  { direction: [-0.32, 0.52, 0.85], half: [0.42, 0.32], radiance: 1.78, edge: 0.1 },
  { direction: [0.95, 0.3, 0.35], half: [0.12, 0.8], radiance: 1.38, edge: 0.08 },
  { direction: [-1, 0.2, 0.15], half: [0.1, 0.8], radiance: 1.25, edge: 0.08 },
  { direction: [-0.15, 0.28, -1], half: [1, 0.28], radiance: 1.35, edge: 0.25 },
  { direction: [0, 1, 0], half: [0.6, 0.45], radiance: 1.39, edge: 0.12 },
];

const LIGHTS = BOXES.map((box) => {
  const direction = normalize(box.direction)!;
  const up: Vec3 = direction[1] > 0.99 ? [0, 0, -1] : [0, 1, 0];
  const right = normalize(cross(up, direction))!;
  return { ...box, direction, right, up: cross(direction, right) };
});

/** The walls, and how much brighter they are where the furniture faces: most of the light has no direction. */
const WALLS = { radiance: 0.395, towardsFront: 0.275 };

/**
 * Returns the light that comes from a direction.
 *
 * @param direction - Unit length.
 * @example
 * ```ts
 * radianceFrom([0, 1, 0]);   // → 1.79, the ceiling light
 * ```
 */
export function radianceFrom(direction: Vec3): number {
  let radiance = WALLS.radiance + WALLS.towardsFront * direction[2];
  for (const { direction: centre, right, up, half, radiance: own, edge } of LIGHTS) {
    const towards = dot(direction, centre);
    if (towards <= 0) continue;
    const x = Math.abs(dot(direction, right) / towards) - half[0];
    const y = Math.abs(dot(direction, up) / towards) - half[1];
    radiance += own * (1 - smoothstep(-edge, edge, x)) * (1 - smoothstep(-edge, edge, y));
  }
  return radiance;
}

/** Lowest height of the directions, below the horizon: light that the floor reflects. */
const LOWEST = -0.25;

/**
 * Spreads directions evenly over the upper hemisphere and a little below it, each with the mean light around it.
 *
 * @returns Directions for summing the light at a point of a model or of the floor, without those that the model hides.
 */
export function lightDirections(count: number): { direction: Vec3; radiance: number }[] {
  return Array.from({ length: count }, (_, i) => {
    const direction = onSpiral(i, count, LOWEST);
    const frame = frameAbout(direction);
    const around = Array.from({ length: 16 }, (_, k) => {
      const [x, y, z] = onSpiral(k, 16, 0.93);
      return radianceFrom(inFrame(frame, [z, x, y]));
    });
    return { direction, radiance: around.reduce((sum, value) => sum + value, 0) / around.length };
  });
}

const IRRADIANCE_SAMPLES = 4096;

/**
 * The light that a matt surface of the studio receives, as a quadratic form of its normal: `(x, y, z, 1) M (x, y, z, 1)`
 * is the mean radiance about the normal, weighted with the cosine. The error is at most 8 %, 2.3 % in the root
 * of the mean square, in a tenth of the time of a sample of a map.
 *
 * @returns M, symmetric, row by row: spherical harmonics up to degree 2 (Ramamoorthi and Hanrahan, An Efficient
 *   Representation for Irradiance Environment Maps, 2001).
 */
export function irradianceMatrix(): number[] {
  const mean = (term: (direction: Vec3) => number): number => {
    let sum = 0;
    for (let i = 0; i < IRRADIANCE_SAMPLES; i++) {
      const direction = onSpiral(i, IRRADIANCE_SAMPLES, -1);
      sum += term(direction) * radianceFrom(direction);
    }
    return sum / IRRADIANCE_SAMPLES;
  };
  // Each factor is 4π times the square of the harmonic's factor, and its share of the cosine: 1, 2/3, 1/4 by degree.
  const all = mean(() => 1);
  const [x, y, z] = [0, 1, 2].map((axis) => 2 * mean((at) => at[axis]!)) as [
    number,
    number,
    number,
  ];
  const xy = (15 / 4) * mean(([x, y]) => x * y);
  const yz = (15 / 4) * mean(([, y, z]) => y * z);
  const xz = (15 / 4) * mean(([x, , z]) => x * z);
  const xx = (15 / 16) * mean(([x, y]) => x * x - y * y);
  const zz = (5 / 16) * mean(([, , z]) => 3 * z * z - 1);
  return [
    ...[xx, xy / 2, xz / 2, x / 2],
    ...[xy / 2, -xx, yz / 2, y / 2],
    ...[xz / 2, yz / 2, 3 * zz, z / 2],
    ...[x / 2, y / 2, z / 2, all - zz],
  ];
}

/** The cube map: faces in the order of WebGL, +X −X +Y −Y +Z −Z, from a mirror's size to that of the roughest surface. */
export const STUDIO_MAP = { largest: 256, smallest: 8 } as const;

/** Directions that are averaged for a texel of a rough surface. */
const SAMPLES = 512;

/**
 * Draws the cube map of the studio: for each level the light that a surface of its roughness reflects straight ahead.
 * Roughness of a level: 1 − √(1 − level / levels), as three.js reads it; the last level is that of a matt surface,
 * by {@link irradianceMatrix}, so that pages that read the map show the colours of pictures.
 *
 * @returns Level by level, face by face, row by row: the radiance of a texel as half-precision float.
 */
export function drawStudioMap(): Uint16Array {
  const levels = Math.log2(STUDIO_MAP.largest / STUDIO_MAP.smallest);
  const texels: number[] = [];
  const irradiance = irradianceMatrix();
  for (let level = 0; level <= levels; level++) {
    const lobe = reflectionLobe(1 - Math.sqrt(1 - level / levels));
    const size = STUDIO_MAP.largest / 2 ** level;
    for (let texel = 0; texel < 6 * size * size; texel++) {
      const [face, at] = [Math.floor(texel / size ** 2), texel % size ** 2];
      const normal = directionOf(face, at % size, Math.floor(at / size), size);
      texels.push(level === levels ? received(normal, irradiance) : reflected(normal, lobe));
    }
  }
  return halfFloats(texels);
}

/** The light on a matt surface, by {@link irradianceMatrix}. */
function received([x, y, z]: Vec3, matrix: readonly number[]): number {
  const at = [x, y, z, 1];
  return matrix.reduce((sum, value, i) => sum + value * at[i >> 2]! * at[i & 3]!, 0);
}

/** Numbers from 2^-14 to 65,504 at half precision, rounded. */
function halfFloats(values: readonly number[]): Uint16Array {
  const bits = new Uint32Array(Float32Array.from(values).buffer);
  return Uint16Array.from(bits, (single) => ((single + 0x1000) >>> 13) - (112 << 10));
}

/** Directions about +Z, with their weights, from which a surface of this roughness reflects light to +Z. */
function reflectionLobe(roughness: number): { direction: Vec3; weight: number }[] {
  if (roughness === 0) return [{ direction: [0, 0, 1], weight: 1 }];
  const alpha = roughness * roughness;
  const lobe: { direction: Vec3; weight: number }[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    // The half vector by its share of the distribution of Trowbridge and Reitz.
    const share = (i + 0.5) / SAMPLES;
    const cosine = Math.sqrt((1 - share) / (1 + (alpha * alpha - 1) * share));
    const sine = Math.sqrt(1 - cosine * cosine);
    const angle = i * GOLDEN_ANGLE;
    const half: Vec3 = [sine * cos(angle), sine * sin(angle), cosine];
    const weight = 2 * cosine * cosine - 1;
    if (weight <= 0) continue;
    lobe.push({ direction: [2 * cosine * half[0], 2 * cosine * half[1], weight], weight });
  }
  return lobe;
}

function reflected(normal: Vec3, lobe: ReturnType<typeof reflectionLobe>): number {
  const frame = frameAbout(normal);
  let sum = 0;
  let weights = 0;
  for (const { direction, weight } of lobe) {
    sum += weight * radianceFrom(inFrame(frame, direction));
    weights += weight;
  }
  return sum / weights;
}

/** The centre of a texel, by the definition of cube maps in OpenGL. */
function directionOf(face: number, x: number, y: number, size: number): Vec3 {
  const s = (2 * (x + 0.5)) / size - 1;
  const t = (2 * (y + 0.5)) / size - 1;
  const faces: Vec3[] = [
    [1, -t, -s],
    [-1, -t, s],
    [s, 1, t],
    [s, -1, -t],
    [s, -t, 1],
    [-s, -t, -1],
  ];
  return normalize(faces[face]!)!;
}

/** π (3 − √5), radians. */
const GOLDEN_ANGLE = 2.399963229728653;

/** Point `i` of `count` points that evenly cover the sphere above a height. */
function onSpiral(i: number, count: number, lowest: number): Vec3 {
  const height = 1 - ((i + 0.5) / count) * (1 - lowest);
  const radius = Math.sqrt(Math.max(0, 1 - height * height));
  const angle = i * GOLDEN_ANGLE;
  return [cos(angle) * radius, height, sin(angle) * radius];
}

type Frame = readonly [right: Vec3, up: Vec3, axis: Vec3];

function frameAbout(axis: Vec3): Frame {
  const right = normalize(cross(Math.abs(axis[1]) < 0.99 ? [0, 1, 0] : [1, 0, 0], axis))!;
  return [right, cross(axis, right), axis];
}

/** A direction about +Z, rotated to the axis of a frame. */
function inFrame([right, up, axis]: Frame, [x, y, z]: Vec3): Vec3 {
  return [
    x * right[0] + y * up[0] + z * axis[0],
    x * right[1] + y * up[1] + z * axis[1],
    x * right[2] + y * up[2] + z * axis[2],
  ];
}

function smoothstep(from: number, to: number, value: number): number {
  const share = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
}

function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
