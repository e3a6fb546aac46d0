/**
 * Render: the nodes of a parts list → a small picture of what they look like.
 *
 * In: nodes, the bodies of blocks, colours of materials. Out: pixels. It is the emulator's own, plain
 * reading of placement (frames, rotation, scale); textures and smooth shading are left out.
 */
import type { Part } from '../tree.ts';

/** What the renderer asks for while it walks. */
export interface RenderSources {
  /** Raw JSON body of a block by its canonical name. */
  block: (name: string) => Uint8Array | undefined;
  /** Diffuse colour of a material reference, sRGB 0..255 a channel. */
  colour: (reference: string | undefined) => Vector;
}

/** Pixels, 8 bits a channel, RGB, row by row from the top. */
export interface Raster {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

type Vector = readonly [number, number, number];
/** Three columns. */
type Rotation = readonly [Vector, Vector, Vector];
interface Frame {
  rotation: Rotation;
  origin: Vector;
}
/** Three corners in metres, and a colour. */
interface Facet {
  corners: readonly [Vector, Vector, Vector];
  colour: Vector;
}

const IDENTITY: Rotation = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
/** Modes of layers that nobody sees. */
const UNSEEN = /_(?:ATTACH|ORIGIN|D2|DIMENSIONS|TEXT|ACOUSTICS|ARTICLE_INFO)/i;
const BACKGROUND = 250;
const MARGIN = 0.06;
/** From the front, the right and above: degrees about Y, then about X. */
const VIEW: Vector = [24, -32, 0];
/** Towards the light, in the picture's own frame. */
const LIGHT: Vector = [-0.35, 0.75, 0.56];

/**
 * Draws nodes as seen from the front, the right and above, without perspective.
 *
 * @param width - Pixels; the furniture fills the picture up to a margin.
 */
export function renderParts(
  parts: readonly Part[],
  sources: RenderSources,
  width: number,
  height: number,
): Raster {
  const view = rotationOf(VIEW);
  const facets = facetsOf(parts, sources).map(({ corners, colour }) => ({
    corners: corners.map((corner) => turned(view, corner)) as unknown as Facet['corners'],
    colour,
  }));
  const raster = emptyRaster(width, height);
  const depth = new Float64Array(width * height).fill(Number.NEGATIVE_INFINITY);
  const place = fitInto(facets, width, height);
  for (const { corners, colour } of facets) {
    const [a, b, c] = corners.map(place) as [Vector, Vector, Vector];
    fill(raster, depth, [a, b, c], shaded(colour, corners));
  }
  return raster;
}

function emptyRaster(width: number, height: number): Raster {
  return { width, height, data: new Uint8ClampedArray(width * height * 3).fill(BACKGROUND) };
}

/** Every triangle of every drawn node, in metres, in the frame of the article. */
function facetsOf(parts: readonly Part[], sources: RenderSources): Facet[] {
  const facets: Facet[] = [];
  const stack = parts.map((part) => ({
    part,
    outer: { rotation: IDENTITY, origin: [0, 0, 0] } as Frame,
    mat: undefined as string | undefined,
  }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { part, outer } = next;
    const frame = inner(outer, part);
    const mat = part.mat ?? next.mat;
    for (const child of part.children ?? []) stack.push({ part: child, outer: frame, mat });
    if (UNSEEN.test(part.lay ?? '')) continue;
    const colour = sources.colour(mat);
    for (const triangle of trianglesOf(part, sources)) {
      facets.push({ corners: triangle.map((p) => moved(frame, p)) as never, colour });
    }
  }
  return facets;
}

/** A child's frame is its parent's times its own; scale is not inherited. */
function inner(outer: Frame, { offs = [0, 0, 0], rot }: Part): Frame {
  const origin = moved(outer, offs);
  if (rot === undefined) return { rotation: outer.rotation, origin };
  const own = rotationOf(rot);
  return { rotation: own.map((column) => turned(outer.rotation, column)) as never, origin };
}

function trianglesOf(part: Part, { block }: RenderSources): Vector[][] {
  if (part.type === 'imp') {
    const body = block(part.btgname!.replace(/^::/, '').toUpperCase());
    return body === undefined ? [] : blockTriangles(body, part.scale ?? [1, 1, 1]);
  }
  if (part.type === 'block' || part.type === 'frame') return boxTriangles(part.params);
  return [];
}

/** A block's own position and rotation come before the scale of the node. */
function blockTriangles(body: Uint8Array, scale: Vector): Vector[][] {
  const { P, R, V, A } = JSON.parse(new TextDecoder().decode(body)) as {
    P: Vector;
    R: Vector;
    V: number[];
    A: { F: number[] }[];
  };
  const own: Frame = { rotation: rotationOf(R), origin: P };
  const point = (i: number): Vector => {
    const [x, y, z] = moved(own, [V[i * 3]!, V[i * 3 + 1]!, V[i * 3 + 2]!]);
    return [x * scale[0], y * scale[1], z * scale[2]];
  };
  return A.flatMap(({ F }) =>
    Array.from({ length: F.length / 3 }, (_, i) => [0, 1, 2].map((k) => point(F[i * 3 + k]!))),
  );
}

/** Width, height and depth are the first three numbers, however they are written. */
function boxTriangles(params: unknown): Vector[][] {
  const numbers =
    typeof params === 'string' ? params.split(/[\s,;]+/) : Object.values(params as object);
  const [w = 0, h = 0, d = 0] = numbers.map(Number);
  const corner = (i: number): Vector => [i & 1 ? w : 0, i & 2 ? h : 0, i & 4 ? d : 0];
  const sides = ['0132', '4576', '0154', '2376', '0264', '1375'];
  return sides.flatMap((side) => {
    const [a, b, c, e] = [...side].map((digit) => corner(Number(digit))) as [
      Vector,
      Vector,
      Vector,
      Vector,
    ];
    return [
      [a, b, c],
      [a, c, e],
    ];
  });
}

/** Puts all corners into the picture: pixels from the top left, depth towards the eye. */
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

/** Lit from both sides, so that open sheets and turned faces look alike. */
function shaded(colour: Vector, [a, b, c]: Facet['corners']): Vector {
  const normal = cross(minus(b, a), minus(c, a));
  const length = Math.hypot(...normal) || 1;
  const facing = normal[2] < 0 ? -1 : 1;
  const light = (facing * dot(normal, LIGHT)) / length;
  const strength = 0.62 + 0.38 * Math.max(0, light);
  return [colour[0] * strength, colour[1] * strength, colour[2] * strength];
}

/** Fills the pixels whose middle lies in a triangle, where nothing nearer was drawn. */
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

/** Degrees about X, then about the turned Y, then about the twice turned Z. */
function rotationOf([x, y, z]: Vector): Rotation {
  const [a, b, c] = [x, y, z].map((degrees) => (degrees * Math.PI) / 180) as [
    number,
    number,
    number,
  ];
  const about: Rotation[] = [
    [
      [1, 0, 0],
      [0, Math.cos(a), Math.sin(a)],
      [0, -Math.sin(a), Math.cos(a)],
    ],
    [
      [Math.cos(b), 0, -Math.sin(b)],
      [0, 1, 0],
      [Math.sin(b), 0, Math.cos(b)],
    ],
    [
      [Math.cos(c), Math.sin(c), 0],
      [-Math.sin(c), Math.cos(c), 0],
      [0, 0, 1],
    ],
  ];
  return about.reduce((outer, own) => own.map((column) => turned(outer, column)) as never);
}

function turned([i, j, k]: Rotation, [x, y, z]: Vector): Vector {
  return [
    i[0] * x + j[0] * y + k[0] * z,
    i[1] * x + j[1] * y + k[1] * z,
    i[2] * x + j[2] * y + k[2] * z,
  ];
}

function moved({ rotation, origin }: Frame, point: Vector): Vector {
  const [x, y, z] = turned(rotation, point);
  return [x + origin[0], y + origin[1], z + origin[2]];
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
