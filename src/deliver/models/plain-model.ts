/** Makes a model as masters are: readable without a decoder, each part a node of its own. */
import { readGlb } from '../making/glb-container.ts';
import { modelUnreadable, readFigures } from '../making/glb-figures.ts';
import { pictureBreach } from '../pictures/picture-budget.ts';
import { loadLibraries } from '../profiles/libraries.ts';

/** What masters never use, and makers would lose: compression, fewer bits, instances, and the former kind of material. */
const UNUSUAL = [
  ...['EXT_meshopt_compression', 'KHR_meshopt_compression', 'KHR_draco_mesh_compression'],
  ...['KHR_mesh_quantization', 'EXT_mesh_gpu_instancing', 'KHR_materials_pbrSpecularGlossiness'],
];

/** Bytes of compressed geometry, as it is decoded: as many as the limits of pictures allow without compression. */
const MOST_DECODED_BYTES = 2 ** 30;

/**
 * Returns a model without compression, quantization and instancing.
 *
 * @param glb - As `readModel` returns it.
 * @returns The same bytes if it has none of them.
 * @throws {@link ConverterError} `MODEL_UNREADABLE` if the file is larger than what pictures can be taken of, needs an
 *   extension that is not known, or is damaged.
 */
export async function plainModel(glb: Uint8Array): Promise<Uint8Array> {
  const breach = pictureBreach(glb) ?? decodedBreach(glb);
  if (breach !== undefined) throw modelUnreadable(new Error(breach));
  const { extensionsUsed } = await readFigures(glb);
  if (!extensionsUsed.some((name) => UNUSUAL.includes(name))) return glb;
  const { functions, io, core } = await loadLibraries('draco');
  try {
    const document = await io.readBinary(glb);
    document.setLogger(new core.Logger(core.Logger.Verbosity.SILENT));
    await document.transform(
      functions.uninstance(),
      functions.dequantize(),
      functions.metalRough(),
      functions.unpartition(),
    );
    for (const extension of document.getRoot().listExtensionsUsed())
      if (UNUSUAL.includes(extension.extensionName)) extension.dispose();
    return await io.writeBinary(document);
  } catch (cause) {
    throw modelUnreadable(cause);
  }
}

/** What a file says of its compressed geometry; a file that is no GLB says nothing. */
function decodedBreach(glb: Uint8Array): string | undefined {
  const { bufferViews = [] } = readGlb(glb).json as { bufferViews?: { extensions?: object }[] };
  const decoded = bufferViews.flatMap(({ extensions = {} }) =>
    Object.values(extensions as Record<string, { count?: number; byteStride?: number }>).map(
      ({ count = 0, byteStride = 0 }) => count * byteStride,
    ),
  );
  const sum = decoded.reduce((total, bytes) => total + bytes, 0);
  // Also a sum that is no number is refused.
  if (sum <= MOST_DECODED_BYTES) return undefined;
  return `expected at most ${MOST_DECODED_BYTES} bytes of geometry, as it is decoded, received ${sum}`;
}
