/** The drawn parts of a scene: where each lies, how large it is, and what it is drawn with. */

import type { Geometry, Scene, SceneMaterial, SceneNode } from '../../convert/model/scene.ts';
import type { Bounds } from '../../model/asset.ts';

/** A map of points, column-major: 3 × 3, then the translation in metres. */
type Placement = readonly number[];

/** One drawn part. */
export interface ScenePart {
  /** Name of its node, such as the name of its block. */
  name: string;
  /** Its node in the scene. */
  node: number;
  placement: Placement;
  primitives: { geometry: Geometry; material: SceneMaterial }[];
}

/** The drawn parts of a scene in their order. */
export function partsOf(scene: Scene): ScenePart[] {
  const placements: Placement[] = [];
  return scene.nodes.flatMap((node, at): ScenePart[] => {
    const parent = node.parent < 0 ? undefined : placements[node.parent];
    const own = placementOf(node);
    placements.push(parent === undefined ? own : multiplied(parent, own));
    if (node.mesh < 0) return [];
    const primitives = scene.meshes[node.mesh]!.primitives.map(({ geometry, material }) => {
      return { geometry: scene.geometries[geometry]!, material: scene.materials[material]! };
    });
    return [{ name: node.name, node: at, placement: placements[at]!, primitives }];
  });
}

function placementOf({ translationMetres, rotation, scale }: SceneNode): Placement {
  const [x, y, z, w] = rotation;
  const [sx, sy, sz] = scale;
  return [
    (1 - 2 * (y * y + z * z)) * sx,
    2 * (x * y + z * w) * sx,
    2 * (x * z - y * w) * sx,
    2 * (x * y - z * w) * sy,
    (1 - 2 * (x * x + z * z)) * sy,
    2 * (y * z + x * w) * sy,
    2 * (x * z + y * w) * sz,
    2 * (y * z - x * w) * sz,
    (1 - 2 * (x * x + y * y)) * sz,
    ...translationMetres,
  ];
}

/** A point as `placement` moves it, along one axis of the article. */
export function coordinate(placement: Placement, axis: number, x: number, y: number, z: number) {
  return (
    placement[axis]! * x +
    placement[axis + 3]! * y +
    placement[axis + 6]! * z +
    placement[axis + 9]!
  );
}

function multiplied(a: Placement, b: Placement): Placement {
  const result: number[] = [];
  for (let column = 0; column < 4; column++) {
    const [x, y, z] = [b[3 * column]!, b[3 * column + 1]!, b[3 * column + 2]!];
    for (let axis = 0; axis < 3; axis++) {
      const turned = a[axis]! * x + a[axis + 3]! * y + a[axis + 6]! * z;
      result.push(column === 3 ? turned + a[axis + 9]! : turned);
    }
  }
  return result;
}

/** The bounds of a part in the frame of the article, metres. */
export function boundsOfPart({ placement, primitives }: ScenePart): Bounds {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const { geometry } of primitives) {
    const { positions } = geometry;
    for (let i = 0; i < positions.length; i += 3) {
      const [x, y, z] = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
      for (let axis = 0; axis < 3; axis++) {
        const value = coordinate(placement, axis, x, y, z);
        if (value < min[axis]!) min[axis] = value;
        if (value > max[axis]!) max[axis] = value;
      }
    }
  }
  return { min, max };
}

/** The area of a primitive in the frame of the article, m². */
export function areaOf({ placement, primitives }: ScenePart): number {
  let area = 0;
  for (const { geometry } of primitives) area += geometryArea(geometry, placement);
  return area;
}

function geometryArea({ positions, indices }: Geometry, m: Placement): number {
  let doubled = 0;
  for (let i = 0; i + 2 < indices.length; i += 3) {
    const a = 3 * indices[i]!;
    const b = 3 * indices[i + 1]!;
    const c = 3 * indices[i + 2]!;
    const ux = positions[b]! - positions[a]!;
    const uy = positions[b + 1]! - positions[a + 1]!;
    const uz = positions[b + 2]! - positions[a + 2]!;
    const vx = positions[c]! - positions[a]!;
    const vy = positions[c + 1]! - positions[a + 1]!;
    const vz = positions[c + 2]! - positions[a + 2]!;
    const px = m[0]! * ux + m[3]! * uy + m[6]! * uz;
    const py = m[1]! * ux + m[4]! * uy + m[7]! * uz;
    const pz = m[2]! * ux + m[5]! * uy + m[8]! * uz;
    const qx = m[0]! * vx + m[3]! * vy + m[6]! * vz;
    const qy = m[1]! * vx + m[4]! * vy + m[7]! * vz;
    const qz = m[2]! * vx + m[5]! * vy + m[8]! * vz;
    doubled += Math.hypot(py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx);
  }
  return doubled / 2;
}
