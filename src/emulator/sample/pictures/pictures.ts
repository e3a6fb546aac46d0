/** Pictures of articles, drawn from their parts on request, without textures and smooth shading. */
import { hypot } from '../../../support/elementary.ts';
import type { ArticleDefinition, Part, Values } from '../definition.ts';
import { materialsFor } from '../materials/materials.ts';
import { cross, dot, minus, type Point as Vector } from '../shapes/surface.ts';
import { type Facet, type FacetSources, facetsOf, rotationOf, turned } from './facets.ts';

/** A picture in pixels, 8 bits a channel, RGB, row by row from the top. */
interface Raster {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

const BACKGROUND = 250;
const MARGIN = 0.06;
/** View from the front, the right and above: degrees about Y, then about X. */
const VIEW: Vector = [24, -32, 0];
/** Direction towards the light, in the picture's own frame. */
const LIGHT: Vector = [-0.35, 0.75, 0.56];

/** Pictures are drawn twice as large and scaled down for smooth edges. */
const OVERSAMPLED = 2;

/**
 * Draws a configuration as JPEG, three quarters as high as wide.
 *
 * @param width - Width in pixels.
 */
export async function drawArticle(
  article: ArticleDefinition,
  values: Values,
  block: FacetSources['block'],
  width: number,
): Promise<Uint8Array> {
  const [wide, high] = [width * OVERSAMPLED, width * OVERSAMPLED * 0.75];
  const { data } = renderParts(article.parts(values), { block, colour }, wide, high);
  const { default: sharp } = await import('sharp');
  const raw = { width: wide, height: high, channels: 3 } as const;
  return new Uint8Array(await sharp(data, { raw }).resize(width).jpeg().toBuffer());
}

/** Colour of a material's `dif`; grey for an inline definition. */
const colour: FacetSources['colour'] = (reference) => {
  const [material] = reference === undefined ? [] : materialsFor([reference]);
  const hex = Number.parseInt(String(material?.dif ?? '0xB0B0B0').slice(2), 16);
  return [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
};

/** Draws nodes as seen from the front, the right and above, without perspective, up to a margin. */
function renderParts(
  parts: readonly Part[],
  sources: FacetSources,
  width: number,
  height: number,
): Raster {
  const view = rotationOf(VIEW);
  const facets = facetsOf(parts, sources).map(({ corners, colour }) => ({
    corners: corners.map((corner) => turned(view, corner)) as unknown as Facet['corners'],
    colour,
  }));
  const data = new Uint8ClampedArray(width * height * 3).fill(BACKGROUND);
  const raster = { width, height, data };
  const depth = new Float64Array(width * height).fill(Number.NEGATIVE_INFINITY);
  const place = fitInto(facets, width, height);
  for (const { corners, colour } of facets) {
    const [a, b, c] = corners.map(place) as [Vector, Vector, Vector];
    fill(raster, depth, [a, b, c], shaded(colour, corners));
  }
  return raster;
}

/** Maps all corners into the picture: pixels from the top left, depth towards the viewer. */
function fitInto(
  facets: readonly Facet[],
  width: number,
  height: number,
): (corner: Vector) => Vector {
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { corners } of facets) {
    for (const corner of corners) {
      for (const axis of [0, 1] as const) {
        low[axis] = Math.min(low[axis]!, corner[axis]);
        high[axis] = Math.max(high[axis]!, corner[axis]);
      }
    }
  }
  const [wide, tall] = [high[0]! - low[0]!, high[1]! - low[1]!];
  const pixels = (1 - 2 * MARGIN) * Math.min(width / wide, height / tall);
  const [left, top] = [(width - wide * pixels) / 2, (height - tall * pixels) / 2];
  return ([x, y, z]) => [left + (x - low[0]!) * pixels, top + (high[1]! - y) * pixels, z];
}

/** Shades a facet. Both sides are lit, so that open sheets and reversed faces look alike. */
function shaded(colour: Vector, [a, b, c]: Facet['corners']): Vector {
  const normal = cross(minus(b, a), minus(c, a));
  const length = hypot(...normal) || 1;
  const facing = normal[2] < 0 ? -1 : 1;
  const light = (facing * dot(normal, LIGHT)) / length;
  const strength = 0.62 + 0.38 * Math.max(0, light);
  return [colour[0] * strength, colour[1] * strength, colour[2] * strength];
}

/** Fills the pixels whose centre is in a triangle and that show no nearer facet. */
function fill(
  raster: Raster,
  depth: Float64Array,
  [a, b, c]: Facet['corners'],
  colour: Vector,
): void {
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area === 0) return;
  const { width, height, data } = raster;
  const left = Math.max(0, Math.ceil(Math.min(a[0], b[0], c[0]) - 0.5));
  const right = Math.min(width - 1, Math.floor(Math.max(a[0], b[0], c[0]) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]) - 0.5));
  const bottom = Math.min(height - 1, Math.floor(Math.max(a[1], b[1], c[1]) - 0.5));
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      const [px, py] = [x + 0.5, y + 0.5];
      const u = ((px - a[0]) * (c[1] - a[1]) - (py - a[1]) * (c[0] - a[0])) / area;
      const v = ((b[0] - a[0]) * (py - a[1]) - (b[1] - a[1]) * (px - a[0])) / area;
      if (u < 0 || v < 0 || u + v > 1) continue;
      const z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2]);
      const i = y * width + x;
      if (z <= depth[i]!) continue;
      depth[i] = z;
      data.set(colour, i * 3);
    }
  }
}
