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
import { standsOnFloor } from './floor.ts';

/** Share of the half picture that stays free on each side, unless {@link ModelStage.setMargin} sets another one. */
const MARGIN = 0.12;
/** Angle of one key press. */
const STEP_RADIANS = Math.PI / 12;
const ZOOM_STEP = 1.2;
const MOST_PIXEL_RATIO = 2;

interface Turn {
  azimuth?: number;
  polar?: number;
  /** A factor above 1 moves farther. */
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
const KEY_SHORTCUTS = Object.keys(KEYS).join(' ').replace('+ =', 'Plus');

interface ModelStageOptions {
  renderer: WebGLRenderer;
  /** A positioned element; the canvas is its first child, with the same size. */
  element: HTMLElement | ShadowRoot;
  /** The element whose size the canvas has. */
  sized: HTMLElement;
  /** Name of the canvas for a screen reader. */
  label: string;
  /** Whether the model stands on a floor: the camera is never below its target, nor the target below the model. */
  hasFloor?: boolean;
  /** Called after each drawing of a model, to draw over the model. */
  afterDraw?: () => void;
}

/** Makes a renderer with the tones of pictures. @throws Error if the browser has no WebGL 2. */
export function createRenderer(): WebGLRenderer {
  const made = new WebGLRenderer({ antialias: true, alpha: true });
  made.toneMapping = NeutralToneMapping;
  return made;
}

/** A stage, whose light is `scene.environment`. Lengths in metres; +Y is up, +Z the front of the furniture. */
export class ModelStage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW_DEGREES);
  readonly canvas: HTMLCanvasElement;
  readonly #options: ModelStageOptions;
  readonly #controls: OrbitControls;
  readonly #shadow = createContactShadow();
  readonly #listening = new AbortController();
  readonly #sizes = new ResizeObserver(() => this.#resize());
  #shown: { root: Object3D; box: Box3 } | undefined;
  /** The previous model, freed once the new model is drawn: then programs and images of both are not made again. */
  #replaced: Object3D | undefined;
  #isShadowOld = true;
  /** Whether the model has not been turned since it was framed: then a stage of another size frames it again. */
  #isFramed = false;
  #margin = MARGIN;
  #frameRequest = 0;

  constructor(options: ModelStageOptions) {
    const { renderer, element, sized, label, hasFloor } = options;
    this.#options = options;
    this.canvas = renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', label);
    this.canvas.setAttribute('aria-keyshortcuts', KEY_SHORTCUTS);
    element.prepend(this.canvas);
    this.#controls = new OrbitControls(this.camera, this.canvas);
    this.#controls.enableDamping = false;
    if (hasFloor) this.#controls.maxPolarAngle = Math.PI / 2;
    this.#controls.addEventListener('change', () => this.#moved());
    const { signal } = this.#listening;
    this.canvas.addEventListener('keydown', (event) => this.#press(event), { signal });
    this.canvas.addEventListener('webglcontextlost', () => this.#forget(), { signal });
    // The listener of Three.js was added first, so that its state is restored by then.
    this.canvas.addEventListener('webglcontextrestored', () => this.reshape(), { signal });
    this.#sizes.observe(sized);
    this.#resize();
  }

  /**
   * Shows a model in place of the previous one, which is disposed. The camera stays, except for the first model.
   *
   * @returns The bounds of the model.
   * @throws Error if the model has no triangle.
   */
  show(root: Object3D): Box3 {
    const box = prepare(root);
    const isFirst = !this.#shown;
    this.#freeReplaced();
    this.#replaced = this.#shown?.root;
    this.#replaced?.removeFromParent();
    this.#shown = { root, box };
    this.#shadow.sheet.visible = standsOnFloor(root, box);
    this.scene.add(root, this.#shadow.sheet);
    if (isFirst || this.#isFramed) this.frame();
    else limit(this.camera, this.#controls, box);
    this.reshape();
    return box;
  }

  /** Shows nothing and frees the model. @param others - Materials of it that are not shown. */
  clear(others: Iterable<Material> = []): void {
    this.#freeReplaced();
    if (!this.#shown) return;
    this.#shadow.sheet.removeFromParent();
    this.#shown.root.removeFromParent();
    disposeModel(this.#shown.root, others);
    this.#shown = undefined;
    this.redraw();
  }

  /** Frames the model from the front right, as the camera `hero` of pictures does. */
  frame(): void {
    if (this.#shown) setUp(this.camera, this.#controls, this.#shown.box, this.#margin);
    this.#isFramed = true;
    this.redraw();
  }

  /** Sets the share of the half picture that framing leaves free on each side; frames a model that was not turned. */
  setMargin(share = MARGIN): void {
    this.#margin = share;
    if (this.#isFramed) this.frame();
  }

  turn({ azimuth = 0, polar = 0, zoom = 1 }: Turn): void {
    const { position } = this.camera;
    const { target } = this.#controls;
    const offset = position.clone().sub(target);
    const place = new Spherical().setFromVector3(offset);
    place.theta += azimuth;
    place.phi += polar;
    place.radius *= zoom;
    position.copy(target).add(offset.setFromSpherical(place.makeSafe()));
    this.#controls.update();
  }

  redraw(): void {
    this.#frameRequest ||= requestAnimationFrame(() => this.#draw());
  }

  /** Draws the model and its shadow again: parts have moved, or the graphics lost the shadow. */
  reshape(): void {
    this.#isShadowOld = true;
    this.redraw();
  }

  /**
   * Draws the current view in another size: the model takes the same share of the tighter side. If the canvas shows
   * only a part of the model, the whole of that part is drawn.
   */
  drawAt(width: number, height: number, use: (canvas: HTMLCanvasElement) => void): void {
    const { renderer } = this.#options;
    const { aspect, fov } = this.camera;
    const ratio = renderer.getPixelRatio();
    const shown = this.#shown;
    const { across, up } = shown ? shareOf(this.camera, shown.root) : { across: 1, up: 1 };
    this.camera.aspect = width / height;
    const taller = Math.max(up, (across * aspect) / this.camera.aspect) / Math.max(up, across);
    const slope = Math.tan((fov * Math.PI) / 360) * taller;
    this.camera.fov = (Math.atan(slope) * 360) / Math.PI;
    this.camera.updateProjectionMatrix();
    renderer.setPixelRatio(1);
    renderer.setSize(width, height, false);
    this.#drawShadow();
    renderer.render(this.scene, this.camera);
    use(this.canvas);
    Object.assign(this.camera, { aspect, fov });
    this.camera.updateProjectionMatrix();
    renderer.setPixelRatio(ratio);
    this.#resize();
  }

  /** Frees everything except the renderer and the environment of the scene. */
  close(): void {
    this.clear();
    cancelAnimationFrame(this.#frameRequest);
    this.#sizes.disconnect();
    this.#controls.dispose();
    this.#listening.abort();
    this.canvas.remove();
    this.#shadow.dispose();
  }

  #draw(): void {
    const { renderer, afterDraw } = this.#options;
    const { width, height } = this.canvas;
    this.#frameRequest = 0;
    if (width === 0 || height === 0 || renderer.getContext().isContextLost()) return;
    this.#drawShadow();
    renderer.render(this.scene, this.camera);
    this.#freeReplaced();
    if (this.#shown) afterDraw?.();
  }

  #drawShadow(): void {
    if (!this.#isShadowOld || !this.#shown) return;
    const { root, box } = this.#shown;
    this.#isShadowOld = false;
    // Parts may have moved beside the model; the floor stays.
    this.#shadow.place(new Box3().setFromObject(root).union(box), box.min.y);
    this.#shadow.draw(this.#options.renderer, this.scene);
  }

  #freeReplaced(): void {
    if (this.#replaced) disposeModel(this.#replaced, [], this.#shown?.root);
    this.#replaced = undefined;
  }

  #resize(): void {
    const { renderer, sized } = this.#options;
    const { clientWidth: width, clientHeight: height } = sized;
    if (width === 0 || height === 0) return;
    renderer.setPixelRatio(Math.min(devicePixelRatio, MOST_PIXEL_RATIO));
    renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.#isFramed) this.frame();
    // Without this, the canvas would be empty until the next repaint, and flicker.
    cancelAnimationFrame(this.#frameRequest);
    this.#draw();
  }

  #moved(): void {
    this.#isFramed = false;
    // Two fingers and the right button also move the target.
    const { target } = this.#controls;
    const floored = this.#options.hasFloor ? this.#shown : undefined;
    const below = floored ? floored.box.min.y - target.y : 0;
    if (below > 0) {
      target.y += below;
      this.camera.position.y += below;
    }
    this.redraw();
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') this.canvas.blur();
    const change = KEYS[event.key];
    if (change === undefined) return;
    event.preventDefault();
    if (change === 'frame') this.frame();
    else this.turn(change);
  }

  /** Drops the resources of the lost graphics: they cannot be freed in the restored graphics. */
  #forget(): void {
    for (const root of [this.#shown?.root, this.#replaced]) if (root) release(root);
    this.#shadow.dispose();
    this.scene.environment?.dispose();
  }
}

/** Leaves only the light of the studio. @returns The exact bounds. */
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

/** The share of the half picture that a model takes across and up, at most 1. */
function shareOf(camera: PerspectiveCamera, root: Object3D): { across: number; up: number } {
  camera.updateMatrixWorld();
  const points = cornersOf(new Box3().setFromObject(root)).map((corner) => {
    const point = new Vector3(...corner).applyMatrix4(camera.matrixWorldInverse);
    // The point is beside the viewer, or behind.
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

function limit(camera: PerspectiveCamera, controls: OrbitControls, box: Box3): void {
  const size = box.getSize(new Vector3()).length();
  controls.minDistance = size / 3;
  controls.maxDistance = size * 12;
  camera.near = size / 50;
  camera.far = size * 30;
  camera.updateProjectionMatrix();
}

/** Frees the graphics memory of a model; a model that is drawn again allocates it again. */
function release(root: Object3D, others: Iterable<Material> = []): void {
  root.traverse((object) => (object as Mesh).geometry?.dispose());
  for (const material of materialsOf(root, others)) material.dispose();
  for (const texture of texturesOf(root, others)) texture.dispose();
}

/** Frees all resources of a model, except images that another model has, too. */
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
