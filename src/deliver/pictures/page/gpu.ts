/** The renderer of the page, and passes over a whole picture. */
import {
  GLSL3,
  type IUniform,
  Mesh,
  NoToneMapping,
  type Object3D,
  OrthographicCamera,
  PlaneGeometry,
  type RenderItem,
  ShaderMaterial,
  WebGLRenderer,
  type WebGLRenderTarget,
} from 'three';

/** Draws scenes. Our shaders compute tones and colour space, since some targets are linear. */
export const renderer = new WebGLRenderer({
  antialias: false,
  alpha: true,
  premultipliedAlpha: false,
});
renderer.toneMapping = NoToneMapping;
renderer.autoClear = false;
renderer.setClearColor(0x000000, 0);

const drawOrder = new WeakMap<Object3D, number>();
const orderOf = ({ object }: RenderItem) => drawOrder.get(object) ?? 0;
// Three.js would sort by the order in which materials and meshes were made, which depends on the decoding of images.
renderer.setOpaqueSort((a, b) => orderOf(a) - orderOf(b));
renderer.setTransparentSort((a, b) => b.z - a.z || orderOf(a) - orderOf(b));

/** Sets the order in which meshes are drawn: of coplanar opaque faces, the last one is visible. */
export function setDrawOrder(meshes: readonly Mesh[]): void {
  for (const [i, mesh] of meshes.entries()) drawOrder.set(mesh, i);
}

const flat = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
const sheet = new Mesh(new PlaneGeometry(2, 2));
sheet.frustumCulled = false;

/** A pass: a fragment shader, run for each pixel of a target. */
export function createPass(uniforms: Record<string, IUniform>, fragmentShader: string) {
  const material = new ShaderMaterial({
    glslVersion: GLSL3,
    depthTest: false,
    depthWrite: false,
    uniforms,
    vertexShader: 'void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }',
    fragmentShader: `precision highp float;\n${fragmentShader}`,
  });
  return (target: WebGLRenderTarget) => {
    renderer.setRenderTarget(target);
    sheet.material = material;
    renderer.render(sheet, flat);
  };
}

/** Selects a target, and clears it. */
export function clearTarget(target: WebGLRenderTarget): void {
  renderer.setRenderTarget(target);
  renderer.clear();
}
