/** Determines from its shape how a movable part moves: the data has a pivot, and nothing else. */
import { Box3, Matrix4, type Mesh, type Object3D, Vector3 } from 'three';

export type Axis = 0 | 1 | 2;

/** A move along, or a turn about, an axis of the pivot. */
export interface Motion {
  kind: 'move' | 'turn';
  axis: Axis;
}

/** All axes. */
export const AXES = [0, 1, 2] as const;
/** Directions of the axes. */
export const UNITS = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)] as const;

/** A part thinner than this share of its next longer side is a plate; a part this narrow is a bar. */
const PLATE = 0.2;
const BAR = 0.35;
/** Largest distance of a hinge from an edge, as a share of the side. */
const HINGE = 0.15;
/** A direction counts as an axis if at least this share of it is along the axis. */
const ALONG = 0.7;
/** Largest gap between sliding doors that meet, metres. */
const GAP = 0.01;

/** The shape of a part at its rest position. */
export interface PartShape {
  /** Bounds in the frame of the part; the pivot is the origin. */
  readonly box: Box3;
  /** From the frame of the part to the world. */
  readonly place: Matrix4;
  readonly sides: readonly [thin: Axis, middle: Axis, long: Axis];
  /** Whether the part stands upright, as doors do. */
  readonly isPlate: boolean;
  readonly isBar: boolean;
}

/** The shape of a part without the parts attached to it, such as the arm of a lamp without its head. */
export function shapeOf(node: Object3D, isPart: (other: Object3D) => boolean): PartShape {
  node.updateWorldMatrix(true, true);
  const place = node.matrixWorld.clone();
  const own = unionOf(fixedBoxes(node, place, isPart));
  const box = own.isEmpty() ? unionOf(fixedBoxes(node, place, () => false)) : own;
  const size = box.getSize(new Vector3()).toArray();
  const sides = [...AXES].sort((a, b) => size[a] - size[b]) as [Axis, Axis, Axis];
  const [thin, middle, long] = sides;
  const isFlat = size[thin] < PLATE * size[middle];
  const isPlate = isFlat && !isUpright({ place }, thin);
  return { box, place, sides, isPlate, isBar: size[middle] < BAR * size[long] };
}

/**
 * The usual motion of a part by its shape: an upright plate with its pivot at an edge turns, such as hinged doors, and
 * so does a bar, or a part attached to a part that turns. Doors that stand side by side, one before the other, slide:
 * they could not turn. Any other body is a drawer or an article, and moves.
 *
 * @param holder - The motion of the part to which this part is attached.
 * @example
 * ```ts
 * usualKind(shapeOf(drawer, isPart), [], undefined); // → 'move'
 * ```
 */
export function usualKind(
  shape: PartShape,
  others: readonly PartShape[],
  holder: Motion['kind'] | undefined,
): Motion['kind'] {
  if (shape.isPlate && others.some((other) => isOneBeforeOther(shape, other))) return 'move';
  const isHinged = shape.isPlate && hingeAxes(shape).length > 0;
  return shape.isBar || isHinged || holder === 'turn' ? 'turn' : 'move';
}

/** How likely each motion is among the motions of its kind. */
export function preferences(shape: PartShape): Record<Motion['kind'], readonly number[]> {
  const { place, sides, isPlate, isBar } = shape;
  // A plate turns about an axis in its plane, and a bar about an axis across it.
  const unlikely = isBar ? sides[2] : sides[0];
  return {
    move: AXES.map((axis) => {
      if (isUpright(shape, axis)) return 0.4;
      // A plate slides in its plane, and a drawer moves to the front.
      if (isPlate) return axis === sides[0] ? 0.8 : 1;
      return Math.abs(inWorld(place, axis).z) > ALONG ? 1 : 0.85;
    }),
    turn: AXES.map((axis) => {
      if (isPlate || isBar) return axis === unlikely ? 0.6 : 1;
      return isUpright(shape, axis) ? 1 : 0.5;
    }),
  };
}

/** Bounds of the fixed meshes of an article, one per mesh, in the frame of a part. */
export function fixedBoxes(
  article: Object3D,
  place: Matrix4,
  isPart: (other: Object3D) => boolean,
): Box3[] {
  const toOwn = place.clone().invert();
  const boxes: Box3[] = [];
  const waiting = [article];
  for (let object = waiting.pop(); object; object = waiting.pop()) {
    waiting.push(...object.children.filter((child) => !isPart(child)));
    const { isMesh, geometry, matrixWorld } = object as Mesh;
    if (!isMesh) continue;
    if (!geometry.boundingBox) geometry.computeBoundingBox();
    const own = geometry.boundingBox!.clone();
    boxes.push(own.applyMatrix4(new Matrix4().multiplyMatrices(toOwn, matrixWorld)));
  }
  return boxes;
}

function unionOf(boxes: readonly Box3[]): Box3 {
  return boxes.reduce((all, box) => all.union(box), new Box3());
}

/** The axes of the plane of a plate about which it can be hinged: the pivot is at an edge, or beside it. */
export function hingeAxes({ box, sides: [, a, b] }: PartShape): Axis[] {
  const isAtEdge = (side: Axis) => {
    const share = -box.min.getComponent(side) / lengthOf(box, side);
    return Math.min(share, 1 - share) < HINGE;
  };
  return [...(isAtEdge(a) ? [b] : []), ...(isAtEdge(b) ? [a] : [])];
}

/** Whether two plates stand side by side, one before the other, as sliding doors do. */
export function isOneBeforeOther(shape: PartShape, other: PartShape): boolean {
  const [thin, middle, long] = shape.sides;
  const across = inWorld(shape.place, thin).dot(inWorld(other.place, other.sides[0]));
  if (!other.isPlate || Math.abs(across) < 0.95) return false;
  const toOwn = shape.place.clone().invert().multiply(other.place);
  const boxes = [shape.box, other.box.clone().applyMatrix4(toOwn)] as const;
  const shorter = (axis: Axis) => Math.min(...boxes.map((box) => lengthOf(box, axis)));
  const overlap = (axis: Axis) => overlapOf(...boxes, axis);
  const [middles, depths] = [
    boxes.map((box) => centreOf(box).getComponent(thin)),
    boxes.map((box) => lengthOf(box, thin)),
  ] as const;
  const apart = Math.abs(middles[0]! - middles[1]!) / (depths[0]! + depths[1]!);
  const isBeside = (axis: Axis) => overlap(axis) > -GAP && overlap(axis) < 0.5 * shorter(axis);
  const isLevel = (axis: Axis) => overlap(axis) > 0.5 * shorter(axis);
  return (
    apart > 0.25 &&
    apart < 2 &&
    ((isBeside(middle) && isLevel(long)) || (isBeside(long) && isLevel(middle)))
  );
}

/** Length along an axis. */
export function lengthOf({ min, max }: Box3, axis: Axis): number {
  return max.getComponent(axis) - min.getComponent(axis);
}

/** Length of the overlap of two boxes along an axis; a negative value is the gap between them. */
export function overlapOf(a: Box3, b: Box3, axis: Axis): number {
  const to = Math.min(a.max.getComponent(axis), b.max.getComponent(axis));
  return to - Math.max(a.min.getComponent(axis), b.min.getComponent(axis));
}

/** The middle of a box. */
export function centreOf(box: Box3): Vector3 {
  return box.getCenter(new Vector3());
}

/** Whether an axis of a part stands upright where the part rests. */
export function isUpright({ place }: Pick<PartShape, 'place'>, axis: Axis): boolean {
  return Math.abs(inWorld(place, axis).y) > ALONG;
}

/** The direction of an axis, unit length. */
export function inWorld(place: Matrix4, axis: Axis): Vector3 {
  return UNITS[axis].clone().transformDirection(place);
}
