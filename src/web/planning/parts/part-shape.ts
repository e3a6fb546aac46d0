/** Determines from its shape how a movable part moves and opens: the data has a pivot, and nothing else. */
import { Box3, Matrix4, type Mesh, type Object3D, Vector3 } from 'three';

export type Axis = 0 | 1 | 2;

/** A move along, or a turn about, an axis of the pivot. */
export interface Motion {
  kind: 'move' | 'turn';
  axis: Axis;
}

/** A motion with stops; its amount is 0 when it is closed. */
export interface Joint extends Motion {
  /** Metres or radians; `least` ≤ 0 ≤ `most`. */
  readonly least: number;
  readonly most: number;
  readonly open: number;
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

/** A hinged front stops beyond a right angle; a flap at a right angle, as it would lie on the floor or the body. */
const DOOR_RADIANS = (110 * Math.PI) / 180;
const FLAP_RADIANS = Math.PI / 2;
/** A plate with its pivot at a corner is a flap if it is wider than high by this factor. */
const FLAP_RATIO = 1.5;
/** A hinged front is at a face of the body: least distance between their middles, as a share of the depth. */
const AT_FACE = 0.3;
/** Share of its depth by which a drawer opens; for a part that is only a front, the depth is that of the body. */
const DRAWN_OUT = 0.9;
const FRONT_DRAWN_OUT = 0.8;
/** A part can be drawn out at a face of the body if it is at most this far behind it, metres or as a share of depth. */
const RECESS_METRES = 0.03;
const RECESS = 0.1;
/** Weights of directions: drawers of a double desk open to the back; few drawers open to a side. */
const TO_BACK = 0.9;
const TO_SIDE = 0.5;

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

interface Surroundings {
  /** Bounds of all fixed meshes of its article, in the frame of the part. */
  body: readonly Box3[];
  /** Direction of the front of its article, world. */
  front: Vector3;
  /** The other upright plates of its article. */
  plates: readonly PartShape[];
}

/**
 * Finds the joint of a part for its usual kind of motion: a hinged front opens away from the body, a drawer to the
 * front by its depth, and a sliding front until it covers the one beside it.
 *
 * @returns Undefined if the shape does not determine the joint, as for the arm of a lamp.
 * @example
 * ```ts
 * jointOf(front, 'turn', surroundings); // → { kind: 'turn', axis: 1, least: -1.92, most: 0, open: -1.92 }
 * ```
 */
export function jointOf(
  shape: PartShape,
  kind: Motion['kind'],
  around: Surroundings,
): Joint | undefined {
  if (kind === 'turn') return hingeOf(shape, around);
  const beside = around.plates.filter((other) => isOneBeforeOther(shape, other));
  return shape.isPlate && beside.length > 0 ? railOf(shape, beside) : drawerOf(shape, around);
}

function hingeOf(shape: PartShape, { body }: Surroundings): Joint | undefined {
  const axis = hingeAxis(shape);
  if (axis === undefined) return undefined;
  const [thin] = shape.sides;
  const depth = bodyAlong(shape, thin, body);
  if (!depth) return undefined;
  const middle = centreOf(shape.box);
  const fromBody = middle.getComponent(thin) - (depth.from + depth.to) / 2;
  if (Math.abs(fromBody) < AT_FACE * (depth.to - depth.from)) return undefined;
  const velocity = UNITS[axis].clone().cross(middle).getComponent(thin);
  const most = isUpright(shape, axis) ? DOOR_RADIANS : FLAP_RADIANS;
  return withStops({ kind: 'turn', axis }, velocity * fromBody < 0 ? -most : most);
}

function hingeAxis(shape: PartShape): Axis | undefined {
  const axes = shape.isPlate ? hingeAxes(shape) : [];
  if (axes.length < 2) return axes[0];
  const [upright, level] = [...axes].sort((a, b) => +isUpright(shape, b) - +isUpright(shape, a));
  const isFlap = lengthOf(shape.box, level!) > FLAP_RATIO * lengthOf(shape.box, upright!);
  return isFlap ? level : upright;
}

function railOf({ box, place, sides }: PartShape, beside: readonly PartShape[]): Joint {
  const toOwn = place.clone().invert();
  const ways = beside.map((other) =>
    centreOf(other.box).applyMatrix4(other.place).applyMatrix4(toOwn).sub(centreOf(box)),
  );
  const [, a, b] = sides;
  const farthest = (axis: Axis) => Math.max(...ways.map((way) => Math.abs(way.getComponent(axis))));
  const axis = farthest(a) > farthest(b) ? a : b;
  const amounts = ways.map((way) => way.getComponent(axis));
  const [least, most] = [Math.min(0, ...amounts), Math.max(0, ...amounts)];
  return { kind: 'move', axis, least, most, open: most >= -least ? most : least };
}

function drawerOf(shape: PartShape, { body, front }: Surroundings): Joint | undefined {
  const { box, place, sides, isPlate } = shape;
  let best: { likelihood: number; joint: Joint } | undefined;
  for (const axis of isPlate ? [sides[0]] : AXES) {
    const depth = isUpright(shape, axis) ? undefined : bodyAlong(shape, axis, body);
    if (!depth) continue;
    const whole = depth.to - depth.from;
    const length = isPlate ? FRONT_DRAWN_OUT * whole : DRAWN_OUT * lengthOf(box, axis);
    const towardsFront = inWorld(place, axis).dot(front);
    for (const sign of [1, -1]) {
      const ahead = sign > 0 ? depth.to - box.max.getComponent(axis) : undefined;
      const recess = ahead ?? box.min.getComponent(axis) - depth.from;
      if (recess > Math.max(RECESS_METRES, RECESS * whole)) continue;
      const along = sign * towardsFront;
      const likelihood = Math.max(along, -along * TO_BACK, TO_SIDE);
      if (best && likelihood <= best.likelihood) continue;
      best = { likelihood, joint: withStops({ kind: 'move', axis }, sign * length) };
    }
  }
  return best?.joint;
}

function withStops(motion: Motion, open: number): Joint {
  return { ...motion, least: Math.min(0, open), most: Math.max(0, open), open };
}

/** From where to where the body goes along an axis, of what is before or behind the part. */
function bodyAlong(
  { box }: PartShape,
  axis: Axis,
  body: readonly Box3[],
): { from: number; to: number } | undefined {
  const across = AXES.filter((other) => other !== axis);
  const beside = new Box3();
  for (const fixed of body)
    if (across.every((other) => overlapOf(box, fixed, other) > 0)) beside.union(fixed);
  const isCovered = across.every(
    (other) => overlapOf(box, beside, other) > 0.5 * lengthOf(box, other),
  );
  if (!isCovered) return undefined;
  return { from: beside.min.getComponent(axis), to: beside.max.getComponent(axis) };
}

function unionOf(boxes: readonly Box3[]): Box3 {
  return boxes.reduce((all, box) => all.union(box), new Box3());
}

/** The axes of the plane of a plate about which it can be hinged: the pivot is at an edge, or beside it. */
function hingeAxes({ box, sides: [, a, b] }: PartShape): Axis[] {
  const isAtEdge = (side: Axis) => {
    const share = -box.min.getComponent(side) / lengthOf(box, side);
    return Math.min(share, 1 - share) < HINGE;
  };
  return [...(isAtEdge(a) ? [b] : []), ...(isAtEdge(b) ? [a] : [])];
}

/** Whether two plates stand side by side, one before the other, as sliding doors do. */
function isOneBeforeOther(shape: PartShape, other: PartShape): boolean {
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

function lengthOf({ min, max }: Box3, axis: Axis): number {
  return max.getComponent(axis) - min.getComponent(axis);
}

/** Length of the overlap of two boxes along an axis; a negative value is the gap between them. */
function overlapOf(a: Box3, b: Box3, axis: Axis): number {
  const to = Math.min(a.max.getComponent(axis), b.max.getComponent(axis));
  return to - Math.max(a.min.getComponent(axis), b.min.getComponent(axis));
}

function centreOf(box: Box3): Vector3 {
  return box.getCenter(new Vector3());
}

/** Whether an axis of a part stands upright where the part rests. */
export function isUpright({ place }: Pick<PartShape, 'place'>, axis: Axis): boolean {
  return Math.abs(inWorld(place, axis).y) > ALONG;
}

/** The direction of an axis, unit length. */
function inWorld(place: Matrix4, axis: Axis): Vector3 {
  return UNITS[axis].clone().transformDirection(place);
}
