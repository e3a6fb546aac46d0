/** How a movable part moves: along or about an axis of its pivot, which is chosen to fit a drag best. */
import { type Camera, type Object3D, Quaternion, Vector2, Vector3 } from 'three';
import type { ModelStage } from '../../../deliver/pictures/page/model-stage.ts';
import {
  AXES,
  type Axis,
  type Joint,
  type Motion,
  type PartShape,
  preferences,
  UNITS,
} from './part-shape.ts';

/** Smaller amounts, metres or radians, are rounded away. */
const LEAST_AMOUNT = 1e-4;

export interface FoundMotion extends Motion {
  /** Pixels per metre or radian; y is down. */
  speed: Vector2;
}

interface ViewedBy {
  camera: Camera;
  width: number;
  height: number;
}

interface Pull {
  /** World, metres. */
  point: Vector3;
  /** From the pivot to the point, world. */
  lever: Vector3;
  /** Direction on the screen, unit length, y down. */
  direction: Vector2;
  by: ViewedBy;
  /** Scale across the view, at the point. */
  pixelsPerMetre: number;
}

/** A motion of which a smaller share of the length is visible goes towards the viewer. */
const LEAST_SEEN = 0.2;

/** A part is hard to turn by a point that is this near to the axis, as a share of the part's diagonal. */
const NEAR_AXIS = 0.08;

/** The motion of a part that a person can move; its node is the pivot. */
export class PartMotion {
  readonly node: Object3D;
  /** Middle of the visible part, in its own frame. */
  readonly centre: Vector3;
  /** The joint: motions of its kind are along or about one axis, and have stops. */
  readonly joint: Joint | undefined;
  readonly #reachMetres: number;
  readonly #diagonalMetres: number;
  readonly #weights: Record<Motion['kind'], readonly number[]>;
  readonly #rest: { readonly position: Vector3; readonly quaternion: Quaternion };
  readonly #axesInParent: readonly Vector3[];
  /** Distance of the part from its rest position: metres along, and radians about, each axis. */
  readonly #amounts = { move: [0, 0, 0], turn: [0, 0, 0] };
  readonly #turned = new Quaternion();

  /** @param reachMetres - How far a part without stops may move. */
  constructor(node: Object3D, shape: PartShape, joint: Joint | undefined, reachMetres: number) {
    const { box, isPlate } = shape;
    this.node = node;
    this.joint = joint;
    this.#reachMetres = reachMetres;
    this.#diagonalMetres = box.getSize(new Vector3()).length();
    this.#weights = preferences(shape);
    this.#rest = { position: node.position.clone(), quaternion: node.quaternion.clone() };
    this.#axesInParent = UNITS.map((unit) => unit.clone().applyQuaternion(this.#rest.quaternion));
    this.centre = box.getCenter(new Vector3());
    // The front of a drawer is visible; other drawers would cover the middle of this one.
    if (joint?.kind === 'move' && !isPlate) {
      const front = joint.open < 0 ? box.min : box.max;
      this.centre.setComponent(joint.axis, front.getComponent(joint.axis));
    }
  }

  /** The amount of a motion, metres or radians. */
  amount({ kind, axis }: Motion): number {
    return this.#amounts[kind][axis]!;
  }

  /** The stops of the joint; without a joint, a full turn or the size of the model. */
  limits({ kind }: Motion): Pick<Joint, 'least' | 'most'> {
    if (this.joint?.kind === kind) return this.joint;
    const most = kind === 'turn' ? 2 * Math.PI : this.#reachMetres;
    return { least: -most, most };
  }

  isMoved(): boolean {
    return Object.values(this.#amounts)
      .flat()
      .some((one) => Math.abs(one) > LEAST_AMOUNT);
  }

  set(motion: Motion, amount: number): void {
    const { kind, axis } = motion;
    const next = this.#within(motion, amount);
    const more = next - this.amount(motion);
    this.#amounts[kind][axis] = next;
    if (kind === 'turn')
      this.#turned.premultiply(new Quaternion().setFromAxisAngle(UNITS[axis], more));
    this.#apply();
  }

  /** Moves the part to the position of the same part in an earlier model; without that, to its rest position. */
  putTo(other?: PartMotion): void {
    const { joint } = this;
    for (const kind of ['move', 'turn'] as const)
      for (const axis of AXES) {
        const isBlocked = joint?.kind === kind && joint.axis !== axis;
        const amount = other?.amount({ kind, axis }) ?? 0;
        this.#amounts[kind][axis] = isBlocked ? 0 : this.#within({ kind, axis }, amount);
      }
    if (joint?.kind === 'turn')
      this.#turned.setFromAxisAngle(UNITS[joint.axis], this.amount(joint));
    else this.#turned.copy(other ? other.#turned : new Quaternion());
    this.#apply();
  }

  /**
   * Finds the motion of a kind by which a point follows a direction best.
   *
   * @param from - World, metres; without it, the middle of the part at its rest position.
   * @param direction - On the screen, unit length, y down.
   */
  find(
    from: Vector3 | undefined,
    direction: Vector2,
    by: ViewedBy,
    kind: Motion['kind'],
  ): FoundMotion | undefined {
    const { node, joint } = this;
    const pivot = (from ? node : this.#rest).position.clone();
    if (node.parent) pivot.applyMatrix4(node.parent.matrixWorld);
    const point = from ?? this.#restingCentre();
    const lever = point.clone().sub(pivot);
    const pull = { point, lever, direction, by, pixelsPerMetre: pixelsPerMetre(point, by) };
    let best: { score: number; found: FoundMotion } | undefined;
    for (const axis of joint?.kind === kind ? [joint.axis] : AXES) {
      const judged = this.#judge({ kind, axis }, pull);
      if (judged && (!best || judged.score > best.score)) best = judged;
    }
    return best?.found;
  }

  #judge(
    { kind, axis }: Motion,
    { point, lever, direction, by, pixelsPerMetre: scale }: Pull,
  ): { score: number; found: FoundMotion } | undefined {
    const line = this.#axisInWorld(axis);
    const velocity = kind === 'move' ? line.clone() : line.clone().cross(lever);
    // Near the axis a small movement would cause a large turn.
    const nearMetres = this.#diagonalMetres * NEAR_AXIS;
    const isNear = kind === 'turn' && velocity.length() < nearMetres;
    if (isNear && this.joint?.kind !== kind) return undefined;
    const speed = onScreen(point, velocity, by);
    const whole = scale * (isNear ? nearMetres : velocity.length());
    const isTowards = speed.length() < LEAST_SEEN * whole;
    if (isTowards) {
      // A person who faces a drawer drags it down to open it; a hinged part is dragged to its hinge.
      const isNearer = isTowardsViewer(velocity, point, by);
      const to = kind === 'move' ? new Vector2(0, 1) : onScreen(point, lever.clone().negate(), by);
      speed.copy(to.multiplyScalar(isNearer ? 1 : -1));
    }
    // A part that first turns towards the viewer does not turn faster because of that.
    if (isTowards || kind === 'turn') speed.setLength(whole);
    const along = Math.abs(speed.dot(direction)) / speed.length();
    const seen = onScreen(point, line, by);
    const isSeen = seen.length() > LEAST_SEEN * scale;
    // A person turns a part about an upright line by dragging it to a side.
    const across = kind === 'turn' && isSeen ? Math.abs(seen.cross(direction)) / seen.length() : 1;
    const score = this.#weights[kind][axis]! * along * across;
    return { score, found: { kind, axis, speed } };
  }

  #within(motion: Motion, amount: number): number {
    const { least, most } = this.limits(motion);
    return Math.min(Math.max(amount, least), most);
  }

  #apply(): void {
    const { node } = this;
    const { position, quaternion } = this.#rest;
    node.position.copy(position);
    for (const axis of AXES)
      node.position.addScaledVector(this.#axesInParent[axis]!, this.#amounts.move[axis]!);
    node.quaternion.copy(quaternion).multiply(this.#turned);
    node.updateMatrixWorld(true);
  }

  #axisInWorld(axis: Axis): Vector3 {
    const { parent } = this.node;
    const inParent = this.#axesInParent[axis]!.clone();
    return parent ? inParent.transformDirection(parent.matrixWorld) : inParent;
  }

  #restingCentre(): Vector3 {
    const { parent } = this.node;
    const { position, quaternion } = this.#rest;
    const point = this.centre.clone().applyQuaternion(quaternion).add(position);
    return parent ? point.applyMatrix4(parent.matrixWorld) : point;
  }
}

/** The view of a camera, on a canvas of this size. */
export function viewOf({ camera, canvas }: Pick<ModelStage, 'camera' | 'canvas'>): ViewedBy {
  return { camera, width: canvas.clientWidth, height: canvas.clientHeight };
}

/** Where a world point is on the screen, pixels, y down. */
export function screenPoint(point: Vector3, { camera, width, height }: ViewedBy): Vector2 {
  const { x, y } = point.clone().project(camera);
  return new Vector2(((1 + x) / 2) * width, ((1 - y) / 2) * height);
}

/** The movement of a point on the screen for a small movement in the world, pixels per unit. */
function onScreen(point: Vector3, velocity: Vector3, by: ViewedBy): Vector2 {
  const step = 1e-3;
  const next = screenPoint(point.clone().addScaledVector(velocity, step), by);
  return next.sub(screenPoint(point, by)).divideScalar(step);
}

function pixelsPerMetre(point: Vector3, by: ViewedBy): number {
  const right = new Vector3().setFromMatrixColumn(by.camera.matrixWorld, 0);
  return onScreen(point, right, by).length();
}

function isTowardsViewer(velocity: Vector3, point: Vector3, { camera }: ViewedBy): boolean {
  const toViewer = new Vector3().setFromMatrixPosition(camera.matrixWorld).sub(point);
  return velocity.dot(toViewer) > 0;
}
