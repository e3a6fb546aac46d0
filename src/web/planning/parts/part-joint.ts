/** The joint of a part: how a hinged front or a drawer opens, by its shape and by the body that it belongs to. */
import { Box3, type Vector3 } from 'three';
import {
  AXES,
  type Axis,
  centreOf,
  hingeAxes,
  inWorld,
  isOneBeforeOther,
  isUpright,
  lengthOf,
  type Motion,
  overlapOf,
  type PartShape,
  UNITS,
} from './part-shape.ts';

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

/** A motion with stops; its amount is 0 when it is closed. */
export interface Joint extends Motion {
  /** Metres or radians; `least` ≤ 0 ≤ `most`. */
  readonly least: number;
  readonly most: number;
  readonly open: number;
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
