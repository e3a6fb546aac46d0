/** Deliveries that begin while a run still converts: the files of a GLB are made as soon as it is there. */
import type { Digest } from '../model/snapshot.ts';
import type { Run } from '../run/open/open-run.ts';
import type {
  Begun,
  BuiltGlb,
  DeliveryTask,
  DeliveryWorkers,
} from '../run/publishing/deliveries.ts';
import { type Delivery, storedMasters } from './making/delivery.ts';
import { closeDeliveries, type OpenDeliveries, openRunDeliveries } from './open-deliveries.ts';
import { closeRenderer } from './pictures/run-renderer.ts';

/** Deliveries of a run, and the workers that make their files, if there are any. */
export interface TakenDeliveries extends OpenDeliveries {
  workers: DeliveryWorkers | undefined;
}

/** What has begun, by its run; {@link takeDeliveries} takes it over. */
const preparations = new WeakMap<Run, Preparation>();

/** Begins the deliveries of a run, which are opened for the first GLB. */
export function beginDeliveries(run: Run): Begun {
  const preparation = new Preparation(run);
  preparations.set(run, preparation);
  return {
    add: (glb) => preparation.add(glb),
    share: (workers) => preparation.share(workers),
    async close() {
      preparations.delete(run);
      await preparation.close();
    },
  };
}

/**
 * Opens the deliveries of a run, or takes those that have begun: no further GLB is added to these.
 *
 * @param again - Whether also those files are made that were made before, which no worker does.
 */
export async function takeDeliveries(run: Run, again: boolean): Promise<TakenDeliveries> {
  const preparation = again ? undefined : preparations.get(run);
  const opened = (await preparation?.stop()) ?? (await openRunDeliveries(run, { again }));
  return { ...opened, workers: preparation?.workers() };
}

/** Waits until workers have made what they have begun to make of a GLB; a failure is one of the delivery. */
export async function whenBegun(run: Run, delivery: string, sha256: Digest): Promise<void> {
  await preparations.get(run)?.whenBegun(delivery, sha256);
}

/** Makes files of GLBs before they are published. A failure is one of the delivery, which meets it again. */
class Preparation {
  readonly #run: Run;
  readonly #known = new Set<Digest>();
  readonly #queues: Queue[] = [];
  #opened: Promise<OpenDeliveries> | undefined;
  #hasStopped = false;
  #workers: DeliveryWorkers | undefined;
  /** What workers have begun, by {@link keyOf}. */
  readonly #begun = new Map<string, Promise<number | undefined>>();

  constructor(run: Run) {
    this.#run = run;
  }

  add(glb: BuiltGlb): void {
    if (this.#hasStopped || this.#known.has(glb.sha256)) return;
    this.#known.add(glb.sha256);
    this.#opened ??= this.#open();
    void this.#opened.then(
      ({ deliveries }) => {
        // Of what a run has built, this is all that is kept.
        const master = { sha256: glb.sha256, bytes: glb.bytes };
        for (const queue of this.#queues) queue.add(master);
        if (this.#workers !== undefined)
          for (const { name, kind, isOfEach } of deliveries)
            if (isOfEach) this.#begin({ kind, delivery: name, masters: [master] }, this.#workers);
      },
      // The delivery meets it again.
      () => {},
    );
  }

  /** Has workers make all files, also those of GLBs that are published. */
  share(workers: DeliveryWorkers): void {
    this.#workers = workers;
  }

  /** The workers, who do not begin a second time what they have begun. */
  workers(): DeliveryWorkers | undefined {
    const workers = this.#workers;
    return (
      workers && {
        atOnce: (kind) => workers.atOnce(kind),
        end: (error) => workers.end(error),
        make: (task) => {
          const begun = this.#begun.get(keyOf(task));
          this.#begun.delete(keyOf(task));
          return begun ?? workers.make(task);
        },
      }
    );
  }

  async whenBegun(delivery: string, sha256: Digest): Promise<void> {
    await this.#begun.get(keyOf({ delivery, masters: [{ sha256 }] }))?.catch(() => {});
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

  #begin(task: DeliveryTask, workers: DeliveryWorkers): void {
    const made = workers.make(task);
    // The delivery that asks for the same receives the error.
    made.catch(() => {});
    this.#begun.set(keyOf(task), made);
  }

  async #open(): Promise<OpenDeliveries> {
    const opened = await openRunDeliveries(this.#run, { again: false });
    if (this.#workers !== undefined) return opened;
    const sourceOf = storedMasters(this.#run);
    const prepared =
      ({ name: delivery, kind, prepare }: Delivery) =>
      async (glb: BuiltGlb) => {
        // The delivery tries again: conversions may have left too little time or memory.
        await prepare?.({ kind, delivery, masters: [glb] }, sourceOf).catch(() => undefined);
      };
    for (const delivery of opened.deliveries)
      if (delivery.isOfEach && !this.#hasStopped)
        this.#queues.push(new Queue(Math.ceil(delivery.atOnce / 2), prepared(delivery)));
    return opened;
  }
}

function keyOf({
  delivery,
  masters,
}: {
  delivery: string;
  masters: readonly Pick<BuiltGlb, 'sha256'>[];
}): string {
  return [delivery, ...masters.map(({ sha256 }) => sha256)].join(' ');
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
