/** The libraries that read, change and write GLB files: they are large, and loaded for the first model. */

import type { WebIO } from '@gltf-transform/core';
import type { MeshoptEncoder } from 'meshoptimizer/encoder';
import type { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import type { GeometryFormat } from './profiles.ts';

export interface Libraries {
  core: typeof import('@gltf-transform/core');
  extensions: typeof import('@gltf-transform/extensions');
  functions: typeof import('@gltf-transform/functions');
  /** Reads and writes files with all extensions. */
  io: WebIO;
  encoder: typeof MeshoptEncoder;
  simplifier: typeof MeshoptSimplifier;
}

/** Loads the libraries; a library that is already loaded takes no time. */
export async function loadLibraries(geometry: GeometryFormat = 'plain'): Promise<Libraries> {
  const [core, extensions, functions, decoder, encoder, simplifier] = await Promise.all([
    import('@gltf-transform/core'),
    import('@gltf-transform/extensions'),
    import('@gltf-transform/functions'),
    import('meshoptimizer/decoder'),
    import('meshoptimizer/encoder'),
    import('meshoptimizer/simplifier'),
  ]);
  const { MeshoptDecoder } = decoder;
  const { MeshoptEncoder } = encoder;
  const { MeshoptSimplifier } = simplifier;
  await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready, MeshoptSimplifier.ready]);
  const io = new core.WebIO()
    .setLogger(new core.Logger(core.Logger.Verbosity.SILENT))
    .registerExtensions(extensions.ALL_EXTENSIONS)
    .registerDependencies({ 'meshopt.decoder': MeshoptDecoder, 'meshopt.encoder': MeshoptEncoder });
  if (geometry === 'draco') io.registerDependencies(await loadDraco());
  return {
    core,
    extensions,
    functions,
    io,
    encoder: MeshoptEncoder,
    simplifier: MeshoptSimplifier,
  };
}

let draco: Promise<{ 'draco3d.decoder': object; 'draco3d.encoder': object }> | undefined;

function loadDraco() {
  draco ??= import('draco3dgltf').then(async ({ default: library }) => ({
    'draco3d.decoder': await library.createDecoderModule(),
    'draco3d.encoder': await library.createEncoderModule(),
  }));
  return draco;
}
