/**
 * The soft shadow on the floor: narrow and dark where an object touches it, wide and light below higher objects. In
 * the targets, red is the narrow and green the wide shadow.
 */
import {
  BackSide,
  type Box3,
  Color,
  DoubleSide,
  Mesh,
  MeshBasicMaterial,
  OrthographicCamera,
  PlaneGeometry,
  type Scene,
  ShaderMaterial,
  Vector2,
  Vector3,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three';

/** Side of the targets: the shadow is soft, and more pixels would not be visible. */
const SIDE_PIXELS = 256;
/** How far the sheet reaches beyond the model, as a share of its wider side. */
const BORDER = 0.22;
/** Widths of the blurs of both shadows and of the wide one alone, as shares of the sheet. */
const BLURS = [
  { width: 0.014, wideOnly: 0 },
  { width: 0.1, wideOnly: 1 },
] as const;
/** Up to this height a surface belongs to an object that stands on the floor. */
const CONTACT_METRES = 0.08;
/** A surface at this height darkens half as much as one on the floor. */
const HALF_HEIGHT_METRES = 0.25;
const DARKNESS = { contact: 0.5, wide: 0.5 };

/** Makes a shadow, empty until it is placed and drawn. */
export function createContactShadow() {
  const [first, second] = [0, 1].map(
    () => new WebGLRenderTarget(SIDE_PIXELS, SIDE_PIXELS, { depthBuffer: true }),
  ) as [WebGLRenderTarget, WebGLRenderTarget];
  // The camera looks up from the floor: its picture is that of the sheet, seen from below.
  const camera = new OrthographicCamera();
  camera.rotation.x = Math.PI / 2;
  const height = nearness();
  const blur = blurring();
  const screen = new Mesh(new PlaneGeometry(2, 2), blur);
  screen.frustumCulled = false;
  const geometry = new PlaneGeometry(1, 1).rotateX(Math.PI / 2);
  const material = new MeshBasicMaterial({
    map: first.texture,
    side: BackSide,
    transparent: true,
    depthWrite: false,
    toneMapped: false,
  });
  const sheet = new Mesh(geometry, material);
  sheet.renderOrder = -1;
  return {
    sheet,
    /** Puts the sheet below the box of the objects. */
    place(box: Box3, floorMetres: number): void {
      const size = box.getSize(new Vector3());
      const centre = box.getCenter(new Vector3());
      const border = 2 * BORDER * Math.max(size.x, size.z, size.y / 2);
      const [width, depth] = [size.x + border, size.z + border];
      sheet.scale.set(width, 1, depth);
      // The sheet is a little lower, so that it is not in the plane of feet.
      sheet.position.set(centre.x, floorMetres - size.length() / 2000, centre.z);
      const sides = { left: -width / 2, right: width / 2, top: depth / 2, bottom: -depth / 2 };
      Object.assign(camera, { ...sides, near: 0, far: size.y * 2 + 1 });
      camera.position.copy(sheet.position);
      camera.updateProjectionMatrix();
      height.uniforms.floorMetres!.value = floorMetres;
      // Blurs have the same width along and across.
      const least = Math.max(width, depth);
      blur.userData.shares = [least / width, least / depth];
    },
    draw(renderer: WebGLRenderer, scene: Scene): void {
      const hidden = withoutShadow(scene, sheet);
      for (const object of hidden) object.visible = false;
      const clearColor = renderer.getClearColor(new Color());
      const clearAlpha = renderer.getClearAlpha();
      renderer.setClearColor(0, 0);
      scene.overrideMaterial = height;
      renderer.setRenderTarget(first);
      renderer.render(scene, camera);
      scene.overrideMaterial = null;
      for (const object of hidden) object.visible = true;
      const shares = (blur.userData.shares ?? [1, 1]) as [number, number];
      const pass = (from: WebGLRenderTarget, to: WebGLRenderTarget, x: number, y: number) => {
        blur.uniforms.from!.value = from.texture;
        (blur.uniforms.step!.value as Vector2).set(x, y);
        renderer.setRenderTarget(to);
        renderer.render(screen, camera);
      };
      for (const { width, wideOnly } of BLURS) {
        blur.uniforms.wideOnly!.value = wideOnly;
        const [x, y] = shares.map((share) => (width * share) / TAPS) as [number, number];
        pass(first, second, x, 0);
        blur.uniforms.isLast!.value = wideOnly;
        pass(second, first, 0, y);
        blur.uniforms.isLast!.value = 0;
      }
      renderer.setRenderTarget(null);
      renderer.setClearColor(clearColor, clearAlpha);
    },
    dispose() {
      for (const each of [first, second, height, blur, screen.geometry, geometry, material])
        each.dispose();
    },
  };
}

/** Objects that cast no shadow: the sheet itself, and objects through which light passes. */
function withoutShadow(scene: Scene, sheet: Mesh): Mesh[] {
  const found: Mesh[] = [sheet];
  scene.traverse((object) => {
    const { isMesh, material } = object as Mesh;
    const { transmission = 0 } = (material ?? {}) as { transmission?: number };
    if (isMesh && object.visible && transmission > 0) found.push(object as Mesh);
  });
  return found;
}

function nearness(): ShaderMaterial {
  return new ShaderMaterial({
    side: DoubleSide,
    uniforms: { floorMetres: { value: 0 } },
    vertexShader: `
      uniform float floorMetres;
      varying float above;
      void main() {
        vec4 place = modelMatrix * vec4(position, 1.0);
        above = place.y - floorMetres;
        gl_Position = projectionMatrix * viewMatrix * place;
      }`,
    fragmentShader: `
      varying float above;
      void main() {
        float height = max(above, 0.0);
        float contact = max(0.0, 1.0 - height / ${CONTACT_METRES});
        float wide = ${HALF_HEIGHT_METRES} / (${HALF_HEIGHT_METRES} + height);
        gl_FragColor = vec4(${DARKNESS.contact} * contact * contact, ${DARKNESS.wide} * wide, 0.0, 1.0);
      }`,
  });
}

/** Points on each side of the middle. */
const TAPS = 8;

/** A Gaussian blur in which {@link TAPS} steps are two standard deviations. */
function blurring(): ShaderMaterial {
  const weights = Array.from({ length: TAPS + 1 }, (_, i) => Math.exp(-2 * (i / TAPS) ** 2));
  const sum = weights.reduce((total, weight, i) => total + (i === 0 ? weight : 2 * weight), 0);
  const sample = (weight: number, i: number) => {
    const sides = i === 0 ? [0] : [-i, i];
    return sides.map((side) => `texture2D(from, at + step * ${side}.0).rg * ${weight / sum}`);
  };
  return new ShaderMaterial({
    depthTest: false,
    depthWrite: false,
    uniforms: {
      from: { value: null },
      step: { value: new Vector2() },
      wideOnly: { value: 0 },
      isLast: { value: 0 },
    },
    vertexShader: `
      varying vec2 at;
      void main() {
        at = uv;
        gl_Position = vec4(position.xy, 0.0, 1.0);
      }`,
    fragmentShader: `
      uniform sampler2D from;
      uniform vec2 step;
      uniform float wideOnly;
      uniform float isLast;
      varying vec2 at;
      void main() {
        vec2 blurred = ${weights.flatMap(sample).join(' + ')};
        if (wideOnly > 0.5) blurred.r = texture2D(from, at).r;
        float both = 1.0 - (1.0 - blurred.r) * (1.0 - blurred.g);
        gl_FragColor = isLast > 0.5 ? vec4(0.0, 0.0, 0.0, both) : vec4(blurred, 0.0, 1.0);
      }`,
  });
}
