/** The program of a second thread: prepares meshes of blocks, whose bodies it reads itself. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PreparedMesh, prepareBlock } from '../../convert/transform/block-mesh.ts';
import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import { decodeBlock } from '../../convert/wire/block.ts';
import { type FileStoreOptions, openFileStore } from '../../source/cache/content-store.ts';
import { collectGarbage, MOST_GARBAGE_OF_MESHES, release } from './garbage.ts';

/** What goes to the thread and back. */
export interface MeshThreadMessages {
  opening: { bodies: FileStoreOptions; options: ConvertOptions; maxSurfaces: number };
  /** After the last one the thread ends. */
  request: { digest: string; isLast: boolean };
  /** Without a mesh, preparing it has failed. */
  answer: { digest: string; mesh?: PreparedMesh };
}

const { bodies, options, maxSurfaces } = workerData as MeshThreadMessages['opening'];
const store = openFileStore(bodies);

parentPort?.on('message', async ({ digest, isLast }: MeshThreadMessages['request']) => {
  try {
    const body = await store.get(digest);
    const block = decodeBlock(body);
    await release(body);
    // Each has lists of its own: to receive those of many would keep the other thread from serving signals.
    if (block.surfaces.length > maxSurfaces) throw new Error('too many surfaces');
    collectGarbage(MOST_GARBAGE_OF_MESHES);
    const corners = block.surfaces.reduce((sum, { triangles }) => sum + triangles.length, 0);
    if (corners > 3 * options.maxTriangles) throw new Error('too many triangles');
    const mesh = prepareBlock(block, options);
    answer({ digest, mesh }, buffersOf(mesh));
  } catch {
    // The other thread prepares it again, meets the same error, and words it.
    answer({ digest }, []);
  }
  if (isLast) parentPort?.close();
  collectGarbage(MOST_GARBAGE_OF_MESHES);
});

function answer(message: MeshThreadMessages['answer'], buffers: ArrayBuffer[]): void {
  parentPort?.postMessage(message, buffers);
}

/** Moved to the other thread instead of copied; a buffer of two lists is listed once. */
function buffersOf({ positions, normals, uvs, surfaces }: PreparedMesh): ArrayBuffer[] {
  const lists = surfaces.flatMap((surface) => [
    surface.localPoints,
    surface.points,
    surface.normals,
    ...(surface.uvOffsets ? [surface.uvOffsets] : []),
  ]);
  const buffers = [positions, normals, uvs, ...lists].map(({ buffer }) => buffer as ArrayBuffer);
  return [...new Set(buffers)];
}
