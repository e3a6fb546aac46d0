/** Delivery: makes of the published masters what others need, such as pictures, and publishes it beside them. */

import { extname, join } from 'node:path';
import { articleLabel } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Run } from '../run/open/open-run.ts';
import {
  DELIVERIES_FILE,
  type DeliveredFile,
  type DeliveryLine,
  isSharedPath,
  LAST_GOOD_FILE,
  placeOf,
  readDeliveries,
} from '../run/output/delivered-files.ts';
import { objectFiles, requireManifest } from '../run/output/output-folder.ts';
import { type NewLists, replaceLists } from '../run/output/publication.ts';
import type { Delivered } from '../run/publishing/deliveries.ts';
import { mastersOf } from '../run/publishing/masters.ts';
import { DELIVERY_FAILURES } from '../run/report/run-report.ts';
import { amount } from '../run/report/text.ts';
import { openFileStore } from '../source/cache/content-store.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import { readTextIfExists, statIfExists, temporaryFolder } from '../support/files.ts';
import { groupBy } from '../support/group-by.ts';
import { inParallel } from '../support/in-parallel.ts';
import { linkOrCopy } from '../support/links.ts';
import { acceptedOf } from './accepted.ts';
import { writeFeeds } from './after-publish.ts';
import { removeGallery, writeGallery } from './gallery/publish-gallery.ts';
import { openDeliveries } from './kinds.ts';
import type { Delivery, Placed, Subject } from './making/delivery.ts';
import { isBrowserOptional } from './pictures/run-renderer.ts';
import { sectionOf } from './section.ts';

/**
 * Delivers what the pipeline asks for.
 *
 * What an earlier delivery made of the same masters is left alone; what another configuration or an interrupted
 * delivery has made is taken from the cache. The failure of one article is a row of the result, also where it is one of
 * the browser: what needs none is published. Files of an older master stay at their places, but the list of deliveries,
 * and all that is made of it, has those of the published masters only.
 *
 * @throws {@link ConverterError} an error of the output folder; the reason of the signal.
 */
export async function deliver(run: Run): Promise<Delivered> {
  const { outputDir } = run.options.pipeline;
  const wanted = sectionOf(run.options.pipeline);
  await requireManifest(outputDir);
  const masters = await mastersOf(outputDir);
  const deliveries = await openDeliveries(wanted ?? {}, run, masters);
  const delivered: Delivered = { deliveries: [], failures: [], splits: [], omitted: [] };
  const before = {
    lines: await readDeliveries(outputDir),
    lastGood: await readDeliveries(outputDir, LAST_GOOD_FILE),
  };
  const lines: DeliveryLine[] = [];
  const lastGood: DeliveryLine[] = [];
  const { signal } = run.environment;
  const close = () => void Promise.all(deliveries.map((delivery) => delivery.close?.()));
  signal.addEventListener('abort', close);
  try {
    if (deliveries.length > 0) {
      const names = deliveries.map(({ name }) => name).join(', ');
      const glbs = `${amount(masters.length, 'GLB')} in ${outputDir}`;
      run.environment.log.info(`${glbs}; next: ${names}`);
    }
    for (const delivery of deliveries) {
      const one = startDelivery(run, delivery, before);
      const subjects = [...delivery.subjects];
      const progress = { making: delivery.name, total: subjects.length, done: 0, failed: 0 };
      run.environment.progress?.({ ...progress });
      await inParallel(subjects, delivery.atOnce, async (subject) => {
        signal.throwIfAborted();
        lines.push(...(await one.deliver(subject)));
        progress.done++;
        progress.failed = one.counts().failed;
        run.environment.progress?.({ ...progress });
      });
      delivered.deliveries.push({ name: delivery.name, ...one.counts() });
      delivered.failures.push(...one.failures);
      const limitation = delivery.limitation?.();
      delivered.omitted.push(...one.omitted, ...(limitation ? [limitation] : []));
      lastGood.push(...one.lastGood);
      await delivery.close?.();
    }
  } finally {
    signal.removeEventListener('abort', close);
    await Promise.all(deliveries.map((delivery) => delivery.close?.()));
  }
  delivered.splits = splitsOf(lines);
  const former = formerFiles({ lines, lastGood }, before);
  const feeds = await replaceLists(outputDir, former, async (lists) => {
    await writeDeliveries(lists, LAST_GOOD_FILE, lastGood);
    await writeDeliveries(lists, DELIVERIES_FILE, lines);
    if (wanted?.gallery) delivered.gallery = await writeGallery(run, lists, lines);
    else await removeGallery(lists);
    return writeFeeds(run, lists, lines);
  });
  for (const { counts, failures, leftOut } of feeds) {
    delivered.deliveries.push(counts);
    delivered.failures.push(...failures);
    delivered.omitted.push(...leftOut);
  }
  await run.output.published?.publishDelivered(lines, lastGood);
  return delivered;
}

/** What an output has of deliveries: that of its masters, and that of older ones. */
type Listed<Lines> = Record<'lines' | 'lastGood', Lines>;

/** One kind of delivery. */
function startDelivery(
  run: Run,
  { name: delivery, make }: Delivery,
  before: Listed<ReadonlyMap<string, DeliveryLine>>,
) {
  const { options, environment, output } = run;
  const { outputDir } = options.pipeline;
  const counts = { made: 0, unchanged: 0, failed: 0, accepted: 0, omitted: 0 };
  const byCode: Record<string, number> = {};
  const accepted = acceptedOf(sectionOf(options.pipeline)!, delivery);
  const bytesOfFiles = new Map<Digest, number>();
  const bytesOfMasters = new Map<Digest, number>();
  /** Returns how many masters have files. */
  const count = ({ masters }: Subject, lines: readonly (WithFiles | undefined)[]): number => {
    const own = masters.filter((_, at) => lines[at]!.files.length > 0);
    for (const { sha256, bytes } of own) bytesOfMasters.set(sha256, bytes);
    for (const { sha256, bytes } of eachPath(lines)) bytesOfFiles.set(sha256, bytes);
    return own.length;
  };
  const failures: Delivered['failures'] = [];
  const omitted = new Set<string>();
  const lastGood: DeliveryLine[] = [];
  const storeOf = (name: string) =>
    openFileStore({ ...objectFiles(outputDir), extension: extname(name) });

  /** Each shared file is stored, linked and examined once for all subjects. */
  const shared = {
    kept: new Map<string, Promise<DeliveredFile>>(),
    linked: new Map<string, Promise<unknown>>(),
    examined: new Map<string, Promise<boolean>>(),
  };
  const keep = (file: Placed): Promise<DeliveredFile> =>
    onceIfShared(shared.kept, file, async ({ name, path, bytes, facts }) => {
      const { digest } = await storeOf(name).put(bytes);
      return { name, path, sha256: digest, bytes: bytes.length, facts };
    });
  const link = (file: DeliveredFile): Promise<unknown> =>
    onceIfShared(shared.linked, file, ({ name, path, sha256 }) =>
      linkOrCopy(storeOf(name).pathOf(sha256), join(outputDir, path), temporaryFolder(outputDir)),
    );
  const linkAll = async (files: readonly DeliveredFile[]): Promise<void> => {
    const isPart = ({ path }: DeliveredFile) => isSharedPath(path);
    // First what the others refer to.
    await Promise.all(files.filter(isPart).map(link));
    await Promise.all(files.filter((file) => !isPart(file)).map(link));
  };
  const isPublished = async (file: DeliveredFile): Promise<boolean> => {
    // The list may have been edited.
    if (!file.path.startsWith(`${delivery}/`)) return false;
    if (output.published !== undefined) return output.published.hasFile(file);
    return onceIfShared(shared.examined, file, async ({ name, path, sha256, bytes }) => {
      // A link whose object is another file, or that is gone, is made again.
      const [object, link] = await Promise.all([
        statIfExists(storeOf(name).pathOf(sha256)),
        statIfExists(join(outputDir, path)),
      ]);
      return object?.bytes === bytes && link?.bytes === bytes;
    });
  };
  const areAllPublished = async (files: readonly DeliveredFile[]): Promise<boolean> =>
    (await Promise.all(files.map(isPublished))).every((is) => is);
  const linesOf = ({ masters, source }: Subject, rest: (at: number) => Rest): DeliveryLine[] =>
    masters.map(({ id }, at) => ({ ...id, delivery, source, ...rest(at) }));

  const sum = (bytes: ReadonlyMap<Digest, number>) =>
    [...bytes.values()].reduce((total, each) => total + each, 0);
  return {
    counts: () => ({
      ...counts,
      byCode,
      bytes: sum(bytesOfFiles),
      masterBytes: sum(bytesOfMasters),
    }),
    failures,
    /** Sentences. */
    omitted,
    lastGood,
    async deliver(subject: Subject): Promise<DeliveryLine[]> {
      const { masters, source, label } = subject;
      const places = masters.map(({ id }) => placeOf(delivery, id));
      const former = places.map((place) => before.lines.get(place));
      const known = former.filter((line) => line?.source === source && line.error === undefined);
      const isSame = known.length === masters.length && (await areAllPublished(eachPath(former)));
      if (isSame && !options.force) {
        counts.unchanged += count(subject, former);
        return former as DeliveryLine[];
      }
      const failed = failureBefore(former, source);
      try {
        if (failed !== undefined && !options.force && (failed.attempts ?? 0) >= MOST_ATTEMPTS)
          throw new WaitingFailure(failed);
        const outcomes = await make(subject, keep);
        await linkAll(eachPath(outcomes));
        counts.made += count(subject, outcomes);
        return linesOf(subject, (at) => outcomes[at]!);
      } catch (thrown) {
        // Where the run was interrupted, it is not the failure of the masters.
        environment.signal.throwIfAborted();
        const { code, message, help } = asConverterError(thrown);
        const lacksBrowser = code === 'BROWSER_MISSING';
        if (endsRun(code) && !lacksBrowser) throw thrown;
        const isOmitted = lacksBrowser && isBrowserOptional(run);
        const isAccepted = !isOmitted && accepted.has(code);
        const outcome = isAccepted ? 'accepted' : 'failed';
        counts[isOmitted ? 'omitted' : outcome] += masters.length;
        if (isOmitted) omitted.add(`no new ${delivery}, since ${message}`);
        else byCode[code] = (byCode[code] ?? 0) + masters.length;
        const alike = failures.filter((one) => one.isAccepted === isAccepted);
        if (!isOmitted && alike.length < DELIVERY_FAILURES)
          failures.push({ article: label, delivery, code, message, help, isAccepted });
        const own = { error: recordOf(thrown, failed)! };
        // By force: they show the published masters.
        if (isSame) return former.map((line) => ({ ...line!, ...(!isOmitted && own) }));
        for (const [at, place] of places.entries()) {
          const shown = former[at]?.files.length ? former[at] : before.lastGood.get(place);
          if (shown !== undefined) lastGood.push(shown);
        }
        return isOmitted ? [] : linesOf(subject, () => ({ files: [], ...own }));
      }
    },
  };
}

/** A picture that cannot be taken costs up to two minutes of all cores, in each run. */
const EXPENSIVE = 'PICTURE_FAILED';
/** Then it waits for another model or other options. */
const MOST_ATTEMPTS = 2;

/** The failure of the same, with the number of its attempts. */
function failureBefore(former: readonly (DeliveryLine | undefined)[], source: string) {
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

type Rest = Pick<DeliveryLine, 'files' | 'splitBy' | 'error'>;
type WithFiles = Pick<DeliveryLine, 'files'>;

/** Does work on a file; on one that configurations share, once for all of them. */
function onceIfShared<F extends { path: string }, T>(
  done: Map<string, Promise<T>>,
  file: F,
  work: (file: F) => Promise<T>,
): Promise<T> {
  const known = done.get(file.path);
  if (known !== undefined) return known;
  const started = work(file);
  if (isSharedPath(file.path)) done.set(file.path, started);
  return started;
}

/** Files that several configurations share, once. */
function eachPath(lines: readonly (WithFiles | undefined)[]): DeliveredFile[] {
  const all = lines.flatMap((line) => line?.files ?? []);
  return [...new Map(all.map((file) => [file.path, file])).values()];
}

const SHOWN_ARTICLES = 3;

/** Which properties divide articles into several files, the most frequent first. */
function splitsOf(lines: readonly DeliveryLine[]): Delivered['splits'] {
  const divided = lines.filter(({ splitBy = [] }) => splitBy.length > 0);
  const groups = groupBy(divided, ({ splitBy }) => JSON.stringify(splitBy));
  const splits = Array.from(groups, ([splitBy, some]) => {
    const articles = [...new Set(some.map(articleLabel))].sort();
    const shown = articles.slice(0, SHOWN_ARTICLES);
    return { splitBy: JSON.parse(splitBy) as string[], count: articles.length, articles: shown };
  });
  return splits.sort((a, b) => b.count - a.count || (`${a.splitBy}` < `${b.splitBy}` ? -1 : 1));
}

async function writeDeliveries(
  lists: NewLists,
  file: string,
  lines: readonly DeliveryLine[],
): Promise<void> {
  const keyed = lines.map((line) => [placeOf(line.delivery, line), line] as const);
  keyed.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = keyed.map(([, line]) => `${JSON.stringify(line)}\n`).join('');
  const before = await readTextIfExists(join(lists.outputDir, file));
  // One without lines stays: a store has it.
  const isNew = before === undefined && (file === DELIVERIES_FILE || text !== '');
  if (isNew || (before !== undefined && text !== before)) await lists.write(file, text);
}

/** Paths that the new lines no longer have. The lists may have been edited: a delivery has its own folder. */
function formerFiles(
  now: Listed<readonly DeliveryLine[]>,
  before: Listed<ReadonlyMap<string, DeliveryLine>>,
): string[] {
  const listed = [...now.lines, ...now.lastGood];
  const current = new Set(listed.flatMap(({ files }) => files.map(({ path }) => path)));
  const former = [...before.lines.values(), ...before.lastGood.values()];
  const own = former.map(({ delivery, files }) =>
    files.map(({ path }) => path).filter((path) => path.startsWith(`${delivery}/`)),
  );
  return own.flat().filter((path) => !current.has(path));
}
