import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  drawStudioMap,
  irradianceMatrix,
  lightDirections,
  radianceFrom,
  STUDIO_MAP,
} from '../../../../src/deliver/pictures/studio.ts';
import { IS_LONG } from '../../../helpers/samples.ts';

const FILE = 'src/deliver/pictures/studio-map.bin';

/** A half-precision float as a number. */
const numberOf = (bits: number) => 2 ** ((bits >> 10) - 15) * (1 + (bits & 0x3ff) / 1024);

describe('the map of the studio', () => {
  it.runIf(IS_LONG)('is the file of the repository, byte for byte', async () => {
    const stored = inflateSync(await readFile(FILE));
    expect(Buffer.from(drawStudioMap().buffer).equals(stored)).toBe(true);
  });

  it('reflects the light of a direction at its mirror level, and the mean of a hemisphere at the last', async () => {
    const bytes = inflateSync(await readFile(FILE));
    const texels = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    const { largest, smallest } = STUDIO_MAP;
    // The texel in the middle of the face +Y, beside its centre.
    const middle = 2 * largest ** 2 + (largest / 2) * largest + largest / 2;
    const beside = 1 / largest;
    const length = Math.hypot(beside, 1, beside);
    const up = [beside / length, 1 / length, beside / length] as const;
    expect(numberOf(texels[middle]!)).toBeCloseTo(radianceFrom(up), 2);
    const last = texels.subarray(texels.length - 6 * smallest ** 2);
    const matt = Array.from(last, numberOf);
    const lights = lightDirections(2000).filter(({ direction }) => direction[1] > 0);
    const weights = lights.reduce((sum, { direction }) => sum + direction[1], 0);
    const mean =
      lights.reduce((sum, light) => sum + light.direction[1] * light.radiance, 0) / weights;
    const top = matt.slice(2 * smallest ** 2, 3 * smallest ** 2);
    expect(top[(smallest / 2) * smallest + smallest / 2]! / mean).toBeCloseTo(1, 1);
  });

  it('is neutral and brighter from above and the left front than from below and behind', () => {
    expect(radianceFrom([0, 1, 0])).toBeGreaterThan(2 * radianceFrom([0, -1, 0]));
    const key = Math.hypot(0.32, 0.52, 0.85);
    expect(radianceFrom([-0.32 / key, 0.52 / key, 0.85 / key])).toBeGreaterThan(2.3);
  });
});

describe('the light on a matt surface', () => {
  const matrix = irradianceMatrix();
  const received = (normal: readonly number[]) => {
    const at = [...normal, 1];
    return at.reduce(
      (sum, a, row) =>
        sum + at.reduce((part, b, column) => part + a * b * matrix[4 * row + column]!, 0),
      0,
    );
  };
  const around = Array.from({ length: 3000 }, (_, i) => pointOfSphere(i, 3000));

  it('is as bright as white above, a little less in front and less at the side, and nowhere much brighter', () => {
    const [top, front, side] = [received([0, 1, 0]), received([0, 0, 1]), received([1, 0, 0])];
    expect(top).toBeCloseTo(1.02, 1);
    expect(front / top).toBeGreaterThan(0.85);
    expect(front / top).toBeLessThan(0.95);
    expect(side / top).toBeCloseTo(0.6, 1);
    expect(Math.max(...around.map(received))).toBeLessThanOrEqual(1.1);
  });

  it('is the mean of the studio about its normal, weighted with the cosine, within 8 %', () => {
    for (const normal of Array.from({ length: 200 }, (_, i) => pointOfSphere(i, 200))) {
      let [sum, weights] = [0, 0];
      for (const direction of around) {
        const cosine = normal.reduce((part, value, axis) => part + value * direction[axis]!, 0);
        if (cosine <= 0) continue;
        sum += cosine * radianceFrom(direction);
        weights += cosine;
      }
      expect(Math.abs(received(normal) / (sum / weights) - 1)).toBeLessThan(0.08);
    }
  });
});

function pointOfSphere(i: number, count: number): [number, number, number] {
  const y = 1 - (2 * i + 1) / count;
  const angle = i * Math.PI * (3 - Math.sqrt(5));
  const radius = Math.sqrt(1 - y * y);
  return [radius * Math.cos(angle), y, radius * Math.sin(angle)];
}
