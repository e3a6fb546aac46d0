/**
 * What the fast routines of `src/convert/transform` compute, in the simplest form: maps, lists of numbers, and no shared
 * memory. The results are equal bit for bit, because each sum is taken in the same order.
 */
import { acos, cos } from '../../src/support/elementary.ts';
import { cross, dot, minus, type Vec3 } from './evaluator/vectors.ts';

type Triple = [number, number, number];

/**
 * The normal of each corner of a surface.
 *
 * @param positions - x y z a point.
 * @param points - Three point indices a triangle.
 */
export function simpleNormals(
  positions: Float32Array,
  points: Uint32Array,
  creaseAngleDegrees: number,
): Triple[] {
  const triangles = trianglesOf(points);
  const at = (point: number) => [...positions.subarray(3 * point, 3 * point + 3)] as Triple;
  const faces = triangles.map(([a, b, c]) => unit(cross(minus(at(b), at(a)), minus(at(c), at(a)))));
  const angles = triangles.flatMap(([a, b, c]) => anglesOf(at(a), at(b), at(c)));
  const faceOf = (corner: number) => faces[Math.floor(corner / 3)]!;
  const meanOf = (corners: number[], own: number): Triple => {
    const sum: Triple = [0, 0, 0];
    for (const corner of corners)
      faceOf(corner).forEach((value, k) => {
        sum[k]! += angles[corner]! * value;
      });
    const length = Math.sqrt(dot(sum, sum));
    const mean = length > 1e-12 ? sum.map((value) => value / length) : faceOf(own);
    return mean.map((value) => Math.fround(value) + 0) as Triple;
  };

  const crease = (creaseAngleDegrees * Math.PI) / 180;
  const normals: Triple[] = [];
  const share = (corners: number[]) => {
    const normal = meanOf(corners, corners[0]!);
    for (const corner of corners) normals[corner] = normal;
  };
  const byPoint = new Map<number, number[]>();
  points.forEach((point, corner) => {
    byPoint.set(point, [...(byPoint.get(point) ?? []), corner]);
  });
  for (const corners of byPoint.values()) {
    const isNear = (a: number, b: number) => !(dot(faceOf(a), faceOf(b)) < cos(crease / 2));
    if (corners.slice(1).every((corner) => isNear(corners[0]!, corner))) share(corners);
    else if (corners.length > 512) for (const group of groupsOf(corners, isNear)) share(group);
    else
      for (const own of corners) {
        const isWithin = (corner: number) =>
          corner === own || dot(faceOf(own), faceOf(corner)) >= cos(crease) - 1e-6;
        normals[own] = meanOf(corners.filter(isWithin), own);
      }
  }
  return normals;
}

/** Each joins the first group whose first it is near to. */
function groupsOf(corners: number[], isNear: (a: number, b: number) => boolean): number[][] {
  const groups: number[][] = [];
  for (const corner of corners) {
    const group = groups.find(([first]) => isNear(first!, corner));
    if (group) group.push(corner);
    else groups.push([corner]);
  }
  return groups;
}

/** Triangles that repeat an earlier one in the same turn. */
export function simpleDuplicates(points: Uint32Array): number {
  const keys = trianglesOf(points).map((triangle) => {
    const at = triangle.indexOf(Math.min(...triangle));
    return [...triangle.slice(at), ...triangle.slice(0, at)].join();
  });
  return keys.length - new Set(keys).size;
}

function trianglesOf(points: Uint32Array): Triple[] {
  return Array.from(
    { length: points.length / 3 },
    (_, i) => [...points.subarray(3 * i, 3 * i + 3)] as Triple,
  );
}

/** By the law of cosines. */
function anglesOf(a: Triple, b: Triple, c: Triple): Triple {
  const [ab, bc, ca] = [minus(b, a), minus(c, b), minus(a, c)].map((side) =>
    dot(side, side),
  ) as Triple;
  const between = (side: number, other: number, opposite: number) =>
    acos(Math.max(-1, Math.min(1, (side + other - opposite) / (2 * Math.sqrt(side * other)))));
  const [atA, atB] = [between(ab, ca, bc), between(ab, bc, ca)];
  return [atA, atB, Math.max(0, Math.PI - atA - atB)];
}

function unit(v: Vec3): Vec3 {
  let [scaled, length] = [v, Math.sqrt(dot(v, v))];
  if (!(length > 1e-150 && length < 1e150)) {
    const largest = Math.max(...v.map(Math.abs));
    scaled = v.map((value) => value / largest) as unknown as Vec3;
    length = Math.sqrt(dot(scaled, scaled));
  }
  return scaled.map((value) => value / length) as unknown as Vec3;
}
