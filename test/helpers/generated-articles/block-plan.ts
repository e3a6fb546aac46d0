/** Block plan: what a generated block is made of, and its JSON in any of the accepted layouts. */
import fc from 'fast-check';
import { add, apply, scaled, turnOf, type Vec3 } from '../evaluator/vectors.ts';
import { rotation, size, smallOffset } from './numbers.ts';
import { SHAPES, type ShapeName } from './shapes.ts';

type Closed = 'truth' | 'missing' | 'true' | 'false';
const FAULTS = [
  ...(['repeated', 'outOfRange', 'negative', 'inLine'] as const),
  ...(['samePlace', 'notFinite', 'twice', 'fraction'] as const),
] as const;
type Fault = (typeof FAULTS)[number];
type StoredUvs = 'none' | 'empty' | 'good' | 'outOfRange';

export interface SurfacePlan {
  shape: ShapeName;
  size: Vec3;
  turn: Vec3;
  move: Vec3;
  /** Clockwise from outside. */
  reversed: boolean;
  /** Every triangle has points of its own. */
  apart: boolean;
  closed: Closed;
  faults: Fault[];
  uvs: StoredUvs;
}

export interface BlockPlan {
  surfaces: SurfacePlan[];
  P: Vec3 | undefined;
  R: Vec3 | undefined;
  nested: { V: boolean; F: boolean; T: boolean };
  firstPoint: 0 | 1;
  firstUv: 0 | 1;
  uvFloats: 2 | 3;
  /** Coordinates are multiplied by this: metres. */
  magnify: number;
}

const some = <T>(arbitrary: fc.Arbitrary<T>, freq = 3) =>
  fc.option(arbitrary, { nil: undefined, freq });

const surface: fc.Arbitrary<SurfacePlan> = fc.record({
  shape: fc.constantFrom('openBox', ...(Object.keys(SHAPES) as ShapeName[])),
  size,
  turn: rotation,
  move: smallOffset,
  reversed: fc.boolean(),
  apart: fc.boolean(),
  closed: fc.constantFrom<Closed>(
    ...(['truth', 'truth', 'truth', 'missing', 'missing', 'true', 'true', 'false'] as const),
  ),
  faults: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Fault[]>([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom<Fault>(...FAULTS), { minLength: 1, maxLength: 3 }),
    },
  ),
  uvs: fc.constantFrom<StoredUvs>('none', 'empty', 'good', 'good', 'good', 'good', 'outOfRange'),
});

const OUT_OF_RANGE = 1_000_000;

export const blockPlan: fc.Arbitrary<BlockPlan> = fc.record({
  surfaces: fc.array(surface, { minLength: 1, maxLength: 3 }),
  P: some(smallOffset),
  R: some(rotation),
  nested: fc.record({ V: fc.boolean(), F: fc.boolean(), T: fc.boolean() }),
  firstPoint: fc.constantFrom(0, 0, 1),
  firstUv: fc.constantFrom(0, 0, 1),
  uvFloats: fc.constantFrom(2, 3),
  magnify: fc.constantFrom(1, 1, 1, 1, 0.01, 25, 900),
});

/** The JSON of a planned block. */
export function blockJson(name: string, plan: BlockPlan): Record<string, unknown> {
  const points: (Vec3 | null)[] = [];
  const A = plan.surfaces.map((surfacePlan) => surfaceJson(surfacePlan, plan, points));
  const stored = plan.surfaces.some(({ uvs }) => uvs === 'good' || uvs === 'outOfRange');
  const entries = stored ? entriesNeeded(A, plan.firstUv) : 0;
  const T = points
    .slice(0, entries)
    .map((point, index) => uvEntry(point ?? [0, 0, 0], index, plan));
  const V = points.map((p) => p ?? [null, 0, 0]);
  const { P, R, nested } = plan;
  return { N: name, P, R, V: nested.V ? V : V.flat(), T: nested.T ? T : T.flat(), A };
}

/** As many as the surfaces name, leaving aside what is out of range on purpose. */
function entriesNeeded(A: { TI: unknown[] | undefined }[], first: number): number {
  const named = A.flatMap(({ TI }) => (TI ?? []).flat() as number[]).filter(
    (n) => n < OUT_OF_RANGE,
  );
  return named.reduce((most, index) => Math.max(most, index), -1) - first + 1;
}

const rounded = (value: number): number => Number(value.toFixed(6));

function surfaceJson(plan: SurfacePlan, block: BlockPlan, points: (Vec3 | null)[]) {
  const shape = SHAPES[plan.shape]();
  const first = points.length;
  const turn = turnOf(plan.turn);
  const put = (p: Vec3): number => {
    const [x, y, z] = add(apply(turn, scaled(p, plan.size)), plan.move);
    const m = block.magnify;
    return points.push([rounded(x * m), rounded(y * m), rounded(z * m)]) - 1;
  };
  let triangles: number[][];
  if (plan.apart) triangles = shape.triangles.map((t) => t.map((i) => put(shape.points[i]!)));
  else {
    shape.points.map(put);
    triangles = shape.triangles.map((t) => t.map((i) => first + i));
  }
  if (plan.reversed) triangles = triangles.map(([a, b, c]) => [a!, c!, b!]);
  const uvTriangles = [...triangles];
  for (const fault of plan.faults) {
    const [a, b, c] = triangles[0] as [number, number, number];
    const bad = faulty(fault, [a, b, c], points);
    triangles.push(bad);
    uvTriangles.push([a, b, c]);
  }
  const F = triangles.map((t) => t.map((i) => i + block.firstPoint));
  const TI = uvTriangles.map((t) => t.map((i) => i + block.firstUv));
  if (plan.uvs === 'outOfRange') TI.at(-1)![2] = OUT_OF_RANGE;
  const nest = (list: number[][]) => (block.nested.F ? list : list.flat());
  const TI_OF = { none: undefined, empty: [], good: nest(TI), outOfRange: nest(TI) };
  const C_OF = { truth: shape.closed, missing: undefined, true: trustable(plan), false: false };
  return { F: nest(F), TI: TI_OF[plan.uvs], C: C_OF[plan.closed] };
}

/** `C` true is only put on what clearly has an inside. */
const trustable = ({ shape }: SurfacePlan): boolean | undefined =>
  shape === 'patch' || shape === 'triangle' ? undefined : true;

function faulty(
  fault: Fault,
  [a, b, c]: [number, number, number],
  points: (Vec3 | null)[],
): number[] {
  const put = (point: Vec3 | null): number => points.push(point) - 1;
  const corners: Record<Fault, () => number[]> = {
    repeated: () => [a, b, a],
    outOfRange: () => [a, b, 123_456],
    negative: () => [a, -7, c],
    fraction: () => [a, b, c + 0.5],
    inLine: () => [put([0, 0, 0]), put([0.5, 0, 0]), put([1, 0, 0])],
    samePlace: () => [a, b, put(points[a] ?? [0, 0, 0])],
    notFinite: () => [a, b, put(null)],
    twice: () => [a, b, c],
  };
  return corners[fault]();
}

/** Coordinates without a pattern that a projection could repeat. */
function uvEntry([x, y, z]: Vec3, index: number, { uvFloats, magnify }: BlockPlan): number[] {
  const k = 1 / magnify;
  const u = rounded(1.3 * x * k + 0.7 * z * k + 0.01 * (index % 5));
  const v = rounded(0.9 * y * k - 0.4 * z * k + 0.3 * x * k);
  return uvFloats === 3 ? [u, v, 0.5] : [u, v];
}
