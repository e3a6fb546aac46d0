/**
 * Normals: the crease rule, evaluated pair by pair.
 *
 * @see D-306.
 */
import { type BlockSurface, pointKey } from './block.ts';
import { add, dot, facing, minus, times, unit, type Vec3 } from './vectors.ts';

/** The normal of one corner; `sure` is false where a face lies on the crease itself. */
export interface CornerNormal {
  normal: Vec3;
  sure: boolean;
}

type Three = readonly [CornerNormal, CornerNormal, CornerNormal];

interface Fan {
  normal: Vec3;
  angle: number;
}

/** Cosines closer to the crease's than this may fall either way. */
const CREASE_MARGIN = 1e-6;

/** Per triangle of a surface the normals of its corners, in the block's own space before P and R. */
export function cornerNormals(surface: BlockSurface, creaseDegrees: number): Three[] {
  const crease = Math.cos((creaseDegrees * Math.PI) / 180);
  const faces = surface.triangles.map(({ corners: [a, b, c] }) => unit(facing(a, b, c)));
  const around = new Map<string, Fan[]>();
  surface.triangles.forEach(({ corners }, index) => {
    for (const k of [0, 1, 2] as const) {
      const fan = { normal: faces[index]!, angle: angleAt(corners, k) };
      const key = pointKey(corners[k]);
      const fans = around.get(key);
      if (fans) fans.push(fan);
      else around.set(key, [fan]);
    }
  });
  return surface.triangles.map(({ corners }, index) => {
    const at = (k: 0 | 1 | 2) => blend(faces[index]!, around.get(pointKey(corners[k]))!, crease);
    return [at(0), at(1), at(2)];
  });
}

function blend(own: Vec3, fans: Fan[], crease: number): CornerNormal {
  let sum: Vec3 = [0, 0, 0];
  let sure = true;
  for (const { normal, angle } of fans) {
    const cosine = dot(own, normal);
    if (Math.abs(cosine - crease) < CREASE_MARGIN) sure = false;
    if (cosine >= crease) sum = add(sum, times(normal, angle));
  }
  return { normal: unit(sum), sure };
}

function angleAt(corners: readonly [Vec3, Vec3, Vec3], k: 0 | 1 | 2): number {
  const here = corners[k];
  const along = unit(minus(corners[((k + 1) % 3) as 0 | 1 | 2], here));
  const back = unit(minus(corners[((k + 2) % 3) as 0 | 1 | 2], here));
  return Math.acos(Math.max(-1, Math.min(1, dot(along, back))));
}
