/** The 3D view of the gallery: one model in the light of the studio, turned by pointer or keys. */
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import {
  Box3,
  CanvasTexture,
  type Light,
  type Material,
  Mesh,
  MeshBasicMaterial,
  NeutralToneMapping,
  type Object3D,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  Spherical,
  type Texture,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { CAMERAS, FIELD_OF_VIEW_DEGREES, placeCamera } from '../camera.ts';
import type { ModelView, OpenModelView } from '../gallery-data.ts';
import { studioTexture } from './studio-texture.ts';

/** Share of the half picture that stays free at each side. */
const MARGIN = 0.12;
/** A key turns by so much. */
const STEP_RADIANS = Math.PI / 12;
const ZOOM_STEP = 1.2;
const MOST_PIXEL_RATIO = 2;

// Files of the profile web are compressed.
const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
let renderer: WebGLRenderer | undefined;
let studio: Promise<Texture> | undefined;

const openModelView: OpenModelView = async (into, address, label, finish) => {
  const stage = into as HTMLElement;
  studio ??= loadStudio();
  const [environment, gltf] = await Promise.all([studio, loader.loadAsync(address)]);
  // One for all models: a browser has few contexts of graphics.
  renderer ??= createRenderer();
  const finishes = finishesOf(gltf);
  const first = Math.max(0, finishes.names.indexOf(finish ?? ''));
  if (first > 0) await finishes.choose(first);
  return { ...show(renderer, stage, gltf, environment, label, finishes), first };
};
Object.assign(globalThis, { openModelView });

async function loadStudio(): Promise<Texture> {
  const response = await fetch('studio.bin');
  if (!response.ok) throw new Error(`studio.bin: status ${response.status}`);
  const texels = response.body!.pipeThrough(new DecompressionStream('deflate'));
  return studioTexture(new Uint16Array(await new Response(texels).arrayBuffer()));
}

function createRenderer(): WebGLRenderer {
  const made = new WebGLRenderer({ antialias: true, alpha: true });
  made.toneMapping = NeutralToneMapping;
  made.setPixelRatio(Math.min(devicePixelRatio, MOST_PIXEL_RATIO));
  return made;
}

function show(
  gl: WebGLRenderer,
  stage: HTMLElement,
  gltf: GLTF,
  environment: Texture,
  label: string,
  finishes: ReturnType<typeof finishesOf>,
): Omit<ModelView, 'first'> {
  const { scene: root } = gltf;
  const lights: Object3D[] = [];
  root.traverse((object) => {
    if ((object as Light).isLight) lights.push(object);
  });
  // The light is that of the studio.
  for (const light of lights) light.removeFromParent();
  const box = new Box3().setFromObject(root);
  if (box.isEmpty()) throw new Error('the file has no triangle to draw');
  const scene = new Scene();
  scene.environment = environment;
  scene.add(root, floorShadow(box));

  const canvas = gl.domElement;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', label);
  stage.append(canvas);
  const camera = new PerspectiveCamera(FIELD_OF_VIEW_DEGREES);
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = false;
  const draw = () => gl.render(scene, camera);
  const frame = () => {
    const { clientWidth: width, clientHeight: height } = stage;
    if (width === 0 || height === 0) return;
    gl.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    draw();
  };
  const reset = () => {
    frame();
    setUp(camera, controls, box);
    draw();
  };
  const press = (event: KeyboardEvent) => {
    const change = KEYS[event.key];
    if (change === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (change === 'reset') return reset();
    turn(camera, controls, change);
    draw();
  };
  controls.addEventListener('change', draw);
  canvas.addEventListener('keydown', press);
  reset();
  const sizes = new ResizeObserver(frame);
  sizes.observe(stage);
  return {
    finishes: finishes.names,
    async choose(finish) {
      if (await finishes.choose(finish)) draw();
    },
    close() {
      sizes.disconnect();
      controls.dispose();
      canvas.removeEventListener('keydown', press);
      canvas.remove();
      dispose(scene, finishes.end());
    },
  };
}

/** As the camera `hero` of pictures has it. */
function setUp(camera: PerspectiveCamera, controls: OrbitControls, box: Box3): void {
  const { min, max } = box;
  const corners = [min.x, max.x].flatMap((x) =>
    [min.y, max.y].flatMap((y) => [min.z, max.z].flatMap((z) => [x, y, z])),
  );
  const placed = placeCamera(Float32Array.from(corners), CAMERAS.hero, camera.aspect, MARGIN);
  const back = new Vector3(...placed.back);
  camera.position.set(...placed.position);
  const distance = camera.position.clone().sub(box.getCenter(new Vector3())).dot(back);
  controls.target.copy(camera.position).addScaledVector(back, -distance);
  controls.minDistance = distance / 8;
  controls.maxDistance = distance * 4;
  camera.near = distance / 100;
  camera.far = distance * 20;
  camera.updateProjectionMatrix();
  controls.update();
}

interface Turn {
  azimuth: number;
  polar: number;
  zoom: number;
}

const by = (azimuth: number, polar: number, zoom = 1): Turn => ({ azimuth, polar, zoom });

const KEYS: Readonly<Record<string, Turn | 'reset' | undefined>> = {
  ArrowLeft: by(-STEP_RADIANS, 0),
  ArrowRight: by(STEP_RADIANS, 0),
  ArrowUp: by(0, -STEP_RADIANS),
  ArrowDown: by(0, STEP_RADIANS),
  '+': by(0, 0, 1 / ZOOM_STEP),
  '=': by(0, 0, 1 / ZOOM_STEP),
  '-': by(0, 0, ZOOM_STEP),
  Home: 'reset',
};

function turn(
  camera: PerspectiveCamera,
  controls: OrbitControls,
  { azimuth, polar, zoom }: Turn,
): void {
  const offset = camera.position.clone().sub(controls.target);
  const place = new Spherical().setFromVector3(offset);
  place.theta += azimuth;
  place.phi += polar;
  place.radius *= zoom;
  camera.position.copy(controls.target).add(offset.setFromSpherical(place.makeSafe()));
  controls.update();
}

/** A soft spot on the floor, so that a model does not float. */
function floorShadow(box: Box3): Mesh {
  const side = 128;
  const drawing = document.createElement('canvas');
  drawing.width = drawing.height = side;
  const pen = drawing.getContext('2d')!;
  const spot = pen.createRadialGradient(side / 2, side / 2, 0, side / 2, side / 2, side / 2);
  spot.addColorStop(0, 'rgba(0,0,0,0.32)');
  spot.addColorStop(0.55, 'rgba(0,0,0,0.16)');
  spot.addColorStop(1, 'rgba(0,0,0,0)');
  pen.fillStyle = spot;
  pen.fillRect(0, 0, side, side);
  const size = box.getSize(new Vector3());
  const centre = box.getCenter(new Vector3());
  const widest = Math.max(size.x, size.z);
  const sheet = new PlaneGeometry(size.x + widest * 0.35, size.z + widest * 0.35);
  sheet.rotateX(-Math.PI / 2);
  const look = { map: new CanvasTexture(drawing), transparent: true, depthWrite: false };
  const shadow = new Mesh(sheet, new MeshBasicMaterial({ ...look, toneMapped: false }));
  shadow.position.set(centre.x, box.min.y - size.length() / 2000, centre.z);
  return shadow;
}

/** @param others - Materials of finishes that are not shown. */
function dispose(scene: Scene, others: Iterable<Material>): void {
  const materials = new Set(others);
  scene.traverse((object) => {
    const { geometry, material } = object as Mesh;
    geometry?.dispose();
    for (const each of material === undefined ? [] : ([material].flat() as Material[]))
      materials.add(each);
  });
  for (const material of materials) {
    for (const value of Object.values(material))
      if (value?.isTexture && value !== scene.environment) (value as Texture).dispose();
    material.dispose();
  }
}

const VARIANTS = 'KHR_materials_variants';

interface VariantMapping {
  material: number;
  variants: number[];
}

/** The finishes of a file. */
function finishesOf({ parser, scene }: GLTF) {
  const { variants = [] } = parser.json.extensions?.[VARIANTS] ?? {};
  const used = new Set<Material>();
  let choices = 0;
  /** The material that a mesh has with a finish; without a mapping for it, its own. */
  const materialOf = async (mesh: Mesh, finish: number): Promise<Material | undefined> => {
    const place = parser.associations.get(mesh) as
      | { meshes?: number; primitives?: number }
      | undefined;
    if (place?.meshes === undefined) return undefined;
    const primitive = parser.json.meshes[place.meshes].primitives[place.primitives ?? 0];
    const mappings: VariantMapping[] = primitive.extensions?.[VARIANTS]?.mappings ?? [];
    const mapping = mappings.find((each) => each.variants.includes(finish));
    const material = mapping?.material ?? primitive.material;
    return material === undefined ? undefined : parser.getDependency('material', material);
  };
  return {
    names: (variants as { name?: unknown }[]).map(({ name }, i) => String(name ?? i + 1)),
    /** @returns False where another was chosen while its pictures were loading. */
    async choose(finish: number): Promise<boolean> {
      const mine = ++choices;
      const meshes: Mesh[] = [];
      scene.traverse((object) => {
        if ((object as Mesh).isMesh) meshes.push(object as Mesh);
      });
      const materials = await Promise.all(meshes.map((mesh) => materialOf(mesh, finish)));
      if (mine !== choices) return false;
      for (const [i, mesh] of meshes.entries()) {
        for (const before of [mesh.material].flat()) used.add(before);
        if (materials[i] === undefined) continue;
        mesh.material = materials[i];
        parser.assignFinalMaterial(mesh);
      }
      return true;
    },
    /** What is still loading is not shown. @returns All materials that were. */
    end(): Iterable<Material> {
      choices++;
      return used;
    },
  };
}
