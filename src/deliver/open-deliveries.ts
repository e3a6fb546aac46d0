/** The deliveries of a run, opened: by the process that publishes, and by its workers. */
import type { Run } from '../run/open/open-run.ts';
import type { DeliveryTask } from '../run/publishing/deliveries.ts';
import { ConverterError } from '../support/errors.ts';
import { workerCount } from '../support/worker-count.ts';
import { openDeliveries } from './kinds.ts';
import { openThreads } from './maker-threads.ts';
import { type Delivery, masterReader, type SourceOf, storedMasters } from './making/delivery.ts';
import { FileContents } from './making/file-contents.ts';
import { createStoredOnce } from './making/stored-once.ts';
import type { Threads } from './making/threads.ts';
import { closeRenderer } from './pictures/run-renderer.ts';
import { sectionOf } from './section.ts';

/** The open deliveries of a run. */
export interface OpenDeliveries {
  deliveries: readonly Delivery[];
  threads: Threads;
  contents: FileContents;
  /** Opens further deliveries, with the same threads. @param wanted - As the section `deliver:`, of kinds without functions for threads. */
  openMore(wanted: object): Promise<readonly Delivery[]>;
}

/**
 * Opens the deliveries of a run. Threads and browsers start when they are needed.
 *
 * @param how - `again`: whether also those files are made that were made before; `apart`: number of threads beside this one,
 *   which does not make files then, and which they cannot end.
 */
export async function openRunDeliveries(
  run: Run,
  { again, apart }: { again: boolean; apart?: number },
): Promise<OpenDeliveries> {
  const { options, environment } = run;
  const wanted = sectionOf(options.pipeline) ?? {};
  const contents = FileContents.of(run);
  const threads = await openThreads(wanted, {
    count: apart ?? workerCount(options.workers),
    isApart: apart !== undefined,
    objects: contents.objects,
    once: createStoredOnce(again ? undefined : run.sources.derived),
    heapMb: options.pipeline.limits.conversionHeapMb,
    now: environment.now,
  });
  const opening = { run, again, threads, contents, readMaster: masterReader(run) };
  const openMore = (more: object) => openDeliveries(more, opening);
  return { deliveries: await openMore(wanted), threads, contents, openMore };
}

/** Ends what deliveries do. */
export async function closeDeliveries({ deliveries, threads }: OpenDeliveries): Promise<void> {
  await Promise.all([threads.close(), ...deliveries.map((delivery) => delivery.close?.())]);
}

/** The deliveries of a run that its coordinator publishes, as a worker opens them. */
export class WorkerDeliveries {
  readonly #run: Run;
  readonly #sourceOf: SourceOf;
  #opened: Promise<OpenDeliveries> | undefined;

  constructor(run: Run) {
    this.#run = run;
    this.#sourceOf = storedMasters(run);
  }

  /**
   * Makes the files of a task, which are among the derived data then.
   *
   * @returns Milliseconds of a processor.
   * @throws {@link ConverterError} why they cannot be made.
   */
  async make(task: DeliveryTask): Promise<number> {
    this.#opened ??= openRunDeliveries(this.#run, { again: false, apart: 1 });
    const { deliveries } = await this.#opened;
    const delivery = deliveries.find(({ name }) => name === task.delivery);
    if (delivery?.prepare === undefined) {
      const message = `delivery ${task.delivery}: expected one that a worker can make`;
      throw new ConverterError('INTERNAL', message);
    }
    let spent = 0;
    await delivery.prepare(task, this.#sourceOf, (ms) => {
      spent += ms;
    });
    return spent;
  }

  /** Waits until the disk has what was made. */
  async sync(): Promise<void> {
    await (await this.#opened)?.contents.sync();
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    if (opened !== undefined) await closeDeliveries(opened);
    await closeRenderer(this.#run);
  }
}
