/** The deliveries of a run, one after the other: what each has for every master, and what became of that. */
import type { Digest } from '../model/snapshot.ts';
import type { Run } from '../run/open/open-run.ts';
import { type DeliveryLine, placeOf } from '../run/output/delivered-files.ts';
import type { Delivered } from '../run/publishing/deliveries.ts';
import { DELIVERY_FAILURES } from '../run/report/run-report.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { Delivery, Outcome, Subject } from './making/delivery.ts';
import { isBrowserOptional } from './pictures/run-renderer.ts';
import { DeliveryFiles, eachPath } from './published-files.ts';

/** What an output had of deliveries before, by {@link placeOf}. */
export interface FormerDeliveries {
  lines: ReadonlyMap<string, DeliveryLine>;
  /** Of older masters. */
  lastGood: ReadonlyMap<string, DeliveryLine>;
}

/** Processes deliveries one after the other; an interrupted run ends what they have started. */
export async function processDeliveries(
  run: Run,
  deliveries: readonly Delivery[],
  before: FormerDeliveries,
): Promise<DeliveryProcessor[]> {
  const { signal } = run.environment;
  const closeAll = () => Promise.all(deliveries.map((delivery) => delivery.close?.()));
  const interrupt = () => void closeAll();
  signal.addEventListener('abort', interrupt);
  const processed: DeliveryProcessor[] = [];
  try {
    for (const delivery of deliveries) {
      const processor = new DeliveryProcessor(run, delivery, before);
      await processor.processAll();
      processed.push(processor);
      await delivery.close?.();
    }
    return processed;
  } finally {
    signal.removeEventListener('abort', interrupt);
    await closeAll();
  }
}

/** The lines that the masters of a subject had before, in their order. */
type FormerLines = readonly (DeliveryLine | undefined)[];

/**
 * Processes the subjects of a delivery: what an earlier one made of the same masters stays, the rest is made.
 *
 * The failure of a subject is one of all its masters, and the others go on.
 */
class DeliveryProcessor {
  readonly lines: DeliveryLine[] = [];
  /** Of masters of which nothing could be made: what was made of older ones. */
  readonly lastGood: DeliveryLine[] = [];
  readonly failures: Delivered['failures'] = [];
  /** Sentences. */
  readonly omitted = new Set<string>();
  readonly #run: Run;
  readonly #delivery: Delivery;
  readonly #before: FormerDeliveries;
  readonly #files: DeliveryFiles;
  readonly #counts = { made: 0, unchanged: 0, failed: 0, accepted: 0, omitted: 0 };
  readonly #countsByCode: Record<string, number> = {};
  readonly #bytesOfFiles = new Map<Digest, number>();
  readonly #bytesOfMasters = new Map<Digest, number>();

  constructor(run: Run, delivery: Delivery, before: FormerDeliveries) {
    this.#run = run;
    this.#delivery = delivery;
    this.#before = before;
    this.#files = new DeliveryFiles(delivery.name, run);
  }

  /** For the report. */
  get counts(): Delivered['deliveries'][number] {
    return {
      ...{ name: this.#delivery.name, ...this.#counts, byCode: this.#countsByCode },
      ...{ bytes: sum(this.#bytesOfFiles), masterBytes: sum(this.#bytesOfMasters) },
    };
  }

  /** @throws The reason of the signal; an error that ends the run. */
  async processAll(): Promise<void> {
    const { environment } = this.#run;
    const { name, subjects, atOnce } = this.#delivery;
    const all = [...subjects];
    const shown = { making: name, total: all.length, done: 0, failed: 0 };
    environment.progress?.({ ...shown });
    await inParallel(all, atOnce, async (subject) => {
      environment.signal.throwIfAborted();
      this.lines.push(...(await this.#process(subject)));
      shown.done++;
      shown.failed = this.#counts.failed;
      environment.progress?.({ ...shown });
    });
    const limitation = this.#delivery.limitation?.();
    if (limitation) this.omitted.add(limitation);
  }

  async #process(subject: Subject): Promise<DeliveryLine[]> {
    const { force } = this.#run.options;
    const { masters, source } = subject;
    const former = masters.map(({ id }) =>
      this.#before.lines.get(placeOf(this.#delivery.name, id)),
    );
    const isSame = await this.#isPublished(former, source);
    if (isSame && !force) {
      this.#counts.unchanged += this.#countBytes(subject, former);
      return former as DeliveryLine[];
    }
    const failed = failureBefore(former, source);
    try {
      if (failed !== undefined && !force && (failed.attempts ?? 0) >= MOST_ATTEMPTS)
        throw new WaitingFailure(failed);
      return await this.#make(subject);
    } catch (thrown) {
      const isOmitted = !this.#noteFailure(thrown, subject);
      const own = { error: recordOf(thrown, failed)! };
      // By force: they show the published masters.
      if (isSame) return former.map((line) => ({ ...line!, ...(!isOmitted && own) }));
      this.#keepLastGood(subject, former);
      return isOmitted ? [] : this.#linesOf(subject, () => ({ files: [], ...own }));
    }
  }

  /** Whether all masters have files of the same, which are at their places. */
  async #isPublished(former: FormerLines, source: string): Promise<boolean> {
    const isKnown = former.every((line) => line?.source === source && line.error === undefined);
    return isKnown && this.#files.areAllPublished(eachPath(former));
  }

  async #make(subject: Subject): Promise<DeliveryLine[]> {
    const outcomes = await this.#delivery.make(subject, (file) => this.#files.keep(file));
    await this.#files.linkAll(eachPath(outcomes));
    this.#counts.made += this.#countBytes(subject, outcomes);
    return this.#linesOf(subject, (at) => outcomes[at]!);
  }

  /** Counts and reports a failure of a subject. @returns False where it is one of a browser that the run may do without. */
  #noteFailure(thrown: unknown, { masters, label }: Subject): boolean {
    // Where the run was interrupted, it is not the failure of the masters.
    this.#run.environment.signal.throwIfAborted();
    const { name, accepted } = this.#delivery;
    const { code, message, help } = asConverterError(thrown);
    const lacksBrowser = code === 'BROWSER_MISSING';
    if (endsRun(code) && !lacksBrowser) throw thrown;
    if (lacksBrowser && isBrowserOptional(this.#run)) {
      this.#counts.omitted += masters.length;
      this.omitted.add(`no new ${name}, since ${message}`);
      return false;
    }
    const isAccepted = accepted.includes(code);
    this.#counts[isAccepted ? 'accepted' : 'failed'] += masters.length;
    this.#countsByCode[code] = (this.#countsByCode[code] ?? 0) + masters.length;
    const alike = this.failures.filter((one) => one.isAccepted === isAccepted);
    if (alike.length < DELIVERY_FAILURES)
      this.failures.push({ article: label, delivery: name, code, message, help, isAccepted });
    return true;
  }

  #keepLastGood({ masters }: Subject, former: FormerLines): void {
    for (const [at, { id }] of masters.entries()) {
      const place = placeOf(this.#delivery.name, id);
      const shown = former[at]?.files.length ? former[at] : this.#before.lastGood.get(place);
      if (shown !== undefined) this.lastGood.push(shown);
    }
  }

  #linesOf({ masters, source }: Subject, rest: (at: number) => Rest): DeliveryLine[] {
    const delivery = this.#delivery.name;
    return masters.map(({ id }, at) => ({ ...id, delivery, source, ...rest(at) }));
  }

  /** Counts the bytes of files and of their masters. @returns How many masters have files. */
  #countBytes({ masters }: Subject, lines: readonly (Outcome | undefined)[]): number {
    const own = masters.filter((_, at) => lines[at]!.files.length > 0);
    for (const { sha256, bytes } of own) this.#bytesOfMasters.set(sha256, bytes);
    for (const { sha256, bytes } of eachPath(lines)) this.#bytesOfFiles.set(sha256, bytes);
    return own.length;
  }
}

/** What a line says of its files. */
type Rest = Outcome & Pick<DeliveryLine, 'error'>;

function sum(bytes: ReadonlyMap<Digest, number>): number {
  return [...bytes.values()].reduce((total, each) => total + each, 0);
}

/** A picture that cannot be taken costs up to two minutes of all cores, in each run. */
const EXPENSIVE = 'PICTURE_FAILED';
/** Then it waits for another model or other options. */
const MOST_ATTEMPTS = 2;

/** The failure of the same, with the number of its attempts. */
function failureBefore(
  former: readonly (DeliveryLine | undefined)[],
  source: string,
): DeliveryLine['error'] {
  const own = former.filter((line) => line?.source === source).map((line) => line?.error);
  return own.find((error) => error?.code === EXPENSIVE);
}

/** Waits for another model or other options. */
class WaitingFailure extends ConverterError {
  readonly record: NonNullable<DeliveryLine['error']>;

  constructor(record: WaitingFailure['record']) {
    const waits = `it failed ${record.attempts} times, and waits for another model, other options or deliver --force`;
    super(EXPENSIVE, `${record.message}; ${waits}`);
    this.record = record;
  }
}

/** What the line of a failure says. */
function recordOf(thrown: unknown, before: DeliveryLine['error']): DeliveryLine['error'] {
  if (thrown instanceof WaitingFailure) return thrown.record;
  const { code, message } = asConverterError(thrown);
  return { code, message, ...(code === EXPENSIVE && { attempts: (before?.attempts ?? 0) + 1 }) };
}
