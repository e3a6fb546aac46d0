/** How a movable part moves: along or about the axes of its pivot, of which the one is found that fits a drag best. */
import { type Camera, type Object3D, Quaternion, Vector2, Vector3 } from 'three';
import type { Joint } from './part-joint.ts';
import { AXES, type Axis, type Motion, type PartShape, preferences, UNITS } from './part-shape.ts';

/** Smaller amounts, metres or radians, are rounded away. */
const LEAST_AMOUNT = 1e-4;

/** What a motion does to a point on the screen. */
export interface FoundMotion extends Motion {
  /** Pixels a metre or radian; y is down. */
  speed: Vector2;
}

/** The screen on which motions are judged. */
export interface ViewedBy {
  camera: Camera;
  width: number;
  height: number;
}

/** A motion that is seen at a smaller share of its length goes towards the viewer. */
const LEAST_SEEN = 0.2;

/** This near to the axis, as a share of its diagonal, a part is hard to turn. */
const NEAR_AXIS = 0.08;

/** How far a part is from where it rests. */
export interface PartPlace {
  /** Metres along, and radians about, each axis. */
  readonly amounts: Readonly<Record<Motion['kind'], readonly number[]>>;
  readonly turned: Quaternion;
}

/** A part that a person can move; its node is the pivot. */
export interface PartMotion {
  readonly node: Object3D;
  /** Middle of what is seen of it, in its own frame. */
  readonly centre: Vector3;
  /** Its motion of that kind is along or about one axis, and has stops. */
  readonly joint: Joint | undefined;
  /** Metres, or radians. */
  amount(motion: Motion): number;
  /** Sets an amount, within its limits. */
  set(motion: Motion, amount: number): void;
  /** The stops of the joint; else a full turn, or the model's size. */
  limits(motion: Motion): Pick<Joint, 'least' | 'most'>;
  isMoved(): boolean;
  place(): PartPlace;
  /** Moves it where another one is, which was this part in an earlier model; without one, back. */
  putTo(place?: PartPlace): void;
  /**
   * Finds the motion of a kind by which a point follows a direction best.
   *
   * @param from - World, metres; without it, the middle of the part where it has not been moved.
   * @param direction - On the screen, unit length, y down.
   */
  find(
    from: Vector3 | undefined,
    direction: Vector2,
    by: ViewedBy,
    kind: Motion['kind'],
  ): FoundMotion | undefined;
}

/** Makes a part movable. @param reachMetres - How far it may go without stops. */
export function createPartMotion(
  node: Object3D,
  shape: PartShape,
  joint: Joint | undefined,
  reachMetres: number,
): PartMotion {
  const rest = { position: node.position.clone(), quaternion: node.quaternion.clone() };
  const axesInParent = UNITS.map((unit) => unit.clone().applyQuaternion(rest.quaternion));
  const amounts = { move: [0, 0, 0], turn: [0, 0, 0] };
  const turned = new Quaternion();
  const { box } = shape;
  const weights = preferences(shape);
  const limits = ({ kind }: Motion) => {
    if (joint?.kind === kind) return joint;
    const most = kind === 'turn' ? 2 * Math.PI : reachMetres;
    return { least: -most, most };
  };
  const within = (motion: Motion, amount: number) => {
    const { least, most } = limits(motion);
    return Math.min(Math.max(amount, least), most);
  };
  const apply = () => {
    node.position.copy(rest.position);
    for (const axis of AXES)
      node.position.addScaledVector(axesInParent[axis]!, amounts.move[axis]!);
    node.quaternion.copy(rest.quaternion).multiply(turned);
    node.updateMatrixWorld(true);
  };
  /** Unit length, world. */
  const axisInWorld = (axis: Axis) =>
    node.parent
      ? axesInParent[axis]!.clone().transformDirection(node.parent.matrixWorld)
      : axesInParent[axis]!.clone();
  const centre = box.getCenter(new Vector3());
  // Of a drawer its front is seen, which others would cover the middle of.
  if (joint?.kind === 'move' && !shape.isPlate)
    centre.setComponent(joint.axis, (joint.open < 0 ? box.min : box.max).getComponent(joint.axis));
  const restingCentre = () => {
    const point = centre.clone().applyQuaternion(rest.quaternion).add(rest.position);
    return node.parent ? point.applyMatrix4(node.parent.matrixWorld) : point;
  };
  return {
    node,
    centre,
    joint,
    amount: ({ kind, axis }) => amounts[kind][axis]!,
    limits,
    isMoved: () =>
      Object.values(amounts)
        .flat()
        .some((one) => Math.abs(one) > LEAST_AMOUNT),
    set(motion, amount) {
      const { kind, axis } = motion;
      const next = within(motion, amount);
      const more = next - amounts[kind][axis]!;
      amounts[kind][axis] = next;
      if (kind === 'turn') turned.premultiply(new Quaternion().setFromAxisAngle(UNITS[axis], more));
      apply();
    },
    place: () => ({
      amounts: { move: [...amounts.move], turn: [...amounts.turn] },
      turned: turned.clone(),
    }),
    putTo(place) {
      for (const kind of ['move', 'turn'] as const)
        for (const axis of AXES) {
          const isBlocked = joint?.kind === kind && joint.axis !== axis;
          const amount = place?.amounts[kind][axis] ?? 0;
          amounts[kind][axis] = isBlocked ? 0 : within({ kind, axis }, amount);
        }
      if (joint?.kind === 'turn')
        turned.setFromAxisAngle(UNITS[joint.axis], amounts.turn[joint.axis]!);
      else turned.copy(place?.turned ?? new Quaternion());
      apply();
    },
    find(from, direction, by, kind) {
      const pivot = from ? node.position.clone() : rest.position.clone();
      if (node.parent) pivot.applyMatrix4(node.parent.matrixWorld);
      const point = from ?? restingCentre();
      const reach = box.getSize(new Vector3()).length();
      const scale = pixelsPerMetre(point, by);
      let best: { score: number; found: FoundMotion } | undefined;
      for (const axis of joint?.kind === kind ? [joint.axis] : AXES) {
        const line = axisInWorld(axis);
        const lever = point.clone().sub(pivot);
        const velocity = kind === 'move' ? line.clone() : line.clone().cross(lever);
        // Near the axis a small movement would turn far.
        const isNear = kind === 'turn' && velocity.length() < reach * NEAR_AXIS;
        if (isNear && joint?.kind !== kind) continue;
        const speed = onScreen(point, velocity, by);
        const whole = scale * (isNear ? reach * NEAR_AXIS : velocity.length());
        const isTowards = speed.length() < LEAST_SEEN * whole;
        if (isTowards) {
          // Who looks at its front draws a drawer down to get it out, and what is hinged to its hinge.
          const isNearer = isTowardsViewer(velocity, point, by);
          const to = kind === 'move' ? new Vector2(0, 1) : onScreen(point, lever.negate(), by);
          speed.copy(to.multiplyScalar(isNearer ? 1 : -1));
        }
        // What turns towards the viewer at first does not turn faster for it.
        if (isTowards || kind === 'turn') speed.setLength(whole);
        const along = Math.abs(speed.dot(direction)) / speed.length();
        const seen = onScreen(point, line, by);
        const isSeen = seen.length() > LEAST_SEEN * scale;
        // Who turns something about an upright line draws it to a side.
        const across =
          kind === 'turn' && isSeen ? Math.abs(seen.cross(direction)) / seen.length() : 1;
        const score = weights[kind][axis]! * along * across;
        if (!best || score > best.score) best = { score, found: { kind, axis, speed } };
      }
      return best?.found;
    },
  };
}

/** Where a world point is on the screen, pixels, y down. */
export function screenPoint(point: Vector3, { camera, width, height }: ViewedBy): Vector2 {
  const { x, y } = point.clone().project(camera);
  return new Vector2(((1 + x) / 2) * width, ((1 - y) / 2) * height);
}

/** The movement of a point on the screen for a small one in the world, pixels by its unit. */
function onScreen(point: Vector3, velocity: Vector3, by: ViewedBy): Vector2 {
  const step = 1e-3;
  const next = screenPoint(point.clone().addScaledVector(velocity, step), by);
  return next.sub(screenPoint(point, by)).divideScalar(step);
}

/** Across the view, at a point. */
function pixelsPerMetre(point: Vector3, by: ViewedBy): number {
  const right = new Vector3().setFromMatrixColumn(by.camera.matrixWorld, 0);
  return onScreen(point, right, by).length();
}

function isTowardsViewer(velocity: Vector3, point: Vector3, { camera }: ViewedBy): boolean {
  const toViewer = new Vector3().setFromMatrixPosition(camera.matrixWorld).sub(point);
  return velocity.dot(toViewer) > 0;
}
