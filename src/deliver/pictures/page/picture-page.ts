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
  type ScaledSize,
  type Shot,
  sizeToScale,
} from '../shot.ts';
import { clearTarget, renderer, SUPERSAMPLING } from './gpu.ts';
import { loadModel, type Model } from './model.ts';
import { finishedPixels, setBackdrop, setVisibility } from './shading.ts';
import { studioTexture } from './studio-texture.ts';
import { createFloor, createVisibility, drawDepthMaps } from './visibility.ts';

/** Share of the half picture that stays free on each side of the model. */
const MARGIN = 0.07;

const ON_MODEL = { times: 2, nearShare: 0.004, fadeMetres: [1e8, 1e9] } as const;
/** Smoothing on a floor, which has no edges; lengths by the radius of the model. */
const ON_FLOOR = { times: 3, nearShare: 1e3, fade: [0.5, 1.5] } as const;

const studio = download('studio').then((bytes) => studioTexture(new Uint16Array(bytes)));
// The error is reported with the first model.
studio.catch(() => {});

let model: Model | undefined;

const page: PicturePage = {
  async load(address) {
    model?.dispose();
    model = undefined;
    model = await loadModel(await download(address), await studio);
    drawDepthMaps(model.casters, model.bounds);
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
  const { scene, solid, points, bounds, floorMetres } = model;
  const isFlat = camera.projection === 'orthographic';
  const aspect = 'width' in size ? size.width / size.height : 1;
  const placed = placeCamera(points, camera, aspect, isFlat ? 0 : MARGIN);
  const { width, height, pixelsPerMetre }: ScaledSize =
    'width' in size ? size : sizeToScale(placed, size.pixelsPerMetre);
  const eye = eyeOf(placed, isFlat, aspect);
  const targets = targetsFor(width, height);
  const floor = createFloor(bounds, floorMetres);
  const shade = targets.floor.draw(floor, eye, {
    ...ON_FLOOR,
    fadeMetres: [ON_FLOOR.fade[0] * bounds.radius, ON_FLOOR.fade[1] * bounds.radius],
  });
  const visibility = targets.model.draw(solid, eye, ON_MODEL);
  setVisibility(visibility, targets.model.drawPlain());
  setBackdrop(targets.picture.texture, shade, backdrop);
  clearTarget(targets.picture);
  renderer.render(solid, eye);
  renderer.render(scene, eye);
  return { pixels: finishedPixels(width, height), width, height, pixelsPerMetre };
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

/** Pictures up to this size are shaded pixel by pixel. */
const FINE_PIXELS = 512;

let targets = makeTargets(0, 0);

/** The targets of the last picture, if they fit. */
function targetsFor(width: number, height: number): ReturnType<typeof makeTargets> {
  if (targets.width === width && targets.height === height) return targets;
  for (const each of [targets.model, targets.floor, targets.picture]) each.dispose();
  targets = makeTargets(width, height);
  return targets;
}

function makeTargets(width: number, height: number) {
  const part = (share: number) => {
    const scale = Math.min(
      1,
      Math.max(share, (2 * share * FINE_PIXELS) / Math.max(1, width, height)),
    );
    const pixels = (side: number) => Math.max(1, Math.ceil(side * scale));
    return createVisibility(pixels(width), pixels(height));
  };
  const size = [Math.max(1, width * SUPERSAMPLING), Math.max(1, height * SUPERSAMPLING)] as const;
  return {
    width,
    height,
    model: part(1 / 2),
    // The shadows of the floor are soft.
    floor: part(1 / 4),
    picture: new WebGLRenderTarget(...size, { type: HalfFloatType }),
  };
}
