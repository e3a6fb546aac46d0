import { place, withKernels } from '../../src/convert/kernels/kernels.ts';

/** Six times the volume that some triangles enclose. */
export function signedVolume(points: Uint32Array, positions: Float32Array): number {
  return withKernels((kernels) =>
    kernels.signedVolume(place(points), points.length, place(positions)),
  );
}

/** Functions of numbers, which other kernels use. */
export const { acos, boxFace, boxU, boxV, hypot } = withKernels((kernels) => kernels);
