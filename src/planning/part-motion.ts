/** How a movable part can be moved: along and about the axes of its pivot, and which of them fits a direction best. */
import { Box3, type Camera, type Mesh, type Object3D, Quaternion, Vector2, Vector3 } from 'three';

/** A move along, or a turn about, an axis of the pivot. */
export interface Motion {
  kind: 'move' | 'turn';
  axis: 0 | 1 | 2;
}

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

const AXES = [0, 1, 2] as const;
const MOTIONS: readonly Motion[] = (['move', 'turn'] as const).flatMap((kind) =>
  AXES.map((axis) => ({ kind, axis })),
);
const UNITS = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)] as const;
/** A motion that is seen at a smaller share of its length goes towards the viewer. */
const LEAST_SEEN = 0.2;
/** Thinner than this share of its next longer side, a part is a plate; this narrow, it is a bar. */
const PLATE = 0.2;
const BAR = 0.35;

/** A part that a person can move; its node is the pivot. */
export interface PartMotion {
  readonly node: Object3D;
  /** Middle of what it contains, in its own frame. */
  readonly centre: Vector3;
  /** Metres, or radians. */
  amount(motion: Motion): number;
  /** Sets an amount, within a full turn, or the model's size. */
  set(motion: Motion, amount: number): void;
  limit(motion: Motion): number;
  reset(): void;
  /**
   * Finds the motion by which a point follows a direction best.
   *
   * @param from - World, metres; without it, the middle of the part where it has not been moved.
   * @param direction - On the screen, unit length, y down.
   * @param isOther - Only of the kind that is unusual for a part of this shape.
   */
  find(
    from: Vector3 | undefined,
    direction: Vector2,
    by: ViewedBy,
    isOther: boolean,
  ): FoundMotion | undefined;
}

/** Makes a part movable. @param reachMetres - How far it may go. */
export function createPartMotion(node: Object3D, reachMetres: number): PartMotion {
  const rest = { position: node.position.clone(), quaternion: node.quaternion.clone() };
  const axesInParent = UNITS.map((unit) => unit.clone().applyQuaternion(rest.quaternion));
  const amounts = { move: [0, 0, 0], turn: [0, 0, 0] };
  const turned = new Quaternion();
  const box = ownBox(node);
  const weights = preferences(box, node.getWorldQuaternion(new Quaternion()));
  const limit = ({ kind }: Motion) => (kind === 'turn' ? 2 * Math.PI : reachMetres);
  const apply = () => {
    node.position.copy(rest.position);
    for (const axis of AXES)
      node.position.addScaledVector(axesInParent[axis]!, amounts.move[axis]!);
    node.quaternion.copy(rest.quaternion).multiply(turned);
    node.updateMatrixWorld(true);
  };
  /** Unit length, world. */
  const axisInWorld = (axis: 0 | 1 | 2) =>
    node.parent
      ? axesInParent[axis]!.clone().transformDirection(node.parent.matrixWorld)
      : axesInParent[axis]!.clone();
  const centre = box.getCenter(new Vector3());
  const restingCentre = () => {
    const point = centre.clone().applyQuaternion(rest.quaternion).add(rest.position);
    return node.parent ? point.applyMatrix4(node.parent.matrixWorld) : point;
  };
  return {
    node,
    centre,
    amount: ({ kind, axis }) => amounts[kind][axis]!,
    limit,
    set(motion, amount) {
      const { kind, axis } = motion;
      const most = limit(motion);
      const next = Math.min(Math.max(amount, -most), most);
      const more = next - amounts[kind][axis]!;
      amounts[kind][axis] = next;
      if (kind === 'turn') turned.premultiply(new Quaternion().setFromAxisAngle(UNITS[axis], more));
      apply();
    },
    reset() {
      amounts.move.fill(0);
      amounts.turn.fill(0);
      turned.identity();
      apply();
    },
    find(from, direction, by, isOther) {
      const pivot = from ? node.position.clone() : rest.position.clone();
      if (node.parent) pivot.applyMatrix4(node.parent.matrixWorld);
      const point = from ?? restingCentre();
      const reach = box.getSize(new Vector3()).length();
      const scale = pixelsPerMetre(point, by);
      const usual = usualKind(weights);
      let best: { score: number; found: FoundMotion } | undefined;
      for (const motion of MOTIONS) {
        if (isOther && motion.kind === usual) continue;
        const axis = axisInWorld(motion.axis);
        const lever = point.clone().sub(pivot);
        const velocity = motion.kind === 'move' ? axis.clone() : axis.clone().cross(lever);
        // Near the axis a small movement would turn far.
        if (motion.kind === 'turn' && velocity.length() < reach * 0.08) continue;
        const speed = onScreen(point, velocity, by);
        if (speed.length() < LEAST_SEEN * scale * velocity.length()) continue;
        // What turns towards the viewer at first does not turn faster for it.
        if (motion.kind === 'turn') speed.setLength(scale * velocity.length());
        const along = Math.abs(speed.dot(direction)) / speed.length();
        const line = onScreen(point, axis, by);
        const isSeen = line.length() > LEAST_SEEN * scale;
        // Who turns something about an upright line draws it to a side.
        const across = isSeen ? Math.abs(line.cross(direction)) / line.length() : 1;
        const score =
          weights[motion.kind][motion.axis]! * along * (motion.kind === 'turn' ? across : 1);
        if (!best || score > best.score) best = { score, found: { ...motion, speed } };
      }
      return best?.found;
    },
  };
}

type Preferences = Record<Motion['kind'], [number, number, number]>;

function usualKind({ move, turn }: Preferences): Motion['kind'] {
  return Math.max(...turn) > Math.max(...move) ? 'turn' : 'move';
}

/**
 * How likely each motion is. The data does not say it, so the shape decides: an upright plate has hinges and
 * turns, as a bar does; another body is a drawer or an article, and moves, most likely to the front.
 */
function preferences(box: Box3, inWorld: Quaternion): Preferences {
  const size = box.getSize(new Vector3()).toArray();
  const [thin, middle, long] = [...AXES].sort((a, b) => size[a] - size[b]) as [0, 1, 2];
  const world = UNITS.map((unit) => unit.clone().applyQuaternion(inWorld));
  const upright = (axis: 0 | 1 | 2) => Math.abs(world[axis]!.y) > 0.7;
  const isPlate = size[thin] < PLATE * size[middle] && !upright(thin);
  const isBar = size[middle] < BAR * size[long];
  const turns = isPlate || isBar;
  const unlikely = isBar ? long : thin;
  return {
    move: AXES.map((axis) => {
      const likely = upright(axis) ? 0.4 : Math.abs(world[axis]!.z) > 0.7 ? 1 : 0.85;
      return turns ? likely * 0.7 : likely;
    }) as [number, number, number],
    turn: AXES.map((axis) => {
      if (turns) return axis === unlikely ? 0.6 : 1;
      return upright(axis) ? 0.7 : 0.35;
    }) as [number, number, number],
  };
}

/** Bounds of what a node contains, in its own frame. */
function ownBox(node: Object3D): Box3 {
  node.updateWorldMatrix(true, true);
  const toOwn = node.matrixWorld.clone().invert();
  const box = new Box3();
  node.traverse((object) => {
    const mesh = object as Mesh;
    if (!mesh.isMesh) return;
    if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
    const own = mesh.geometry.boundingBox!.clone();
    box.union(own.applyMatrix4(mesh.matrixWorld.clone().premultiply(toOwn)));
  });
  return box;
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
