/** Deliveries that begin while a run still converts: the files of a GLB are made as soon as it is there. */
import type { Digest } from '../model/snapshot.ts';
import type { Run } from '../run/open/open-run.ts';
import { objectKey } from '../run/output/article-path.ts';
import type { Begun, BuiltGlb } from '../run/publishing/deliveries.ts';
import { workerCount } from '../support/worker-count.ts';
import { openDeliveries } from './kinds.ts';
import { openThreads } from './maker-threads.ts';
import { type Delivery, masterReader } from './making/delivery.ts';
import type { MasterSource } from './making/made-files.ts';
import type { Threads } from './making/threads.ts';
import { closeRenderer } from './pictures/run-renderer.ts';
import { sectionOf } from './section.ts';

/** The open deliveries of a run. */
export interface OpenDeliveries {
  deliveries: readonly Delivery[];
  threads: Threads;
}

/** What has begun, by its run; {@link takeDeliveries} takes it over. */
const preparations = new WeakMap<Run, Preparation>();

/** Begins the deliveries of a run, which are opened for the first GLB. */
export function beginDeliveries(run: Run): Begun {
  const preparation = new Preparation(run);
  preparations.set(run, preparation);
  return {
    add: (glb) => preparation.add(glb),
    async close() {
      preparations.delete(run);
      await preparation.close();
    },
  };
}

/**
 * Opens the deliveries of a run, or takes those that have begun: no further GLB is added to these.
 *
 * @param again - Whether also those files are made that were made before.
 */
export async function takeDeliveries(run: Run, again: boolean): Promise<OpenDeliveries> {
  const begun = again ? undefined : await preparations.get(run)?.stop();
  return begun ?? open(run, again);
}

async function open(run: Run, again: boolean): Promise<OpenDeliveries> {
  const { options, environment } = run;
  const wanted = sectionOf(options.pipeline) ?? {};
  const threads = await openThreads(wanted, {
    count: workerCount(options.workers),
    heapMb: options.pipeline.limits.conversionHeapMb,
    now: environment.now,
  });
  const opening = { run, again, threads, readMaster: masterReader(run) };
  return { deliveries: await openDeliveries(wanted, opening), threads };
}

/** Ends what deliveries do. */
export async function closeDeliveries({ deliveries, threads }: OpenDeliveries): Promise<void> {
  await Promise.all([threads.close(), ...deliveries.map((delivery) => delivery.close?.())]);
}

/** Makes files of GLBs before they are published. A failure is one of the delivery, which meets it again. */
class Preparation {
  readonly #run: Run;
  readonly #known = new Set<Digest>();
  readonly #queues: Queue[] = [];
  #opened: Promise<OpenDeliveries> | undefined;
  #hasStopped = false;

  constructor(run: Run) {
    this.#run = run;
  }

  add(glb: BuiltGlb): void {
    if (this.#hasStopped || this.#known.has(glb.sha256)) return;
    this.#known.add(glb.sha256);
    this.#opened ??= this.#open();
    void this.#opened.then(
      () => {
        // Of what a run has built, this is all that is kept.
        for (const queue of this.#queues) queue.add({ sha256: glb.sha256, bytes: glb.bytes });
      },
      // The delivery meets it again.
      () => {},
    );
  }

  /** Begins nothing more, and returns what was opened: what is being made continues. */
  async stop(): Promise<OpenDeliveries | undefined> {
    this.#hasStopped = true;
    for (const queue of this.#queues) queue.stop();
    return this.#opened;
  }

  async close(): Promise<void> {
    const opened = await this.stop().catch(() => undefined);
    if (opened !== undefined) {
      await closeDeliveries(opened);
      // What was about to begin may have opened something again.
      await Promise.all(this.#queues.map((queue) => queue.ended()));
      await closeDeliveries(opened);
    }
    // The gate of pictures may have opened it alone.
    await closeRenderer(this.#run);
  }

  async #open(): Promise<OpenDeliveries> {
    const opened = await open(this.#run, false);
    const { objects, published } = this.#run.output;
    const sourceOf = ({ sha256, bytes }: BuiltGlb): MasterSource => {
      if (published !== undefined) return { read: () => published.readObject(sha256) };
      const file = { path: objects.pathOf(sha256), name: objectKey(sha256), bytes };
      return { read: () => objects.get(sha256), file };
    };
    for (const { atOnce, prepare } of opened.deliveries)
      if (prepare !== undefined && !this.#hasStopped)
        this.#queues.push(
          new Queue(Math.ceil(atOnce / 2), (glb) => prepare(glb.sha256, sourceOf(glb))),
        );
    return opened;
  }
}

/** GLBs that wait for one delivery; others are made after the publication. */
const MOST_WAITING = 1_000;

/** What waits for one delivery: the largest GLB comes first. Conversions have half of the processors meanwhile. */
class Queue {
  readonly #atOnce: number;
  readonly #prepare: (glb: BuiltGlb) => Promise<void>;
  #waiting: BuiltGlb[] = [];
  readonly #running = new Set<Promise<void>>();
  #isOver = false;

  constructor(atOnce: number, prepare: (glb: BuiltGlb) => Promise<void>) {
    this.#atOnce = atOnce;
    this.#prepare = prepare;
  }

  add(glb: BuiltGlb): void {
    if (this.#isOver || this.#waiting.length >= MOST_WAITING) return;
    const at = this.#waiting.findIndex(({ bytes }) => bytes >= glb.bytes);
    this.#waiting.splice(at === -1 ? this.#waiting.length : at, 0, glb);
    this.#fill();
  }

  stop(): void {
    this.#isOver = true;
    this.#waiting = [];
  }

  /** Resolves when what was begun has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #fill(): void {
    while (this.#running.size < this.#atOnce) {
      const next = this.#waiting.pop();
      if (next === undefined) return;
      const preparing = this.#prepare(next).finally(() => {
        this.#running.delete(preparing);
        this.#fill();
      });
      this.#running.add(preparing);
    }
  }
}
