/**
 * Small drawings of scenes, from which a survey judges whether a difference can be seen at all: flat light, images as
 * they look from a distance, no shadows. People get other pictures.
 */

import type { LinearRgb, Scene, SceneMaterial } from '../../convert/model/scene.ts';
import { FIELD_OF_VIEW_DEGREES, type PlacedCamera } from '../../deliver/pictures/camera.ts';
import { coordinate, partsOf, type ScenePart } from './scene-parts.ts';
import type { SmallImage } from './small-images.ts';
import { mapOf } from './texture-map.ts';

/** Sides of a drawing. */
export const DRAWN_PIXELS = 144;

/** A drawing. */
export interface Drawing {
  /** sRGB of 8 bits, RGB for each pixel. */
  colors: Float32Array;
  /** 1 where a part is drawn. */
  covered: Uint8Array;
}

/** A camera. */
export interface View extends Pick<PlacedCamera, 'right' | 'up' | 'back' | 'position'> {
  /** Half of the width that is shown at a distance of 1. @defaultValue that of the pictures for people */
  slope?: number;
}

const USUAL_SLOPE = Math.tan((FIELD_OF_VIEW_DEGREES * Math.PI) / 360);
/** From the upper left, behind the viewer. */
const LIGHT = normalized([-0.45, 0.75, 0.5]);
const AMBIENT = 0.45;
/** What is behind the article. */
const PAPER = 0.9;

interface Canvas extends Drawing {
  nearness: Float32Array;
}

/** One corner of a triangle: its pixel, how near it is, and its place in the image. */
interface Corner {
  x: number;
  y: number;
  nearness: number;
  u: number;
  v: number;
}

/** A drawn part as all cameras see it. */
interface Surface {
  indices: ArrayLike<number>;
  /** Corners in metres, as the article has them. */
  world: Float32Array;
  /** Two for each corner, in the image; all 0 where there is none. */
  uvs: Float64Array;
  image: SmallImage | undefined;
  material: SceneMaterial;
  isMirrored: boolean;
  clearness: number;
}

/**
 * Draws a scene, as often as cameras look at it.
 *
 * @param imageOf - An image of the scene by its index; undefined if it cannot be read.
 */
export function sceneDrawer(
  scene: Scene,
  imageOf: (image: number) => SmallImage | undefined,
): (camera: View) => Drawing {
  const all = partsOf(scene).flatMap(({ placement, primitives }) =>
    primitives.map((primitive) => surfaceOf(placement, primitive, imageOf)),
  );
  // What is behind glass is drawn before it.
  const surfaces = [
    ...all.filter(({ clearness }) => clearness === 0),
    ...all.filter(({ clearness }) => clearness > 0),
  ];
  return (camera) => {
    const count = DRAWN_PIXELS ** 2;
    const colors = new Float32Array(3 * count).fill(255 * PAPER);
    const covered = new Uint8Array(count);
    const canvas = { colors, covered, nearness: new Float32Array(count) };
    for (const surface of surfaces) drawSurface(canvas, surface, camera);
    return { colors, covered };
  };
}

function surfaceOf(
  placement: ScenePart['placement'],
  { geometry, material }: ScenePart['primitives'][number],
  imageOf: (image: number) => SmallImage | undefined,
): Surface {
  const { positions, indices } = geometry;
  const use = material.baseColorTexture ?? material.emissiveTexture;
  const stored = use && geometry.uvs[use.uvSet];
  const map = use === undefined ? undefined : mapOf(use);
  const world = new Float32Array(positions.length);
  const uvs = new Float64Array((2 * positions.length) / 3);
  for (let i = 0, at = 0; i < positions.length; i += 3, at += 2) {
    const [x, y, z] = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
    for (let axis = 0; axis < 3; axis++) world[i + axis] = coordinate(placement, axis, x, y, z);
    const [p, q] = stored ? [stored[at]!, stored[at + 1]!] : [0, 0];
    uvs[at] = map === undefined ? p : map[0] * p + map[1] * q + map[2];
    uvs[at + 1] = map === undefined ? q : map[3] * p + map[4] * q + map[5];
  }
  const image = use && stored ? imageOf(use.image) : undefined;
  const isMirrored = determinant(placement) < 0;
  return { indices, world, uvs, image, material, isMirrored, clearness: clearnessOf(material) };
}

function drawSurface(
  canvas: Canvas,
  surface: Surface,
  { position, right, up, back, slope = USUAL_SLOPE }: View,
) {
  const { indices, world, uvs, image, material, isMirrored, clearness } = surface;
  const paint = painter(material, back);
  const corners: Corner[] = new Array(world.length / 3);
  for (let i = 0, at = 0; i < world.length; i += 3, at++) {
    const x = world[i]! - position[0]!;
    const y = world[i + 1]! - position[1]!;
    const z = world[i + 2]! - position[2]!;
    const depth = -(back[0]! * x + back[1]! * y + back[2]! * z);
    const across = right[0]! * x + right[1]! * y + right[2]! * z;
    const along = up[0]! * x + up[1]! * y + up[2]! * z;
    corners[at] = {
      x: (DRAWN_PIXELS / 2) * (1 + across / (slope * depth)),
      y: (DRAWN_PIXELS / 2) * (1 - along / (slope * depth)),
      nearness: depth > 0 ? 1 / depth : 0,
      u: uvs[2 * at]!,
      v: uvs[2 * at + 1]!,
    };
  }
  for (let i = 0; i + 2 < indices.length; i += 3) {
    const [a, second, third] = [indices[i]!, indices[i + 1]!, indices[i + 2]!];
    const [b, c] = isMirrored ? [third, second] : [second, third];
    const [ca, cb, cc] = [corners[a]!, corners[b]!, corners[c]!];
    if (ca.nearness === 0 || cb.nearness === 0 || cc.nearness === 0) continue;
    const area = (cb.x - ca.x) * (cc.y - ca.y) - (cc.x - ca.x) * (cb.y - ca.y);
    // Rows run down, so that a front has a negative area.
    if (area === 0 || (area > 0 && !material.doubleSided)) continue;
    const normal = normalOf(world, a, b, c, area > 0 ? -1 : 1);
    fill(canvas, [ca, cb, cc], area, image, paint(normal), clearness);
  }
}

type Shade = (base: LinearRgb) => LinearRgb;

/** How a material looks under the light: its base colour of a pixel becomes its colour. */
function painter(material: SceneMaterial, back: readonly number[]) {
  const { baseColorLinear: tint, metallic, roughness, emissiveLinear } = material;
  const shine = (1 - roughness) ** 2 * (material.specular ?? 1) * (metallic > 0.5 ? 0.5 : 0.15);
  const isGlowingImage = material.emissiveTexture !== undefined;
  const half = normalized([LIGHT[0] + back[0]!, LIGHT[1] + back[1]!, LIGHT[2] + back[2]!]);
  return (normal: LinearRgb): Shade => {
    const lambert = AMBIENT + (1 - AMBIENT) * Math.max(0, dot(normal, LIGHT));
    const highlight = shine * (0.4 + Math.max(0, dot(normal, half)) ** 16);
    const of = (base: LinearRgb, c: 0 | 1 | 2) => {
      const own = base[c] * tint[c];
      const glow = emissiveLinear[c] * (isGlowingImage ? base[c] : 1);
      return own * lambert * (1 - 0.3 * metallic) + highlight + glow;
    };
    return (base) => [of(base, 0), of(base, 1), of(base, 2)];
  };
}

/** How much of what is behind a material shows through it, 0 to 1. */
function clearnessOf({ transmission, alphaMode, alpha }: SceneMaterial): number {
  return Math.max(transmission, alphaMode === 'BLEND' ? 1 - alpha : 0);
}

const WHITE: LinearRgb = [1, 1, 1];

function fill(
  { colors, covered, nearness }: Canvas,
  [a, b, c]: readonly [Corner, Corner, Corner],
  area: number,
  image: SmallImage | undefined,
  shade: Shade,
  clearness: number,
): void {
  const level = image && levelOf(image, a, b, c, area);
  const plain = level === undefined ? shade(WHITE) : undefined;
  const plainShown = plain && encoded(plain);
  const clamp = (value: number) => Math.min(DRAWN_PIXELS - 1, Math.max(0, value));
  const left = clamp(Math.ceil(Math.min(a.x, b.x, c.x) - 0.5));
  const last = clamp(Math.floor(Math.max(a.x, b.x, c.x) - 0.5));
  const top = clamp(Math.ceil(Math.min(a.y, b.y, c.y) - 0.5));
  const bottom = clamp(Math.floor(Math.max(a.y, b.y, c.y) - 0.5));
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= last; x++) {
      const [px, py] = [x + 0.5, y + 0.5];
      const wb = ((px - a.x) * (c.y - a.y) - (c.x - a.x) * (py - a.y)) / area;
      const wc = ((b.x - a.x) * (py - a.y) - (px - a.x) * (b.y - a.y)) / area;
      const wa = 1 - wb - wc;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      const near = wa * a.nearness + wb * b.nearness + wc * c.nearness;
      const at = y * DRAWN_PIXELS + x;
      if (near <= nearness[at]!) continue;
      if (clearness === 0) nearness[at] = near;
      covered[at] = 1;
      const color =
        plain ??
        shade(texel(level!, wa * a.u + wb * b.u + wc * c.u, wa * a.v + wb * b.v + wc * c.v));
      const shown =
        clearness > 0
          ? encoded(through(color, clearness, colors, at))
          : (plainShown ?? encoded(color));
      for (let k = 0; k < 3; k++) colors[3 * at + k] = shown[k]!;
    }
  }
}

/** A linear colour with what was drawn before behind it. */
function through(color: LinearRgb, clearness: number, drawn: Float32Array, at: number): LinearRgb {
  const of = (c: 0 | 1 | 2) =>
    color[c] * (1 - clearness) + clearness * (drawn[3 * at + c]! / 255) ** 2.2;
  return [of(0), of(1), of(2)];
}

/** A linear colour as sRGB of 8 bits. */
function encoded(color: LinearRgb): LinearRgb {
  const of = (c: 0 | 1 | 2) => 255 * Math.min(1, color[c]) ** (1 / 2.2);
  return [of(0), of(1), of(2)];
}

type Level = SmallImage['levels'][number];

/** The level of which a texel is about as large as a pixel. */
function levelOf({ levels }: SmallImage, a: Corner, b: Corner, c: Corner, area: number): Level {
  const texels = Math.abs((b.u - a.u) * (c.v - a.v) - (c.u - a.u) * (b.v - a.v));
  const perPixel = levels[0]!.side * Math.sqrt(texels / Math.abs(area));
  const at = perPixel > 1 ? Math.round(Math.log2(perPixel)) : 0;
  return levels[Math.min(levels.length - 1, at)]!;
}

function texel({ side, data }: Level, u: number, v: number): LinearRgb {
  const x = Math.min(side - 1, Math.floor((u - Math.floor(u)) * side));
  const y = Math.min(side - 1, Math.floor((v - Math.floor(v)) * side));
  const at = 3 * (y * side + x);
  return [data[at]!, data[at + 1]!, data[at + 2]!];
}

function normalOf(world: Float32Array, a: number, b: number, c: number, sign: number): LinearRgb {
  const from = (corner: number, axis: number) => world[3 * corner + axis]! - world[3 * a + axis]!;
  const cross = (i: number, j: number) => from(b, i) * from(c, j) - from(b, j) * from(c, i);
  return normalized([sign * cross(1, 2), sign * cross(2, 0), sign * cross(0, 1)]);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
}

function normalized(a: LinearRgb): LinearRgb {
  const length = Math.hypot(a[0], a[1], a[2]) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}

function determinant(m: readonly number[]): number {
  return (
    m[0]! * (m[4]! * m[8]! - m[7]! * m[5]!) -
    m[3]! * (m[1]! * m[8]! - m[7]! * m[2]!) +
    m[6]! * (m[1]! * m[5]! - m[4]! * m[2]!)
  );
}
