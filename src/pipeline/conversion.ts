/** Converts snapshots into GLBs: loads the converter, and runs it in child processes, which can be ended at any moment. */
import { fork } from 'node:child_process';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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
 * The program of a child process: a file beside this one. Without it, as in the sources, which tests run, and in a
 * bundle to which it was not added, conversions run in this process, and cannot be ended.
 */
const PROGRAM = fileURLToPath(new URL('./conversion-process.js', import.meta.url));

/** Articles converted at the same time, each in a process of its own; a large one is alone. */
export const CONVERSIONS_AT_ONCE = 2;

/** Parts lists and blocks from which a conversion may take hundreds of MiB. */
const LARGE_LIST_BYTES = 1024 * 1024;
const LARGE_BLOCKS_BYTES = 8 * 1024 * 1024;

/** Of the mesh cache of each process. */
const PROCESS_CACHE_BYTES = 128 * 1024 * 1024;

/** What goes to a child process and back. */
export interface ConversionMessages {
  /** The first message. */
  opening: { bodies: FileStoreOptions; options: ConvertOptions; cacheBytes: number };
  /** A step of the converter, its input, and the name of the file that it makes. */
  request: { step: Step; input: ConversionInput; file: string };
  answer: { result: StepResult<Step> } | { error: SentError };
}

type Converter = Awaited<ReturnType<typeof loadConverter>>;
type Step = keyof Converter;
type StepResult<S extends Step> = Awaited<ReturnType<Converter[S]>>;

interface SentError {
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
 * Opens the conversions of a run. A process is started when none is idle, and converts one article after another.
 *
 * @returns A function that does a step of the converter within the time limit of an article, and rejects with
 *   `INTERRUPTED` as soon as the run ends.
 */
export function openConversions(run: Run, decoded: DecodedReader | undefined) {
  const open = async () =>
    (await exists(PROGRAM)) ? inProcesses(run) : inThisProcess(run, decoded);
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
 * Limits the time of work for one article, and aborts the signal of the work and its requests then. Pauses, in which the service holds back every request, do not count.
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

function inThisProcess({ stores, options }: Run, decoded: DecodedReader | undefined) {
  const converter = loadConverter(stores.bodies, options.pipeline.convert, decoded);
  return async ({ step, input, file }: ConversionMessages['request']) =>
    (await converter)[step](input, file);
}

function inProcesses({ stores, options, session }: Run) {
  const { convert, limits } = options.pipeline;
  const opening: ConversionMessages['opening'] = {
    bodies: stores.bodyFiles,
    options: convert,
    cacheBytes: PROCESS_CACHE_BYTES,
  };
  const children = new Set<ConversionProcess>();
  const idle = new Set<ConversionProcess>();
  const start = () => {
    const child = startProcess(opening, limits.conversionHeapMb, () => {
      children.delete(child);
      idle.delete(child);
    });
    children.add(child);
    return child;
  };
  const endAll = (some: ReadonlySet<ConversionProcess>) =>
    Promise.all(Array.from(some, (child) => child.end()));
  session.ended.addEventListener('abort', () => endAll(children), { once: true });

  return async (
    { step, input, file }: ConversionMessages['request'],
    signal: AbortSignal,
    isLarge: boolean,
  ) => {
    const { key, partsList, blocks, images } = input;
    if (isLarge) {
      // An idle process keeps its caches and what it has not collected yet.
      await endAll(idle);
      if (signal.aborted) throw interrupted();
    }
    collectGarbage();
    const [child = start()] = idle;
    idle.delete(child);
    signal.addEventListener('abort', child.end);
    try {
      const answer = await child.send({ step, input: { key, partsList, blocks, images }, file });
      if (isLarge) await child.end();
      else idle.add(child);
      if ('error' in answer) throw errorOf(answer.error);
      return answer.result;
    } finally {
      signal.removeEventListener('abort', child.end);
    }
  };
}

/** In this process, beside the others. */
const MOST_GARBAGE_BYTES = 64 * 1024 * 1024;
let bytesInUse = 0;

/** The engine leaves hundreds of MiB of garbage, because it does not know what the other processes need. */
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

type ConversionProcess = ReturnType<typeof startProcess>;

function startProcess(opening: ConversionMessages['opening'], heapMb: number, onEnd: () => void) {
  const child = fork(PROGRAM, {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${heapMb}`],
    // Nothing secret; each of many malloc arenas would keep what a picture took.
    env: { MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let reject = (_error: unknown) => {};
  let resolve = (_answer: ConversionMessages['answer']) => {};
  const fail = (error: unknown) => {
    onEnd();
    reject(error);
  };
  child.on('message', (answer: ConversionMessages['answer']) => resolve(answer));
  const hasEnded = new Promise<void>((end) => {
    child.on('error', (error) => {
      fail(error);
      end();
    });
    child.on('exit', (...how) => {
      fail(exitError(how, heapMb));
      end();
    });
  });
  child.send(opening);
  return {
    send: (request: ConversionMessages['request']): Promise<ConversionMessages['answer']> => {
      child.ref();
      child.channel?.ref();
      const answer = new Promise<ConversionMessages['answer']>((...settle) => {
        [resolve, reject] = settle;
      });
      child.send(request);
      // This process does not wait for one without work.
      return answer.finally(() => {
        child.unref();
        child.channel?.unref();
      });
    },
    /** Ends the process, also in the middle of a conversion, which then is interrupted at once. */
    end: () => {
      fail(interrupted());
      child.kill('SIGKILL');
      return hasEnded;
    },
  };
}

function errorOf({ code, message, help, stack }: SentError): ConverterError {
  const cause = stack === undefined ? undefined : Object.assign(new Error(message), { stack });
  return new ConverterError(code, message, { cause, ...(help !== undefined && { help }) });
}

/** How a process ends that has no memory: by the engine, by the system; and on Windows. */
const OUT_OF_MEMORY: readonly unknown[] = ['SIGABRT', 'SIGKILL', 134, 0xc0000409];

function exitError([code, signal]: [number | null, string | null], heapMb: number): Error {
  const how = signal ?? code;
  if (!OUT_OF_MEMORY.includes(how)) return new Error(`conversion: its process ended with ${how}`);
  const message = `conversion: expected at most ${heapMb} MiB of memory, needed more (limits.conversionHeapMb)`;
  return new ConverterError('OUT_OF_MEMORY', message);
}
