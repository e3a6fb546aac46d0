/** Cameras of pictures, and how they frame a model: exactly on its projected points. */

import { cross } from '../../convert/math/vec.ts';
import type { Vec3 } from '../../convert/model/graphics.ts';
import { cos, hypot, sin, tan } from '../../support/elementary.ts';
import { boundsOf } from '../making/bounds.ts';

export interface Camera {
  /** An angle of 0 is the front, 90 the right side of the furniture; +Y is up. */
  azimuthDegrees: number;
  /** An angle of 90 is straight down. */
  elevationDegrees: number;
  projection: 'perspective' | 'orthographic';
  /** Whether the camera is a place on a turn about the model: all places have the same distance. */
  isOfTurn?: boolean;
  /** Largest side of the square that a closeup shows; without it, the camera shows the whole model. */
  closeupMetres?: number;
}

/** A pixel of a picture of 1,000 is then 0.3 mm, which shows grain and weave. */
const CLOSEUP_METRES = 0.3;

const HERO = { azimuthDegrees: 32, elevationDegrees: 16, projection: 'perspective' } as const;

/** The cameras by name. */
export const CAMERAS = {
  hero: HERO,
  front: { azimuthDegrees: 0, elevationDegrees: 5, projection: 'perspective' },
  side: { azimuthDegrees: 90, elevationDegrees: 5, projection: 'perspective' },
  back: { azimuthDegrees: 212, elevationDegrees: 16, projection: 'perspective' },
  top: { azimuthDegrees: 0, elevationDegrees: 90, projection: 'orthographic' },
  closeup: { ...HERO, closeupMetres: CLOSEUP_METRES },
} as const satisfies Record<string, Camera>;

export type CameraName = keyof typeof CAMERAS;

/** The angle of a long lens: furniture keeps its right angles. */
export const FIELD_OF_VIEW_DEGREES = 22;

/** A camera in its place. Lengths in metres, directions of unit length. */
export interface PlacedCamera {
  right: Vec3;
  up: Vec3;
  /** Direction towards the viewer. */
  back: Vec3;
  position: Vec3;
  near: number;
  far: number;
  /** Half of the width that an orthographic picture shows. */
  halfWidth: number;
  halfHeight: number;
}

/**
 * Places a camera so that the points just fill the picture except its margin, and the space on the other two sides is
 * equal.
 *
 * @param points - x y z of each point, metres.
 * @param aspect - Width of the picture by its height.
 * @param margin - Share of the half picture that stays free on each side.
 * @example
 * ```ts
 * const { position } = placeCamera(points, CAMERAS.hero, 4 / 3, 0.06);
 * ```
 */
export function placeCamera(
  points: Float32Array,
  { azimuthDegrees, elevationDegrees, projection, isOfTurn = false }: Camera,
  aspect: number,
  margin: number,
): PlacedCamera {
  const { right, up, back } = axesOf({ azimuthDegrees, elevationDegrees });
  const isFlat = projection === 'orthographic';
  const place = isOfTurn ? swept(points) : points;
  const slopeUp = isFlat ? 0 : tan(radians(FIELD_OF_VIEW_DEGREES / 2)) * (1 - margin);
  const slopeRight = slopeUp * aspect;
  // A point is inside if it is in front of each side plane of the picture's pyramid.
  const most = { right: -Infinity, left: -Infinity, up: -Infinity, down: -Infinity };
  let [nearest, farthest] = [-Infinity, Infinity];
  for (let i = 0; i + 2 < place.length; i += 3) {
    const along = (axis: Vec3) =>
      axis[0] * place[i]! + axis[1] * place[i + 1]! + axis[2] * place[i + 2]!;
    const [x, y, z] = [along(right), along(up), along(back)];
    most.right = Math.max(most.right, x + slopeRight * z);
    most.left = Math.max(most.left, -x + slopeRight * z);
    most.up = Math.max(most.up, y + slopeUp * z);
    most.down = Math.max(most.down, -y + slopeUp * z);
    nearest = Math.max(nearest, z);
    farthest = Math.min(farthest, z);
  }
  const [width, height] = [most.right + most.left, most.up + most.down];
  const depth = nearest - farthest;
  const distance = isFlat
    ? nearest + depth + 1
    : Math.max(width / (2 * slopeRight), height / (2 * slopeUp), nearest + depth / 1000);
  const [x, y] = [(most.right - most.left) / 2, (most.up - most.down) / 2];
  const component = (k: 0 | 1 | 2) => x * right[k] + y * up[k] + distance * back[k];
  const size = Math.max(width, height, depth);
  return {
    ...{ right, up, back },
    position: [component(0), component(1), component(2)],
    // Both planes include the floor, before the model and behind it.
    near: Math.max(distance - nearest - size / 2, size / 1e4),
    far: distance - farthest + 4 * size,
    halfWidth: width / 2,
    halfHeight: height / 2,
  };
}

/**
 * Moves a perspective camera near to a point that is visible from its direction.
 *
 * @param closeup - The square that just fits into the picture.
 * @example
 * ```ts
 * const { position } = moveNear(placedHero, { centre: [0, 0.7, 0.4], sideMetres: 0.3 }, 1);   // 0.77 m from the centre
 * ```
 */
export function moveNear(
  camera: PlacedCamera,
  { centre, sideMetres }: { centre: Vec3; sideMetres: number },
  aspect: number,
): PlacedCamera {
  const slope = tan(radians(FIELD_OF_VIEW_DEGREES / 2)) * Math.min(1, aspect);
  const distance = sideMetres / (2 * slope);
  const { back } = camera;
  const component = (k: 0 | 1 | 2) => centre[k] + distance * back[k];
  const position: Vec3 = [component(0), component(1), component(2)];
  const behind = (k: 0 | 1 | 2) => (camera.position[k] - position[k]) * back[k];
  const nearer = behind(0) + behind(1) + behind(2);
  return { ...camera, position, near: distance / 10, far: camera.far - nearer };
}

/** The directions of a camera: right and up in its picture, and back towards the viewer; of unit length. */
export function axesOf({
  azimuthDegrees,
  elevationDegrees,
}: Pick<Camera, 'azimuthDegrees' | 'elevationDegrees'>): Pick<
  PlacedCamera,
  'right' | 'up' | 'back'
> {
  const azimuth = radians(azimuthDegrees);
  const elevation = radians(elevationDegrees);
  const level = elevationDegrees === 90 ? 0 : cos(elevation);
  const back: Vec3 = [sin(azimuth) * level, sin(elevation), cos(azimuth) * level];
  const right: Vec3 = [cos(azimuth), 0, -sin(azimuth)];
  return { right, up: cross(back, right), back };
}

/** Number of directions on the circles of a turning model. */
const SWEPT = 24;

/** The circles that a model describes when it turns about the vertical line through its middle, as points. */
function swept(points: Float32Array): Float32Array {
  const { min, max } = boundsOf([points]);
  const [x, z] = [(min[0] + max[0]) / 2, (min[2] + max[2]) / 2];
  let radius = 0;
  for (let i = 0; i + 2 < points.length; i += 3) {
    radius = Math.max(radius, hypot(points[i]! - x, points[i + 2]! - z));
  }
  const circles = Array.from({ length: SWEPT }, (_, i) => {
    const angle = (2 * Math.PI * i) / SWEPT;
    const [dx, dz] = [radius * cos(angle), radius * sin(angle)];
    return [min[1], max[1]].flatMap((y) => [x + dx, y, z + dz]);
  });
  return Float32Array.from(circles.flat());
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
