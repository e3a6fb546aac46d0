/** Marks for parts that a model lacks. */
import { BoxGeometry, Mesh, MeshStandardMaterial, type Object3D } from 'three';
import type { Vec3 } from '../../../convert/model/graphics.ts';

const SHARE = 0.045;
/** Limits of a mark: from the foot of a small article to a size that does not hide a large one. */
const SIDE_METRES = { least: 0.01, most: 0.1 };
/** More marks would only slow the view down. */
const MOST = 500;

/**
 * Puts a small grey box at each place; the model owns and frees them. The size of the missing parts is not known.
 *
 * @param placesMetres - In the frame of the model.
 * @example `markHoles(root, [[0, 0.72, 0]], 1.6);`
 */
export function markHoles(
  root: Object3D,
  placesMetres: readonly Vec3[],
  reachMetres: number,
): void {
  if (placesMetres.length === 0) return;
  const { least, most } = SIDE_METRES;
  const side = Math.min(Math.max(reachMetres * SHARE, least), most);
  const box = new BoxGeometry(side, side, side);
  // The mark is visible through other parts: the place of a part may be inside another.
  const look = { color: 0x8a9099, transparent: true, opacity: 0.8, depthTest: false };
  const grey = new MeshStandardMaterial({ ...look, roughness: 1 });
  for (const [x, y, z] of placesMetres.slice(0, MOST)) {
    const mark = new Mesh(box, grey);
    mark.position.set(x, y, z);
    root.add(mark);
  }
}
