/** The lighting of a model: the share of the studio's light that arrives, and the tones of the finished picture. */
import {
  Color,
  GLSL3,
  type Material,
  Mesh,
  PlaneGeometry,
  ShaderChunk,
  ShaderMaterial,
  type Texture,
  UnsignedByteType,
  Vector2,
  Vector4,
  type WebGLProgramParametersWithUniforms,
  WebGLRenderTarget,
} from 'three';
import type { Shot } from '../shot.ts';
import { irradianceMatrix } from '../studio.ts';
import { createPass, renderer } from './gpu.ts';
import { reflectanceTexture, SHARE_OF_BYTES } from './reflectance-table.ts';
import { RADIANCE_OF_BYTES } from './studio-texture.ts';

const visible = {
  visibility: { value: null as Texture | null },
  plainVisibility: { value: null as Texture | null },
  visibilityScale: { value: new Vector2() },
  pictureTexel: { value: new Vector2() },
};

/** Three.js would read its own table. */
ShaderChunk.lights_fragment_begin = ShaderChunk.lights_fragment_begin.replace(
  /texture2D\( dfgLUT, (.*) \)\.rg/,
  'reflectedShares($1)',
);

/** The only light is that of the studio: the computation of lamps is removed. */
const ONLY_STUDIO = ShaderChunk.lights_fragment_end.replace(/RE_IndirectDiffuse\([^;]*;/, '');

/**
 * Three.js would sample the map of the studio for matt surfaces, too, which takes a sixth of the time of a picture. What
 * is left reads the map as bytes.
 */
ShaderChunk.envmap_physical_pars_fragment = ShaderChunk.envmap_physical_pars_fragment
  .replace(
    'vec4 envMapColor = textureLod( envMap, envMapRotation * worldNormal, ENVMAP_MAX_LOD );',
    `vec4 envMapColor = vec4( dot( vec4( worldNormal, 1.0 ), mat4( ${irradianceMatrix().map((value) => value.toFixed(6))} ) * vec4( worldNormal, 1.0 ) ) );`,
  )
  .replaceAll(
    /envMapColor = (textureLod\( envMap, .*\));/g,
    `envMapColor = vec4( dot( $1.rg, ${RADIANCE_OF_BYTES} ) );`,
  );

/**
 * GLSL: tones by Khronos PBR Neutral, and sRGB of linear colours. Roots instead of powers, which software rendering
 * computes in several times the time; of 255 levels, the fitted curve is wrong by at most 0.012.
 */
const TONES = `
  vec3 neutral(vec3 color) {
    const float start = 0.8 - 0.04;
    const float desaturation = 0.15;
    float least = min(color.r, min(color.g, color.b));
    color -= least < 0.08 ? least - 6.25 * least * least : 0.04;
    float peak = max(color.r, max(color.g, color.b));
    if (peak < start) return color;
    float room = 1.0 - start;
    float tone = 1.0 - room * room / (peak + room - start);
    color *= tone / peak;
    float share = 1.0 - 1.0 / (desaturation * (peak - tone) + 1.0);
    return mix(color, vec3(tone), share);
  }
  vec3 srgb(vec3 linear) {
    vec3 root = sqrt(max(linear, 0.0));
    vec3 fourth = sqrt(root);
    vec3 curve = 0.6423659 * root + 0.7121099 * fourth - 0.3368697 * sqrt(fourth) - 0.0175629 * linear;
    return mix(curve, 12.92 * linear, vec3(lessThanEqual(linear, vec3(0.0031308))));
  }`;

const reflectance = { value: reflectanceTexture() };
/** GLSL: how much light a surface reflects, by the table. */
const REFLECTED_SHARES = `
  uniform sampler2D reflectance;
  vec2 reflectedShares(vec2 at) {
    vec4 bytes = texture(reflectance, at);
    return vec2(dot(bytes.rg, ${SHARE_OF_BYTES}), dot(bytes.ba, ${SHARE_OF_BYTES}));
  }`;

/** Whether a material writes tones: into a picture of 8 bits. What is behind glass, or is blended, is linear. */
const isFinished = { value: false };

/**
 * Makes a material write the tones of the picture, and use only the light that arrives, by the visibility of the picture.
 * The picture then has 8 bits: with colours that are linear, and have 16, it took 30 % longer at 1,024 pixels. Of blended
 * materials, light adds up linearly.
 */
export function prepareMaterial(material: Material): void {
  const hasShade = 'envMapIntensity' in material && !isClear(material);
  material.onBeforeCompile = (shader) => {
    if (hasShade) receiveShade(shader);
    Object.assign(shader.uniforms, { isFinished, reflectance });
    shader.fragmentShader = shader.fragmentShader
      .replace(
        '#include <common>',
        `#include <common>\nuniform bool isFinished;\n${REFLECTED_SHARES}\n${TONES}`,
      )
      .replace(
        '#include <colorspace_fragment>',
        'if (isFinished) gl_FragColor.rgb = srgb(neutral(gl_FragColor.rgb));',
      );
  };
  material.onBeforeRender = () => {
    const { width, height, texture } = renderer.getRenderTarget()!;
    isFinished.value = texture === finish.picture.value && !finish.isLinear.value;
    // The objects behind glass are drawn first, into a smaller target than the picture.
    const of = visible.visibility.value!.image as { width: number; height: number };
    visible.visibilityScale.value.set(of.width / width, of.height / height);
    visible.pictureTexel.value.set(1 / width, 1 / height);
  };
  // All materials of a kind share one program.
  material.customProgramCacheKey = () => (hasShade ? 'shade' : 'clear');
}

function receiveShade(shader: WebGLProgramParametersWithUniforms): void {
  Object.assign(shader.uniforms, visible);
  shader.fragmentShader = shader.fragmentShader
    .replace('#include <lights_fragment_end>', ONLY_STUDIO)
    .replace(
      '#include <common>',
      `#include <common>
        uniform highp sampler2D visibility;
        uniform sampler2D plainVisibility;
        uniform vec2 visibilityScale;
        uniform vec2 pictureTexel;
        // The picture has more pixels: of the nearest four, those at the distance of this point count.
        float arrivingLight(float distanceMetres) {
          // Most points are far from an edge.
          vec2 plain = texture(plainVisibility, gl_FragCoord.xy * pictureTexel).rg;
          if (plain.g > 0.999) return plain.r;
          vec2 at = gl_FragCoord.xy * visibilityScale - 0.5;
          ivec2 corner = ivec2(floor(at));
          ivec2 last = textureSize(visibility, 0) - 1;
          vec2 share = at - floor(at);
          float sum = 0.0;
          float weights = 1e-6;
          for (int i = 0; i < 4; i++) {
            ivec2 step = ivec2(i & 1, i >> 1);
            vec2 found = texelFetch(visibility, clamp(corner + step, ivec2(0), last), 0).rg;
            vec2 near = mix(1.0 - share, share, vec2(step));
            float weight = near.x * near.y * max(1e-4, 1.0 - abs(found.g - distanceMetres) / (distanceMetres * 0.004));
            sum += weight * found.r;
            weights += weight;
          }
          return clamp(sum / weights, 0.0, 1.0);
        }`,
    )
    .replace(
      '#include <aomap_fragment>',
      `#include <aomap_fragment>
        {
          float arriving = arrivingLight(vViewPosition.z);
          float facing = saturate(dot(geometryNormal, geometryViewDir));
          reflectedLight.indirectDiffuse *= arriving;
          reflectedLight.indirectSpecular *= saturate(pow(facing + arriving, exp2(-16.0 * material.roughness - 1.0)) - 1.0 + arriving);
        }`,
    );
}

/** Sets the visibility of the next picture. @param plain - The same without distances, at 8 bits. */
export function setVisibility(texture: Texture, plain: Texture): void {
  visible.visibility.value = texture;
  visible.plainVisibility.value = plain;
}

/** Whether light passes through a material: it casts no shadow and has no shade. */
export function isClear(material: Material): boolean {
  const { transmission = 0 } = material as Material & { transmission?: number };
  return transmission > 0 || (material.transparent && material.opacity < 0.95);
}

const finish = {
  picture: { value: null as Texture | null },
  isLinear: { value: false },
  floorShade: { value: null as Texture | null },
  contact: { value: null as Texture | null },
  background: { value: new Vector4() },
  /** The background, in the colours of the finished picture. */
  plain: { value: new Vector4() },
  shadow: { value: 0 },
  /** Within this share of the picture, the shadow ends before its border. */
  border: { value: 0 },
};

/** Of a picture that shows the whole model. */
const BORDER = 0.06;
/** Of one whose borders cut the shadow: less than a pixel. */
const NO_BORDER = 1e-5;

/** GLSL: the shadow on the floor at a place of the picture, from 0 to 1. */
const SHADE_OF_FLOOR = `
  uniform sampler2D floorShade;
  uniform sampler2D contact;
  uniform float shadow;
  uniform float border;
  float shadeOfFloor(vec2 at) {
    if (shadow == 0.0) return 0.0;
    float light = texture(floorShade, at).r * (1.0 - texture(contact, at).r);
    vec2 inside = smoothstep(vec2(0.0), vec2(border), min(at, 1.0 - at));
    return shadow * (1.0 - light) * inside.x * inside.y;
  }`;

/**
 * What is behind the model: the background with the shadow on the floor. In the target in which three.js draws what is
 * behind glass, its colours are linear. In a picture of 8 bits with a background, they are finished, and drawn where the
 * model is not. In other pictures, {@link drawFinished} adds background and shadow.
 */
export const backdrop = createBackdrop();

function createBackdrop(): Mesh {
  const material = new ShaderMaterial({
    glslVersion: GLSL3,
    depthWrite: false,
    uniforms: { ...finish, isFinished, pictureSize: { value: new Vector2() } },
    vertexShader: 'void main() { gl_Position = vec4(position.xy, 1.0, 1.0); }',
    fragmentShader: `
      uniform vec4 background;
      uniform bool isFinished;
      uniform vec2 pictureSize;
      out vec4 result;
      ${SHADE_OF_FLOOR}
      ${TONES}
      void main() {
        result = vec4(background.rgb * (1.0 - shadeOfFloor(gl_FragCoord.xy / pictureSize)), 1.0);
        if (isFinished) result.rgb = srgb(result.rgb);
      }`,
  });
  const mesh = new Mesh(new PlaneGeometry(2, 2), material);
  mesh.frustumCulled = false;
  mesh.onBeforeRender = () => {
    const { texture, width, height } = renderer.getRenderTarget()!;
    const isPicture = texture === finish.picture.value;
    isFinished.value = isPicture && hasFinishedBackground();
    material.colorWrite = !isPicture || isFinished.value;
    material.uniforms.pictureSize!.value.set(width, height);
  };
  return mesh;
}

/**
 * Clears the target of the next picture, and sets what is behind the model.
 *
 * @param floor - Undefined: there is none.
 * @param shown - `isCut`: whether the picture shows only a part of the shadow.
 */
export function beginPicture(
  target: WebGLRenderTarget,
  floor: { plain: Texture; contact: Texture } | undefined,
  { color, shadow, isCut }: Pick<Shot['backdrop'], 'color' | 'shadow'> & { isCut: boolean },
): void {
  finish.picture.value = target.texture;
  finish.isLinear.value = target.texture.type !== UnsignedByteType;
  finish.floorShade.value = floor?.plain ?? null;
  finish.contact.value = floor?.contact ?? null;
  finish.shadow.value = floor ? shadow : 0;
  finish.border.value = isCut ? NO_BORDER : BORDER;
  finish.background.value.set(...(color ?? ([0, 0, 0] as const)), color ? 1 : 0);
  const { r, g, b } = new Color(...(color ?? [0, 0, 0])).convertLinearToSRGB();
  finish.plain.value.set(r, g, b, color ? 1 : 0);
  backdrop.visible = color !== undefined;
  renderer.setRenderTarget(target);
  // A finished background covers all colours.
  renderer.clear(!hasFinishedBackground(), true, false);
}

/** Whether the picture is drawn with its background, in finished colours. */
function hasFinishedBackground(): boolean {
  return backdrop.visible && !finish.isLinear.value;
}

/** The picture over the floor's shadow and the background, which are linear; for pictures without a finished background. */
const drawFinished = createPass(
  finish,
  `
  uniform highp sampler2D picture;
  uniform bool isLinear;
  uniform vec4 background;
  uniform vec4 plain;
  out vec4 result;
  ${SHADE_OF_FLOOR}
  ${TONES}
  // Of 255 levels, the fitted curve is wrong by at most 0.008.
  vec3 linear(vec3 srgb) {
    vec3 curve = 0.0008276 + srgb * (0.0392920 + srgb * (0.3264773 + 0.6334321 * sqrt(srgb)));
    return mix(curve, srgb / 12.92, vec3(lessThanEqual(srgb, vec3(0.04045))));
  }
  void main() {
    // Pixels are read from the lowest row on: it is the topmost of the picture.
    vec2 size = vec2(textureSize(picture, 0));
    vec2 pixel = vec2(gl_FragCoord.x, size.y - gl_FragCoord.y);
    vec4 sum = texelFetch(picture, ivec2(pixel), 0);
    sum.a = min(sum.a, 1.0);
    if (isLinear && sum.a > 0.0) sum.rgb = srgb(neutral(sum.rgb / sum.a)) * sum.a;
    if (sum.a == 1.0) { result = sum; return; }
    if (sum.a > 0.0) sum.rgb = linear(sum.rgb / sum.a) * sum.a;
    vec2 at = pixel / size;
    float shade = shadeOfFloor(at);
    if (sum.a == 0.0 && shade <= 0.0) { result = plain; return; }
    float alpha = sum.a + shade * (1.0 - sum.a);
    vec4 over = vec4(sum.rgb, alpha);
    vec4 whole = over + background * (1.0 - over.a);
    result = vec4(srgb(whole.a > 0.0 ? whole.rgb / whole.a : vec3(0.0)), whole.a);
  }`,
);

/** Reads the finished picture: RGBA, 8 bits, from the topmost row to the lowest. */
export function finishedPixels(picture: WebGLRenderTarget): Uint8Array<ArrayBuffer> {
  const { width, height } = picture;
  const pixels = new Uint8Array(4 * width * height);
  if (hasFinishedBackground()) {
    renderer.readRenderTargetPixels(picture, 0, 0, width, height, pixels);
    turnOver(pixels, 4 * width);
    return pixels;
  }
  const target = new WebGLRenderTarget(width, height, { depthBuffer: false });
  drawFinished(target);
  renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels);
  target.dispose();
  return pixels;
}

/** Puts the last row first. */
function turnOver(pixels: Uint8Array, rowBytes: number): void {
  for (let [low, high] = [0, pixels.length - rowBytes]; low < high; low += rowBytes) {
    const row = pixels.slice(low, low + rowBytes);
    pixels.copyWithin(low, high, high + rowBytes);
    pixels.set(row, high);
    high -= rowBytes;
  }
}
