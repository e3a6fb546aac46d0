/** Reads masters with glTF-Transform, which is large, and loaded for the first master. */
import type { Document, WebIO } from '@gltf-transform/core';
import { ConverterError } from '../../support/errors.ts';

/**
 * Reads a master.
 *
 * @returns `io`: it reads and writes what masters consist of.
 * @throws {@link ConverterError} `STORE_DAMAGED` if the bytes are not a GLB.
 */
export async function readDocument(master: Uint8Array): Promise<{ document: Document; io: WebIO }> {
  const { WebIO } = await import('@gltf-transform/core');
  const { KHRONOS_EXTENSIONS } = await import('@gltf-transform/extensions');
  const io = new WebIO().registerExtensions(KHRONOS_EXTENSIONS);
  try {
    return { document: await io.readBinary(master), io };
  } catch (cause) {
    const message = `the master: expected a GLB, received what is none: ${(cause as Error).message}`;
    throw new ConverterError('STORE_DAMAGED', message, { cause });
  }
}
