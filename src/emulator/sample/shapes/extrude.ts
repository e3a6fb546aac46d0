/** Extrudes a plan (x, z) to a slab along +Y, with chamfered or round edges. */
import { cos, sin } from '../../../support/elementary.ts';
import { inset, type Outline, triangulate } from './outline.ts';
import { addGrid, addTriangles, emptySurface, outward, type Shape } from './surface.ts';

/** One layer of a slab: inset of its outline and height, metres. */
interface Layer {
  inset: number;
  y: number;
}

/**
 * A slab over a plan; the plan's second coordinate is z.
 *
 * @param edge - Radius of the upper and lower edge, metres.
 * @param steps - Segments of an edge; 1 is a chamfer.
 */
export function slab(
  outline: Outline,
  thickness: number,
  edge: number,
  steps = 1,
  lowerEdge = edge,
): Shape {
  const layers = [
    ...edgeLayers(Math.min(lowerEdge, thickness / 2.01), steps),
    ...edgeLayers(Math.min(edge, thickness / 2.01), steps)
      .map((layer) => ({ inset: layer.inset, y: thickness - layer.y }))
      .reverse(),
  ];
  const rings = layers.map((layer) => inset(outline, layer.inset));
  const surface = emptySurface(true);
  const n = outline.length;
  addGrid(surface, layers.length - 1, n, (i, j) => {
    const [x, z] = rings[i]![j % n]!;
    return { point: [x, layers[i]!.y, z] };
  });
  // A counter-clockwise outline in (x, z) faces down, so the upper cap is reversed.
  for (const k of [0, rings.length - 1]) {
    const ring = rings[k]!;
    const triangles = triangulate(ring);
    addTriangles(
      surface,
      ring.map(([x, z]) => ({ point: [x, layers[k]!.y, z] })),
      k === 0 ? triangles : triangles.reverse(),
    );
  }
  return [outward(surface)];
}

/** Layers of a lower edge, from the flat part outwards; mirrored, they form an upper edge. */
function edgeLayers(radius: number, steps: number): Layer[] {
  if (radius <= 0) return [{ inset: 0, y: 0 }];
  const arc = Array.from({ length: steps + 1 }, (_, i) => {
    const angle = (i / steps) * (Math.PI / 2);
    return { inset: radius * (1 - sin(angle)), y: radius * (1 - cos(angle)) };
  });
  // A narrow flat ring keeps the shading of a large face flat if the edge is round.
  if (steps === 1) return arc;
  const last = arc.at(-1)!;
  return [{ inset: radius * 1.6, y: 0 }, ...arc, { inset: 0, y: last.y + radius * 0.2 }];
}
