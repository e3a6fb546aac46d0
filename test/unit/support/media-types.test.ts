import { expect, test } from 'vitest';
import { mediaTypeOf } from '../../../src/support/media-types.ts';

test.each([
  ['objects/00/00.glb', 'model/gltf-binary'],
  ['khronos/FJEL/LN-M.gltf', 'model/gltf+json'],
  ['khronos/FJEL/LN-M.bin', 'application/octet-stream'],
  ['ar-ios/FJEL/LN-M.USDZ', 'model/vnd.usdz+zip'],
  ['feeds/erp.csv', 'text/csv; charset=utf-8'],
  ['feeds/bmecat.xml', 'application/xml'],
  ['a.glb/LN-M', 'application/octet-stream'],
])('%s is %s', (name, type) => {
  expect(mediaTypeOf(name)).toBe(type);
});
