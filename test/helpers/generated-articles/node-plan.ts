/** Node plan: the nodes of a generated parts list, as a flat list whose entries name their parents. */
import fc from 'fast-check';
import { SOLID_PARAMETERS } from '../evaluator/solid.ts';
import type { Vec3 } from '../evaluator/vectors.ts';
import { type MaterialReference, materialReference } from './material-plan.ts';
import { offset, rotation, scale } from './numbers.ts';

const TYPES = ['top', 'imp', 'clsref', 'block', 'frame', 'cyl', 'sphere', 'ellipsoid', 'novelty'];

export interface NodePlan {
  /** Modulo the nodes before it and the root. */
  parent: number;
  type: string;
  block: { index: number; spelling: number };
  offs: Vec3 | undefined;
  rot: Vec3 | undefined;
  scale: Vec3 | undefined;
  mat: MaterialReference | undefined;
  lay: string | undefined;
  params: { lengths: number[]; shape: 'list' | 'text' | 'object' | 'unreadable'; variant: number };
  /** Fields are in `prop`, or beside it; the same of `childs`. */
  inProp: boolean;
  childsInProp: boolean;
  numbers: 'number' | 'text' | 'comma';
}

/** Frames above everything: depth. */
export interface ChainPlan {
  length: number;
  offs: Vec3;
  rot: Vec3;
  /** Every so many of them is a movable one; 0 is none. */
  movableEvery: number;
}

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

export const nodePlan: fc.Arbitrary<NodePlan> = fc.record({
  parent: fc.nat(30),
  type: fc.oneof(
    { weight: 4, arbitrary: fc.constant('imp') },
    { weight: 3, arbitrary: fc.constantFrom(...TYPES) },
  ),
  block: fc.record({ index: fc.nat(4), spelling: fc.nat(3) }),
  offs: some(offset),
  rot: some(rotation),
  scale: some(scale),
  mat: some(materialReference),
  lay: fc.constantFrom(
    ...[undefined, undefined, undefined, undefined],
    '72_GEN_RANGE_D3',
    '72_GEN_RANGE_D3_DRAWER1',
    '72_gen_range_d3front_Door_left',
    '72_GEN_RANGE_D2',
    '72_gen_range_attachpt',
    '72_GEN_RANGE_ARTICLE_INFO',
    '72_GEN_RANGE_TEXT_A',
    '72_GEN_RANGE_D2_D3_LEFT',
    '72_other_fine_line_D2_PLAN',
    '72_OTHER_FINE_LINE_D3_DOOR',
    'whatever',
  ),
  params: fc.record({
    lengths: fc.array(fc.constantFrom(0.02, 0.1, 0.25, 0.5, 0.8, 1.2, 0.033, 2.5), {
      minLength: 4,
      maxLength: 4,
    }),
    shape: fc.constantFrom('list', 'text', 'object', 'list', 'text', 'object', 'unreadable'),
    variant: fc.nat(5),
  }),
  inProp: fc.boolean(),
  childsInProp: fc.boolean(),
  numbers: fc.constantFrom('number', 'number', 'number', 'text', 'comma'),
});

export const chainPlan: fc.Arbitrary<ChainPlan> = fc.record({
  length: fc.oneof(
    { weight: 12, arbitrary: fc.nat(3) },
    { weight: 2, arbitrary: fc.nat(100) },
    { weight: 1, arbitrary: fc.constantFrom(1000, 2000) },
  ),
  offs: fc.constantFrom<Vec3>([0, 0, 0], [0.01, 0, 0], [0.001, -0.002, 0.003]),
  rot: fc.constantFrom<Vec3>([0, 0, 0], [1, 2, 3], [0, 0.1, 0], [30, 20, 10]),
  movableEvery: fc.constantFrom(0, 0, 2, 700),
});

/** `params` in one of the three accepted shapes, or none of them. */
export function paramsJson({ type, params }: NodePlan): unknown {
  const { lengths, shape, variant } = params;
  const names = SOLID_PARAMETERS[type];
  if (!names) return undefined;
  const values = names.map((_, index) => lengths[index]!);
  if (shape === 'unreadable') return [undefined, 'wide', [1], {}, 'a b c', 7][variant % 6];
  if (shape === 'list') return variant % 2 ? values : values.map(String);
  if (shape === 'text') return values.join([' ', ', ', ';', ' ; ', '  ', ','][variant % 6]);
  return Object.fromEntries(
    names.map((spellings, index) => {
      const name = spellings[variant % spellings.length]!;
      return [variant % 2 ? name.toUpperCase() : name, values[index]];
    }),
  );
}
