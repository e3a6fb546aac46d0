/**
 * The shadow where a model touches the floor: a foot of 10 mm is less than a pixel of the maps of light, so that its
 * shadow would be beside it. A map of what is just above the floor, seen from below, has pixels of at most 2 mm, for
 * models up to 2 m.
 */
import {
  type Box3,
  DoubleSide,
  GLSL3,
  type InstancedBufferGeometry,
  Mesh,
  OrthographicCamera,
  type PerspectiveCamera,
  PlaneGeometry,
  RedFormat,
  ShaderMaterial,
  Vector2,
  Vector3,
  WebGLRenderTarget,
} from 'three';
import type { PictureSize } from '../shot.ts';
import { CASTER_SIDES } from './casters.ts';
import { clearTarget, renderer } from './gpu.ts';

/** The smallest and the largest side of the map. */
const SIDE_PIXELS = { least: 128, most: 1024 } as const;
const PIXELS_PER_METRE = 500;
/** A surface at this height, or higher, leaves no contact shadow; of a small model it is a tenth of its longest side. */
const NEAR_METRES = 0.05;
/** How far the shadow reaches beyond a foot, by that height. */
const REACH = 0.5;
const DARKNESS = 0.9;

const map = new WebGLRenderTarget(SIDE_PIXELS.most, SIDE_PIXELS.most, { format: RedFormat });
const uniforms = {
  map: { value: map.texture },
  /** Middle of the map on the floor, metres. */
  centre: { value: new Vector3() },
  /** Half of its width and depth. */
  halfMetres: { value: new Vector2() },
  nearMetres: { value: 0 },
};

const seenFromBelow = {
  glslVersion: GLSL3,
  uniforms,
  vertexShader: `
    uniform vec3 centre;
    uniform vec2 halfMetres;
    uniform float nearMetres;
    out float height;
    void main() {
      height = (position.y - centre.y) / nearMetres;
      gl_Position = vec4((position.xz - centre.xz) / halfMetres, height * 2.0 - 1.0, 1.0);
    }`,
  fragmentShader: `
    in float height;
    out vec4 result;
    void main() {
      float near = clamp(1.0 - height, 0.0, 1.0);
      result = vec4(near * near, 0.0, 0.0, 1.0);
    }`,
} as const;
/** Draws what is just above the floor, by its height: the lowest surface counts. */
const fromBelow = new Mesh(
  undefined,
  CASTER_SIDES.map((side) => new ShaderMaterial({ ...seenFromBelow, side })),
);
fromBelow.frustumCulled = false;
/** The shader needs none. */
const ANY_CAMERA = new OrthographicCamera();

/** The places around a point of the floor at which the map is read: two rings. */
const PLACES = [0.5, 1].flatMap((radius) =>
  Array.from({ length: 6 }, (_, i) => {
    const angle = ((i + radius) * Math.PI) / 3;
    return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
  }),
);

const sheet = new Mesh(
  new PlaneGeometry(2, 2).rotateX(-Math.PI / 2),
  new ShaderMaterial({
    glslVersion: GLSL3,
    side: DoubleSide,
    depthTest: false,
    depthWrite: false,
    uniforms,
    vertexShader: `
      out vec2 at;
      void main() {
        at = vec2(position.x, position.z) * 0.5 + 0.5;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      uniform sampler2D map;
      uniform vec2 halfMetres;
      uniform float nearMetres;
      in vec2 at;
      out vec4 result;
      void main() {
        vec2 reach = nearMetres * ${REACH} / (2.0 * halfMetres);
        float sum = texture(map, at).r;
        ${PLACES.map(([x, y]) => `sum += texture(map, at + reach * vec2(${x.toFixed(4)}, ${y.toFixed(4)})).r;`).join('\n')}
        result = vec4(${DARKNESS} * sum / ${PLACES.length + 1}.0, 0.0, 0.0, 1.0);
      }`,
  }),
);
sheet.frustumCulled = false;

/** Draws the map of a model. @param casters - In the coordinates of the world. */
export function drawContactMap(casters: InstancedBufferGeometry, { min, max }: Box3): void {
  const longest = Math.max(max.x - min.x, max.y - min.y, max.z - min.z);
  const near = Math.min(NEAR_METRES, longest / 10);
  const border = 2 * near * REACH;
  uniforms.nearMetres.value = near;
  uniforms.centre.value.set((min.x + max.x) / 2, min.y, (min.z + max.z) / 2);
  uniforms.halfMetres.value.set((max.x - min.x) / 2 + border, (max.z - min.z) / 2 + border);
  const { x, y } = uniforms.halfMetres.value;
  const needed = 2 ** Math.ceil(Math.log2(PIXELS_PER_METRE * 2 * Math.max(x, y)));
  const side = Math.min(SIDE_PIXELS.most, Math.max(SIDE_PIXELS.least, needed));
  map.setSize(side, side);
  casters.instanceCount = 1;
  fromBelow.geometry = casters;
  clearTarget(map);
  renderer.render(fromBelow, ANY_CAMERA);
}

/** Draws the shadow as a camera sees it. R: its darkness. */
export function drawContact(
  camera: PerspectiveCamera | OrthographicCamera,
  { width, height }: PictureSize,
): WebGLRenderTarget {
  const target = new WebGLRenderTarget(width, height, { format: RedFormat, depthBuffer: false });
  const { x, y } = uniforms.halfMetres.value;
  sheet.position.copy(uniforms.centre.value);
  sheet.scale.set(x, 1, y);
  clearTarget(target);
  renderer.render(sheet, camera);
  return target;
}
