/** The converter of a process: snapshots become GLBs, with one cache of meshes for all of them. */
import { availableParallelism } from 'node:os';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import type { ConversionInput, DecodedReader } from '../../convert/model/input.ts';
import type { Scene } from '../../convert/model/scene.ts';
import type { PreparedMesh } from '../../convert/transform/block-mesh.ts';
import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import type { MaterialExplanation } from '../../convert/transform/material-table.ts';
import type { Built } from '../../model/asset.ts';
import type { ContentStore, FileStoreOptions } from '../../source/cache/content-store.ts';
import { urlName } from '../../support/file-names.ts';
import { exists } from '../../support/files.ts';
import type { Sources } from '../open/sources.ts';
import { collectGarbage, growHeap, MOST_GARBAGE_OF_MESHES, release } from './garbage.ts';
import type { MeshThreadMessages } from './mesh-thread.ts';

/** The program of the second thread: a file beside this one. Without it, as in the sources, there is no such thread. */
const THREAD = fileURLToPath(new URL('./mesh-thread.js', import.meta.url));

interface ConverterInput {
  bodies: Pick<ContentStore, 'get'>;
  /** Where they are, for the second thread. */
  bodyFiles: FileStoreOptions;
  /** Where `build` puts GLBs. */
  objects: Pick<ContentStore, 'put'>;
  options: ConvertOptions;
  decoded?: DecodedReader | undefined;
  /** What was computed in earlier runs. Without it, everything is computed again and nothing is stored. */
  derived?: Sources['derived'] | undefined;
  cacheBytes: number;
  /** Then its memory matters more than the time of collecting garbage. */
  hasOwnProcess?: boolean;
  /** Serves signals and responses between the steps of a block. */
  pause?: () => Promise<void>;
  /** Pixels of the largest picture that is decoded; one with more is `SCENE_TOO_LARGE`. @defaultValue no limit */
  maxPicturePixels?: number | undefined;
  /** Surfaces of the largest block; one with more is `SCENE_TOO_LARGE`. @defaultValue no limit */
  maxSurfaces?: number | undefined;
}

/** From here on memory matters more than time: collecting garbage earlier costs a tenth of the time of a build. */
const BUILDS_OF_A_LARGE_RUN = 100;
/** 90 MiB less where 50,000 are built. 100 takes 10 MiB more where 8,000 are, and no less time. */
const GROWTH_IN_A_LARGE_RUN = 60;

/** The steps of a conversion. */
export interface Converter {
  /** Stores the GLB; returns its digest, figures and findings. @param put - Where it goes. @defaultValue `objects` */
  build(
    snapshot: ConversionInput,
    file?: string,
    put?: ConverterInput['objects']['put'],
  ): Promise<Omit<Built, 'warnings'> & Pick<Scene, 'warnings'>>;
  /** Returns the scene, and the `.glb` file, or the `.gltf` file with those beside it. */
  write(snapshot: ConversionInput, file: string): Promise<{ scene: Scene; files: NamedFile[] }>;
  explain(
    snapshot: ConversionInput,
  ): Promise<Pick<Scene, 'counts'> & { materials: MaterialExplanation[] }>;
}

/** The name of a step of a conversion. */
export type Step = keyof Converter;
/** What it returns. */
export type StepResult<S extends Step> = Awaited<ReturnType<Converter[S]>>;

/** Loads the converter, with one cache of meshes for all articles. */
export async function loadConverter(given: ConverterInput): Promise<Converter> {
  const { bodies, objects, options, decoded, derived, cacheBytes, maxPicturePixels } = given;
  const [transformation, { createMeshCache }, codec, tangents, glb] = await Promise.all([
    import('../../convert/transform/transform-article.ts'),
    import('../../convert/transform/mesh-cache.ts'),
    import('../../support/image-codec.ts'),
    import('./tangent-generator.ts'),
    import('../../convert/write/glb.ts'),
  ]);
  let builds = 0;
  const shared = {
    maxSurfaces: given.maxSurfaces,
    read: (digest: string) => bodies.get(digest),
    release,
    decoded,
    prepareAhead: meshThread(given),
    options,
    images: codec.sharpImageCodec(options.maxPixelsInFlight, maxPicturePixels),
    loadTangents: tangents.loadTangentGenerator,
    cache: createMeshCache(cacheBytes, derived),
    betweenSteps: given.hasOwnProcess ? () => collectGarbage(MOST_GARBAGE_OF_MESHES) : given.pause,
  };
  const transform = (
    snapshot: ConversionInput,
    explain?: (material: MaterialExplanation) => void,
  ) => transformation.transformArticle({ snapshot, explain, ...shared });
  return {
    async build(snapshot, _file, put = (glb) => objects.put(glb)) {
      builds++;
      if (builds === BUILDS_OF_A_LARGE_RUN) growHeap(GROWTH_IN_A_LARGE_RUN);
      const scene = await transform(snapshot);
      await shared.betweenSteps?.();
      const { digest, bytes } = await put(glb.writeGlbPieces(scene));
      return { ...foundIn(scene), sha256: digest, bytes };
    },
    async write(snapshot, file) {
      const scene = await transform(snapshot);
      const { name, ext } = parse(file);
      const files: NamedFile[] =
        ext.toLowerCase() === '.gltf'
          ? await writeGltf(scene, name)
          : [{ name: `${name}.glb`, bytes: glb.writeGlb(scene) }];
      return { scene, files };
    },
    async explain(snapshot) {
      const materials: MaterialExplanation[] = [];
      const { counts } = await transform(snapshot, (material) => void materials.push(material));
      return { counts, materials };
    },
  };
}

/**
 * A function that prepares a mesh in a second thread, and returns undefined where that fails. A block of 70,000
 * triangles takes 25 ms, which is what the thread takes to start. It ends after the last block of an article: a thread
 * that waits has 60 MiB.
 */
function meshThread({ bodyFiles, options, maxSurfaces = Infinity }: ConverterInput) {
  if (availableParallelism() === 1) return undefined;
  const waiting = new Map<string, (mesh: PreparedMesh | undefined) => void>();
  // Two articles may have the same block.
  const asked = new Map<string, Promise<PreparedMesh | undefined>>();
  let opened: Promise<Worker | undefined> | undefined;
  const settle = (worker: Worker, { digest, mesh }: MeshThreadMessages['answer']) => {
    waiting.get(digest)?.(mesh);
    waiting.delete(digest);
    // The process does not wait for a thread without work.
    if (waiting.size === 0) worker.unref();
  };
  const open = async () => {
    if (!(await exists(THREAD))) return undefined;
    const { Worker } = await import('node:worker_threads');
    // Large bodies are files; without the database the thread starts sooner.
    const { database: _, ...bodies } = bodyFiles;
    const workerData: MeshThreadMessages['opening'] = { bodies, options, maxSurfaces };
    const worker = new Worker(THREAD, { workerData });
    worker.on('message', (answer: MeshThreadMessages['answer']) => settle(worker, answer));
    // Its error is followed by its end.
    worker.on('error', () => {});
    worker.on('exit', () => {
      opened = undefined;
      for (const digest of waiting.keys()) settle(worker, { digest });
    });
    return worker;
  };
  const ask = async (request: MeshThreadMessages['request']) => {
    opened ??= open().catch(() => undefined);
    const worker = await opened;
    if (worker === undefined) return undefined;
    worker.ref();
    return new Promise<PreparedMesh | undefined>((resolve) => {
      waiting.set(request.digest, resolve);
      worker.postMessage(request);
    });
  };
  return (digest: string, isLast: boolean) => {
    const answer = asked.get(digest) ?? ask({ digest, isLast }).finally(() => asked.delete(digest));
    asked.set(digest, answer);
    return answer;
  };
}

/** A file of a folder. */
interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

const EXTENSIONS = { 'image/jpeg': 'jpg', 'image/png': 'png' } as const;

/**
 * Writes a scene as glTF with separate files (D-307).
 *
 * @param stem - Name of the `.gltf` file without its ending; the names of all other files begin with it.
 * @returns The files of one folder, the `.gltf` file last; equal scenes give equal bytes.
 *
 * @example `(await writeGltf(scene, 'desk')).map(({ name }) => name); // → ['desk-OAK.jpg', 'desk.bin', 'desk.gltf']`
 */
export async function writeGltf(scene: Scene, stem: string): Promise<NamedFile[]> {
  const glb = await import('../../convert/write/glb.ts');
  const buffer = `${stem}.bin`;
  const names = imageNames(scene.images, stem);
  const uris = { buffer: encodeURIComponent(buffer), images: names.map(encodeURIComponent) };
  const { json, buffer: bytes } = glb.writeGltfParts(scene, uris);
  return [
    ...scene.images.map(({ bytes }, index) => ({ name: names[index]!, bytes })),
    { name: buffer, bytes },
    { name: `${stem}.gltf`, bytes: json },
  ];
}

/** A number distinguishes names that some file systems treat as equal. */
function imageNames(images: Scene['images'], stem: string): string[] {
  const taken = new Set<string>();
  return images.map(({ name, mimeType }) => {
    const plain = `${stem}-${urlName(name.replace(/\.\w{1,4}$/, ''))}`;
    for (let copy = 1; ; copy++) {
      const unique = `${copy === 1 ? plain : `${plain}-${copy}`}.${EXTENSIONS[mimeType]}`;
      if (taken.size < taken.add(unique.toLowerCase()).size) return unique;
    }
  });
}

/** Everything of the scene but its content is a figure or a finding, and is kept as it is. */
function foundIn(scene: Scene): Omit<Built, 'sha256' | 'bytes'> {
  const { nodes: _, meshes: _meshes, geometries: _geometries, materials, images, ...found } = scene;
  return { ...found, materials: materials.length, textures: images.length };
}
