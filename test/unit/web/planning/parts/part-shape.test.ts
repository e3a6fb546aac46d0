import { Box3, BoxGeometry, Group, Mesh, type Object3D, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { PartMotion } from '../../../../../src/web/planning/parts/part-motion.ts';
import {
  fixedBoxes,
  type Joint,
  jointOf,
  shapeOf,
  usualKind,
} from '../../../../../src/web/planning/parts/part-shape.ts';
import { findParts } from '../../../../../src/web/planning/parts/part-tree.ts';

type Triple = [x: number, y: number, z: number];
const ORIGIN: Triple = [0, 0, 0];

/** A board from its lower left corner at the back, metres. */
function board([w, h, d]: Triple, [x, y, z]: Triple = [0, 0, 0]): Mesh {
  return new Mesh(new BoxGeometry(w, h, d).translate(x + w / 2, y + h / 2, z + d / 2));
}

function group(at: Triple, ...children: Object3D[]): Group {
  const made = new Group();
  made.position.set(...at);
  if (children.length > 0) made.add(...children);
  return made;
}

function movable(name: string, at: Triple, ...children: Object3D[]): Group {
  const made = group(at, ...children);
  Object.assign(made.userData, { movable: true, name });
  return made;
}

/** Sides, top, bottom and back, 0.8 m wide, 0.8 high, 0.4 deep. */
function cabinet(): Mesh[] {
  return [
    board([0.019, 0.8, 0.4]),
    board([0.019, 0.8, 0.4], [0.781, 0, 0]),
    board([0.762, 0.019, 0.4], [0.019, 0, 0]),
    board([0.762, 0.019, 0.4], [0.019, 0.781, 0]),
    board([0.762, 0.762, 0.008], [0.019, 0.019, 0.01]),
  ];
}

/** Doors and drawers of a model with their joints, as the view finds them. */
function jointsOf(root: Object3D) {
  root.updateMatrixWorld(true);
  const found = findParts(root);
  const isPart = (other: Object3D) => found.some(({ node }) => node === other);
  const shapes = found.map(({ node }) => shapeOf(node, isPart));
  return found.map(({ node, article }, index) => {
    const shape = shapes[index]!;
    const plates = shapes.filter((other) => other !== shape && other.isPlate);
    const kind = usualKind(shape, plates, undefined);
    const body = fixedBoxes(article, shape.place, isPart);
    const front = new Vector3(0, 0, 1).transformDirection(article.matrixWorld);
    const joint = jointOf(shape, kind, { body, front, plates });
    const motion = new PartMotion(node, shape, joint, 1);
    return { name: node.userData.name, kind, joint, motion };
  });
}

/** Bounds of a part that is open. */
function opened({ motion, joint }: ReturnType<typeof jointsOf>[number]): Box3 {
  motion.set(joint!, joint!.open);
  return new Box3().setFromObject(motion.node, true);
}

const degrees = ({ least, most }: Joint) =>
  [least, most].map((radians) => Math.round((radians * 180) / Math.PI) + 0);

describe('the joint of a part', () => {
  it('opens hinged doors by 110° to the outside, the left one to the left', () => {
    const door = (name: string, x: number, from: number) =>
      movable(name, [x, 0.002, 0.401], board([0.398, 0.796, 0.018], [from, 0, 0]));
    const doors = [door('left', 0.001, 0), door('right', 0.799, -0.398)];
    const [left, right] = jointsOf(group(ORIGIN, ...cabinet(), ...doors));
    expect([degrees(left!.joint!), degrees(right!.joint!)]).toEqual([
      [-110, 0],
      [0, 110],
    ]);
    expect(opened(left!).min.z).toBeGreaterThan(0.38);
    expect(opened(left!).min.x).toBeLessThan(-0.1);
    expect(opened(right!).max.x).toBeGreaterThan(0.9);
    left!.motion.set(left!.joint!, 1);
    expect(left!.motion.amount(left!.joint!) + 0).toBe(0);
    expect(left!.motion.isMoved()).toBe(false);
  });

  it('opens doors at the back to the back, and those of a cabinet that is turned', () => {
    const door = movable('door', [0.001, 0.002, -0.02], board([0.398, 0.796, 0.018]));
    const [back] = jointsOf(group(ORIGIN, ...cabinet(), door));
    expect(opened(back!).min.z).toBeLessThan(-0.3);
    const turned = group(ORIGIN, ...cabinet());
    turned.add(movable('door', [0.001, 0.002, 0.401], board([0.398, 0.796, 0.018])));
    turned.rotation.y = Math.PI / 2;
    const [side] = jointsOf(group(ORIGIN, turned));
    expect(opened(side!).max.x).toBeGreaterThan(0.7);
  });

  it('opens a flap, which is much wider than high, downwards by a right angle', () => {
    const flap = movable('flap', [0.002, 0.4, 0.401], board([0.796, 0.3, 0.018]));
    const [one] = jointsOf(group(ORIGIN, ...cabinet(), flap));
    expect(degrees(one!.joint!)).toEqual([0, 90]);
    const box = opened(one!);
    expect([box.max.y < 0.41, box.max.z > 0.69]).toEqual([true, true]);
  });

  it('draws a drawer to the front, by most of its depth, wherever the article stands', () => {
    const drawer = movable(
      'drawer',
      [0.02, 0.3, 0.38],
      board([0.76, 0.2, 0.02]),
      board([0.7, 0.15, 0.34], [0.03, 0.01, -0.34]),
    );
    const article = movable('pedestal', [2, 0, 1], ...cabinet(), drawer);
    article.rotation.y = Math.PI;
    const other = movable('desk', [0, 0, 0], board([1.6, 0.03, 0.8], [0, 0.7, 0]));
    const [one, ...others] = jointsOf(group(ORIGIN, movable('planning', ORIGIN, article, other)));
    expect(others).toEqual([]);
    expect(one).toMatchObject({ name: 'drawer', kind: 'move' });
    const { least, most } = one!.joint!;
    expect([least, most]).toEqual([0, expect.closeTo(0.324, 3)]);
    const before = new Box3().setFromObject(one!.motion.node, true);
    expect(opened(one!).min.z - before.min.z).toBeCloseTo(-0.324, 3);
  });

  it('slides doors until each stands before the other', () => {
    const door = (name: string, x: number, z: number) =>
      movable(name, [x, 0.02, z], board([0.39, 0.75, 0.016]));
    const [left, right] = jointsOf(
      group(ORIGIN, ...cabinet(), door('left', 0.02, 0.36), door('right', 0.39, 0.38)),
    );
    expect([left!.joint, right!.joint]).toEqual([
      { kind: 'move', axis: 0, least: 0, most: expect.closeTo(0.37), open: expect.closeTo(0.37) },
      { kind: 'move', axis: 0, least: expect.closeTo(-0.37), most: 0, open: expect.closeTo(-0.37) },
    ]);
  });

  it('has none where the shape does not say, such as of an arm or a panel that stands free', () => {
    const arm = movable('arm', [0.4, 0.8, 0.2], board([0.02, 0.4, 0.02]));
    const wing = movable('wing', [0.8, 0, 0.2], board([0.7, 0.8, 0.03]));
    const found = jointsOf(group(ORIGIN, ...cabinet(), arm, wing));
    expect(found.map(({ kind, joint }) => [kind, joint])).toEqual([
      ['turn', undefined],
      ['turn', undefined],
    ]);
  });
});

describe('the parts of a model', () => {
  it('are not the articles of a planning, but what moves in them', () => {
    const door = movable('door', [0, 0, 0.4], board([0.4, 0.8, 0.02]));
    const handle = movable('handle', [0.3, 0.4, 0.02], board([0.02, 0.1, 0.02]));
    door.add(handle);
    const article = movable('cabinet', [0, 0, 0], ...cabinet(), door);
    const screen = movable('screen', [0, 1, 0], board([1, 0.4, 0.04]));
    const found = findParts(group(ORIGIN, movable('planning', ORIGIN, article, screen)));
    expect(found.map(({ node, article }) => [node.userData.name, article.userData.name])).toEqual([
      ['door', 'cabinet'],
      ['handle', 'cabinet'],
    ]);
    expect(findParts(new Group())).toEqual([]);
  });
});
