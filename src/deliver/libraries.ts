/** The libraries that read, change and write GLB files: large, so that they are loaded for the first model. */

/** Loads them; what is loaded already takes no time. */
export async function loadLibraries() {
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
  return {
    core,
    extensions,
    functions,
    io,
    encoder: MeshoptEncoder,
    simplifier: MeshoptSimplifier,
  };
}

/** What {@link loadLibraries} loads. */
export type Libraries = Awaited<ReturnType<typeof loadLibraries>>;
