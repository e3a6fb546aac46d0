/**
 * Projection: box-mapped texture coordinates in metres, and the texel that a material makes of them.
 *
 * @see D-402, D-403, D-420.
 */
import { circle, facing, length, minus, unit, type Vec2, type Vec3 } from './vectors.ts';

export type Uvs = readonly [Vec2, Vec2, Vec2];
type Corners = readonly [Vec3, Vec3, Vec3];

/** What a material does to texture coordinates: p' = S·(R(W)·p + o), V up. */
export interface TexturePlacement {
  scale: Vec2;
  offset: Vec2;
  rotationDegrees: number;
}

const TIE = 1e-6;
/** In the order in which ties are given away: front, side, top. */
const FACES = [
  { axis: 2, uv: ([x, y]: Vec3): Vec2 => [x, y] },
  { axis: 0, uv: ([, y, z]: Vec3): Vec2 => [z, y] },
  { axis: 1, uv: ([x, , z]: Vec3): Vec2 => [x, z] },
] as const;

/**
 * Every projection that the rule allows for a triangle: one, or more where the noise of float32
 * coordinates decides between two faces.
 *
 * @param noiseMetres - How far a corner may lie from where double precision puts it.
 */
export function boxProjections(corners: Corners, swap: boolean, noiseMetres: number): Uvs[] {
  const normal = unit(facing(...corners)).map(Math.abs) as unknown as Vec3;
  const most = Math.max(...normal);
  const margin = (4 * noiseMetres) / lowestHeight(corners) + 1e-12;
  const possible: Uvs[] = [];
  for (const { axis, uv } of FACES) {
    const behind = most - normal[axis];
    if (behind > TIE + margin) continue;
    const turned = (corner: Vec3): Vec2 => {
      const [u, v] = uv(corner);
      return swap ? [v, u] : [u, v];
    };
    possible.push([turned(corners[0]), turned(corners[1]), turned(corners[2])]);
    if (behind <= TIE - margin) break;
  }
  return possible;
}

function lowestHeight(corners: Corners): number {
  const [a, b, c] = corners;
  const longest = Math.max(length(minus(b, a)), length(minus(c, b)), length(minus(a, c)));
  return length(facing(a, b, c)) / longest;
}

/** The texel that a point of the service's own texture space comes to, V up, in tiles. */
export function texelOf({ scale, offset, rotationDegrees }: TexturePlacement, [u, v]: Vec2): Vec2 {
  const [c, s] = circle(rotationDegrees);
  return [scale[0] * (c * u - s * v + offset[0]), scale[1] * (s * u + c * v + offset[1])];
}
