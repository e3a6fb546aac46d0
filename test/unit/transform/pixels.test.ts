import { describe, expect, it } from 'vitest';
import { linearFromSrgb } from '../../../src/math/color.ts';
import type { Pixels } from '../../../src/model/image-codec.ts';
import {
  isGrey,
  meanLinear,
  normalsFromHeights,
  packChannels,
  turnGreen,
} from '../../../src/transform/pixels.ts';

const grey = (width: number, values: number[]): Pixels => ({
  width,
  height: values.length / width,
  channels: 1,
  data: Uint8Array.from(values),
});
const colors = (...pixels: [number, number, number][]): Pixels => ({
  width: pixels.length,
  height: 1,
  channels: 3,
  data: Uint8Array.from(pixels.flat()),
});

describe('isGrey', () => {
  it('holds for one channel, and for three that are alike up to the noise of JPEG', () => {
    expect(isGrey(grey(1, [7]))).toBe(true);
    expect(isGrey(colors([10, 10, 10], [200, 201, 200]))).toBe(true);
    expect(isGrey(colors([128, 128, 255]))).toBe(false);
    expect(isGrey(colors([90, 100, 90], [90, 90, 90]))).toBe(false);
  });

  it('does not let opposite colours cancel out', () => {
    expect(isGrey(colors([200, 100, 200], [100, 200, 100]))).toBe(false);
  });
});

describe('meanLinear', () => {
  it('averages in linear light, not in sRGB', () => {
    const [r, g, b] = meanLinear(colors([255, 0, 128], [0, 0, 128]));
    expect([r, g]).toEqual([0.5, 0]);
    expect(b).toBeCloseTo(linearFromSrgb(128 / 255), 12);
    expect(meanLinear(grey(2, [255, 0]))).toEqual([0.5, 0.5, 0.5]);
  });
});

describe('packChannels', () => {
  const roughness = grey(2, [10, 20]);
  const metallic = colors([1, 30, 2], [3, 40, 4]);

  it('puts roughness into green and metallic into blue; all else is 255', () => {
    expect([...packChannels(roughness, metallic).data]).toEqual([255, 10, 30, 255, 20, 40]);
    expect([...packChannels(roughness, undefined).data]).toEqual([255, 10, 255, 255, 20, 255]);
    expect([...packChannels(undefined, metallic).data]).toEqual([255, 255, 30, 255, 255, 40]);
    expect(packChannels(roughness, metallic)).toMatchObject({ width: 2, height: 1, channels: 3 });
  });
});

describe('turnGreen', () => {
  it('turns green round, leaves the rest, and does not touch what it was given', () => {
    const map = colors([128, 128, 255], [10, 0, 30]);
    expect([...turnGreen(map).data]).toEqual([128, 127, 255, 10, 255, 30]);
    expect([...map.data.subarray(0, 3)]).toEqual([128, 128, 255]);
    expect(turnGreen(turnGreen(map))).toEqual(map);
  });
});

describe('normalsFromHeights', () => {
  /** The normal of a pixel, each component −1..1. */
  const normalAt = ({ data }: Pixels, i: number) =>
    [...data.subarray(3 * i, 3 * i + 3)].map((value) => value / 127.5 - 1);

  it('points straight out where the heights are level', () => {
    for (let i = 0; i < 4; i++) {
      const [x, y, z] = normalAt(normalsFromHeights(grey(2, [90, 90, 90, 90])), i);
      expect(Math.abs(x!) + Math.abs(y!)).toBeLessThan(0.02);
      expect(z).toBe(1);
    }
  });

  it('leans away from what rises: to the left of a ridge left, above it up', () => {
    const ridge = normalsFromHeights(grey(4, [0, 50, 100, 50]));
    expect(normalAt(ridge, 1)[0]).toBeLessThan(-0.3);
    expect(normalAt(ridge, 3)[0]).toBeGreaterThan(0.3);
    // Rows run from the top: the ridge is the third of four rows, green points up.
    const across = normalsFromHeights(grey(1, [0, 50, 100, 50]));
    expect(normalAt(across, 1)[1]).toBeGreaterThan(0.3);
    expect(normalAt(across, 3)[1]).toBeLessThan(-0.3);
  });

  it('repeats both ways, so that tiles have no seam', () => {
    const values = [0, 50, 100, 50, 20, 70, 120, 30];
    const shifted = [...values.slice(3), ...values.slice(0, 3)];
    const plain = normalsFromHeights(grey(8, values)).data;
    const moved = normalsFromHeights(grey(8, shifted)).data;
    expect([...moved]).toEqual([...plain.subarray(9), ...plain.subarray(0, 9)]);
  });

  it('are unit vectors', () => {
    const map = normalsFromHeights(grey(3, [0, 255, 30, 200, 10, 90, 255, 0, 60]));
    for (let i = 0; i < 9; i++) expect(Math.hypot(...normalAt(map, i))).toBeCloseTo(1, 1);
  });
});
