/** A model in the light of the studio: turned by pointer, touch or keys, and drawn only when something changes. */
import {
  Box3,
  type Light,
  type Material,
  type Mesh,
  NeutralToneMapping,
  type Object3D,
  PerspectiveCamera,
  Scene,
  Spherical,
  type Texture,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { CAMERAS, FIELD_OF_VIEW_DEGREES, placeCamera } from '../camera.ts';
import { createContactShadow } from './contact-shadow.ts';

/** Share of the half picture that stays free at each side, unless {@link ModelStage.setMargin} says otherwise. */
const MARGIN = 0.12;
/** A key turns by so much. */
const STEP_RADIANS = Math.PI / 12;
const ZOOM_STEP = 1.2;
const MOST_PIXEL_RATIO = 2;

/** How the camera goes about the model. */
interface Turn {
  azimuth?: number;
  polar?: number;
  /** Above 1 farther. */
  zoom?: number;
}

const KEYS: Readonly<Record<string, Turn | 'frame' | undefined>> = {
  ArrowLeft: { azimuth: -STEP_RADIANS },
  ArrowRight: { azimuth: STEP_RADIANS },
  ArrowUp: { polar: -STEP_RADIANS },
  ArrowDown: { polar: STEP_RADIANS },
  '+': { zoom: 1 / ZOOM_STEP },
  '=': { zoom: 1 / ZOOM_STEP },
  '-': { zoom: ZOOM_STEP },
  '0': 'frame',
  Home: 'frame',
};

/** What is to be shown where. */
export interface ModelStageOptions {
  renderer: WebGLRenderer;
  /** Positioned; the canvas is its first child, and as large. */
  element: HTMLElement | ShadowRoot;
  /** Whose size the canvas has. */
  sized: HTMLElement;
  /** Name of the canvas for a screen reader. */
  label: string;
  /** The model stands on a floor: the camera is never below its target, nor that below the model. */
  hasFloor?: boolean;
  /** Called after each drawing of a model, for what lies over the model. */
  afterDraw?: () => void;
}

/** An open stage. Lengths in metres; +Y is up, +Z the front of the furniture. */
export interface ModelStage {
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
  readonly canvas: HTMLCanvasElement;
  /**
   * Shows a model in place of the one before, which is disposed. The camera stays, but for the first.
   *
   * @returns Its bounds.
   * @throws Error where it has no triangle.
   */
  show(root: Object3D): Box3;
  /** Shows nothing and frees the model. @param others - Materials of it that are not shown. */
  clear(others?: Iterable<Material>): void;
  /** Looks from the front right, as the camera `hero` of pictures. */
  frame(): void;
  /** Share of the half picture that framing leaves free at each side; frames again what has not been turned since. */
  setMargin(share?: number): void;
  turn(turn: Turn): void;
  /** Draws before the next repaint. */
  redraw(): void;
  /** Draws, and its shadow again: parts have moved, or the graphics lost it. */
  reshape(): void;
  /**
   * Draws now what the canvas shows, in another size: the model takes as much of the tighter side. Where the canvas shows
   * only a piece of the model, all of that piece is drawn.
   */
  drawAt(widthPixels: number, heightPixels: number, use: (canvas: HTMLCanvasElement) => void): void;
  /** Frees all but the renderer and the environment of the scene. */
  close(): void;
}

/** Makes a renderer with the tones of pictures. @throws Error where the browser has no WebGL 2. */
export function createRenderer(): WebGLRenderer {
  const made = new WebGLRenderer({ antialias: true, alpha: true });
  made.toneMapping = NeutralToneMapping;
  return made;
}

/** Opens a stage; its light is `scene.environment`. */
export function openModelStage(options: ModelStageOptions): ModelStage {
  const { renderer, element, sized, label, hasFloor, afterDraw } = options;
  const canvas = renderer.domElement;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', label);
  canvas.setAttribute('aria-keyshortcuts', Object.keys(KEYS).join(' ').replace('+ =', 'Plus'));
  element.prepend(canvas);
  const scene = new Scene();
  const camera = new PerspectiveCamera(FIELD_OF_VIEW_DEGREES);
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = false;
  if (hasFloor) controls.maxPolarAngle = Math.PI / 2;
  const shadow = createContactShadow();
  let shown: { root: Object3D; box: Box3 } | undefined;
  let isShadowOld = true;
  /** The model has not been turned since: a stage of another size frames it again. */
  let isFramed = false;
  let margin = MARGIN;
  let frameRequest = 0;
  /** Freed once the new model is drawn: then programs and images that both have are not made again. */
  let replaced: Object3D | undefined;
  const freeReplaced = () => {
    if (replaced) disposeModel(replaced, [], shown?.root);
    replaced = undefined;
  };

  const drawShadow = () => {
    if (!isShadowOld || !shown) return;
    isShadowOld = false;
    // Parts may be beside the model now; the floor stays.
    shadow.place(new Box3().setFromObject(shown.root).union(shown.box), shown.box.min.y);
    shadow.draw(renderer, scene);
  };
  const draw = () => {
    frameRequest = 0;
    if (canvas.width === 0 || canvas.height === 0 || renderer.getContext().isContextLost()) return;
    drawShadow();
    renderer.render(scene, camera);
    freeReplaced();
    if (shown) afterDraw?.();
  };
  const redraw = () => {
    frameRequest ||= requestAnimationFrame(draw);
  };
  const reshape = () => {
    isShadowOld = true;
    redraw();
  };
  const frame = () => {
    if (shown) setUp(camera, controls, shown.box, margin);
    isFramed = true;
    redraw();
  };
  const turn = ({ azimuth = 0, polar = 0, zoom = 1 }: Turn) => {
    const offset = camera.position.clone().sub(controls.target);
    const place = new Spherical().setFromVector3(offset);
    place.theta += azimuth;
    place.phi += polar;
    place.radius *= zoom;
    camera.position.copy(controls.target).add(offset.setFromSpherical(place.makeSafe()));
    controls.update();
  };
  const resize = () => {
    const { clientWidth: width, clientHeight: height } = sized;
    if (width === 0 || height === 0) return;
    renderer.setPixelRatio(Math.min(devicePixelRatio, MOST_PIXEL_RATIO));
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    if (isFramed) frame();
    // An empty canvas until the next repaint would flicker.
    cancelAnimationFrame(frameRequest);
    draw();
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') return canvas.blur();
    const change = KEYS[event.key];
    if (change === undefined) return;
    event.preventDefault();
    if (change === 'frame') frame();
    else turn(change);
  };
  controls.addEventListener('change', () => {
    isFramed = false;
    // Two fingers and the right button move the target, too.
    const below = hasFloor && shown ? shown.box.min.y - controls.target.y : 0;
    if (below > 0) {
      controls.target.y += below;
      camera.position.y += below;
    }
    redraw();
  });
  canvas.addEventListener('keydown', press);
  // What went with the graphics cannot be freed in those that come back.
  const forget = () => {
    for (const root of [shown?.root, replaced]) if (root) release(root);
    shadow.dispose();
    scene.environment?.dispose();
  };
  canvas.addEventListener('webglcontextlost', forget);
  // Three.js listens first: then its state is new.
  canvas.addEventListener('webglcontextrestored', reshape);
  const sizes = new ResizeObserver(resize);
  sizes.observe(sized);
  resize();

  const clear = (others: Iterable<Material> = []) => {
    freeReplaced();
    if (!shown) return;
    shadow.sheet.removeFromParent();
    shown.root.removeFromParent();
    disposeModel(shown.root, others);
    shown = undefined;
    redraw();
  };
  return {
    ...{ scene, camera, canvas, clear, frame, turn, redraw, reshape },
    setMargin(share = MARGIN) {
      margin = share;
      if (isFramed) frame();
    },
    show(root) {
      const box = prepare(root);
      const isFirst = !shown;
      freeReplaced();
      replaced = shown?.root;
      replaced?.removeFromParent();
      shown = { root, box };
      scene.add(root, shadow.sheet);
      if (isFirst || isFramed) frame();
      else limit(camera, controls, box);
      reshape();
      return box;
    },
    drawAt(width, height, use) {
      const { aspect, fov } = camera;
      const ratio = renderer.getPixelRatio();
      const { across, up } = shown ? shareOf(camera, shown.root) : { across: 1, up: 1 };
      camera.aspect = width / height;
      const taller = Math.max(up, (across * aspect) / camera.aspect) / Math.max(up, across);
      const slope = Math.tan((fov * Math.PI) / 360) * taller;
      camera.fov = (Math.atan(slope) * 360) / Math.PI;
      camera.updateProjectionMatrix();
      renderer.setPixelRatio(1);
      renderer.setSize(width, height, false);
      drawShadow();
      renderer.render(scene, camera);
      use(canvas);
      Object.assign(camera, { aspect, fov });
      camera.updateProjectionMatrix();
      renderer.setPixelRatio(ratio);
      resize();
    },
    close() {
      clear();
      cancelAnimationFrame(frameRequest);
      sizes.disconnect();
      controls.dispose();
      canvas.removeEventListener('keydown', press);
      canvas.removeEventListener('webglcontextlost', forget);
      canvas.removeEventListener('webglcontextrestored', reshape);
      canvas.remove();
      shadow.dispose();
    },
  };
}

/** Leaves only the light of the studio. @returns Exact bounds. */
function prepare(root: Object3D): Box3 {
  const lights: Object3D[] = [];
  root.traverse((object) => {
    if ((object as Light).isLight) lights.push(object);
  });
  for (const light of lights) light.removeFromParent();
  const box = new Box3().setFromObject(root, true);
  if (box.isEmpty()) {
    disposeModel(root, []);
    throw new Error('the file has no triangle to draw');
  }
  return box;
}

/** How much of the half picture a model takes across and up, at most all. */
function shareOf(camera: PerspectiveCamera, root: Object3D): { across: number; up: number } {
  camera.updateMatrixWorld();
  const points = cornersOf(new Box3().setFromObject(root)).map((corner) => {
    const point = new Vector3(...corner).applyMatrix4(camera.matrixWorldInverse);
    // Beside the viewer, or behind.
    if (point.z > -camera.near) return { x: 1, y: 1 };
    return point.applyMatrix4(camera.projectionMatrix);
  });
  const most = (shares: number[]) => Math.min(Math.max(...shares.map(Math.abs), 1e-3), 1);
  return { across: most(points.map(({ x }) => x)), up: most(points.map(({ y }) => y)) };
}

function cornersOf({ min, max }: Box3): [x: number, y: number, z: number][] {
  return [min.x, max.x].flatMap((x) =>
    [min.y, max.y].flatMap((y) =>
      [min.z, max.z].map((z): [x: number, y: number, z: number] => [x, y, z]),
    ),
  );
}

/** As the camera `hero` of pictures has it. */
function setUp(
  camera: PerspectiveCamera,
  controls: OrbitControls,
  box: Box3,
  margin: number,
): void {
  const corners = Float32Array.from(cornersOf(box).flat());
  const placed = placeCamera(corners, CAMERAS.hero, camera.aspect, margin);
  const back = new Vector3(...placed.back);
  camera.position.set(...placed.position);
  const distance = camera.position.clone().sub(box.getCenter(new Vector3())).dot(back);
  controls.target.copy(camera.position).addScaledVector(back, -distance);
  limit(camera, controls, box);
  controls.update();
}

/** How near and far the camera may go. */
function limit(camera: PerspectiveCamera, controls: OrbitControls, box: Box3): void {
  const size = box.getSize(new Vector3()).length();
  controls.minDistance = size / 3;
  controls.maxDistance = size * 12;
  camera.near = size / 50;
  camera.far = size * 30;
  camera.updateProjectionMatrix();
}

/** Frees what a model takes of the graphics' memory; a model that is drawn again gets it again. */
function release(root: Object3D, others: Iterable<Material> = []): void {
  root.traverse((object) => (object as Mesh).geometry?.dispose());
  for (const material of materialsOf(root, others)) material.dispose();
  for (const texture of texturesOf(root, others)) texture.dispose();
}

/** Frees all that a model takes, but for images that another one has, too. */
function disposeModel(root: Object3D, others: Iterable<Material>, other?: Object3D): void {
  const images = (of: Iterable<Texture>) => new Set(Array.from(of, ({ image }) => image));
  const kept = images(other ? texturesOf(other) : []);
  const own = images(texturesOf(root, others));
  release(root, others);
  for (const image of own) if (image instanceof ImageBitmap && !kept.has(image)) image.close();
}

function materialsOf(root: Object3D, others: Iterable<Material>): Set<Material> {
  const materials = new Set(others);
  root.traverse((object) => {
    const { material } = object as Mesh;
    for (const each of material === undefined ? [] : [material].flat()) materials.add(each);
  });
  return materials;
}

function texturesOf(root: Object3D, others: Iterable<Material> = []): Set<Texture> {
  const values = Array.from(materialsOf(root, others), (material) => Object.values(material));
  return new Set(values.flat().filter((value): value is Texture => value?.isTexture === true));
}
