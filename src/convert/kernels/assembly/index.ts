/** The functions of the module. */
export { allocate, arenaTop, setArenaTop } from './arena';
export { areWithin, findIndexRange, largestIndex, smallestIndex } from './lists';
export { acos, addSurface, duplicateTriangles, isSmooth, normalCount } from './normals';
export { scanIndices, scanNumbers } from './scan';
export { keepValid, signedVolume } from './triangles';
export {
  boundsOf,
  boxFace,
  boxFaces,
  boxU,
  boxV,
  fillNormals,
  fillUvs,
  hypot,
  shortenIndices,
  splitSurface,
  transformPoints,
} from './vertices';
export { weld } from './weld';
