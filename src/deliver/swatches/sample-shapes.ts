/** The shapes of samples: a flat square and a ball, and how each of them is shown. */
import type { Vec3 } from '../../convert/model/graphics.ts';
import { cos, sin } from '../../support/elementary.ts';
import { axesOf, CAMERAS, type Camera } from '../pictures/camera.ts';
import type { Floor } from '../pictures/shot.ts';

/** The surface of a sample. */
export interface SampleSurface {
  /** x y z of each point, metres. */
  positions: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer>;
  /** Texture coordinates in metres, to the right and down. */
  uvMetres: Float32Array<ArrayBuffer>;
  indices: Uint16Array<ArrayBuffer>;
}

export type SampleShapeName = 'flat' | 'ball';

interface SampleShape {
  camera: Camera;
  floor: Floor;
  surface(): SampleSurface;
  /** What is behind a material through which light passes: without it, a pane before white looks like white paint. */
  behind?(): SampleSurface;
}

/** Side of the square that a flat sample shows: that of a large tile in a sample box. */
const SHOWN_METRES = 0.2;
/** Side of a flat sample, so that the picture shows no edge of it. */
const FLAT_METRES = 1;
const BEHIND_METRES = 0.01;
const BALL_METRES = 0.1;

/**
 * A flat sample faces a direction from which a matt surface receives a radiance of 1.05, a mirror 0.57: the colour of a
 * lacquer is that of the catalogue (ΔE2000 of at most 2.1), and that of a matt surface a little darker, as in all pictures.
 * From the front, which receives 0.89, both were darker. At its borders a mirror shows the edges of two lights, by which
 * one knows metal.
 */
const FLAT_CAMERA: Camera = {
  ...{ azimuthDegrees: 20, elevationDegrees: 48, projection: 'perspective' },
  closeupMetres: SHOWN_METRES,
};

/** The shapes by their name in a pipeline file. */
export const SAMPLE_SHAPES: Readonly<Record<SampleShapeName, SampleShape>> = {
  flat: { camera: FLAT_CAMERA, floor: 'never', surface: flatSurface, behind: flatBehind },
  ball: { camera: CAMERAS.hero, floor: 'always', surface: ballSurface },
};

/** A square that faces its camera. */
function flatSurface(): SampleSurface {
  return flat(0, [0, 1, 3, 0, 3, 2]);
}

/** The lower right half of that square, a little behind it. */
function flatBehind(): SampleSurface {
  return flat(-BEHIND_METRES, [0, 1, 3]);
}

function flat(depth: number, corners: readonly number[]): SampleSurface {
  const { right, up, back } = axesOf(FLAT_CAMERA);
  const places = [-1, 1].flatMap((y) =>
    [-1, 1].map((x) => [(x * FLAT_METRES) / 2, (y * FLAT_METRES) / 2] as const),
  );
  const corner = SHOWN_METRES / 2;
  return {
    positions: Float32Array.from(places.flatMap(([x, y]) => along(right, x, up, y, back, depth))),
    normals: Float32Array.from(places.flatMap(() => back)),
    uvMetres: Float32Array.from(places.flatMap(([x, y]) => [x + corner, corner - y])),
    indices: Uint16Array.from(corners),
  };
}

/** Circles of a ball about the direction of the camera, and points of each. */
const [RINGS, SEGMENTS] = [64, 96] as const;

/**
 * A ball on the floor. Its texture has its real scale in the middle of the picture, and spreads from there in all
 * directions (an azimuthal equidistant map), so that it comes together only at the back, which is hidden.
 */
function ballSurface(): SampleSurface {
  const { right, up, back } = axesOf(CAMERAS.hero);
  const radius = BALL_METRES / 2;
  const positions: number[] = [];
  const normals: number[] = [];
  const uvMetres: number[] = [];
  const indices: number[] = [];
  for (let ring = 0; ring <= RINGS; ring++) {
    const fromCamera = (Math.PI * ring) / RINGS;
    for (let segment = 0; segment <= SEGMENTS; segment++) {
      const turn = (2 * Math.PI * segment) / SEGMENTS;
      const [x, y] = [cos(turn), sin(turn)];
      const out = sin(fromCamera);
      const normal = along(right, x * out, up, y * out, back, cos(fromCamera));
      normals.push(...normal);
      positions.push(radius * normal[0], radius * (1 + normal[1]), radius * normal[2]);
      const arc = radius * fromCamera;
      uvMetres.push(radius + arc * x, radius - arc * y);
      if (ring === RINGS || segment === SEGMENTS) continue;
      const a = ring * (SEGMENTS + 1) + segment;
      const b = a + SEGMENTS + 1;
      indices.push(a, b, a + 1, a + 1, b, b + 1);
    }
  }
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from(normals),
    uvMetres: Float32Array.from(uvMetres),
    indices: Uint16Array.from(indices),
  };
}

function along(right: Vec3, x: number, up: Vec3, y: number, back: Vec3, z: number): Vec3 {
  const component = (k: 0 | 1 | 2) => x * right[k] + y * up[k] + z * back[k];
  return [component(0), component(1), component(2)];
}
