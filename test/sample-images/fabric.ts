/** Woven cloth, felt and mesh; one tile of cloth is about 0.2 m × 0.2 m. */
import { cos, sin, square } from '../../src/support/elementary.ts';
import { hashLattice, latticeNoise, octaves, TEXTURE_SIZE } from './noise.ts';
import { colourImage, greyImage, type Image, normalImage, type Rgb } from './pixels.ts';

/** Threads across and down a tile; both even, so that the weave closes. */
const THREADS = 96;

/** Height (0..1) and thread tone (0..1) of a plain weave at every pixel. */
function weave(seed: number) {
  const size = TEXTURE_SIZE;
  const [height, tone] = [new Float32Array(size * size), new Float32Array(size * size)];
  const wobble = octaves(12, 12, 2, seed);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const i = y * size + x;
      const shift = (wobble[i]! - 0.5) * 0.7;
      const [px, py] = [(x * THREADS) / size + shift, (y * THREADS) / size - shift];
      const [cx, cy] = [Math.floor(px), Math.floor(py)];
      const [fx, fy] = [px - cx - 0.5, py - cy - 0.5];
      const over = ((cx + cy) & 1) === 0;
      const [across, along] = over ? [fy, fx] : [fx, fy];
      const round = Math.sqrt(Math.max(0, 1 - 4 * across * across * 0.9));
      height[i] = round * (0.55 + 0.45 * cos(along * Math.PI));
      const thread = over ? wrap(cy) : wrap(cx);
      tone[i] =
        hashLattice(thread, over ? 1 : 2, seed) * 0.6 + hashLattice(wrap(cx), wrap(cy), seed) * 0.4;
    }
  }
  return { height, tone };
}

function wrap(thread: number): number {
  return ((thread % THREADS) + THREADS) % THREADS;
}

/** Colour of a woven cloth of two yarns. */
export function fabricColour(seed: number, base: Rgb, accent: Rgb): Image {
  const { height, tone } = weave(seed);
  const hair = latticeNoise(256, 256, seed + 3);
  return colourImage((i, out) => {
    const mix = tone[i]! * tone[i]!;
    const light = 0.66 + 0.34 * height[i]! + (hair[i]! - 0.5) * 0.14;
    for (let c = 0; c < 3; c++) out[c] = (base[c]! + (accent[c]! - base[c]!) * mix) * light;
  });
}

/** Normal map of the woven cloth; the same for every colour of a seed. */
export function fabricNormal(seed: number): Image {
  return normalImage(weave(seed).height, 1.1);
}

/** Roughness of the woven cloth: thread tops a little smoother. */
export function fabricRoughness(seed: number): Image {
  const { height } = weave(seed);
  return greyImage((i) => 0.96 - 0.16 * height[i]!);
}

/** Mesh of a chair's back: two crossing yarns with open cells between them. */
export function meshColour(seed: number, yarn: Rgb): Image {
  const size = TEXTURE_SIZE;
  const cells = 32;
  const fuzz = latticeNoise(128, 128, seed);
  const wave = Float64Array.from({ length: size }, (_, x) =>
    Math.abs(sin((Math.PI * x * cells) / size)),
  );
  return colourImage((i, out) => {
    const across = wave[i % size]! * wave[Math.floor(i / size)]!;
    const light = 0.25 + 1.5 * square(1 - across) * (0.75 + 0.4 * fuzz[i]!);
    for (let c = 0; c < 3; c++) out[c] = yarn[c]! * light;
  });
}

/** Felt of recycled fibre: no thread, speckles of other fibres. */
export function feltColour(seed: number, base: Rgb, accent: Rgb): Image {
  const cloud = octaves(48, 48, 3, seed, 0.8);
  const fibre = latticeNoise(300, 90, seed + 5);
  const cross = latticeNoise(90, 300, seed + 6);
  return colourImage((i, out) => {
    const light = 0.88 + cloud[i]! * 0.24;
    const speck = Math.max(0, Math.max(fibre[i]!, cross[i]!) - 0.86) * 5;
    for (let c = 0; c < 3; c++) out[c] = (base[c]! + (accent[c]! - base[c]!) * speck) * light;
  });
}

/** Normal map of felt. */
export function feltNormal(seed: number): Image {
  return normalImage(octaves(64, 64, 3, seed, 0.7), 2.2);
}
