/** Converts snapshots into GLBs: loads the converter, and runs it in workers, which can be ended at any moment. */
import { Worker } from 'node:worker_threads';
import type { ContentStore, FileStoreOptions } from '../cache/content-store.ts';
import type { Built } from '../model/asset.ts';
import type { Scene } from '../model/scene.ts';
import type { ConversionInput, DecodedReader } from '../model/snapshot.ts';
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import type { ConvertOptions } from '../transform/convert-options.ts';
import type { MaterialExplanation } from '../transform/material-table.ts';

/** Parts lists, blocks and pictures from which a conversion may take hundreds of MiB. */
const LARGE_LIST_BYTES = 1024 * 1024;
const LARGE_BLOCKS_BYTES = 8 * 1024 * 1024;
const LARGE_PIXELS = 16 * 1024 * 1024;

/** Of the mesh cache of each worker. */
const WORKER_CACHE_BYTES = 128 * 1024 * 1024;

/** A converted article: its file, and its figures and findings. */
interface Conversion {
  glb: Uint8Array;
  found: Omit<Built, 'sha256' | 'bytes'>;
}

/** What a worker is started with. */
export interface WorkerInput {
  bodies: FileStoreOptions;
  options: ConvertOptions;
  cacheBytes: number;
}

/** What a worker is asked for: a step of the converter, and what for. */
export interface WorkerRequest {
  step: Step;
  input: ConversionInput;
}

/** What a worker answers. */
export type WorkerAnswer = { result: Conversion | Scene } | { error: WorkerError };

type Converter = Awaited<ReturnType<typeof loadConverter>>;
type Step = 'transform' | 'convert';
type StepResult<S extends Step> = Awaited<ReturnType<Converter[S]>>;

interface WorkerError {
  code: ErrorCode;
  message: string;
  /** If it is not that of the code. */
  help: string | undefined;
  /** Of an error without a code: it locates a mistake of this program. */
  stack: string | undefined;
}

interface ConversionOptions {
  /** Where the bodies are: a worker opens the store itself. */
  store: FileStoreOptions;
  bodies: Pick<ContentStore, 'get'>;
  decoded: DecodedReader | undefined;
  options: ConvertOptions;
  /** JavaScript memory of a worker, MiB. */
  heapMb: number;
  /** Ends all conversions, and the workers. */
  signal: AbortSignal;
}

/** Whether a conversion takes so much memory that another one must not run at the same time. */
export async function isLargeConversion(
  { partsList, blocks, images }: ConversionInput,
  bodies: Pick<ContentStore, 'get' | 'sizeOf'>,
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
    if (width * height >= LARGE_PIXELS) return true;
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
  const [transformation, { createMeshCache }, codec, tangents, { writeGlb }] = await Promise.all([
    import('../transform/transform-article.ts'),
    import('../transform/mesh-cache.ts'),
    import('../support/image-codec.ts'),
    import('../support/tangent-generator.ts'),
    import('../write/glb.ts'),
  ]);
  const shared = {
    read: (digest: string) => bodies.get(digest),
    decoded,
    options,
    images: codec.sharpImageCodec(),
    loadTangents: tangents.loadTangentGenerator,
    cache: createMeshCache(cacheBytes),
  };
  const transform = (
    snapshot: ConversionInput,
    explain?: (material: MaterialExplanation) => void,
  ) => transformation.transformArticle({ snapshot, explain, ...shared });
  return {
    transform,
    convert: async (snapshot: ConversionInput): Promise<Conversion> => {
      const scene = await transform(snapshot);
      return { glb: writeGlb(scene), found: foundIn(scene) };
    },
  };
}

/** Everything of the scene but its content is a figure or a finding, and is kept as it is. */
function foundIn(scene: Scene): Conversion['found'] {
  const { nodes: _, meshes: _meshes, geometries: _geometries, materials, images, ...found } = scene;
  return { ...found, materials: materials.length, textures: images.length };
}

/**
 * Opens the conversions of a run. A worker is started when none is idle, and converts one article after another.
 * The sources, which tests run, have no worker that Node can load: they convert in this thread.
 *
 * @returns A function that does a step of the converter, and rejects with `INTERRUPTED` as soon as its signal is
 *   aborted.
 */
export function openConversions(opening: ConversionOptions) {
  const work = import.meta.url.endsWith('.js') ? inWorkers(opening) : inThisThread(opening);
  return <S extends Step>(
    step: S,
    input: ConversionInput,
    signal: AbortSignal,
    isLarge = false,
  ): Promise<StepResult<S>> => {
    const ended = AbortSignal.any([opening.signal, signal]);
    return work({ step, input }, ended, isLarge) as Promise<StepResult<S>>;
  };
}

function inThisThread({ bodies, options, decoded }: ConversionOptions) {
  let converter: ReturnType<typeof loadConverter> | undefined;
  return async ({ step, input }: WorkerRequest, signal: AbortSignal) => {
    converter ??= loadConverter(bodies, options, decoded);
    const { [step]: work } = await converter;
    throwIfAborted(signal);
    return work(input);
  };
}

function throwIfAborted({ aborted }: AbortSignal): void {
  if (aborted) throw interrupted();
}

function interrupted(): ConverterError {
  return new ConverterError('INTERRUPTED', 'interrupted during the conversion');
}

function inWorkers({ store, options, heapMb, signal: ending }: ConversionOptions) {
  const workerData: WorkerInput = { bodies: store, options, cacheBytes: WORKER_CACHE_BYTES };
  const workers = new Set<ConversionWorker>();
  const idle = new Set<ConversionWorker>();
  const start = () => {
    const worker = startWorker(workerData, heapMb, () => {
      workers.delete(worker);
      idle.delete(worker);
    });
    workers.add(worker);
    return worker;
  };
  const endAll = (some: ReadonlySet<ConversionWorker>) => {
    for (const worker of some) worker.end(interrupted());
  };
  ending.addEventListener('abort', () => endAll(workers), { once: true });

  return async ({ step, input }: WorkerRequest, signal: AbortSignal, isLarge: boolean) => {
    throwIfAborted(signal);
    const { key, partsList, blocks, images } = input;
    // An idle worker keeps its caches and what it has not collected yet.
    if (isLarge) endAll(idle);
    const [worker = start()] = idle;
    idle.delete(worker);
    const onAbort = () => worker.end(interrupted());
    signal.addEventListener('abort', onAbort);
    try {
      const answer = await worker.send({ step, input: { key, partsList, blocks, images } });
      if (isLarge) worker.end(interrupted());
      else idle.add(worker);
      if ('error' in answer) throw errorOf(answer.error);
      return answer.result;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };
}

type ConversionWorker = ReturnType<typeof startWorker>;

function startWorker(workerData: WorkerInput, heapMb: number, onExit: () => void) {
  const worker = new Worker(new URL('./conversion-worker.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let reject = (_error: unknown) => {};
  let resolve = (_answer: WorkerAnswer) => {};
  worker.on('message', (answer: WorkerAnswer) => resolve(answer));
  worker.on('error', (error) => reject(workerError(error, heapMb)));
  worker.on('exit', (code) => {
    onExit();
    reject(new Error(`conversion: the worker ended with code ${code}`));
  });
  return {
    send: (request: WorkerRequest): Promise<WorkerAnswer> => {
      worker.ref();
      const answer = new Promise<WorkerAnswer>((...settle) => {
        [resolve, reject] = settle;
      });
      worker.postMessage(request);
      // The process does not wait for a worker without work.
      return answer.finally(() => worker.unref());
    },
    /** Ends the worker, also in the middle of a conversion, which then fails with this error at once. */
    end(error: ConverterError): void {
      onExit();
      reject(error);
      void worker.terminate();
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
