/** Converts snapshots into GLBs: small articles here, others in child processes, which can be ended at any moment. */

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ConversionInput, DecodedReader } from '../../convert/model/input.ts';
import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import type { ContentStore, FileStoreOptions } from '../../source/cache/content-store.ts';
import { createBudget } from '../../support/budget.ts';
import {
  ConverterError,
  isConverterError,
  receivedError,
  type SentError,
} from '../../support/errors.ts';
import { exists, removeStaleTemporaries } from '../../support/files.ts';
import { workerCount } from '../../support/worker-count.ts';
import type { ServiceSession } from '../open/run-session.ts';
import type { Sources } from '../open/sources.ts';
import { collectGarbage } from './garbage.ts';
import { type Converter, loadConverter, type Step, type StepResult } from './steps.ts';

/** The program of a child process. In the sources, and some bundles, there is none: no conversion can be ended there. */
const PROGRAM = fileURLToPath(new URL('./conversion-process.js', import.meta.url));

/** GLBs of small conversions that wait for the disk. */
const MOST_UNWRITTEN_BYTES = 32 * 1024 * 1024;
/** Of the mesh cache of each process. */
const CACHE_BYTES = 64 * 1024 * 1024;

/**
 * By the bytes of parts list and blocks. A medium conversion takes long enough for a child process to pay where
 * others work meanwhile. A large one takes long in one step, or hundreds of MiB, and is alone.
 */
const SIZES = {
  medium: { listBytes: 128 * 1024, blockBytes: 1024 ** 2, allBytes: 4 * 1024 ** 2 },
  large: { listBytes: 256 * 1024, blockBytes: 8 * 1024 ** 2, allBytes: 32 * 1024 ** 2 },
} as const;
type Size = 'small' | keyof typeof SIZES;
/**
 * What a conversion in this process may contain; one with more is large, which does not show in its bytes. No step
 * delays a signal by more than about half a second: 150,000 surfaces did by three.
 */
const HERE = { maxNodes: 5_000, maxTriangles: 1_000_000, maxSceneBytes: 32 * 1024 * 1024 };
const MOST_SURFACES_HERE = 20_000;
const MOST_PIXELS_HERE = 1024 ** 2;

/** The size of a conversion by what is known without reading a body. */
export async function conversionSize(
  { partsList, blocks }: ConversionInput,
  bodies: Pick<ContentStore, 'sizeOf'>,
): Promise<Size> {
  const list = (await bodies.sizeOf(partsList)) ?? 0;
  let [largest, all] = [0, 0];
  for (const block of blocks.values()) {
    if (!('bytes' in block)) continue;
    largest = Math.max(largest, block.bytes);
    all += block.bytes;
  }
  const has = (size: keyof typeof SIZES) => {
    const { listBytes, blockBytes, allBytes } = SIZES[size];
    return list >= listBytes || largest >= blockBytes || all >= allBytes;
  };
  return has('large') ? 'large' : has('medium') ? 'medium' : 'small';
}

/** What conversions need: options, sources, and where GLBs go. */
export interface ConvertingRun {
  readonly options: LimitedRun['options'] & {
    readonly force?: boolean;
    readonly workers?: number;
    readonly pipeline: { convert: ConvertOptions; limits: { conversionHeapMb: number } };
  };
  readonly startedAt: number;
  readonly metrics: {
    readonly stopwatch: { during<T>(stage: 'write', work: () => Promise<T>): Promise<T> };
  };
  readonly sources: Sources;
  readonly output: {
    readonly objects: Pick<ContentStore, 'put'>;
    /** Where they are: a child process opens the store itself. */
    readonly objectFiles: FileStoreOptions;
  };
}

/**
 * Does a step of the converter within the time limit of an article; rejects with `INTERRUPTED` as soon as the run ends.
 *
 * @param file - Name of the file that the step `write` makes.
 */
export type Convert = <S extends Step>(
  step: S,
  input: ConversionInput,
  file?: string,
) => Promise<StepResult<S>>;

/** Opens the conversions of a run. */
export function openConversions(run: ConvertingRun, decoded: DecodedReader | undefined): Convert {
  const { bodies, session } = run.sources;
  const atOnce = workerCount(run.options.workers);
  const turns = createBudget(atOnce);
  /** The time limit begins with the turn: the conversions before it do not count. */
  const inTurn = async <T>(
    share: number,
    work: (limit: AbortSignal, release: () => void) => Promise<T>,
  ): Promise<T> => {
    const release = await turns.take(share);
    // Responses that have arrived are read first, so that the connections are not idle.
    await new Promise(setImmediate);
    return within(run, async (limit) => {
      try {
        if (session.ended.aborted) throw interrupted();
        return await work(limit, release);
      } finally {
        release();
      }
    });
  };
  const open = async () => {
    if (!(await exists(PROGRAM))) {
      const all = inThisProcess(run, decoded);
      return (request: ConversionMessages['request']) => within(run, () => all(request));
    }
    const here = inThisProcess(run, decoded, 'limited');
    const inChild = inProcesses(run);
    const isSlow = run.options.pipeline.convert.tangents !== 'none';
    return async (request: ConversionMessages['request']) => {
      const size = await conversionSize(request.input, bodies);
      const isHere = size === 'small' || (size === 'medium' && turns.isUnused() && !isSlow);
      if (isHere) {
        try {
          return await inTurn(1, (_, release) => here(request, release));
        } catch (error) {
          if (!isConverterError(error, 'SCENE_TOO_LARGE')) throw error;
        }
      }
      const isAlone = isHere || size === 'large';
      const inOwnProcess = (limit: AbortSignal) =>
        inChild(request, AbortSignal.any([session.ended, limit]), isAlone);
      return inTurn(isAlone ? atOnce : 1, inOwnProcess);
    };
  };
  let opened: ReturnType<typeof open> | undefined;
  return async <S extends Step>(step: S, input: ConversionInput, file = '') => {
    opened ??= open();
    const work = await opened;
    if (session.ended.aborted) throw interrupted();
    return work({ step, input, file }) as Promise<StepResult<S>>;
  };
}

interface LimitedRun {
  readonly options: {
    readonly pipeline: { readonly limits: { readonly articleTimeoutMs: number } };
  };
  readonly sources: { readonly session: Pick<ServiceSession, 'pausedMs'> };
}

/** Limits the time of work for one article, and aborts its signal then; pauses, which hold back requests, do not count. */
export function within<T>(
  { options, sources: { session } }: LimitedRun,
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

function inThisProcess(
  { options, metrics, sources, output }: ConvertingRun,
  decoded: DecodedReader | undefined,
  limited?: 'limited',
) {
  const { convert } = options.pipeline;
  const { bodies, session } = sources;
  const { objects } = output;
  const writes = createBudget(MOST_UNWRITTEN_BYTES);
  /** The next conversion begins while this one's GLB waits for the disk. */
  const putting = (release: () => void) => async (glb: readonly Uint8Array[]) => {
    const done = await writes.take(glb.reduce((sum, { length }) => sum + length, 0));
    release();
    return metrics.stopwatch.during('write', () => objects.put(glb)).finally(done);
  };
  const limits = limited && {
    options: { ...convert, ...smallerLimits(convert) },
    maxPicturePixels: MOST_PIXELS_HERE,
    maxSurfaces: MOST_SURFACES_HERE,
  };
  const derived = options.force ? undefined : sources.derived;
  const pause = async () => {
    await new Promise(setImmediate);
    if (session.ended.aborted) throw interrupted();
  };
  const own = { options: convert, decoded, cacheBytes: CACHE_BYTES, pause };
  const given = { bodies, bodyFiles: sources.bodyFiles, objects, derived, ...own, ...limits };
  let converter: Promise<Converter> | undefined;
  return async ({ step, input, file }: ConversionMessages['request'], release = () => {}) => {
    converter ??= loadConverter(given);
    if (step === 'build') return (await converter).build(input, file, putting(release));
    return (await converter)[step](input, file);
  };
}

function smallerLimits(options: ConvertOptions): typeof HERE {
  const entries = Object.entries(HERE) as [keyof typeof HERE, number][];
  const limits = entries.map(([name, most]) => [name, Math.min(most, options[name])]);
  return Object.fromEntries(limits);
}

function inProcesses({ options, sources, output, startedAt }: ConvertingRun) {
  const { convert, limits } = options.pipeline;
  const opening: ConversionMessages['opening'] = {
    bodies: sources.bodyFiles,
    objects: output.objectFiles,
    options: convert,
    cacheBytes: CACHE_BYTES,
    database: sources.database.contents.path,
    startedAt,
    force: options.force ?? false,
  };
  const children = new Set<ConversionProcess>();
  const idle = new Set<ConversionProcess>();
  const start = () => {
    const child = new ConversionProcess(opening, limits.conversionHeapMb, () => {
      children.delete(child);
      idle.delete(child);
    });
    children.add(child);
    return child;
  };
  const endAll = (some: ReadonlySet<ConversionProcess>) =>
    Promise.all(Array.from(some, (child) => child.end()));
  sources.session.ended.addEventListener('abort', () => endAll(children), { once: true });

  const attempt = async (
    { step, input, file }: ConversionMessages['request'],
    signal: AbortSignal,
    isAlone: boolean,
  ) => {
    const { key, partsList, blocks, images } = input;
    // An idle process keeps its caches and what it has not collected yet.
    if (isAlone) await endAll(idle);
    if (signal.aborted) throw interrupted();
    collectGarbage();
    // The process sees only what is written.
    sources.database.flush();
    const [child = start()] = idle;
    idle.delete(child);
    const end = () => child.end();
    signal.addEventListener('abort', end);
    try {
      const answer = await child.send({ step, input: { key, partsList, blocks, images }, file });
      if (isAlone) await child.end();
      else idle.add(child);
      if ('error' in answer) throw receivedError(answer.error);
      return answer.result;
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
  /** A process that crashes costs one more attempt. */
  return (...request: Parameters<typeof attempt>) =>
    attempt(...request).catch((error: unknown) => {
      if (error instanceof ProcessCrash) return attempt(...request);
      throw error;
    });
}

/** What goes to a child process and back. */
export interface ConversionMessages {
  opening: {
    bodies: FileStoreOptions;
    objects: FileStoreOptions;
    options: ConvertOptions;
    cacheBytes: number;
    /** Path of the database of small bodies, and of what was computed. */
    database: string;
  } & { startedAt: number; force: boolean };
  request: { step: Step; input: ConversionInput; file: string };
  answer: { result: StepResult<Step> } | { error: SentError };
}

/** A child process that converts one article at a time, until it is ended or crashes. */
class ConversionProcess {
  readonly #child: ChildProcess;
  readonly #onEnd: () => void;
  readonly #hasEnded: Promise<void>;
  /** They settle the request that the process works on. */
  #resolve = (_answer: ConversionMessages['answer']) => {};
  #reject = (_error: unknown) => {};
  /** Why it was ended; undefined if it ends by itself. */
  #ended: Error | undefined;

  /** @param onEnd - Called when it takes no further request. */
  constructor(opening: ConversionMessages['opening'], heapMb: number, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#child = fork(PROGRAM, {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${heapMb}`],
      // Nothing secret. Each of many malloc arenas would keep what a picture took;
      // a freed list would stay between those in use, so each has memory of its own: 10 MiB less in all.
      env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: String(256 * 1024) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (answer: ConversionMessages['answer']) => this.#resolve(answer));
    this.#hasEnded = new Promise((end) => {
      this.#child.on('error', (error) => {
        this.#fail(error);
        end();
      });
      this.#child.on('exit', async (...how) => {
        const folders = [opening.objects.tmpDir, opening.bodies.tmpDir];
        // What it was writing; where that fails, the next run removes it.
        await Promise.all(folders.map(removeStaleTemporaries)).catch(() => {});
        this.#fail(this.#ended ?? exitError(how, heapMb));
        end();
      });
    });
    this.#post(opening);
  }

  send(request: ConversionMessages['request']): Promise<ConversionMessages['answer']> {
    this.#child.ref();
    this.#child.channel?.ref();
    const answer = new Promise<ConversionMessages['answer']>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#post(request);
    // This process does not wait for one without work.
    return answer.finally(() => {
      this.#child.unref();
      this.#child.channel?.unref();
    });
  }

  /** Ends the process, also in the middle of a conversion, which then is interrupted. */
  end(): Promise<void> {
    this.#ended = interrupted();
    this.#onEnd();
    this.#child.kill('SIGKILL');
    return this.#hasEnded;
  }

  #fail(error: unknown): void {
    this.#onEnd();
    this.#reject(error);
  }

  /** A process that has ended receives nothing: its exit says why, perhaps after the error of the pipe. */
  #post(message: ConversionMessages['opening' | 'request']): void {
    this.#child.send(message, () => {});
  }
}

/** A process ended that had a request, and not for want of memory. */
class ProcessCrash extends Error {}
/** How a process ends that has no memory: by the engine, by the system; and on Windows. */
const OUT_OF_MEMORY: readonly unknown[] = ['SIGABRT', 'SIGKILL', 134, 0xc0000409];

function exitError([code, signal]: [number | null, string | null], heapMb: number): Error {
  const how = signal ?? code;
  if (!OUT_OF_MEMORY.includes(how))
    return new ProcessCrash(`conversion: its process ended with ${how}`);
  const message = `conversion: expected at most ${heapMb} MiB of memory, needed more (limits.conversionHeapMb)`;
  return new ConverterError('OUT_OF_MEMORY', message);
}
