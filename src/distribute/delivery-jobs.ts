/** The files of GLBs as jobs: tasks of one delivery are chunks on the queue of their kind, and workers do them. */
import type { DeliveryTask, DeliveryWorkers } from '../run/publishing/deliveries.ts';
import { ConverterError, receivedError } from '../support/errors.ts';
import type { Logger } from '../support/log.ts';
import type { ChunkObjects, DeliveryResult } from './chunk-objects.ts';
import { type ChunkLimits, chunkNumber, chunkOfSizes } from './chunks.ts';
import type { DeliveryJobKinds } from './job-kinds.ts';
import type { ChunkJob, ChunkQueue } from './queue/chunk-queue.ts';

/** Fewest tasks of a delivery at the same time, if the workers are not known yet. */
const LEAST_AT_ONCE = 256;
/** Chunks by kind: at most as many tasks as take some seconds, which are lost with a worker that dies. */
const CHUNKS = {
  profiles: { least: 4, leastBytes: 2e6, most: 128 },
  pictures: { least: 2, leastBytes: 0, most: 12 },
} satisfies Record<DeliveryTask['kind'], ChunkLimits>;
/** After the first task, others of the same GLBs follow, milliseconds. */
const GATHER_MS = 20;
/** A task that was the only one in a job which has killed its workers. */
const KILLED = 'expected its files to be made, but two workers died meanwhile';

const killed = () => new ConverterError('KILLED_THE_RUN', KILLED);

interface DeliveryJobsSettings {
  /** Id of the run. */
  run: string;
  queue: ChunkQueue;
  objects: ChunkObjects;
  kinds: DeliveryJobKinds;
  log: Logger;
  /** Receives what a worker did. */
  onResult: (result: DeliveryResult) => void;
}

/** Has the workers on a queue make files of GLBs. */
export class DeliveryJobs implements DeliveryWorkers {
  readonly #settings: DeliveryJobsSettings;
  readonly #ofKinds = new Map<DeliveryTask['kind'], JobsOfKind>();

  constructor(settings: DeliveryJobsSettings) {
    this.#settings = settings;
  }

  /** Enough for two chunks of each job that workers do at once: more would only be in memory. */
  atOnce(kind: DeliveryTask['kind']): number {
    const { queue, kinds } = this.#settings;
    const name = kinds.ofQueue(kind, queue.workers());
    const slots = name === undefined ? 0 : queue.slots(name);
    return Math.max(LEAST_AT_ONCE, 2 * slots * CHUNKS[kind].most);
  }

  make(task: DeliveryTask): Promise<number | undefined> {
    const known = this.#ofKinds.get(task.kind);
    const own = known ?? new JobsOfKind(task.kind, this.#settings);
    this.#ofKinds.set(task.kind, own);
    return own.make(task);
  }

  end(error: unknown): void {
    for (const one of this.#ofKinds.values()) one.end(error);
  }
}

/** A task that is to be made; equal ones share it. */
interface Wanted {
  key: string;
  task: DeliveryTask;
  /** Of its masters. */
  bytes: number;
  whenMade: Promise<number | undefined>;
  /** Without time, the run makes the files itself. */
  made(ms?: number): void;
  failed(error: unknown): void;
}

class JobsOfKind {
  readonly #kind: DeliveryTask['kind'];
  readonly #settings: DeliveryJobsSettings;
  /** All that is not made yet, by its content. */
  readonly #wanted = new Map<string, Wanted>();
  /** What is in no chunk yet, by delivery. */
  readonly #waiting = new Map<string, Wanted[]>();
  /** What is in chunks, by their number. */
  readonly #chunks = new Map<number, { list: readonly Wanted[]; left: number }>();
  /**
   * Tasks whose workers have died, perhaps of another task: when nothing else is left, each is tried by itself, and given
   * up if it is lost again.
   */
  readonly #suspects = new Set<Wanted>();
  /** Those that were not tried by themselves yet. */
  readonly #untried: Wanted[] = [];
  #executing: Promise<void> | undefined;
  /** Name of its queue, once it is known. */
  #queue: string | undefined;
  #gathering: NodeJS.Timeout | undefined;
  /** Whether no worker makes files of this kind for the run. */
  #hasEnded = false;
  #error: unknown;

  constructor(kind: DeliveryTask['kind'], settings: DeliveryJobsSettings) {
    this.#kind = kind;
    this.#settings = settings;
  }

  async make(task: DeliveryTask): Promise<number | undefined> {
    if (this.#error !== undefined) throw this.#error;
    if (this.#hasEnded) return undefined;
    const key = JSON.stringify(task);
    const known = this.#wanted.get(key);
    if (known !== undefined) return known.whenMade;
    const wanted = this.#want(key, task);
    const others = this.#waiting.get(task.delivery);
    if (others === undefined) this.#waiting.set(task.delivery, [wanted]);
    else others.push(wanted);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#executing ??= this.#execute();
      if (this.#queue !== undefined) this.#settings.queue.fill(this.#queue);
    }, GATHER_MS);
    return wanted.whenMade;
  }

  end(error: unknown): void {
    this.#error ??= error;
    this.#finish((wanted) => wanted.failed(error));
  }

  #want(key: string, task: DeliveryTask): Wanted {
    const settle: Pick<Wanted, 'made' | 'failed'> = { made() {}, failed() {} };
    const settled = new Promise<number | undefined>((resolve, reject) => {
      Object.assign(settle, { made: resolve, failed: reject });
    });
    const whenMade = settled.finally(() => this.#wanted.delete(key));
    const bytes = task.masters.reduce((sum, master) => sum + master.bytes, 0);
    const wanted = { key, task, bytes, whenMade, ...settle };
    this.#wanted.set(key, wanted);
    return wanted;
  }

  /** Has workers do jobs until the run ends, or no worker is there that does this kind. */
  async #execute(): Promise<void> {
    const { queue, kinds, log } = this.#settings;
    const why = `no worker makes ${this.#kind}: this process does`;
    try {
      await queue.whenReady();
      const kind = kinds.ofQueue(this.#kind, queue.workers());
      this.#queue = kind;
      const isDone =
        kind !== undefined &&
        (await queue.execute(kind, this.#jobs(kind), {
          onDone: (job) => this.#collect(job),
          onLost: async (job, error) => {
            for (const wanted of this.#take(job))
              if (error !== undefined) wanted.made();
              else if (this.#suspects.has(wanted)) wanted.failed(killed());
              else this.#suspect(wanted);
          },
          onFatal: async (job, { code, message }) => {
            log.warn('a worker could not make files: this process does', { code, message });
            for (const wanted of this.#take(job)) wanted.made();
          },
        }));
      if (!isDone) log.warn(why, { others: kinds.others(queue.workers()) });
      // Nor does this process try what may kill it.
      this.#finish((wanted) =>
        this.#suspects.has(wanted) ? wanted.failed(killed()) : wanted.made(),
      );
    } catch (error) {
      this.end(error);
    }
  }

  async *#jobs(kind: string): AsyncGenerator<ChunkJob | undefined> {
    while (!this.#hasEnded) yield await this.#next(kind);
  }

  /** Makes the next chunk, of the largest tasks of the delivery that has the most bytes to do. */
  async #next(kind: string): Promise<ChunkJob | undefined> {
    const { queue } = this.#settings;
    const all = [...this.#waiting].map(([delivery, waiting]) => ({
      ...{ delivery, waiting },
      bytes: waiting.reduce((sum, wanted) => sum + wanted.bytes, 0),
    }));
    all.sort((a, b) => b.bytes - a.bytes);
    const { delivery, waiting = [] } = all[0] ?? {};
    if (delivery === undefined || waiting.length === 0) return this.#nextSuspect(kind);
    const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    waiting.sort((a, b) => b.bytes - a.bytes || (a.key < b.key ? -1 : 1));
    const sizes = waiting.map(({ bytes }) => bytes);
    const list = waiting.splice(
      0,
      chunkOfSizes(sizes, total, queue.slots(kind), CHUNKS[this.#kind]),
    );
    if (waiting.length === 0) this.#waiting.delete(delivery);
    return this.#jobOf(list, kind);
  }

  #suspect(wanted: Wanted): void {
    this.#suspects.add(wanted);
    this.#untried.push(wanted);
  }

  async #nextSuspect(kind: string): Promise<ChunkJob | undefined> {
    const suspect = this.#chunks.size > 0 ? undefined : this.#untried.shift();
    return suspect && this.#jobOf([suspect], kind);
  }

  async #jobOf(list: readonly Wanted[], kind: string): Promise<ChunkJob> {
    const { objects, run } = this.#settings;
    const tasks = list.map(({ task }) => task);
    const chunk = chunkNumber(tasks);
    this.#chunks.set(chunk, { list, left: list.length });
    await objects.putList(chunk, tasks);
    return { run, kind, chunk, from: 0, to: list.length };
  }

  async #collect(job: ChunkJob): Promise<void> {
    const result = await this.#settings.objects.result<DeliveryResult>(job);
    for (const [at, wanted] of this.#take(job).entries()) {
      const made = result.made[at]!;
      if ('error' in made) wanted.failed(receivedError(made.error));
      else wanted.made(made.ms);
    }
    this.#settings.onResult(result);
  }

  /** Takes what a job has ended; a chunk of which nothing is left is forgotten. */
  #take({ chunk, from, to }: ChunkJob): readonly Wanted[] {
    const known = this.#chunks.get(chunk);
    if (known === undefined) return [];
    known.left -= to - from;
    if (known.left <= 0) this.#chunks.delete(chunk);
    return known.list.slice(from, to);
  }

  #finish(settle: (wanted: Wanted) => void): void {
    this.#hasEnded = true;
    clearTimeout(this.#gathering);
    this.#waiting.clear();
    this.#chunks.clear();
    for (const wanted of [...this.#wanted.values()]) settle(wanted);
  }
}
