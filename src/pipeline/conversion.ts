/** Converts snapshots into GLBs: loads the converter, and runs it in workers, which can be ended at any moment. */
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import type { ContentStore, FileStoreOptions } from '../cache/content-store.ts';
import type { Built } from '../model/asset.ts';
import type { Scene } from '../model/scene.ts';
import type { ConversionInput, DecodedReader } from '../model/snapshot.ts';
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { exists } from '../support/files.ts';
import type { ConvertOptions } from '../transform/convert-options.ts';
import type { MaterialExplanation } from '../transform/material-table.ts';
import type { NamedFile } from '../write/gltf.ts';
import type { Run } from './open-run.ts';

/**
 * The entry of a worker: a file beside this one. Without it, as in the sources, which tests run, and in a bundle to
 * which it was not added, conversions run in this thread, and cannot be ended.
 */
const WORKER = new URL('./conversion-worker.js', import.meta.url);

/** Articles converted at the same time, each in a worker of its own; a large one is alone. */
export const CONVERSIONS_AT_ONCE = 2;

/** Parts lists and blocks from which a conversion may take hundreds of MiB. */
const LARGE_LIST_BYTES = 1024 * 1024;
const LARGE_BLOCKS_BYTES = 8 * 1024 * 1024;

/** Of the mesh cache of each worker. */
const WORKER_CACHE_BYTES = 128 * 1024 * 1024;

/** What goes to a worker and back. */
export interface WorkerMessages {
  /** What it is started with. */
  data: { bodies: FileStoreOptions; options: ConvertOptions; cacheBytes: number };
  /** A step of the converter, its input, and the name of the file that it makes. */
  request: { step: Step; input: ConversionInput; file: string };
  answer: { result: StepResult<Step> } | { error: WorkerError };
}

type Converter = Awaited<ReturnType<typeof loadConverter>>;
type Step = keyof Converter;
type StepResult<S extends Step> = Awaited<ReturnType<Converter[S]>>;

interface WorkerError {
  code: ErrorCode;
  message: string;
  /** If it is not that of the code. */
  help: string | undefined;
  /** Of an error without a code: it locates a mistake of this program. */
  stack: string | undefined;
}

/** Whether a conversion takes so much memory that another one must not run at the same time. */
export async function isLargeConversion(
  { partsList, blocks, images }: ConversionInput,
  bodies: Pick<ContentStore, 'get' | 'sizeOf'>,
  { maxPixelsInFlight }: Pick<ConvertOptions, 'maxPixelsInFlight'>,
): Promise<boolean> {
  if (((await bodies.sizeOf(partsList)) ?? 0) >= LARGE_LIST_BYTES) return true;
  let bytes = 0;
  for (const block of blocks.values()) bytes += 'bytes' in block ? block.bytes : 0;
  if (bytes >= LARGE_BLOCKS_BYTES) return true;
  const { readImageHeader } = await import('../transform/images.ts');
  for (const image of images.values()) {
    if (!('digest' in image)) continue;
    // A damaged body fails the conversion itself.
    const body = await bodies.get(image.digest).catch(() => new Uint8Array());
    const { width = 0, height = 0 } = readImageHeader(body) ?? {};
    // A conversion has one picture decoded at a time.
    if (width * height * CONVERSIONS_AT_ONCE > maxPixelsInFlight) return true;
  }
  return false;
}

/** Loads the converter, with one cache of meshes for all articles; it only reads bodies. */
export async function loadConverter(
  bodies: Pick<ContentStore, 'get'>,
  options: ConvertOptions,
  decoded?: DecodedReader,
  cacheBytes?: number,
) {
  const [transformation, { createMeshCache }, codec, tangents, { writeGlb }, { writeGltf }] =
    await Promise.all([
      import('../transform/transform-article.ts'),
      import('../transform/mesh-cache.ts'),
      import('../support/image-codec.ts'),
      import('../support/tangent-generator.ts'),
      import('../write/glb.ts'),
      import('../write/gltf.ts'),
    ]);
  const shared = {
    read: (digest: string) => bodies.get(digest),
    decoded,
    options,
    images: codec.sharpImageCodec(options.maxPixelsInFlight),
    loadTangents: tangents.loadTangentGenerator,
    cache: createMeshCache(cacheBytes),
  };
  const transform = (
    snapshot: ConversionInput,
    explain?: (material: MaterialExplanation) => void,
  ) => transformation.transformArticle({ snapshot, explain, ...shared });
  return {
    /** The GLB, and its figures and findings. */
    convert: async (snapshot: ConversionInput) => {
      const scene = await transform(snapshot);
      return { glb: writeGlb(scene), found: foundIn(scene) };
    },
    /** The scene, and the `.glb` file, or the `.gltf` file with those beside it. */
    write: async (snapshot: ConversionInput, file: string) => {
      const scene = await transform(snapshot);
      const { name, ext } = parse(file);
      const files: NamedFile[] =
        ext.toLowerCase() === '.gltf'
          ? writeGltf(scene, name)
          : [{ name: `${name}.glb`, bytes: writeGlb(scene) }];
      return { scene, files };
    },
    /** The counts of the scene, and how each material was made. */
    explain: async (snapshot: ConversionInput) => {
      const materials: MaterialExplanation[] = [];
      const { counts } = await transform(snapshot, (material) => void materials.push(material));
      return { counts, materials };
    },
  };
}

/** Everything of the scene but its content is a figure or a finding, and is kept as it is. */
function foundIn(scene: Scene): Omit<Built, 'sha256' | 'bytes'> {
  const { nodes: _, meshes: _meshes, geometries: _geometries, materials, images, ...found } = scene;
  return { ...found, materials: materials.length, textures: images.length };
}

/**
 * Opens the conversions of a run. A worker is started when none is idle, and converts one article after another.
 *
 * @returns A function that does a step of the converter within the time limit of an article, and rejects with
 *   `INTERRUPTED` as soon as the run ends.
 */
export function openConversions(run: Run, decoded: DecodedReader | undefined) {
  const open = async () =>
    (await exists(fileURLToPath(WORKER))) ? inWorkers(run) : inThisThread(run, decoded);
  let opened: ReturnType<typeof open> | undefined;
  return <S extends Step>(step: S, input: ConversionInput, { file = '', isLarge = false } = {}) =>
    within(run, async (limit) => {
      opened ??= open();
      const work = await opened;
      const signal = AbortSignal.any([run.session.ended, limit]);
      if (signal.aborted) throw interrupted();
      return work({ step, input, file }, signal, isLarge);
    }) as Promise<StepResult<S>>;
}

/**
 * Limits the time of work for one article, and aborts the signal of the work then; requests end by limits of
 * their own. Pauses, in which the service holds back every request, do not count.
 */
export function within<T>(
  { options, session }: Run,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limitMs = options.pipeline.limits.articleTimeoutMs;
  const stop = new AbortController();
  return new Promise((resolve, reject) => {
    const message = `timed out after ${limitMs / 1000} s (limits.articleTimeoutMs)`;
    let countedMs = session.pausedMs();
    const late = () => {
      const addedMs = session.pausedMs() - countedMs;
      countedMs += addedMs;
      if (addedMs > 0) {
        timer = setTimeout(late, addedMs);
        return;
      }
      reject(new ConverterError('ARTICLE_TIMEOUT', message));
      stop.abort();
    };
    let timer = setTimeout(late, limitMs);
    work(stop.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

function interrupted(): ConverterError {
  return new ConverterError('INTERRUPTED', 'interrupted during the conversion');
}

function inThisThread({ stores, options }: Run, decoded: DecodedReader | undefined) {
  const converter = loadConverter(stores.bodies, options.pipeline.convert, decoded);
  return async ({ step, input, file }: WorkerMessages['request']) =>
    (await converter)[step](input, file);
}

function inWorkers({ stores, options, session }: Run) {
  const { convert, limits } = options.pipeline;
  const workerData: WorkerMessages['data'] = {
    bodies: stores.bodyFiles,
    options: convert,
    cacheBytes: WORKER_CACHE_BYTES,
  };
  const workers = new Set<ConversionWorker>();
  const idle = new Set<ConversionWorker>();
  const start = () => {
    const worker = startWorker(workerData, limits.conversionHeapMb, () => {
      workers.delete(worker);
      idle.delete(worker);
    });
    workers.add(worker);
    return worker;
  };
  const endAll = (some: ReadonlySet<ConversionWorker>) =>
    Promise.all(Array.from(some, (worker) => worker.end()));
  session.ended.addEventListener('abort', () => endAll(workers), { once: true });

  return async (
    { step, input, file }: WorkerMessages['request'],
    signal: AbortSignal,
    isLarge: boolean,
  ) => {
    const { key, partsList, blocks, images } = input;
    if (isLarge) {
      // An idle worker keeps its caches and what it has not collected yet.
      await endAll(idle);
      if (signal.aborted) throw interrupted();
    }
    collectGarbage();
    const [worker = start()] = idle;
    idle.delete(worker);
    signal.addEventListener('abort', worker.end);
    try {
      const answer = await worker.send({ step, input: { key, partsList, blocks, images }, file });
      if (isLarge) await worker.end();
      else idle.add(worker);
      if ('error' in answer) throw errorOf(answer.error);
      return answer.result;
    } finally {
      signal.removeEventListener('abort', worker.end);
    }
  };
}

/** In this thread, beside the workers. */
const MOST_GARBAGE_BYTES = 64 * 1024 * 1024;
let bytesInUse = 0;

/** The engine leaves hundreds of MiB of garbage in this thread, because it does not know what a worker needs. */
function collectGarbage(): void {
  const usedBytes = () => {
    const { used_heap_size, external_memory } = getHeapStatistics();
    return used_heap_size + external_memory;
  };
  bytesInUse = Math.min(bytesInUse, usedBytes());
  if (usedBytes() - bytesInUse < MOST_GARBAGE_BYTES) return;
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect();
  bytesInUse = usedBytes();
}

type ConversionWorker = ReturnType<typeof startWorker>;

function startWorker(workerData: WorkerMessages['data'], heapMb: number, onExit: () => void) {
  const worker = new Worker(WORKER, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let reject = (_error: unknown) => {};
  let resolve = (_answer: WorkerMessages['answer']) => {};
  worker.on('message', (answer: WorkerMessages['answer']) => resolve(answer));
  worker.on('error', (error) => reject(workerError(error, heapMb)));
  worker.on('exit', (code) => {
    onExit();
    reject(new Error(`conversion: the worker ended with code ${code}`));
  });
  return {
    send: (request: WorkerMessages['request']): Promise<WorkerMessages['answer']> => {
      worker.ref();
      const answer = new Promise<WorkerMessages['answer']>((...settle) => {
        [resolve, reject] = settle;
      });
      worker.postMessage(request);
      // The process does not wait for a worker without work.
      return answer.finally(() => worker.unref());
    },
    /** Ends the worker, also in the middle of a conversion, which then is interrupted at once. */
    end: () => {
      onExit();
      reject(interrupted());
      return worker.terminate();
    },
  };
}

function errorOf({ code, message, help, stack }: WorkerError): ConverterError {
  const cause = stack === undefined ? undefined : Object.assign(new Error(message), { stack });
  return new ConverterError(code, message, { cause, ...(help !== undefined && { help }) });
}

function workerError(error: NodeJS.ErrnoException, heapMb: number): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  const message = `conversion: expected at most ${heapMb} MiB of memory, needed more (limits.conversionHeapMb)`;
  return new ConverterError('OUT_OF_MEMORY', message, { cause: error });
}
