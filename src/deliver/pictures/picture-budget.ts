/** Limits of a model for the graphics: a larger model takes minutes, or all memory, in every run. */
import { drawnFigures } from '../making/glb-figures.ts';

/** Each limit, with its name in a sentence. A picture of 8.8 million triangles took two minutes and 2.5 GiB. */
const LIMITS = {
  triangles: { most: 6_000_000, of: 'triangles' },
  instances: { most: 1_000_000, of: 'meshes that are drawn' },
  vertexBytes: { most: 2 ** 30, of: 'bytes of vertices and indices, as they are decoded' },
} as const;

/**
 * Returns the limit that a GLB exceeds, as a sentence; undefined if it can be drawn, or is no GLB.
 *
 * @example `pictureBreach(glb); // → 'expected at most 6000000 triangles, received 8800000'`
 */
export function pictureBreach(glb: Uint8Array): string | undefined {
  const figures = drawnFigures(glb);
  if (figures === undefined) return undefined;
  for (const [name, { most, of }] of Object.entries(LIMITS)) {
    const received = figures[name as keyof typeof LIMITS];
    if (received > most) return `expected at most ${most} ${of}, received ${received}`;
  }
  return undefined;
}
