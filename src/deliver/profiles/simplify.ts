/** Simplifies the surfaces of a model, within a bound that is measured. */
import type { Document, Mesh, Node, Primitive } from '@gltf-transform/core';
import { sha256Hex } from '../../support/files.ts';
import type { Once } from '../making/once.ts';
import type { Libraries } from './libraries.ts';
import { surfaceDistance } from './surface-distance.ts';

const MILLIMETRES = 1000;

/** Attempts to simplify a part that has moved too far, each time by less; then the part is kept. */
const ATTEMPTS = 8;
/** Factor of the bound in the next attempt: the library measures a mean error. */
const NEXT_SHARE = 0.9;

/** Steps of the ratio of triangles, in the search for the largest ratio within a limit. */
const RATIO_STEPS = 128;

interface Part {
  points: Float32Array;
  corners: Uint32Array;
  /** Digest of points and corners, once it is known. */
  digest?: string;
  /** Metres per unit, where the model shows the part largest. */
  scale: number;
  /** Longest side, metres. */
  extent: number;
  /** How often the model shows the part. */
  times: number;
}

interface SimplePart {
  corners: Uint32Array;
  /** How far its surface has moved, metres. */
  moved: number;
}

/**
 * Simplifies a document and documents that are equal to it.
 *
 * A part is first simplified by the error that the library measures. If a surface has moved farther than the bound
 * by {@link surfaceDistance}, it is simplified less. This takes most of the time, and the finishes of an article have
 * equal parts: each is measured once.
 *
 * @example
 * ```ts
 * // A ball of 504,000 triangles.
 * const simplifier = new Simplifier(document, 2, libraries, createOnce());
 * const ratio = await simplifier.ratioFor(40_000);   // → 0.078125
 * await simplifier.simplify(document, ratio);   // → 0.4957…
 * ```
 */
export class Simplifier {
  readonly #libraries: Libraries;
  readonly #once: Once;
  /** Largest movement of a surface, metres. */
  readonly #bound: number;
  readonly #parts: readonly Part[];
  /** The error that each part may have by the library's measure, metres. */
  readonly #errors: number[];
  /** The last result of each part: if only textures become smaller, nothing is measured again. */
  readonly #last: (SimplePart & { ratio: number })[];

  constructor(document: Document, boundMillimetres: number, libraries: Libraries, once: Once) {
    const parts = primitivesOf(document, libraries).map((one) => partOf(...one));
    const bound = boundMillimetres / MILLIMETRES;
    this.#libraries = libraries;
    this.#once = once;
    this.#bound = bound;
    this.#parts = parts;
    this.#errors = parts.map(({ extent }) => (extent > 0 ? bound : 0));
    this.#last = parts.map(({ corners }) => ({ ratio: 1, corners, moved: 0 }));
  }

  /** The largest ratio of triangles that each part may keep, so that at most `triangles` are drawn; 0: as the bound allows. */
  async ratioFor(triangles: number): Promise<number> {
    if (this.#trianglesAt(1) <= triangles) return 1;
    for (;;) {
      let [fitting, tooLarge] = [0, RATIO_STEPS];
      while (tooLarge - fitting > 1) {
        const middle = (fitting + tooLarge) >> 1;
        if (this.#trianglesAt(middle / RATIO_STEPS) <= triangles) fitting = middle;
        else tooLarge = middle;
      }
      const before = [...this.#errors];
      for (const i of this.#parts.keys()) await this.#simplerPart(i, fitting / RATIO_STEPS);
      if (before.every((error, i) => error === this.#errors[i])) return fitting / RATIO_STEPS;
    }
  }

  /** Simplifies an equal document. @returns The largest movement of a surface, millimetres. */
  async simplify(equal: Document, ratio: number): Promise<number> {
    if (ratio === 1) return 0;
    let most = 0;
    for (const [i, [, primitive]] of primitivesOf(equal, this.#libraries).entries()) {
      const { corners, moved } = await this.#simplerPart(i, ratio);
      most = Math.max(most, moved);
      if (corners === this.#parts[i]!.corners) continue;
      const indices = primitive.getIndices()!.clone().setArray(new Uint32Array(corners));
      this.#libraries.functions.compactPrimitive(primitive.setIndices(indices));
    }
    return most * MILLIMETRES;
  }

  #trianglesAt(ratio: number): number {
    return this.#parts.reduce(
      (sum, { times }, i) => sum + (times * this.#cornersAt(i, ratio).length) / 3,
      0,
    );
  }

  /** A part with at least this ratio of its triangles, within the bound. */
  async #simplerPart(i: number, ratio: number): Promise<SimplePart> {
    if (this.#last[i]!.ratio !== ratio)
      this.#last[i] = { ratio, ...(await this.#withinBound(i, ratio)) };
    return this.#last[i]!;
  }

  async #withinBound(i: number, ratio: number): Promise<SimplePart> {
    const part = this.#parts[i]!;
    const { corners, scale } = part;
    const bound = this.#bound;
    for (let attempt = 1; ; attempt++) {
      const kept = this.#cornersAt(i, ratio);
      if (kept.length === corners.length) return { corners, moved: 0 };
      const moved = scale * (await this.#distance(part, kept, bound / scale));
      if (moved <= bound) return { corners: kept, moved };
      this.#errors[i]! *= attempt < ATTEMPTS ? Math.max(1 / 4, (NEXT_SHARE * bound) / moved) : 0;
    }
  }

  /** The distance between a part and its simpler form. */
  #distance(part: Part, kept: Uint32Array, spacing: number): Promise<number> {
    const { points, corners } = part;
    part.digest ??= sha256Hex(bytesOf(points)) + sha256Hex(bytesOf(corners));
    const key = `distance ${part.digest} ${sha256Hex(bytesOf(kept))} ${spacing}`;
    return this.#once(key, async () =>
      surfaceDistance({ points, corners }, { points, corners: kept }, spacing),
    );
  }

  #cornersAt(i: number, ratio: number): Uint32Array {
    const { points, corners, extent } = this.#parts[i]!;
    const allowed = this.#errors[i]!;
    if (ratio === 1 || allowed === 0) return corners;
    const target = 3 * Math.floor((ratio * corners.length) / 3);
    // The library expects the error as a share of the extent.
    const error = Math.min(1, allowed / extent);
    return this.#libraries.simplifier.simplify(corners, points, 3, target, error)[0];
  }
}

/** The primitives with their own vertices, so that equal documents have equal primitives. */
function primitivesOf(document: Document, { functions }: Libraries): [Mesh, Primitive][] {
  return document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) =>
      mesh.listPrimitives().map((primitive): [Mesh, Primitive] => {
        functions.compactPrimitive(primitive);
        return [mesh, primitive];
      }),
    );
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function partOf(mesh: Mesh, primitive: Primitive): Part {
  const positions = primitive.getAttribute('POSITION')!;
  const points = new Float32Array(positions.getArray()!);
  const corners = new Uint32Array(primitive.getIndices()!.getArray()!);
  const scale = scaleOf(mesh);
  const times = nodesOf(mesh).length;
  return { points, corners, scale, extent: extentOf(primitive) * scale, times };
}

/** Longest side of the bounds of a primitive, in units of its mesh. */
export function extentOf(primitive: Primitive): number {
  const positions = primitive.getAttribute('POSITION')!;
  const [min, max] = [positions.getMin([]), positions.getMax([])];
  return Math.max(...max.map((value, axis) => value - min[axis]!));
}

/** The largest scale at which the scene has a mesh. */
export function scaleOf(mesh: Mesh): number {
  const scales = nodesOf(mesh).flatMap((node) => {
    const m = node.getWorldMatrix();
    return [0, 4, 8].map((at) => Math.hypot(m[at]!, m[at + 1]!, m[at + 2]!));
  });
  return Math.max(0, ...scales);
}

function nodesOf(mesh: Mesh): Node[] {
  return mesh.listParents().filter((parent) => parent.propertyType === 'Node') as Node[];
}
