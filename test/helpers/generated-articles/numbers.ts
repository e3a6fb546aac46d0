/** Numbers: arbitraries for placements. */
import fc from 'fast-check';
import type { Vec3 } from '../evaluator/vectors.ts';

const three = (one: fc.Arbitrary<number>): fc.Arbitrary<Vec3> => fc.tuple(one, one, one);

const thousandths = (limit: number) =>
  fc.integer({ min: -limit * 1000, max: limit * 1000 }).map((n) => n / 1000);

export const smallOffset: fc.Arbitrary<Vec3> = three(thousandths(2));

/** Mostly within a room, now and then a kilometre away. */
export const offset: fc.Arbitrary<Vec3> = fc.oneof(
  { weight: 12, arbitrary: three(thousandths(4)) },
  { weight: 1, arbitrary: three(thousandths(1000)) },
);

const angle = fc.oneof(
  fc.constantFrom(0, 0, 90, 180, -90, 270, 45, 33, 30, 20, 10, 360, 123.456),
  fc.integer({ min: -3600, max: 3600 }).map((n) => n / 10),
);

export const rotation: fc.Arbitrary<Vec3> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Vec3>([30, 20, 10]) },
  { weight: 5, arbitrary: three(angle) },
);

const length = fc.constantFrom(1, 1, 0.5, 0.02, 0.3, 2.4, 0.75);
export const size: fc.Arbitrary<Vec3> = three(length);

const factor = fc.constantFrom(1, 1, -1, 2, 0.5, -0.3, 1.7);

export const scale: fc.Arbitrary<Vec3> = fc.oneof(
  { weight: 4, arbitrary: three(factor) },
  { weight: 2, arbitrary: factor.map((k): Vec3 => [k, k, k]) },
  { weight: 1, arbitrary: fc.constantFrom<Vec3>([0, 1, 1], [1, 0, 1], [2, 1, 0], [0, 0, 0]) },
);
