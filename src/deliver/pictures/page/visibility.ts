/**
 * How much light of the studio reaches a point: depth maps of the model from many directions, side by side in one
 * texture, and a pass that looks each visible point up in all of them. The result gives joints their shade, white edges
 * their tone, and the floor its soft shadow.
 */
import {
  type Box3,
  DepthTexture,
  DoubleSide,
  FloatType,
  GLSL3,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  LinearFilter,
  Matrix4,
  Mesh,
  NearestFilter,
  type Object3D,
  OrthographicCamera,
  type PerspectiveCamera,
  PlaneGeometry,
  RGFormat,
  Scene,
  ShaderMaterial,
  Sphere,
  type Texture,
  UnsignedByteType,
  UnsignedIntType,
  Vector2,
  Vector3,
  Vector4,
  WebGLRenderTarget,
} from 'three';
import type { PictureSize } from '../shot.ts';
import { lightDirections } from '../studio.ts';
import { CASTER_SIDES } from './casters.ts';
import { clearTarget, createPass, renderer } from './gpu.ts';

/** Directions, as tiles of the texture. */
const TILES = { columns: 4, rows: 4, pixels: 256 } as const;
const COUNT = TILES.columns * TILES.rows;

const LIGHTS = lightDirections(COUNT).map(
  ({ direction, radiance }) => new Vector4(...direction, radiance),
);
/** Matrices from world coordinates to texels of all tiles, and a depth from 0 to 1. */
const matrices = LIGHTS.map(() => new Matrix4());
/** Lowest texel of each tile. */
const corners = LIGHTS.map((_, i) =>
  new Vector2(i % TILES.columns, Math.floor(i / TILES.columns)).multiplyScalar(TILES.pixels),
);

const maps = new WebGLRenderTarget(TILES.columns * TILES.pixels, TILES.rows * TILES.pixels);
maps.depthTexture = new DepthTexture(maps.width, maps.height, UnsignedIntType);

const depthOnly = {
  glslVersion: GLSL3,
  colorWrite: false,
  // An attribute of an instance is read in less time than an element of a list.
  vertexShader: `
    in mat4 matrix;
    void main() {
      vec3 at = (matrix * vec4(position, 1.0)).xyz;
      vec2 texels = vec2(${TILES.columns * TILES.pixels}.0, ${TILES.rows * TILES.pixels}.0);
      gl_Position = vec4(vec3(at.xy / texels, at.z) * 2.0 - 1.0, 1.0);
    }`,
  fragmentShader: 'void main() {}',
} as const;
/** Draws the casters once for each direction, each time into the tile of that direction. */
const casting = new Mesh(
  new InstancedBufferGeometry(),
  CASTER_SIDES.map((side) => new ShaderMaterial({ ...depthOnly, side })),
);
casting.frustumCulled = false;
const castingScene = new Scene();
castingScene.add(casting);

/** Matrix from −1 to 1 to texels of a tile and a depth from 0 to 1. */
function tileMatrix(i: number): Matrix4 {
  const half = TILES.pixels / 2;
  const [column, row] = [i % TILES.columns, Math.floor(i / TILES.columns)];
  return new Matrix4()
    .makeTranslation((2 * column + 1) * half, (2 * row + 1) * half, 0.5)
    .scale(new Vector3(half, half, 0.5));
}

/** Draws the depth maps of the shadow casters, which fit into the box. */
export function drawDepthMaps(casters: InstancedBufferGeometry, box: Box3): void {
  const { center, radius } = box.getBoundingSphere(new Sphere());
  const size = radius * 1.02;
  const camera = new OrthographicCamera(-size, size, size, -size, 0, 2 * size);
  LIGHTS.forEach(({ x, y, z }, i) => {
    camera.position.set(x, y, z).multiplyScalar(size).add(center);
    camera.up.set(0, Math.abs(y) > 0.99 ? 0 : 1, Math.abs(y) > 0.99 ? 1 : 0);
    camera.lookAt(center);
    // Each map is rotated differently, so that the steps of its edges do not add up.
    camera.rotateZ(i);
    camera.updateMatrixWorld();
    matrices[i]!.copy(tileMatrix(i))
      .multiply(camera.projectionMatrix)
      .multiply(camera.matrixWorldInverse);
  });
  casters.instanceCount = COUNT;
  const elements = Float32Array.from(matrices.flatMap((matrix) => matrix.elements));
  casters.setAttribute('matrix', new InstancedBufferAttribute(elements, 16));
  casting.geometry = casters;
  renderer.setRenderTarget(maps);
  // Nothing reads the colours.
  renderer.clear(false, true, false);
  renderer.render(castingScene, camera);
  // A point is lifted off its own surface by about a pixel of a map.
  visibilityUniforms.liftMetres.value = size / 200;
  visibilityUniforms.centre.value.copy(center);
}

/** Positions and normals of the points that a camera sees. */
const geometryMaterial = new ShaderMaterial({
  glslVersion: GLSL3,
  side: DoubleSide,
  vertexShader: `
    out vec3 worldPosition;
    out vec3 worldNormal;
    void main() {
      vec4 world = modelMatrix * vec4(position, 1.0);
      worldPosition = world.xyz;
      worldNormal = mat3(modelMatrix) * normal;
      gl_Position = projectionMatrix * viewMatrix * world;
    }`,
  fragmentShader: `
    precision highp float;
    in vec3 worldPosition;
    in vec3 worldNormal;
    layout(location = 0) out vec4 outPosition;
    layout(location = 1) out vec4 outNormal;
    void main() {
      vec3 normal = normalize(worldNormal);
      vec3 towards = isOrthographic ? vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) : cameraPosition - worldPosition;
      // At an outline the normals of a round edge turn away, though the surface itself does not.
      vec3 flatNormal = cross(dFdx(worldPosition), dFdy(worldPosition));
      if (dot(flatNormal, towards) < 0.0) flatNormal = -flatNormal;
      if (dot(normal, flatNormal) < 0.0) normal = -normal;
      outPosition = vec4(worldPosition, -(viewMatrix * vec4(worldPosition, 1.0)).z);
      outNormal = vec4(normal, 1.0);
    }`,
});

const visibilityUniforms = {
  positions: { value: null as unknown },
  normals: { value: null as unknown },
  maps: { value: maps.depthTexture },
  matrices: { value: matrices },
  lights: { value: LIGHTS },
  corners: { value: corners },
  liftMetres: { value: 0 },
  centre: { value: new Vector3() },
  halfMetres: { value: new Vector2() },
  fadeMetres: { value: 1 },
};

/** Distance, metres, of a pixel that shows no point. */
const NOTHING = 60000;

/** R: the share of light that arrives. G: the distance from the camera, by which other pixels take the share over. */
const lookUp = createPass(
  visibilityUniforms,
  `
  uniform highp sampler2D positions;
  uniform highp sampler2D normals;
  uniform highp sampler2D maps;
  uniform mat4 matrices[${COUNT}];
  uniform vec4 lights[${COUNT}];
  uniform vec2 corners[${COUNT}];
  uniform float liftMetres;
  uniform vec3 centre;
  uniform vec2 halfMetres;
  uniform float fadeMetres;
  out vec4 result;
  void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 normal = texelFetch(normals, pixel, 0);
    if (normal.a == 0.0) { result = vec4(1.0, ${NOTHING}.0, 0.0, 1.0); return; }
    vec4 position = texelFetch(positions, pixel, 0);
    vec2 outside = max(abs(position.xz - centre.xz) - halfMetres, 0.0);
    float fade = smoothstep(0.0, fadeMetres, length(outside));
    if (fade == 1.0) { result = vec4(1.0, position.w, 0.0, 1.0); return; }
    vec4 lifted = vec4(position.xyz + normal.xyz * liftMetres, 1.0);
    float arriving = 0.0;
    float all = 1e-4;
    for (int i = 0; i < ${COUNT}; i++) {
      float cosine = dot(normal.xyz, lights[i].xyz);
      if (cosine <= 0.0) continue;
      float weight = cosine * lights[i].w;
      all += weight;
      vec3 at = (matrices[i] * lifted).xyz;
      vec2 inTile = abs(at.xy - corners[i] - ${TILES.pixels / 2}.0);
      if (max(inTile.x, inTile.y) >= ${TILES.pixels / 2}.0) { arriving += weight; continue; }
      // Behind the last depth there is nothing.
      arriving += min(at.z - 0.002, 0.99999) <= texelFetch(maps, ivec2(at.xy), 0).r ? weight : 0.0;
    }
    result = vec4(mix(arriving / all, 1.0, fade), position.w, 0.0, 1.0);
  }`,
);

/** Smooths along surfaces: the steps of single directions vanish, and edges stay. */
const smoothUniforms = {
  source: { value: null as unknown },
  stepPixels: { value: new Vector2() },
  nearShare: { value: 0 },
};
/** The points that are averaged, across or down, in steps, written out with their weights. */
const TAPS = [-2, -1, 0, 1, 2].map(
  (at) => `
    other = texelFetch(source, clamp(pixel + ${at} * step, ivec2(0), last), 0).rg;
    weight = max(0.0, 1.0 - abs(other.g - own.g) * steep) * ${Math.exp((-at * at) / 4).toFixed(6)};
    sum += weight * other.r;
    weights += weight;`,
);
const smooth = createPass(
  smoothUniforms,
  `
  uniform highp sampler2D source;
  uniform vec2 stepPixels;
  uniform float nearShare;
  out vec4 result;
  const float NOTHING = ${NOTHING}.0;
  void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    ivec2 step = ivec2(stepPixels);
    ivec2 last = textureSize(source, 0) - 1;
    vec2 own = texelFetch(source, pixel, 0).rg;
    if (own.g >= NOTHING) { result = vec4(own, 0.0, 1.0); return; }
    float steep = 1.0 / (own.g * nearShare);
    float sum = 0.0;
    float weights = 0.0;
    vec2 other;
    float weight;
    ${TAPS.join('\n')}
    result = vec4(sum / weights, own.g, 0.0, 1.0);
  }`,
);

/**
 * The visibility at 8 bits, which software rendering reads in a fraction of the time. R: the share. G: 0 beside an
 * edge, where neighbours belong to two surfaces and must not be averaged.
 */
const plainUniforms = { source: { value: null as unknown } };
/** Largest deviation from a plane that is no edge, by the distance: a joint of 2 mm at 4 m is an edge. */
const PLAIN_BEND = 0.0005;
const drawPlain = createPass(
  plainUniforms,
  `
  uniform highp sampler2D source;
  out vec4 result;
  void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(source, 0) - 1;
    vec2 own = texelFetch(source, pixel, 0).rg;
    // On a plane a distance is the mean of two opposite ones.
    float bend = 0.0;
    for (int i = 0; i < 2; i++) {
      ivec2 step = ivec2(1 - i, i);
      float before = texelFetch(source, clamp(pixel - step, ivec2(0), last), 0).g;
      float after = texelFetch(source, clamp(pixel + step, ivec2(0), last), 0).g;
      bend = max(bend, abs(before + after - 2.0 * own.g));
    }
    result = vec4(own.r, bend < own.g * ${PLAIN_BEND} ? 1.0 : 0.0, 0.0, 1.0);
  }`,
);

interface Smoothing {
  /** Number of passes across and down, each twice as wide as the one before. */
  times: number;
  /** Largest difference of distance that is smoothed, by the distance itself. */
  nearShare: number;
  /** Within a rectangle about the centre, and up to a distance from it, shade fades away; metres. */
  fade: { half: readonly [x: number, z: number]; reach: number };
}

type AnyCamera = PerspectiveCamera | OrthographicCamera;

/** The share of light that arrives at the points that a camera sees. */
export interface Visibility {
  /** R: the share. G: the distance from the camera, metres. */
  share: Texture;
  /** The same without distances, see {@link drawPlain}. */
  plain: Texture;
  dispose(): void;
}

const FLOATS = {
  // At half precision, a plane would be bent.
  type: FloatType,
  format: RGFormat,
  minFilter: LinearFilter,
  magFilter: LinearFilter,
  depthBuffer: false,
} as const;

/** Draws the visibility of what a camera sees, in a size of its own. */
export function drawVisibility(
  scene: Scene,
  camera: AnyCamera,
  { width, height }: PictureSize,
  { times, nearShare, fade }: Smoothing,
): Visibility {
  const geometry = new WebGLRenderTarget(width, height, {
    type: FloatType,
    count: 2,
    minFilter: NearestFilter,
    magFilter: NearestFilter,
  });
  let share = new WebGLRenderTarget(width, height, FLOATS);
  let other = new WebGLRenderTarget(width, height, FLOATS);
  const plain = new WebGLRenderTarget(width, height, { ...FLOATS, type: UnsignedByteType });
  clearTarget(geometry);
  scene.overrideMaterial = geometryMaterial;
  renderer.render(scene, camera);
  scene.overrideMaterial = null;
  [visibilityUniforms.positions.value, visibilityUniforms.normals.value] = geometry.textures;
  visibilityUniforms.halfMetres.value.set(...fade.half);
  visibilityUniforms.fadeMetres.value = fade.reach;
  lookUp(share);
  smoothUniforms.nearShare.value = nearShare;
  for (let i = 0; i < 2 * times; i++) {
    const pixels = 2 ** (i >> 1);
    smoothUniforms.stepPixels.value.set(i % 2 === 0 ? pixels : 0, i % 2 === 0 ? 0 : pixels);
    smoothUniforms.source.value = share.texture;
    smooth(other);
    [share, other] = [other, share];
  }
  plainUniforms.source.value = share.texture;
  drawPlain(plain);
  geometry.dispose();
  other.dispose();
  return {
    share: share.texture,
    plain: plain.texture,
    dispose() {
      share.dispose();
      plain.dispose();
    },
  };
}

const copy = { source: { value: null as unknown } };
const drawCopy = createPass(
  copy,
  `
  uniform sampler2D source;
  out vec4 result;
  void main() { result = vec4(texelFetch(source, ivec2(gl_FragCoord.xy), 0).rg, 0.0, 1.0); }`,
);

/** Reads the shares of a visibility, from 0 to 1, from the lowest row to the topmost. */
export function readShares({ plain }: Visibility, { width, height }: PictureSize): number[] {
  // Only targets with four channels can be read.
  const target = new WebGLRenderTarget(width, height, { depthBuffer: false });
  copy.source.value = plain;
  drawCopy(target);
  const pixels = new Uint8Array(4 * width * height);
  renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels);
  target.dispose();
  return Array.from({ length: width * height }, (_, i) => pixels[4 * i]! / 255);
}

/** A floor below a model, much larger than it. */
export function createFloor(box: Box3): Scene {
  const { center, radius } = box.getBoundingSphere(new Sphere());
  const floor: Object3D = new Mesh(FLOOR);
  floor.rotation.x = -Math.PI / 2;
  floor.position.set(center.x, box.min.y, center.z);
  floor.scale.setScalar(radius * 8);
  const scene = new Scene();
  scene.add(floor);
  return scene;
}
const FLOOR = new PlaneGeometry(1, 1);
