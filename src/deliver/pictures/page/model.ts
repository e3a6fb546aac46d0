/** A GLB, prepared for drawing. */
import { MeshoptDecoder } from 'meshoptimizer';
import {
  Box3,
  type InstancedMesh,
  type Light,
  type Material,
  Matrix4,
  Mesh,
  type Object3D,
  Scene,
  type Texture,
  Vector3,
} from 'three';
import { GLTFLoader, type GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { imageSizeOf } from '../image-size.ts';
import { standsOnFloor } from './floor.ts';
import { renderer, setDrawOrder } from './gpu.ts';
import { backdrop, isClear, prepareMaterial } from './shading.ts';
import { provideImages, releaseTextures, reuseImages } from './texture-cache.ts';

// Files of the profile `web` are compressed.
const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).register((parser) => ({
  name: 'textures',
  async beforeRoot() {
    expectNoAddresses(parser);
    await expectTexturesThatFit(parser);
    await provideImages(parser, pixelsOfPictures);
  },
  afterRoot: () => expectTextures(parser),
}));
/** The longest side of the pictures of the model that is loaded. */
let pixelsOfPictures = 0;

export interface Model {
  scene: Scene;
  meshes: readonly Mesh[];
  /** The opaque parts. */
  solid: Scene;
  casting: readonly Mesh[];
  /** Text that is equal for models of which light reaches the same points: finishes of a configuration. */
  shape: string;
  /** x y z of every drawn vertex, metres. */
  points: Float32Array;
  box: Box3;
  standsOnFloor: boolean;
  /** Whether a material is mixed with what is behind it. */
  isBlended: boolean;
  /** Whether light passes through all of it. */
  isClear: boolean;
  dispose(): void;
}

/** One scene for all models: three.js keeps the transmission target of each scene, and never frees it. */
const scene = new Scene();

const NOTHING = 'the file has no triangle to draw';

/**
 * Loads a GLB.
 *
 * @param pixels - The longest side of the pictures that will be taken.
 * @throws Error with a sentence, if the GLB cannot be drawn.
 */
export async function loadModel(
  glb: ArrayBuffer,
  environment: Texture,
  pixels: number,
): Promise<Model> {
  pixelsOfPictures = pixels;
  const { scene: root } = await loader.parseAsync(glb, '');
  if (root === undefined) throw new Error(NOTHING);
  separateInstances(root);
  root.updateMatrixWorld(true);
  const lights: Object3D[] = [];
  const meshes: Mesh[] = [];
  root.traverse((object) => {
    if ((object as Light).isLight) lights.push(object);
    if ((object as Mesh).isMesh) meshes.push(object as Mesh);
  });
  // The only light is that of the studio.
  for (const light of lights) light.removeFromParent();
  for (const material of meshes.flatMap(materialsOf)) prepareMaterial(material);
  const textures = new Set(meshes.flatMap(materialsOf).flatMap(texturesOf));
  reuseImages(textures);
  const points = pointsOf(meshes);
  if (points.length === 0) throw new Error(NOTHING);
  const box = new Box3().setFromArray(points);
  if (!Number.isFinite(box.getSize(new Vector3()).length()))
    throw new Error('expected finite positions');
  const opaque = meshes.filter((mesh) => !materialsOf(mesh).some(isClear));
  const casting = opaque.length > 0 ? opaque : meshes;
  setDrawOrder([...meshes, backdrop]);
  scene.clear();
  scene.add(root, backdrop);
  scene.environment = environment;
  return {
    scene,
    meshes,
    solid: sceneOf(opaque.map(copyInPlace)),
    casting,
    shape: await shapeOf(meshes),
    points,
    box,
    standsOnFloor: standsOnFloor(root, box),
    isBlended: meshes.flatMap(materialsOf).some(({ transparent }) => transparent),
    isClear: opaque.length === 0,
    dispose() {
      for (const mesh of meshes) mesh.geometry.dispose();
      // Materials are kept: their programs would be compiled again for the next model.
      releaseTextures(textures);
    },
  };
}

/** The digests of all that determines which points light reaches: vertices, places, and what light passes through. */
async function shapeOf(meshes: readonly Mesh[]): Promise<string> {
  const digests = new Map<ArrayBufferView, Promise<string>>();
  const digestOf = (array: ArrayBufferView) => {
    const known = digests.get(array) ?? digest(array);
    digests.set(array, known);
    return known;
  };
  const parts = meshes.map(async (mesh) => {
    const { index, attributes } = mesh.geometry;
    const lists = [attributes.position!, attributes.normal, index];
    const arrays = lists.flatMap((list) => (list ? [list.array as ArrayBufferView] : []));
    const places = lists.map((list) => list && [list.count, list.itemSize, list.normalized]);
    const looks = materialsOf(mesh).map((material) => [isClear(material), material.side]);
    return [await Promise.all(arrays.map(digestOf)), places, looks, mesh.matrixWorld.elements];
  });
  return JSON.stringify(await Promise.all(parts));
}

async function digest({ buffer, byteOffset, byteLength }: ArrayBufferView): Promise<string> {
  const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).join();
}

/** Puts a mesh at each place of an instanced mesh: the code for bounds and shadows expects meshes. */
function separateInstances(root: Object3D): void {
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

/** Refuses addresses: a GLB contains all that it shows, and an address would be requested from this machine. */
function expectNoAddresses({ json }: GLTFParser): void {
  const sources: { uri?: string }[] = [...(json.buffers ?? []), ...(json.images ?? [])];
  for (const { uri } of sources)
    if (uri !== undefined && !/^data:/i.test(uri))
      throw new Error('expected a file with all that it shows, received one that names an address');
}

/** Refuses large textures: three.js would shrink them after the browser has allocated all of their pixels. */
async function expectTexturesThatFit(parser: GLTFParser): Promise<void> {
  const most = renderer.capabilities.maxTextureSize;
  for (const [i, { bufferView }] of imagesOf(parser).entries()) {
    if (bufferView === undefined) continue;
    const bytes: ArrayBuffer = await parser.getDependency('bufferView', bufferView);
    const { width, height } = imageSizeOf(new Uint8Array(bytes)) ?? { width: 0, height: 0 };
    if (Math.max(width, height) <= most) continue;
    const expected = `expected at most ${most} pixels a side`;
    throw new Error(`texture ${nameOf(parser, i)}: ${expected}, received ${width} × ${height}`);
  }
}

/** Refuses textures that cannot be decoded: three.js would draw the model without them. */
async function expectTextures(parser: GLTFParser): Promise<void> {
  const textures: { source?: number; extensions?: { EXT_texture_webp?: { source: number } } }[] =
    parser.json.textures ?? [];
  for (const [i, texture] of textures.entries()) {
    const source = texture.extensions?.EXT_texture_webp?.source ?? texture.source;
    if ((await parser.getDependency('texture', i)) !== null || source === undefined) continue;
    throw new Error(`texture ${nameOf(parser, source)}: expected an image, received other bytes`);
  }
}

function imagesOf(parser: GLTFParser): { name?: string; bufferView?: number }[] {
  return parser.json.images ?? [];
}

function nameOf(parser: GLTFParser, image: number): string {
  return imagesOf(parser)[image]?.name || `image ${image}`;
}

function materialsOf({ material }: Mesh): Material[] {
  return [material].flat();
}

function texturesOf(material: Material): Texture[] {
  return Object.values(material).filter((value): value is Texture => value?.isTexture === true);
}

function sceneOf(meshes: readonly Mesh[]): Scene {
  const scene = new Scene();
  for (const mesh of meshes) scene.add(mesh);
  return scene;
}

function copyInPlace(mesh: Mesh): Mesh {
  const { geometry, material, matrixWorld } = mesh;
  const copy = new Mesh(geometry, material);
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
