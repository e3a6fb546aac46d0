/**
 * Coloured triangles of a parts list, in metres in the frame of the article, and their geometry.
 *
 * This file is a second, independent reading of placement: frames, rotation, scale.
 */
import { cos, sin } from '../../../support/elementary.ts';
import type { Part } from '../definition.ts';
import type { Point as Vector } from '../shapes/surface.ts';

/** The sources of shapes and colours. */
export interface FacetSources {
  /** Raw JSON body of a block by its canonical name. */
  block: (name: string) => Uint8Array | undefined;
  /** Diffuse colour of a material reference, sRGB 0..255 a channel. */
  colour: (reference: string | undefined) => Vector;
}

/** Three corners in metres, and a colour. */
export interface Facet {
  corners: readonly [Vector, Vector, Vector];
  colour: Vector;
}

const INVISIBLE = /_(?:ATTACH|ORIGIN|D2|DIMENSIONS|TEXT|ACOUSTICS|ARTICLE_INFO)/i;

/** Every triangle of every drawn node, in metres, in the frame of the article. */
export function facetsOf(parts: readonly Part[], sources: FacetSources): Facet[] {
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
    if (INVISIBLE.test(part.lay ?? '')) continue;
    const colour = sources.colour(mat);
    for (const triangle of trianglesOf(part, sources)) {
      facets.push({ corners: triangle.map((p) => moved(frame, p)) as never, colour });
    }
  }
  return facets;
}

/** The frame of a child: its parent's frame times its own; scale is not inherited. */
function inner(outer: Frame, { offs = [0, 0, 0], rot }: Part): Frame {
  const origin = moved(outer, offs);
  if (rot === undefined) return { rotation: outer.rotation, origin };
  const own = rotationOf(rot);
  return { rotation: own.map((column) => turned(outer.rotation, column)) as never, origin };
}

function trianglesOf(part: Part, { block }: FacetSources): Vector[][] {
  if (part.type === 'imp') {
    const body = block(part.btgname!.replace(/^::/, '').toUpperCase());
    return body === undefined ? [] : blockTriangles(body, part.scale ?? [1, 1, 1]);
  }
  if (part.type === 'block' || part.type === 'frame') return boxTriangles(part.params);
  return [];
}

/** The triangles of a block. Its own position and rotation come before the scale of the node. */
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

/** The triangles of a box. Width, height and depth are the first three numbers, in any notation. */
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

/** A rotation matrix: three columns. */
type Rotation = readonly [Vector, Vector, Vector];

/** Position and rotation in the outer frame. */
interface Frame {
  rotation: Rotation;
  origin: Vector;
}

const IDENTITY: Rotation = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Makes a rotation from degrees about X, then about the turned Y, then about the twice turned Z. */
export function rotationOf([x, y, z]: Vector): Rotation {
  const [a, b, c] = [x, y, z].map((degrees) => (degrees * Math.PI) / 180) as [
    number,
    number,
    number,
  ];
  const about: Rotation[] = [
    [
      [1, 0, 0],
      [0, cos(a), sin(a)],
      [0, -sin(a), cos(a)],
    ],
    [
      [cos(b), 0, -sin(b)],
      [0, 1, 0],
      [sin(b), 0, cos(b)],
    ],
    [
      [cos(c), sin(c), 0],
      [-sin(c), cos(c), 0],
      [0, 0, 1],
    ],
  ];
  return about.reduce((outer, own) => own.map((column) => turned(outer, column)) as never);
}

/** A rotated vector. */
export function turned([i, j, k]: Rotation, [x, y, z]: Vector): Vector {
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
