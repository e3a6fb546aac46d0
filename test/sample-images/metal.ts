/** Brushed and perforated metal, leather, terrazzo, a reflected room. */
import { cos, hypot } from '../../src/support/elementary.ts';
import { cellNoise, type Field, latticeNoise, octaves, smoothstep, TEXTURE_SIZE } from './noise.ts';
import { colourImage, greyImage, type Image, normalImage, type Rgb } from './pixels.ts';

/** Scratches of a brush along U, 0..1. */
function brushing(seed: number): Field {
  const coarse = latticeNoise(6, 340, seed);
  const fine = latticeNoise(14, 1024, seed + 1);
  return coarse.map((value, i) => value * 0.4 + fine[i]! * 0.6);
}

/** Roughness of brushed metal. */
export function brushedRoughness(seed: number): Image {
  const brush = brushing(seed);
  return greyImage((i) => 0.24 + brush[i]! * 0.28);
}

/** Normal map of brushed metal. */
export function brushedNormal(seed: number): Image {
  return normalImage(brushing(seed), 0.32);
}

/** Holes of perforated sheet: 1 in the sheet, 0 in a hole; rows are staggered. */
function perforation(): Field {
  const [size, cells] = [TEXTURE_SIZE, 16];
  const out = new Float32Array(size * size);
  for (let y = 0; y < size; y++) {
    const py = (y * cells) / size;
    const row = Math.floor(py);
    for (let x = 0; x < size; x++) {
      const px = (x * cells) / size + (row & 1 ? 0.5 : 0);
      const [ex, ey] = [px - Math.floor(px) - 0.5, py - row - 0.5];
      out[y * size + x] = smoothstep(0.26, 0.31, hypot(ex, ey));
    }
  }
  return out;
}

/** Colour of painted sheet with bare rims round dark holes. */
export function perforatedColour(paint: Rgb): Image {
  const sheet = perforation();
  return colourImage((i, out) => {
    for (let c = 0; c < 3; c++) out[c] = 22 + (paint[c]! - 22) * sheet[i]!;
  });
}

/** Metallic map of it: the rims of the holes are bare metal, the paint is not. */
export function perforatedMetallic(): Image {
  const sheet = perforation();
  return greyImage((i) => 4 * sheet[i]! * (1 - sheet[i]!));
}

/** Roughness map of it. */
export function perforatedRoughness(seed: number): Image {
  const sheet = perforation();
  const orangePeel = octaves(64, 64, 2, seed);
  return greyImage((i) => 0.9 - sheet[i]! * (0.42 + 0.1 * orangePeel[i]!));
}

/** Normal map of it. */
export function perforatedNormal(): Image {
  return normalImage(perforation(), 3);
}

/** Pebbles of leather, 0 in the creases. */
function pebbles(seed: number): Field {
  const { first, second } = cellNoise(72, seed);
  const folds = octaves(8, 8, 3, seed + 9);
  return first.map((value, i) => smoothstep(0.02, 0.4, second[i]! - value) * 0.8 + folds[i]! * 0.5);
}

/** Colour of leather: darker in the creases. */
export function leatherColour(seed: number, base: Rgb): Image {
  const height = pebbles(seed);
  const cloud = octaves(5, 5, 3, seed + 21);
  return colourImage((i, out) => {
    const light = 0.74 + height[i]! * 0.22 + (cloud[i]! - 0.5) * 0.1;
    for (let c = 0; c < 3; c++) out[c] = base[c]! * light;
  });
}

/** Normal map of leather. */
export function leatherNormal(seed: number): Image {
  return normalImage(pebbles(seed), 2.6);
}

/** Roughness of leather. */
export function leatherRoughness(seed: number): Image {
  const height = pebbles(seed);
  return greyImage((i) => 0.66 - height[i]! * 0.22);
}

/** Terrazzo: chips of stone in a light ground. */
export function terrazzoColour(seed: number): Image {
  const { first, second } = cellNoise(26, seed);
  const fine = cellNoise(70, seed + 1);
  const cloud = octaves(6, 6, 3, seed + 2);
  const kind = octaves(26, 26, 1, seed + 3);
  return colourImage((i, out) => {
    const chip = smoothstep(0.2, 0.26, second[i]! - first[i]!) * smoothstep(0.42, 0.5, kind[i]!);
    const grain = smoothstep(0.3, 0.36, fine.second[i]! - fine.first[i]!) * 0.5;
    const ground = 222 + (cloud[i]! - 0.5) * 22;
    const stone = kind[i]! > 0.62 ? [150, 116, 92] : [118, 120, 120];
    for (let c = 0; c < 3; c++) {
      out[c] = ground + (stone[c]! - ground) * Math.max(chip, grain * (1 - chip) * 0.5);
    }
  });
}

/** A room as reflected by a chrome part: light above, a horizon, a floor. */
export function roomColour(seed: number): Image {
  const cloud = octaves(4, 2, 2, seed);
  return colourImage((i, out) => {
    const v = Math.floor(i / TEXTURE_SIZE) / TEXTURE_SIZE;
    const sky = 0.5 + 0.5 * cos(2 * Math.PI * v);
    const light = 128 + sky * 96 + (cloud[i]! - 0.5) * 20;
    [out[0], out[1], out[2]] = [light, light * 1.005, light * 1.02];
  });
}
