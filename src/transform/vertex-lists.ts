/** Vertex lists: finds the vertex that a corner is among those of its point, however many there are. */

const NONE = 0xffffffff;

/** A list of this length is closed; further vertices of its point are found by key, in constant time. */
const LONGEST_LIST = 64;

/** The corners that are to be joined to vertices: those of one point that are the same are one vertex. */
interface Corners {
  pointCount: number;
  cornerCount: number;
  isSame(vertex: number, corner: number): boolean;
  /** Equal for corners of one point exactly where they are the same. */
  keyOf(corner: number): string;
}

/**
 * Makes an index without vertices. They are numbered from 0 on.
 *
 * A short list is searched from end to end, which takes no memory and a fraction of the time of a key.
 */
export function createVertexLists({ pointCount, cornerCount, isSame, keyOf }: Corners) {
  const heads = new Uint32Array(pointCount).fill(NONE);
  const next = new Uint32Array(cornerCount);
  let unlisted: Map<string, number> | undefined;
  let count = 0;

  function unlistedVertexOf(point: number, corner: number): number {
    unlisted ??= new Map();
    const key = `${point} ${keyOf(corner)}`;
    const known = unlisted.get(key);
    if (known !== undefined) return known;
    unlisted.set(key, count);
    return count++;
  }

  return {
    /** The vertex of a point that a corner is, or a new one: the number of those before it. */
    vertexOf(point: number, corner: number): number {
      let length = 0;
      for (let vertex = heads[point]!; vertex !== NONE; vertex = next[vertex]!) {
        if (isSame(vertex, corner)) return vertex;
        length++;
      }
      if (length >= LONGEST_LIST) return unlistedVertexOf(point, corner);
      next[count] = heads[point]!;
      heads[point] = count;
      return count++;
    },
  };
}
