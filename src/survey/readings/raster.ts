/** Draws scenes as small pictures without a browser: enough to see whether two scenes look different, and where. */

import type { Scene, SceneImage, SceneMaterial, TextureUse } from '../../convert/model/scene.ts';
import type { Bounds } from '../../model/asset.ts';
import type { ImageCodec, Pixels } from '../../model/image-codec.ts';
import { partsOf, type ScenePart } from './scene-parts.ts';

/** Where a scene is seen from: turned about the vertical from the front to the right, then upwards. */
export interface View {
  yawDegrees: number;
  pitchDegrees: number;
}

/** A small picture. */
export interface Drawing {
  size: number;
  /** Red, green, blue of each pixel, sRGB, row by row from the top; the background is white. */
  rgb: Float32Array;
  /** 1 where the scene is. */
  covered: Uint8Array;
}

/** Distance of the eye, in radii of what is seen. */
const DISTANCE = 4;
/** Images are seen from far: a few pixels have their colours and their larger patterns. */
const TEXTURE_PIXELS = 64;
/** From above the right shoulder, in the frame of the eye. */
const LIGHT = [0.38, 0.56, 0.74] as const;

/** Small copies of images, by their bytes. */
export class SmallImages {
  readonly #codec: ImageCodec;
  readonly #known = new Map<Uint8Array, Promise<Pixels | undefined>>();

  constructor(codec: ImageCodec) {
    this.#codec = codec;
  }

  /** The images of a scene, in its order; undefined for one that cannot be read. */
  of({ images }: Scene): Promise<(Pixels | undefined)[]> {
    return Promise.all(images.map((image) => this.#small(image)));
  }

  #small({ bytes }: SceneImage): Promise<Pixels | undefined> {
    const size = { width: TEXTURE_PIXELS, height: TEXTURE_PIXELS };
    const known = this.#known.get(bytes) ?? this.#codec.decode(bytes, size).catch(() => undefined);
    this.#known.set(bytes, known);
    return known;
  }
}

type Axis = readonly [number, number, number];

/** A camera: it turns points of the article, and moves them into the picture. */
interface Camera {
  /** Rows: right, up, towards the eye. */
  axes: readonly [Axis, Axis, Axis];
  center: readonly [number, number, number];
  distance: number;
  /** Pixels for each metre at the distance of the centre. */
  scale: number;
}

function cameraOf({ yawDegrees, pitchDegrees }: View, { min, max }: Bounds, size: number): Camera {
  const [yaw, pitch] = [(yawDegrees * Math.PI) / 180, (pitchDegrees * Math.PI) / 180];
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2 || 1;
  return {
    axes: [
      [cy, 0, -sy],
      [-sy * sp, cp, -cy * sp],
      [sy * cp, sp, cy * cp],
    ],
    center: [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2],
    distance: DISTANCE * radius,
    scale: (0.46 * size) / radius,
  };
}

/**
 * Draws a scene.
 *
 * @param frame - What the picture shows, metres: that of the first of several scenes that are compared.
 * @param images - Those of the scene, as {@link SmallImages} has them.
 * @param size - Pixels of each side.
 */
export function drawScene(
  scene: Scene,
  view: View,
  frame: Bounds,
  images: readonly (Pixels | undefined)[],
  size: number,
): Drawing {
  const camera = cameraOf(view, frame, size);
  const depth = new Float32Array(size * size).fill(-Infinity);
  const rgb = new Float32Array(3 * size * size).fill(1);
  const covered = new Uint8Array(size * size);
  const target = { size, depth, rgb, covered, camera, images };
  const parts = partsOf(scene);
  // What can be seen through is drawn over what is behind it.
  for (const isClear of [false, true]) for (const part of parts) drawPart(part, isClear, target);
  for (let i = 0; i < rgb.length; i++) rgb[i] = Math.min(1, Math.max(0, rgb[i]!)) ** (1 / 2.2);
  return { size, rgb, covered };
}

interface Target extends Omit<Drawing, 'rgb'> {
  rgb: Float32Array;
  depth: Float32Array;
  camera: Camera;
  images: readonly (Pixels | undefined)[];
}

const opacityOf = ({ alpha, transmission }: SceneMaterial) => alpha * (1 - 0.8 * transmission);

function drawPart({ placement: m, primitives }: ScenePart, isClear: boolean, target: Target): void {
  const { camera, size } = target;
  const [right, up, back] = camera.axes;
  for (const { geometry, material } of primitives) {
    if (opacityOf(material) < 0.99 !== isClear) continue;
    const { positions, normals, indices, uvs } = geometry;
    const count = positions.length / 3;
    const seen = new Float32Array(6 * count);
    // The inverse transpose turns normals, up to their length and sign.
    const n = cofactors(m);
    for (let v = 0; v < count; v++) {
      const [x, y, z] = [positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!];
      const px = m[0]! * x + m[3]! * y + m[6]! * z + m[9]! - camera.center[0];
      const py = m[1]! * x + m[4]! * y + m[7]! * z + m[10]! - camera.center[1];
      const pz = m[2]! * x + m[5]! * y + m[8]! * z + m[11]! - camera.center[2];
      const near = back[0] * px + back[1] * py + back[2] * pz;
      const scale = (camera.scale * camera.distance) / Math.max(1e-6, camera.distance - near);
      seen[6 * v] = size / 2 + scale * (right[0] * px + right[1] * py + right[2] * pz);
      seen[6 * v + 1] = size / 2 - scale * (up[0] * px + up[1] * py + up[2] * pz);
      seen[6 * v + 2] = near;
      const [a, b, c] = [normals[3 * v]!, normals[3 * v + 1]!, normals[3 * v + 2]!];
      const nx = n[0]! * a + n[3]! * b + n[6]! * c;
      const ny = n[1]! * a + n[4]! * b + n[7]! * c;
      const nz = n[2]! * a + n[5]! * b + n[8]! * c;
      const length = Math.hypot(nx, ny, nz) || 1;
      seen[6 * v + 3] = (right[0] * nx + right[1] * ny + right[2] * nz) / length;
      seen[6 * v + 4] = (up[0] * nx + up[1] * ny + up[2] * nz) / length;
      seen[6 * v + 5] = (back[0] * nx + back[1] * ny + back[2] * nz) / length;
    }
    const paint = painterOf(material, uvs, target.images);
    for (let i = 0; i + 2 < indices.length; i += 3)
      fillTriangle(seen, indices[i]!, indices[i + 1]!, indices[i + 2]!, paint, target);
  }
}

function cofactors(m: readonly number[]): number[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = m;
  return [
    e * i - f * h,
    f * g - d * i,
    d * h - e * g,
    c * h - b * i,
    a * i - c * g,
    b * g - a * h,
    b * f - c * e,
    c * d - a * f,
    a * e - b * d,
  ];
}

/** How a primitive is painted. */
interface Painter {
  material: SceneMaterial;
  base: Sampler | undefined;
  opacity: number;
}

interface Sampler {
  pixels: Pixels;
  uvs: Float32Array;
  /** u' = a·u + b·v + c, v' = d·u + e·v + f. */
  map: readonly [number, number, number, number, number, number];
}

function painterOf(
  material: SceneMaterial,
  uvs: readonly Float32Array[],
  images: readonly (Pixels | undefined)[],
): Painter {
  const use = material.baseColorTexture;
  const pixels = use && images[use.image];
  const set = use && uvs[use.uvSet];
  const base = pixels && set && { pixels, uvs: set, map: mapOf(use) };
  return { material, base, opacity: opacityOf(material) };
}

/** KHR_texture_transform as an affine map: scale, then rotation, then offset. */
export function mapOf({ transform }: TextureUse): Sampler['map'] {
  if (transform === undefined) return [1, 0, 0, 0, 1, 0];
  const { offset, rotationRadians, scale } = transform;
  const [c, s] = [Math.cos(rotationRadians), Math.sin(rotationRadians)];
  return [c * scale[0], s * scale[1], offset[0], -s * scale[0], c * scale[1], offset[1]];
}

function fillTriangle(
  seen: Float32Array,
  a: number,
  b: number,
  c: number,
  paint: Painter,
  { size, depth, rgb, covered }: Target,
): void {
  const [ax, ay] = [seen[6 * a]!, seen[6 * a + 1]!];
  const [bx, by] = [seen[6 * b]!, seen[6 * b + 1]!];
  const [cx, cy] = [seen[6 * c]!, seen[6 * c + 1]!];
  // In the picture rows run down: a triangle that is seen from its front has a negative area.
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area === 0 || (area > 0 && !paint.material.doubleSided)) return;
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const end = Math.min(size - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(size - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  const turn = area > 0 ? -1 : 1;
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= end; x++) {
      const [px, py] = [x + 0.5, y + 0.5];
      const wa = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area;
      const wb = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area;
      const wc = 1 - wa - wb;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      const near = wa * seen[6 * a + 2]! + wb * seen[6 * b + 2]! + wc * seen[6 * c + 2]!;
      const at = y * size + x;
      if (near <= depth[at]!) continue;
      const nx = turn * (wa * seen[6 * a + 3]! + wb * seen[6 * b + 3]! + wc * seen[6 * c + 3]!);
      const ny = turn * (wa * seen[6 * a + 4]! + wb * seen[6 * b + 4]! + wc * seen[6 * c + 4]!);
      const nz = turn * (wa * seen[6 * a + 5]! + wb * seen[6 * b + 5]! + wc * seen[6 * c + 5]!);
      if (paint.opacity >= 0.99) depth[at] = near;
      covered[at] = 1;
      paintPixel(rgb, 3 * at, paint, a, b, c, wa, wb, wc, nx, ny, nz);
    }
  }
}

/** Paints a pixel: a light, an even light from all sides that is brighter from above, and a room that metal shows. */
function paintPixel(
  rgb: Float32Array,
  at: number,
  { material, base, opacity }: Painter,
  a: number,
  b: number,
  c: number,
  wa: number,
  wb: number,
  wc: number,
  nx: number,
  ny: number,
  nz: number,
): void {
  const lit = Math.max(0, nx * LIGHT[0] + ny * LIGHT[1] + nz * LIGHT[2]);
  const diffuse = 0.42 + 0.12 * ny + 0.5 * lit;
  const { metallic, roughness, baseColorLinear, emissiveLinear, emissiveStrength } = material;
  // What a mirror shows: dark below, bright above; the rougher, the more even.
  const room = 0.45 + (1 - roughness) * 0.5 * (2 * ny * nz) + 0.1 * roughness * ny;
  const gloss = (1 - roughness) ** 2 * lit ** 8 * 0.6 + 0.04 * room;
  let texel = -1;
  if (base !== undefined) {
    const { uvs, map, pixels } = base;
    const u = wa * uvs[2 * a]! + wb * uvs[2 * b]! + wc * uvs[2 * c]!;
    const v = wa * uvs[2 * a + 1]! + wb * uvs[2 * b + 1]! + wc * uvs[2 * c + 1]!;
    const s = map[0] * u + map[1] * v + map[2];
    const t = map[3] * u + map[4] * v + map[5];
    const column = Math.min(pixels.width - 1, Math.floor((s - Math.floor(s)) * pixels.width));
    const row = Math.min(pixels.height - 1, Math.floor((t - Math.floor(t)) * pixels.height));
    texel = (row * pixels.width + column) * pixels.channels;
  }
  for (let channel = 0; channel < 3; channel++) {
    let color = baseColorLinear[channel]!;
    if (texel >= 0) {
      const { data, channels } = base!.pixels;
      color *= (data[texel + Math.min(channel, channels - 1)]! / 255) ** 2.2;
    }
    const own = color * ((1 - metallic) * diffuse + metallic * room) + (1 - metallic) * gloss;
    const glow = emissiveLinear[channel]! * Math.min(1, emissiveStrength) * 0.5;
    rgb[at + channel] = rgb[at + channel]! * (1 - opacity) + opacity * (own + glow);
  }
}

/** A picture with each pixel as the mean of a square about it: what is finer is not seen from some distance. */
export function blurred({ size, rgb, covered }: Drawing, radius: number): Drawing {
  const [once, twice] = [new Float32Array(rgb.length), new Float32Array(rgb.length)];
  blurLines(rgb, once, size, 3, 3 * size, radius);
  blurLines(once, twice, size, 3 * size, 3, radius);
  return { size, rgb: twice, covered };
}

function blurLines(
  from: Float32Array,
  to: Float32Array,
  size: number,
  step: number,
  line: number,
  radius: number,
): void {
  for (let l = 0; l < size; l++) {
    for (let channel = 0; channel < 3; channel++) {
      const start = l * line + channel;
      let sum = 0;
      const clamped = (i: number) => from[start + step * Math.min(size - 1, Math.max(0, i))]!;
      for (let i = -radius; i <= radius; i++) sum += clamped(i);
      for (let i = 0; i < size; i++) {
        to[start + step * i] = sum / (2 * radius + 1);
        sum += clamped(i + radius + 1) - clamped(i - radius);
      }
    }
  }
}
