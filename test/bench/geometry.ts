/**
 * Generated geometry: rippled tori, closed and without degenerate triangles, as the body of a block and as the
 * text of an OBJ file. The same index gives the same numbers on every machine.
 */

/** A torus, which differs from others by its index. */
export interface Torus {
  rings: number;
  segments: number;
  index: number;
}

const DECIMALS = 6;

/** The torus of about so many triangles. */
export function torusOf(triangles: number, index: number): Torus {
  const rings = Math.max(3, Math.round(Math.sqrt(triangles / 4)));
  return { rings, segments: Math.max(3, Math.round(triangles / rings / 2)), index };
}

/** How many triangles it has. */
export function trianglesOf({ rings, segments }: Torus): number {
  return 2 * rings * segments;
}

/** The body of a block, as the service sends it. */
export function blockBody(name: string, torus: Torus): string {
  const positions = points(torus).flatMap(({ position }) => position.map(fixed));
  const faces = corners(torus);
  const F = faces.map(({ point }) => point);
  const TI = faces.map(({ uv }) => uv);
  const lists = `"V":[${positions}],"T":[${uvs(torus).flat().map(fixed)}]`;
  return `{"N":"${name}","P":[0,0,0],"R":[0,0,0],${lists},"A":[{"F":[${F}],"TI":[${TI}],"C":true}]}`;
}

/** How many points, UVs and normals the objects of an OBJ file have so far. */
interface ObjCounts {
  points: number;
  uvs: number;
}

/**
 * The text of one object of an OBJ file, with the normals that a modelling program would write.
 *
 * @param counts - Advanced by what the text has.
 */
export function objText(
  torus: Torus,
  offset: readonly number[],
  material: string,
  counts: ObjCounts,
): string {
  const all = points(torus);
  const coordinates = uvs(torus);
  const lines = [`o part${counts.points}`];
  for (const { position } of all) {
    lines.push(`v ${position.map((value, axis) => fixed(value + offset[axis]!)).join(' ')}`);
  }
  for (const uv of coordinates) lines.push(`vt ${uv.map(fixed).join(' ')}`);
  for (const { normal } of all) lines.push(`vn ${normal.map(fixed).join(' ')}`);
  lines.push(`usemtl ${material}`);
  const faces = corners(torus).map(({ point, uv }) => {
    const at = counts.points + point + 1;
    return `${at}/${counts.uvs + uv + 1}/${at}`;
  });
  for (let i = 0; i < faces.length; i += 3) {
    lines.push(`f ${faces[i]} ${faces[i + 1]} ${faces[i + 2]}`);
  }
  counts.points += all.length;
  counts.uvs += coordinates.length;
  return `${lines.join('\n')}\n`;
}

const fixed = (value: number): string => value.toFixed(DECIMALS);

function points({ rings, segments, index }: Torus) {
  return Array.from({ length: rings * segments }, (_, i) => {
    const around = (2 * Math.PI * Math.floor(i / segments)) / rings;
    const across = (2 * Math.PI * (i % segments)) / segments;
    const tube = 0.1 + 0.002 * Math.sin(7 * around + 5 * across + index);
    const radius = 0.4 + tube * Math.cos(across);
    return {
      position: [radius * Math.cos(around), tube * Math.sin(across), -radius * Math.sin(around)],
      // Of the torus without ripples.
      normal: [
        Math.cos(across) * Math.cos(around),
        Math.sin(across),
        -Math.cos(across) * Math.sin(around),
      ],
    };
  });
}

/** One row and one column more than there are points: the seams of the texture. */
function uvs({ rings, segments }: Torus): number[][] {
  return Array.from({ length: (rings + 1) * (segments + 1) }, (_, i) => [
    Math.floor(i / (segments + 1)) / rings,
    (i % (segments + 1)) / segments,
  ]);
}

/** Three corners a triangle, counter-clockwise from outside. */
function corners({ rings, segments }: Torus): { point: number; uv: number }[] {
  const corner = (ring: number, segment: number) => ({
    point: (ring % rings) * segments + (segment % segments),
    uv: ring * (segments + 1) + segment,
  });
  return Array.from({ length: rings * segments }, (_, i) => {
    const [ring, segment] = [Math.floor(i / segments), i % segments];
    const a = corner(ring, segment);
    const b = corner(ring + 1, segment);
    const c = corner(ring + 1, segment + 1);
    const d = corner(ring, segment + 1);
    return [a, b, c, a, c, d];
  }).flat();
}
