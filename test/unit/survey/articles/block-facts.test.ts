/** What a block says by itself, where its lists may be read in several ways. */
import { expect, test } from 'vitest';
import { blockFacts } from '../../../../src/survey/articles/block-facts.ts';
import { meshBlock } from '../../../helpers/graphics.ts';

const TETRAHEDRON = [
  [0, 0, 0],
  [1, 1, 0],
  [1, 0, 1],
  [0, 1, 1],
];
/** Faces of the corners 1, 2, 3 and 4. */
const FACES = [1, 3, 2, 1, 2, 4, 1, 4, 3, 2, 3, 4];

test('a closed mesh says which way its triangles face', () => {
  const { outward, inward, points } = blockFacts(
    meshBlock(TETRAHEDRON.flat(), [FACES.map((index) => index - 1)]),
  );
  expect(points.firsts).toEqual([0]);
  expect([outward, inward].sort()).toEqual([0, 1]);
});

test('it says nothing where it faces the other way with points counted from 1, and is as even', () => {
  // The first point again at the end: counted from 0, the corners are turned by one place, which mirrors the mesh.
  const positions = [...TETRAHEDRON, TETRAHEDRON[0]!].flat();
  const { outward, inward, open, points } = blockFacts(meshBlock(positions, [FACES]));
  expect(points.firsts).toEqual([0, 1]);
  expect({ outward, inward, open }).toEqual({ outward: 0, inward: 0, open: 1 });
});

test('it says so where one way of counting is the more even one', () => {
  const far = [90, 0, 0];
  const { outward, inward } = blockFacts(meshBlock([far, ...TETRAHEDRON].flat(), [FACES]));
  const last = blockFacts(meshBlock([...TETRAHEDRON, far].flat(), [FACES]));
  expect(outward + inward).toBe(1);
  expect(last.outward + last.inward).toBe(1);
});
