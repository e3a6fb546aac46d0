import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childFrame, movePoint, WORLD_FRAME } from '../../../../src/convert/math/ofml-frame.ts';
import type { Vec3 } from '../../../../src/convert/model/graphics.ts';
import { createBounds } from '../../../../src/convert/transform/assemble-scene.ts';
import { boxPoints } from '../../../helpers/graphics.ts';

const points = Float32Array.from(boxPoints(1, 2, 3));

describe('createBounds', () => {
  it('is zero-sized at the origin where nothing is drawn', () => {
    expect(createBounds().box()).toEqual({ min: [0, 0, 0], max: [0, 0, 0] });
  });

  it('holds every part at its place and scale', () => {
    const gatherer = createBounds();
    gatherer.add(points, childFrame(WORLD_FRAME, [10, 0, 0], [0, 90, 0]), [1, 1, 1]);
    expect(gatherer.box()).toEqual({ min: [10, 0, -1], max: [13, 2, 0] });
    gatherer.add(points, WORLD_FRAME, [-2, 1, 1]);
    expect(gatherer.box()).toEqual({ min: [-2, 0, -1], max: [13, 2, 3] });
  });

  it('is tight around turned parts, and the same for quarter turns and all others', () => {
    const angle = fc.oneof(
      fc.constantFrom(0, 90, 180, 270),
      fc.double({ min: -180, max: 180, noNaN: true }),
    );
    const scale = fc.constantFrom(1, -1, 0.5, 3);
    const places = fc.array(
      fc.record({
        offset: fc.tuple(angle, angle, angle),
        degrees: fc.tuple(angle, angle, angle),
        scale: fc.tuple(scale, scale, scale),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(places, (list) => {
        const gatherer = createBounds();
        const all: Vec3[] = [];
        for (const place of list) {
          const frame = childFrame(WORLD_FRAME, place.offset, place.degrees);
          gatherer.add(points, frame, place.scale);
          for (let i = 0; i < points.length; i += 3) {
            const p = [0, 1, 2].map((k) => points[i + k]! * place.scale[k]!);
            all.push(movePoint(frame, p as unknown as Vec3));
          }
        }
        const { min, max } = gatherer.box();
        for (const k of [0, 1, 2] as const) {
          expect(min[k]).toBeCloseTo(Math.min(...all.map((p) => p[k])), 9);
          expect(max[k]).toBeCloseTo(Math.max(...all.map((p) => p[k])), 9);
        }
      }),
      { seed: 320 },
    );
  });
});
