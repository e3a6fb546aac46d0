/** Makes USDZ of GLBs; its libraries are large, so that the worker imports it for the first one. */
import { WebIO } from '@gltf-transform/core';
import { KHRONOS_EXTENSIONS } from '@gltf-transform/extensions';
import { writeUsdz } from '../../deliver/usd/usdz.ts';

/**
 * The USDZ file of a GLB that the converter made: the bytes that `btg2gltf deliver` writes.
 *
 * @throws ConverterError `NOTHING_TO_DRAW`, `SCENE_TOO_LARGE`.
 */
export async function usdzOf(glb: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const document = await new WebIO().registerExtensions(KHRONOS_EXTENSIONS).readBinary(glb);
  return writeUsdz(document).bytes;
}
