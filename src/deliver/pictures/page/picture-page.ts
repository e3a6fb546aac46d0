/** The program of the page that takes pictures: it loads a model from an address and returns pictures. */
import QOI from 'qoijs';
import {
  HalfFloatType,
  Matrix4,
  OrthographicCamera,
  PerspectiveCamera,
  Vector3,
  WebGLRenderTarget,
} from 'three';
import type { Vec3 } from '../../../convert/model/graphics.ts';
import { FIELD_OF_VIEW_DEGREES, type PlacedCamera, placeCamera } from '../camera.ts';
import {
  BROWSER_ERROR,
  type PicturePage,
  type PictureSize,
  type ScaledSize,
  type Shot,
  sizeToScale,
} from '../shot.ts';
import { castersOf } from './casters.ts';
import { clearTarget, renderer } from './gpu.ts';
import { loadModel, type Model } from './model.ts';
import { finishedPixels, setBackdrop, setVisibility } from './shading.ts';
import { studioTexture } from './studio-texture.ts';
import { createFloor, drawDepthMaps, drawVisibility, type Visibility } from './visibility.ts';

/** Share of the half picture that stays free on each side of the model. */
const MARGIN = 0.07;

/** The visibility on a model: its size as a share of the picture, and its smoothing. */
const ON_MODEL = {
  share: 1 / 2,
  leastPixels: 256,
  times: 2,
  nearShare: 0.004,
  fadeMetres: [1e8, 1e9],
} as const;
/** That on a floor, which has no edges, and soft shadows; lengths by the radius of the model. */
const ON_FLOOR = {
  share: 1 / 4,
  leastPixels: 128,
  times: 3,
  nearShare: 1e3,
  fade: [0.5, 1.5],
} as const;

const studio = download('studio').then((bytes) => studioTexture(new Uint16Array(bytes)));
// The error is reported with the first model.
studio.catch(() => {});

let model: Model | undefined;
/** What light reaches of the last shape, as cameras see it: it serves all finishes of the shape. */
const views = { shape: '', byCamera: new Map<string, View>() };
/** More views, as of a turn, would take too much memory. */
const MOST_VIEWS = 8;

const page: PicturePage = {
  async load({ address, pixels }) {
    model?.dispose();
    model = undefined;
    model = await loadModel(await download(address), await studio, pixels);
    if (views.shape === model.shape) return;
    clearViews();
    views.shape = '';
    drawDepthMaps(await castersOf(model.casting), model.bounds);
    views.shape = model.shape;
  },
  async take(shot) {
    if (model === undefined) throw new Error('expected a model, received none');
    const { pixels, pixelsPerMetre, ...size } = takePicture(model, shot);
    const qoi = await base64Of(QOI.encode(pixels, { ...size, channels: 4, colorspace: 0 }));
    // A picture without graphics would be empty.
    if (renderer.getContext().isContextLost()) throw browserError('its graphics have ended');
    return { qoi, pixelsPerMetre };
  },
};
Object.assign(globalThis, { page });

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

function takePicture(model: Model, { camera, size, backdrop }: Shot) {
  const { scene, solid, points } = model;
  const isFlat = camera.projection === 'orthographic';
  const aspect = 'width' in size ? size.width / size.height : 1;
  const placed = placeCamera(points, camera, aspect, isFlat ? 0 : MARGIN);
  const { width, height, pixelsPerMetre }: ScaledSize =
    'width' in size ? size : sizeToScale(placed, size.pixelsPerMetre);
  const eye = eyeOf(placed, isFlat, aspect);
  const { onModel, onFloor } = viewOf(model, eye, JSON.stringify([camera, width, height]), {
    width,
    height,
  });
  const target = targetFor(width, height);
  setVisibility(onModel.share, onModel.plain);
  setBackdrop(target.texture, onFloor.share, backdrop);
  clearTarget(target);
  renderer.render(solid, eye);
  renderer.render(scene, eye);
  return { pixels: finishedPixels(width, height), width, height, pixelsPerMetre };
}

/** What light reaches, as a camera sees it. */
interface View {
  onModel: Visibility;
  onFloor: Visibility;
}

function clearViews(): void {
  for (const { onModel, onFloor } of views.byCamera.values()) {
    onModel.dispose();
    onFloor.dispose();
  }
  views.byCamera.clear();
}

/** @param key - Of camera and size. */
function viewOf(
  { solid, bounds, floorMetres }: Model,
  eye: ReturnType<typeof eyeOf>,
  key: string,
  size: PictureSize,
): View {
  const known = views.byCamera.get(key);
  if (known !== undefined) return known;
  if (views.byCamera.size === MOST_VIEWS) clearViews();
  const [from, to] = ON_FLOOR.fade;
  const view = {
    onFloor: drawVisibility(createFloor(bounds, floorMetres), eye, partOf(size, ON_FLOOR), {
      ...ON_FLOOR,
      fadeMetres: [from * bounds.radius, to * bounds.radius],
    }),
    onModel: drawVisibility(solid, eye, partOf(size, ON_MODEL), ON_MODEL),
  };
  views.byCamera.set(key, view);
  return view;
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

/** Cameras are kept for all pictures, as the scene is. */
const perspective = new PerspectiveCamera(FIELD_OF_VIEW_DEGREES);
const orthographic = new OrthographicCamera();

function eyeOf(placed: PlacedCamera, isFlat: boolean, aspect: number) {
  const { right, up, back, position, near, far, halfWidth, halfHeight } = placed;
  Object.assign(perspective, { aspect, near, far });
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

/** Samples of a pixel at the edges of triangles: inside, a pixel is shaded once. */
const EDGE_SAMPLES = 4;

let lastTarget = new WebGLRenderTarget(1, 1);

/** The target of the last picture, if it fits. */
function targetFor(width: number, height: number): WebGLRenderTarget {
  const [across, down] = [Math.max(1, width), Math.max(1, height)];
  if (lastTarget.width === across && lastTarget.height === down && lastTarget.samples > 0)
    return lastTarget;
  lastTarget.dispose();
  lastTarget = new WebGLRenderTarget(across, down, { type: HalfFloatType, samples: EDGE_SAMPLES });
  return lastTarget;
}
