/** Shapes: small meshes with known sides, counter-clockwise from outside. */
import type { Vec3 } from '../evaluator/vectors.ts';

export interface Shape {
  points: Vec3[];
  triangles: [number, number, number][];
  closed: boolean;
}

export const SHAPES = {
  box: () => ({ ...box(), closed: true }),
  openBox: () => ({ ...box(), triangles: box().triangles.slice(2), closed: false }),
  tetrahedron: (): Shape => ({
    points: [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    triangles: [
      [0, 2, 1],
      [0, 1, 3],
      [0, 3, 2],
      [1, 2, 3],
    ],
    closed: true,
  }),
  prism7: () => prism(7),
  prism16: () => prism(16),
  ball: () => ball(10, 6),
  patch: () => patch(4),
  triangle: (): Shape => ({
    points: [
      [0, 0, 0],
      [1, 0.125, 0],
      [0.25, 1, 0.5],
    ],
    triangles: [[0, 1, 2]],
    closed: false,
  }),
} satisfies Record<string, () => Shape>;

export type ShapeName = keyof typeof SHAPES;

function box(): Shape {
  const points: Vec3[] = [];
  for (const x of [0, 1]) for (const y of [0, 1]) for (const z of [0, 1]) points.push([x, y, z]);
  const sides = [
    [0, 1, 3, 2],
    [4, 6, 7, 5],
    [0, 4, 5, 1],
    [2, 3, 7, 6],
    [0, 2, 6, 4],
    [1, 5, 7, 3],
  ] as const;
  const triangles = sides.flatMap(([a, b, c, d]): [number, number, number][] => [
    [a, b, c],
    [a, c, d],
  ]);
  return { points, triangles, closed: true };
}

/** A prism around +Y with its caps. */
function prism(n: number): Shape {
  const points: Vec3[] = [
    [0, 0, 0],
    [0, 1, 0],
  ];
  const triangles: [number, number, number][] = [];
  for (let k = 0; k < n; k++) {
    const angle = (2 * Math.PI * k) / n;
    points.push([Math.cos(angle), 0, -Math.sin(angle)], [Math.cos(angle), 1, -Math.sin(angle)]);
    const [low, high] = [2 + 2 * k, 3 + 2 * k];
    const [nextLow, nextHigh] = [2 + 2 * ((k + 1) % n), 3 + 2 * ((k + 1) % n)];
    triangles.push([0, nextLow, low], [1, high, nextHigh]);
    triangles.push([low, nextLow, nextHigh], [low, nextHigh, high]);
  }
  return { points, triangles, closed: true };
}

function ball(n: number, rings: number): Shape {
  const points: Vec3[] = [
    [0, -1, 0],
    [0, 1, 0],
  ];
  for (let r = 1; r < rings; r++)
    for (let k = 0; k < n; k++) {
      const [up, around] = [(Math.PI * r) / rings, (2 * Math.PI * k) / n];
      const radius = Math.sin(up);
      points.push([radius * Math.cos(around), -Math.cos(up), -radius * Math.sin(around)]);
    }
  const at = (r: number, k: number) => 2 + (r - 1) * n + (k % n);
  const triangles: [number, number, number][] = [];
  for (let k = 0; k < n; k++) {
    triangles.push([0, at(1, k + 1), at(1, k)], [1, at(rings - 1, k), at(rings - 1, k + 1)]);
    for (let r = 1; r < rings - 1; r++) {
      triangles.push([at(r, k), at(r, k + 1), at(r + 1, k + 1)]);
      triangles.push([at(r, k), at(r + 1, k + 1), at(r + 1, k)]);
    }
  }
  return { points, triangles, closed: true };
}

/** An uneven cloth of k × k squares, its front upwards. */
function patch(k: number): Shape {
  const points: Vec3[] = [];
  const triangles: [number, number, number][] = [];
  for (let i = 0; i <= k; i++)
    for (let j = 0; j <= k; j++)
      points.push([i / k, 0.25 * Math.sin(1.7 * i) * Math.cos(j), j / k]);
  for (let i = 0; i < k; i++)
    for (let j = 0; j < k; j++) {
      const a = i * (k + 1) + j;
      triangles.push([a, a + 1, a + k + 2], [a, a + k + 2, a + k + 1]);
    }
  return { points, triangles, closed: false };
}
