/** Makes USDZ files of GLBs; the libraries are large, so that the worker imports this file only for the first GLB. */
import { WebIO } from '@gltf-transform/core';
import { KHRONOS_EXTENSIONS } from '@gltf-transform/extensions';
import { writeUsdz } from '../../deliver/usd/usdz.ts';

/**
 * The USDZ file of a GLB from the converter: the same bytes that `btg2gltf deliver` writes.
 *
 * @throws ConverterError `NOTHING_TO_DRAW`, `SCENE_TOO_LARGE`.
 */
export async function usdzOf(glb: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const document = await new WebIO().registerExtensions(KHRONOS_EXTENSIONS).readBinary(glb);
  return writeUsdz(document).bytes;
}
