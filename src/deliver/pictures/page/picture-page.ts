/** The program of the page that takes pictures: it loads a model from an address and returns pictures. */
import QOI from 'qoijs';
import {
  type Box3,
  HalfFloatType,
  Matrix4,
  OrthographicCamera,
  PerspectiveCamera,
  type Texture,
  type TextureDataType,
  UnsignedByteType,
  Vector3,
  WebGLRenderTarget,
} from 'three';
import type { Vec3 } from '../../../convert/model/graphics.ts';
import type { Bounds } from '../../../model/asset.ts';
import { FIELD_OF_VIEW_DEGREES, moveNear, type PlacedCamera, placeCamera } from '../camera.ts';
import { closeupOf } from '../closeup.ts';
import {
  BROWSER_ERROR,
  type PicturePage,
  type PicturePart,
  type PictureSize,
  type ScaledSize,
  type Shot,
  sizeToScale,
} from '../shot.ts';
import { castersOf, trianglesOf } from './casters.ts';
import { drawContact, drawContactMap } from './contact-map.ts';
import { reachOfShadow } from './floor.ts';
import { renderer } from './gpu.ts';
import { loadModel, type Model } from './model.ts';
import { beginPicture, finishedPixels, setVisibility } from './shading.ts';
import { studioByteTexture } from './studio-texture.ts';
import {
  createFloor,
  drawDepthMaps,
  drawVisibility,
  readShares,
  type Visibility,
} from './visibility.ts';

/** The shadow of a model through which light passes, by that of another one. */
const CLEAR_SHADOW = 0.3;
/** Share of the half picture that stays free on each side of the model and its shadow. */
const MARGIN = 0.05;

/** The visibility on a model: its size as a share of the picture, and its smoothing. */
const ON_MODEL = {
  share: 2 / 5,
  leastPixels: 224,
  times: 2,
  nearShare: 0.004,
  fade: { half: [1e9, 1e9], reach: 1 },
} as const;
/** That on a closeup, in which the steps of the depth maps are wider. */
const ON_CLOSEUP = { ...ON_MODEL, times: 4, nearShare: 0.016 } as const;
/** That on a floor, which has no edges, and soft shadows. */
const ON_FLOOR = { share: 1 / 4, leastPixels: 128, times: 3, nearShare: 1e3 } as const;
/** The shadows at feet, which are narrow. */
const AT_FEET = { share: 1 / 2, leastPixels: 256 } as const;

const studio = download('studio').then((bytes) => studioByteTexture(new Uint16Array(bytes)));
// The error is reported with the first model.
studio.catch(() => {});

/** The model that is loaded, and what it was loaded from. */
let loaded: { key: string; model: Model } | undefined;
/** The file of the model that may be next; another browser may draw that one. */
let prefetched: { address: string; file: Promise<ArrayBuffer> } | undefined;
/** What light reaches of the last shape, as cameras see it: it serves all finishes of the shape. */
const views = { shape: '', byCamera: new Map<string, View>() };
/** Points of the floor at which the shadow of the last shape is visible: x y z, metres. */
let shadowPoints: readonly number[] = [];
/** More views, as of a turn, would take too much memory. */
const MOST_VIEWS = 8;

const page: PicturePage = {
  async take({ shot, model: address, nextModel }) {
    const file = prefetched?.address === address ? prefetched.file : undefined;
    if (prefetched?.address !== nextModel) prefetched = nextModel ? prefetch(nextModel) : undefined;
    const key = JSON.stringify([address, shot.imagePixels]);
    if (loaded?.key !== key) {
      loaded?.model.dispose();
      loaded = undefined;
      loaded = { key, model: await load(await (file ?? download(address)), shot.imagePixels) };
    }
    const { model } = loaded;
    const { pixels, pixelsPerMetre, ...size } = takePicture(model, shot);
    const qoi = await base64Of(QOI.encode(pixels, { ...size, channels: 4, colorspace: 0 }));
    // A picture without graphics would be empty.
    if (renderer.getContext().isContextLost()) throw browserError('its graphics have ended');
    return { qoi, pixelsPerMetre };
  },
};
Object.assign(globalThis, { page });

function prefetch(address: string) {
  const file = download(address);
  // The error is reported if that model is drawn.
  file.catch(() => {});
  return { address, file };
}

async function load(glb: ArrayBuffer, imagePixels: number): Promise<Model> {
  const model = await loadModel(glb, await studio, imagePixels);
  try {
    if (views.shape !== model.shape) await drawLight(model);
    return model;
  } catch (error) {
    model.dispose();
    throw error;
  }
}

/** Draws what light reaches of a shape, whatever the camera. */
async function drawLight({ casting, box, shape }: Model): Promise<void> {
  clearViews();
  views.shape = '';
  const casters = await castersOf(casting);
  drawDepthMaps(casters, box);
  drawContactMap(casters, box);
  casters.dispose();
  shadowPoints = shadowPointsOf(box);
  views.shape = shape;
}

async function download(address: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(address);
    if (response.ok) return await response.arrayBuffer();
    throw new Error(`status ${response.status}`);
  } catch (error) {
    throw browserError(`it cannot fetch the model: ${(error as Error).message}`);
  }
}

function browserError(reason: string): Error {
  return Object.assign(new Error(`the browser: ${reason}`), { name: BROWSER_ERROR });
}

/** Encodes bytes as base64, in a quarter of the time of a request with the bytes as its body. */
function base64Of(bytes: ArrayBuffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^.*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([bytes]));
  });
}

function takePicture(model: Model, { camera, framed: box, part, size, backdrop }: Shot) {
  const { scene, points } = model;
  const isFlat = camera.projection === 'orthographic';
  const aspect = 'width' in size ? size.width / size.height : 1;
  const { floor } = backdrop;
  const hasFloor =
    backdrop.shadow > 0 && (floor === 'auto' ? model.standsOnFloor : floor === 'always');
  const own = hasFloor ? withShadow(model) : points;
  const framed = box === undefined ? own : cornersOf(box);
  const whole = placeCamera(framed, camera, aspect, isFlat ? 0 : MARGIN);
  const placed = closeTo(model, whole, camera, aspect);
  const { width, height, pixelsPerMetre }: ScaledSize =
    'width' in size ? size : sizeToScale(placed, size.pixelsPerMetre);
  const eye = eyeOf(placed, isFlat, aspect);
  if (part !== undefined) showPart(part, aspect);
  const isCloseup = placed !== whole || part !== undefined;
  // Finishes of a shape have other materials, and so other closeups.
  const key = JSON.stringify([camera, placed.position, part, width, height, hasFloor]);
  const smoothing = isCloseup ? ON_CLOSEUP : ON_MODEL;
  const { onModel, onFloor } = viewOf(model, key, { eye, width, height, hasFloor, smoothing });
  const target = targetFor(width, height, model.isBlended ? HalfFloatType : UnsignedByteType);
  setVisibility(onModel.share, onModel.plain);
  const shadow = backdrop.shadow * (model.isClear ? CLEAR_SHADOW : 1);
  beginPicture(target, onFloor, { ...backdrop, shadow, isCut: isCloseup });
  renderer.render(scene, eye);
  return { pixels: finishedPixels(target), width, height, pixelsPerMetre };
}

/** The corners of a box, x y z of each. */
function cornersOf({ min, max }: Bounds): Float32Array {
  const ends = [min, max];
  return Float32Array.from(
    ends.flatMap(([x]) => ends.flatMap(([, y]) => ends.flatMap(([, , z]) => [x, y, z]))),
  );
}

/** The camera near to the part of a model that it shows, where it does not show the whole. */
function closeTo(
  { meshes }: Model,
  whole: PlacedCamera,
  { closeupMetres }: Shot['camera'],
  aspect: number,
): PlacedCamera {
  if (closeupMetres === undefined) return whole;
  const surfaces = {
    *[Symbol.iterator]() {
      for (const mesh of meshes) yield { ...trianglesOf(mesh), material: mesh.material };
    },
  };
  const closeup = closeupOf(surfaces, whole, closeupMetres);
  return closeup === undefined ? whole : moveNear(whole, closeup, aspect);
}

/** The points of a model and of its shadow. */
function withShadow({ points }: Model): Float32Array {
  const all = new Float32Array(points.length + shadowPoints.length);
  all.set(points);
  all.set(shadowPoints, points.length);
  return all;
}

/** What light reaches, as a camera sees it. */
interface View {
  onModel: Visibility;
  onFloor: (Visibility & { contact: Texture }) | undefined;
}

function clearViews(): void {
  for (const { onModel, onFloor } of views.byCamera.values()) {
    onModel.dispose();
    onFloor?.dispose();
  }
  views.byCamera.clear();
}

/** @param key - Of the other parameters. */
function viewOf(
  { solid, box }: Model,
  key: string,
  seen: PictureSize & {
    eye: Camera;
    hasFloor: boolean;
    smoothing: typeof ON_MODEL | typeof ON_CLOSEUP;
  },
): View {
  const known = views.byCamera.get(key);
  if (known !== undefined) return known;
  if (views.byCamera.size === MOST_VIEWS) clearViews();
  const { eye, hasFloor, smoothing } = seen;
  const view = {
    onFloor: hasFloor ? floorSeenBy(eye, box, seen) : undefined,
    onModel: drawVisibility(solid, eye, partOf(seen, smoothing), smoothing),
  };
  views.byCamera.set(key, view);
  return view;
}

function floorSeenBy(eye: Camera, box: Box3, size: PictureSize) {
  const seen = drawFloor(eye, box, partOf(size, ON_FLOOR), ON_FLOOR.times);
  const contact = drawContact(eye, partOf(size, AT_FEET));
  return {
    ...seen,
    contact: contact.texture,
    dispose() {
      seen.dispose();
      contact.dispose();
    },
  };
}

function drawFloor(eye: Camera, box: Box3, size: PictureSize, times: number): Visibility {
  const { x, z } = box.getSize(new Vector3());
  const fade = { half: [x / 2, z / 2], reach: reachOfShadow(box) } as const;
  return drawVisibility(createFloor(box), eye, size, { ...ON_FLOOR, times, fade });
}

/** The plan of the floor in which the shadow is searched. */
const PLAN = { width: 64, height: 64 };
/** A lighter shadow may lie beyond the picture, before whose border it fades away. */
const LIGHTEST = 0.97;

/** Finds the points of the floor at which the shadow is visible, by a picture of the floor from above. */
function shadowPointsOf(box: Box3): number[] {
  const reach = reachOfShadow(box);
  const { min, max } = box.clone().expandByScalar(reach);
  const middle = box.getCenter(new Vector3());
  const [x, z] = [(max.x - min.x) / 2, (max.z - min.z) / 2];
  const above = new OrthographicCamera(-x, x, z, -z, 0, 2 * reach);
  above.position.set(middle.x, box.min.y + reach, middle.z);
  above.rotation.x = -Math.PI / 2;
  above.updateMatrixWorld();
  const seen = drawFloor(above, box, PLAN, 1);
  const shares = readShares(seen, PLAN);
  seen.dispose();
  return shares.flatMap((share, i) => {
    if (share > LIGHTEST) return [];
    // Rows go from the front to the back.
    const [column, row] = [i % PLAN.width, Math.floor(i / PLAN.width)];
    const across = min.x + (2 * x * (column + 0.5)) / PLAN.width;
    return [across, box.min.y, max.z - (2 * z * (row + 0.5)) / PLAN.height];
  });
}

/** The size of a visibility, a share of the picture's, but not below some pixels. */
function partOf(
  { width, height }: PictureSize,
  { share, leastPixels }: { share: number; leastPixels: number },
): PictureSize {
  const scale = Math.min(1, Math.max(share, leastPixels / Math.max(1, width, height)));
  const pixels = (side: number) => Math.max(1, Math.ceil(side * scale));
  return { width: pixels(width), height: pixels(height) };
}

type Camera = PerspectiveCamera | OrthographicCamera;

/** Cameras are kept for all pictures, as the scene is. */
const perspective = new PerspectiveCamera(FIELD_OF_VIEW_DEGREES);
const orthographic = new OrthographicCamera();

function eyeOf(placed: PlacedCamera, isFlat: boolean, aspect: number): Camera {
  const { right, up, back, position, near, far, halfWidth, halfHeight } = placed;
  Object.assign(perspective, { aspect, near, far, view: null });
  const [left, bottom] = [-halfWidth, -halfHeight];
  Object.assign(orthographic, { left, right: halfWidth, top: halfHeight, bottom, near, far });
  const eye = isFlat ? orthographic : perspective;
  const vector = (v: Vec3) => new Vector3(...v);
  const turn = new Matrix4().makeBasis(vector(right), vector(up), vector(back));
  eye.position.copy(vector(position));
  eye.quaternion.setFromRotationMatrix(turn);
  eye.updateMatrixWorld();
  eye.updateProjectionMatrix();
  return eye;
}

/** The perspective camera shows a part of its picture only. */
function showPart({ x, y, width, height }: PicturePart, aspect: number): void {
  perspective.setViewOffset(aspect, 1, x * aspect, y, width * aspect, height);
}

/** Samples of a pixel at the edges of triangles: inside, a pixel is shaded once. */
const EDGE_SAMPLES = 4;

let lastTarget = new WebGLRenderTarget(1, 1);

/** The target of the last picture, if it fits. */
function targetFor(width: number, height: number, type: TextureDataType): WebGLRenderTarget {
  const [across, down] = [Math.max(1, width), Math.max(1, height)];
  const isFitting = lastTarget.width === across && lastTarget.height === down;
  if (isFitting && lastTarget.samples > 0 && lastTarget.texture.type === type) return lastTarget;
  lastTarget.dispose();
  lastTarget = new WebGLRenderTarget(across, down, {
    type,
    samples: EDGE_SAMPLES,
    // Nothing reads the depths of the picture.
    resolveDepthBuffer: false,
  });
  return lastTarget;
}
