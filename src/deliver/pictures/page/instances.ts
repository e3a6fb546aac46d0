/** Meshes that are drawn at several places at once, one by one. */
import { type InstancedMesh, Matrix4, Mesh, type Object3D } from 'three';

/** Puts a mesh at each place of an instanced mesh: the code for bounds and shadows expects meshes. */
export function separateInstances(root: Object3D): void {
  const found: InstancedMesh[] = [];
  root.traverse((object) => {
    if ((object as InstancedMesh).isInstancedMesh) found.push(object as InstancedMesh);
  });
  for (const instanced of found) {
    const { geometry, material, count, parent } = instanced;
    for (let i = 0; i < count; i++) {
      const mesh = new Mesh(geometry, material);
      const place = new Matrix4();
      instanced.getMatrixAt(i, place);
      mesh.applyMatrix4(place.premultiply(instanced.matrix));
      parent!.add(mesh);
    }
    instanced.removeFromParent();
  }
}
