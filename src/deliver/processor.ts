/** The deliveries of a run, at the same time: the files of each for every master, and the failures. */
import pLimit, { type LimitFunction } from 'p-limit';
import type { Digest } from '../model/snapshot.ts';
import type { Run } from '../run/open/open-run.ts';
import {
  type DeliveryLine,
  type DeliveryLines,
  deliveryKey,
} from '../run/output/delivered-files.ts';
import type { Delivered, DeliveryWorkers } from '../run/publishing/deliveries.ts';
import type { Master } from '../run/publishing/masters.ts';
import { DELIVERY_FAILURES } from '../run/report/run-report.ts';
import { asConverterError, ConverterError, type ErrorCode, endsRun } from '../support/errors.ts';
import { groupBy } from '../support/group-by.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { TakenDeliveries } from './begin.ts';
import type { Delivery, Outcome, Placed, Subject } from './making/delivery.ts';
import type { FileContents } from './making/file-contents.ts';
import { closeDeliveries } from './open-deliveries.ts';
import { isBrowserOptional } from './pictures/run-renderer.ts';
import { DeliveryFiles, eachPath } from './published-files.ts';

export interface FormerDeliveries {
  lines: DeliveryLines;
  /** Lines of older masters. */
  lastGood: DeliveryLines;
}

/** Files of each delivery that took the longest. */
const SLOWEST = 5;

/**
 * Processes deliveries; an error that ends the run, and its signal, end all of them.
 *
 * @returns What each has made, in the order of the deliveries.
 */
export async function processDeliveries(
  run: Run,
  opened: TakenDeliveries,
  masters: readonly Master[],
  lists: Pick<SharedByAll, 'before' | 'now'>,
): Promise<DeliveryProcessor[]> {
  const { signal } = run.environment;
  const ending = new AbortController();
  const end = (reason: unknown) => {
    ending.abort(reason);
    opened.workers?.end(reason);
    return closeDeliveries(opened);
  };
  const interrupt = () => void end(signal.reason);
  signal.addEventListener('abort', interrupt);
  try {
    // All have ended before anything is closed for good: none writes into an output that is not locked any more.
    const processed: DeliveryProcessor[] = [];
    for (const isLast of [false, true]) {
      const some = opened.deliveries.filter((delivery) => (delivery.isLast ?? false) === isLast);
      const ended = await Promise.allSettled(
        some.map(async (delivery) => {
          const { workers, contents } = opened;
          const shared = { ...lists, workers, contents, ending: ending.signal };
          const processor = new DeliveryProcessor(run, delivery, shared);
          await processor.processAll(masters).catch(async (error: unknown) => {
            await end(error);
            throw error;
          });
          return processor;
        }),
      );
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      processed.push(...ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
    }
    return processed;
  } finally {
    signal.removeEventListener('abort', interrupt);
    await closeDeliveries(opened);
  }
}

/** What all deliveries of a run have in common. */
interface SharedByAll {
  before: FormerDeliveries;
  /** Receives the new lines; `lastGood`: for masters of which nothing could be made. */
  now: FormerDeliveries;
  workers: DeliveryWorkers | undefined;
  contents: FileContents;
  /** Aborts when nothing more is to be begun. */
  ending: AbortSignal;
}

interface Slow {
  article: string;
  ms: number;
}

type FormerLines = readonly (DeliveryLine | undefined)[];

/** Processes the subjects of a delivery. The failure of one is a failure of all its masters; the others continue. */
class DeliveryProcessor {
  readonly #failed = new Map<Subject, Delivered['failures'][number]>();
  /** The first ones, in the order of the subjects. */
  readonly failures: Delivered['failures'] = [];
  readonly omitted = new Set<string>();
  /** Sentences on why files of unchanged masters were made again. */
  readonly notes: string[] = [];
  readonly #run: Run;
  readonly #delivery: Delivery;
  readonly #before: FormerDeliveries;
  readonly #now: FormerDeliveries;
  readonly #files: DeliveryFiles;
  readonly #counts = { made: 0, unchanged: 0, failed: 0, accepted: 0, omitted: 0 };
  readonly #countsByCode: Record<string, number> = {};
  readonly #bytesOfFiles = new Map<Digest, number>();
  readonly #bytesOfMasters = new Map<Digest, number>();
  readonly #ending: AbortSignal;
  readonly #workers: DeliveryWorkers | undefined;
  /** Does what this process makes itself, so many at the same time as the delivery allows. */
  readonly #here: LimitFunction;
  /** Time of processors for what was made, and what took the longest, the slowest first. */
  #ms = 0;
  #slowest: Slow[] = [];

  constructor(run: Run, delivery: Delivery, shared: SharedByAll) {
    const { before, now, workers, contents, ending } = shared;
    this.#run = run;
    this.#delivery = delivery;
    this.#ending = ending;
    this.#workers = delivery.taskOf && workers;
    this.#here = pLimit(delivery.atOnce);
    this.#before = before;
    this.#now = now;
    this.#files = new DeliveryFiles(delivery.name, run, contents);
  }

  get counts(): Delivered['deliveries'][number] {
    return {
      ...{ name: this.#delivery.name, ...this.#counts, byCode: sorted(this.#countsByCode) },
      ...{ bytes: sum(this.#bytesOfFiles), masterBytes: sum(this.#bytesOfMasters) },
      ...{ ms: Math.round(this.#ms), slowest: this.#slowest },
    };
  }

  /** @throws The reason of the signal; an error that ends the run. */
  async processAll(masters: readonly Master[]): Promise<void> {
    const { environment } = this.#run;
    const { name } = this.#delivery;
    const { kind, atOnce: here } = this.#delivery;
    const atOnce = Math.max(here, this.#workers?.atOnce(kind) ?? 0);
    // The largest come first: at the end, no processor waits for one that has begun late.
    const inOrder = [...(await this.#delivery.subjectsOf(masters, this.#now.lines))];
    const all = inOrder.toSorted((a, b) => bytesOf(b) - bytesOf(a));
    const shown = { making: name, total: all.length, done: 0, failed: 0 };
    environment.progress?.({ ...shown });
    await inParallel(all, atOnce, async (subject) => {
      environment.signal.throwIfAborted();
      this.#ending.throwIfAborted();
      for (const line of await this.#process(subject)) this.#now.lines.set(deliveryKey(line), line);
      shown.done++;
      shown.failed = this.#counts.failed;
      environment.progress?.({ ...shown });
    });
    const failed = inOrder.flatMap((subject) => this.#failed.get(subject) ?? []);
    for (const some of groupBy(failed, ({ isAccepted }) => isAccepted).values())
      this.failures.push(...some.slice(0, DELIVERY_FAILURES));
    const limitation = this.#delivery.limitation?.();
    if (limitation) this.omitted.add(limitation);
    const { edition } = this.#delivery;
    if (edition && this.#counts.made > 0 && this.#hasOlder(edition.version))
      this.notes.push(edition.changed);
  }

  /** Whether files of another version of the delivery were published. */
  #hasOlder(current: number): boolean {
    for (const { delivery, files, version } of this.#before.lines.values())
      if (delivery === this.#delivery.name && files.length > 0 && version !== current) return true;
    return false;
  }

  async #process(subject: Subject): Promise<DeliveryLine[]> {
    const { again } = this.#delivery;
    const { masters, source } = subject;
    const former = masters.map(({ id }) => this.#before.lines.get(this.#keyOf(id)));
    const isSame = await this.#isPublished(former, source);
    if (isSame && !again) {
      this.#counts.unchanged += this.#countBytes(subject, former);
      return former as DeliveryLine[];
    }
    const failed = failureBefore(former, source);
    const waiting = !again && (failed?.attempts ?? 0) >= MOST_ATTEMPTS ? failed : undefined;
    try {
      if (waiting !== undefined) {
        const waits = `it failed ${waiting.attempts} times, and waits for another model, other options or deliver --force`;
        throw new ConverterError(waiting.code as ErrorCode, `${waiting.message}; ${waits}`);
      }
      return await this.#make(subject);
    } catch (thrown) {
      const isOmitted = !this.#noteFailure(thrown, subject);
      const own = { error: waiting ?? recordOf(thrown, failed) };
      // The delivery was repeated by force, and its old files are still those of the published masters.
      if (isSame) return former.map((line) => ({ ...line!, ...(!isOmitted && own) }));
      this.#keepLastGood(subject, former);
      return isOmitted ? [] : this.#linesOf(subject, () => ({ files: [], ...own }));
    }
  }

  async #isPublished(former: FormerLines, source: string): Promise<boolean> {
    const isKnown = former.every((line) => line?.source === source && line.error === undefined);
    return isKnown && this.#files.areAllPublished(eachPath(former));
  }

  async #make(subject: Subject): Promise<DeliveryLine[]> {
    let ms = 0;
    const spend = (more: number) => {
      ms += more;
    };
    const keep = (file: Placed) => this.#files.keep(file);
    const making = async () => {
      spend((await this.#workers?.make(this.#delivery.taskOf!(subject))) ?? 0);
      return this.#here(() => this.#delivery.make(subject, { keep, spend }));
    };
    const outcomes = await making().finally(() => this.#noteTime(subject.label, ms));
    await this.#files.linkAll(eachPath(outcomes));
    this.#counts.made += this.#countBytes(subject, outcomes);
    return this.#linesOf(subject, (at) => outcomes[at]!);
  }

  #noteTime(article: string, ms: number): void {
    if (ms === 0) return;
    this.#ms += ms;
    this.#slowest.push({ article, ms: Math.round(ms) });
    this.#slowest.sort((a, b) => b.ms - a.ms);
    this.#slowest.splice(SLOWEST);
  }

  /** Counts and reports a failure of a subject. @returns False if the run may do without the browser that is missing. */
  #noteFailure(thrown: unknown, subject: Subject): boolean {
    const { masters, label } = subject;
    // If the run was interrupted, the error is not a failure of the masters.
    this.#run.environment.signal.throwIfAborted();
    this.#ending.throwIfAborted();
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
    this.#failed.set(subject, { article: label, delivery: name, code, message, help, isAccepted });
    return true;
  }

  #keepLastGood({ masters }: Subject, former: FormerLines): void {
    for (const [at, { id }] of masters.entries()) {
      const key = this.#keyOf(id);
      const shown = former[at]?.files.length ? former[at] : this.#before.lastGood.get(key);
      if (shown !== undefined) this.#now.lastGood.set(key, shown);
    }
  }

  #keyOf(id: Master['id']): string {
    return deliveryKey({ delivery: this.#delivery.name, ...id });
  }

  #linesOf(
    { masters, source }: Subject,
    rest: (at: number) => Outcome & Pick<DeliveryLine, 'error'>,
  ): DeliveryLine[] {
    const { name: delivery, edition } = this.#delivery;
    const own = { delivery, source, ...(edition && { version: edition.version }) };
    return masters.map(({ id }, at) => ({ ...id, ...own, ...rest(at) }));
  }

  /** Counts the bytes of files and of their masters. @returns Number of masters with files. */
  #countBytes({ masters }: Subject, lines: readonly (Outcome | undefined)[]): number {
    const own = masters.filter((_, at) => lines[at]!.files.length > 0);
    for (const { sha256, bytes } of own) this.#bytesOfMasters.set(sha256, bytes);
    for (const { sha256, bytes } of eachPath(lines)) this.#bytesOfFiles.set(sha256, bytes);
    return own.length;
  }
}

function bytesOf({ masters }: Subject): number {
  return masters.reduce((total, { bytes }) => total + bytes, 0);
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sum(bytes: ReadonlyMap<Digest, number>): number {
  return [...bytes.values()].reduce((total, each) => total + each, 0);
}

/** A picture that cannot be taken costs up to two minutes of all cores, and what kills workers costs these, in each run. */
const EXPENSIVE: ReadonlySet<string> = new Set<ErrorCode>(['PICTURE_FAILED', 'KILLED_THE_RUN']);
/** Attempts after which the file waits for another model or other options. */
const MOST_ATTEMPTS = 2;

function failureBefore(
  former: readonly (DeliveryLine | undefined)[],
  source: string,
): DeliveryLine['error'] {
  const own = former.filter((line) => line?.source === source).map((line) => line?.error);
  return own.find((error) => error !== undefined && EXPENSIVE.has(error.code));
}

function recordOf(
  thrown: unknown,
  before: DeliveryLine['error'],
): NonNullable<DeliveryLine['error']> {
  const { code, message } = asConverterError(thrown);
  return { code, message, ...(EXPENSIVE.has(code) && { attempts: (before?.attempts ?? 0) + 1 }) };
}
