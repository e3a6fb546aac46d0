/** A GLB as the page shows it. */
import { MeshoptDecoder, MeshoptSimplifier } from 'meshoptimizer';
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  type Light,
  type Material,
  Mesh,
  type Object3D,
  Scene,
  Sphere,
  type Texture,
  Vector3,
} from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { isClear, preferDetail, receiveShade } from './shading.ts';

/** Triangles from which shadows are those of a simpler model: 48 maps of 500,000 take 10 s. */
const MOST_CASTING_TRIANGLES = 60_000;

/** Share of the studio's light at which a white board is not as white as the paper behind it. */
const EXPOSURE = 0.88;

// Files of the profile web are compressed.
const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);

/** A loaded model. */
export interface Model {
  scene: Scene;
  /** What is opaque. */
  solid: Scene;
  /** What casts shadows: the opaque parts, or a simpler form of them. */
  casters: Scene;
  /** x y z of every vertex that is drawn, metres. */
  points: Float32Array;
  bounds: Sphere;
  floorMetres: number;
  dispose(): void;
}

/** Loads a GLB. @throws Error with a sentence, where it cannot be drawn. */
export async function loadModel(glb: ArrayBuffer, environment: Texture): Promise<Model> {
  const { scene: root } = await loader.parseAsync(glb, '');
  root.updateMatrixWorld(true);
  const lights: Object3D[] = [];
  const meshes: Mesh[] = [];
  root.traverse((object) => {
    if ((object as Light).isLight) lights.push(object);
    if ((object as Mesh).isMesh) meshes.push(object as Mesh);
  });
  // The light is that of the studio.
  for (const light of lights) light.removeFromParent();
  for (const material of meshes.flatMap(materialsOf)) {
    preferDetail(material);
    if (!isClear(material)) receiveShade(material);
  }
  const points = pointsOf(meshes);
  if (points.length === 0) throw new Error('the file has no triangle to draw');
  const box = new Box3().setFromArray(points);
  const scene = new Scene();
  scene.add(root);
  scene.environment = environment;
  scene.environmentIntensity = EXPOSURE;
  const opaque = meshes.filter((mesh) => !materialsOf(mesh).some(isClear));
  const casting = opaque.length > 0 ? opaque : meshes;
  return {
    scene,
    solid: sceneOf(opaque.map(copyInPlace)),
    casters: sceneOf(await simplified(casting)),
    points,
    bounds: box.getBoundingSphere(new Sphere()),
    floorMetres: box.min.y,
    dispose() {
      for (const mesh of meshes) {
        mesh.geometry.dispose();
        // Materials stay: their programs would be compiled again for the next model.
        for (const material of materialsOf(mesh)) disposeTextures(material);
      }
    },
  };
}

function materialsOf({ material }: Mesh): Material[] {
  return [material].flat();
}

function disposeTextures(material: Material): void {
  for (const value of Object.values(material)) if (value?.isTexture) (value as Texture).dispose();
}

function sceneOf(meshes: readonly Mesh[]): Scene {
  const scene = new Scene();
  for (const mesh of meshes) scene.add(mesh);
  return scene;
}

/** The same geometry at the same place, in another scene. */
function copyInPlace({ geometry, matrixWorld }: Mesh): Mesh {
  const copy = new Mesh(geometry);
  copy.matrixAutoUpdate = false;
  copy.matrix.copy(matrixWorld);
  copy.matrixWorldNeedsUpdate = true;
  return copy;
}

function pointsOf(meshes: readonly Mesh[]): Float32Array {
  const counts = meshes.map(({ geometry }) => geometry.attributes.position?.count ?? 0);
  const points = new Float32Array(3 * counts.reduce((sum, count) => sum + count, 0));
  const point = new Vector3();
  let at = 0;
  for (const { geometry, matrixWorld } of meshes) {
    const { position } = geometry.attributes;
    for (let i = 0; i < (position?.count ?? 0); i++, at += 3) {
      point.fromBufferAttribute(position!, i).applyMatrix4(matrixWorld).toArray(points, at);
    }
  }
  return points;
}

function triangleCount({ geometry }: Mesh): number {
  return (geometry.index?.count ?? geometry.attributes.position?.count ?? 0) / 3;
}

/** Each mesh with its share of {@link MOST_CASTING_TRIANGLES}. */
async function simplified(meshes: readonly Mesh[]): Promise<Mesh[]> {
  const share = MOST_CASTING_TRIANGLES / meshes.reduce((sum, mesh) => sum + triangleCount(mesh), 0);
  if (share >= 1) return meshes.map(copyInPlace);
  await MeshoptSimplifier.ready;
  const made = new Map<BufferGeometry, BufferGeometry>();
  return meshes.map((mesh) => {
    const copy = copyInPlace(mesh);
    const { geometry } = mesh;
    if (!made.has(geometry)) made.set(geometry, simpler(geometry, share));
    copy.geometry = made.get(geometry)!;
    return copy;
  });
}

/** Error of a simplified shadow, by the size of its mesh: below a pixel of a depth map. */
const SHADOW_ERROR = 0.01;

function simpler(geometry: BufferGeometry, share: number): BufferGeometry {
  const { index } = geometry;
  const position = geometry.attributes.position!;
  const points = Float32Array.from({ length: 3 * position.count }, (_, i) =>
    position.getComponent(Math.floor(i / 3), i % 3),
  );
  const corners = index
    ? Uint32Array.from(index.array)
    : Uint32Array.from({ length: position.count }, (_, i) => i);
  const target = Math.max(12, Math.floor((corners.length * share) / 3)) * 3;
  const [kept] = MeshoptSimplifier.simplifySloppy(corners, points, 3, null, target, SHADOW_ERROR);
  const result = new BufferGeometry();
  result.setAttribute('position', new BufferAttribute(points, 3));
  result.setIndex(new BufferAttribute(kept, 1));
  return result;
}
