/** The kinds of jobs of a pipeline: what a machine converts and makes, and on which queues. */
import { browserVersion, findBrowser, whyNoBrowser } from '../deliver/pictures/browser.ts';
import { sectionOf } from '../deliver/section.ts';
import { JOB_KINDS, type JobKind } from '../run/executor.ts';
import type { Environment } from '../run/file/environment.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { DeliveryJobKind } from '../run/publishing/deliveries.ts';
import { sha256Hex } from '../support/files.ts';
import { CONVERT, isMeant, type QueueWorkerInfo } from './queue/chunk-queue.ts';

/** Jobs of a kind that a worker does at the same time: while the last parts of one are made, the next begins. */
const JOBS_AT_ONCE = 2;
/** The queue of pictures of a run without a browser: any will do. */
const ANY_BROWSER = '*';
const DIGITS = 12;

/** The queue of pictures of a browser: with another one, pixels differ. */
function pictureQueue(browser: string): string {
  return `pictures.${browser}`;
}

const isOfPictures = (queue: string) => queue.startsWith(pictureQueue(''));

/** The jobs that a worker of this machine does, by queue, and how many at once; `omitted` says which it does not. */
export async function workerJobs(
  pipeline: Pipeline,
  env: Environment,
  wanted: readonly JobKind[] = JOB_KINDS,
): Promise<{ jobsAtOnce: Record<string, number>; omitted: string | undefined }> {
  const browser = wanted.includes('pictures') ? await browserDigest(pipeline, env) : undefined;
  const queues = wanted.flatMap((kind) => {
    if (kind !== 'pictures') return kind;
    return browser === undefined ? [] : pictureQueue(browser);
  });
  const isWithout = wanted.includes('pictures') && browser === undefined;
  return {
    jobsAtOnce: Object.fromEntries(queues.map((queue) => [queue, JOBS_AT_ONCE])),
    omitted:
      isWithout && makesPictures(pipeline)
        ? `takes no pictures: ${whyNoBrowser(env).why}`
        : undefined,
  };
}

/** Whether a worker with these jobs takes no pictures for a run, since the run has another browser. */
export function hasOtherBrowser(
  own: Readonly<Record<string, number>>,
  needs: readonly string[],
): boolean {
  const [pictures] = Object.keys(own).filter(isOfPictures);
  const needed = needs.filter(isOfPictures);
  return (
    pictures !== undefined && needed.length > 0 && !needed.some((one) => isMeant(one, pictures))
  );
}

/** The kinds of jobs of a run, besides conversions. */
export class DeliveryJobKinds {
  readonly #browser: string | undefined;
  readonly #makesProfiles: boolean;
  readonly #makesPictures: boolean;

  private constructor(pipeline: Pipeline, browser: string | undefined) {
    const { profiles = [], variants = false } = sectionOf(pipeline) ?? {};
    this.#makesProfiles = profiles.length > 0 || variants !== false;
    this.#makesPictures = makesPictures(pipeline);
    this.#browser = browser;
  }

  /** Finds the kinds of a pipeline, and the browser of this machine, which is that of the run. */
  static async of(pipeline: Pipeline, env: Environment): Promise<DeliveryJobKinds> {
    const browser = makesPictures(pipeline) ? await browserDigest(pipeline, env) : undefined;
    return new DeliveryJobKinds(pipeline, browser);
  }

  /** The queues of which workers take jobs. */
  get queues(): string[] {
    return [
      ...[CONVERT, ...(this.#makesProfiles ? ['profiles'] : [])],
      ...(this.#makesPictures ? [pictureQueue(this.#browser ?? ANY_BROWSER)] : []),
    ];
  }

  /** The queue of a kind; undefined if the run has no browser, and neither has a worker. */
  ofQueue(kind: DeliveryJobKind, workers: readonly QueueWorkerInfo[]): string | undefined {
    if (kind !== 'pictures') return kind;
    if (this.#browser !== undefined) return pictureQueue(this.#browser);
    const found = workers
      .flatMap(({ kinds, state }) => (ENDED.has(state) ? [] : kinds))
      .filter(isOfPictures);
    const countOf = (queue: string) => found.filter((one) => one === queue).length;
    return found.sort((a, b) => countOf(b) - countOf(a) || (a < b ? -1 : 1))[0];
  }

  /** Workers that take pictures with another browser than that of the run. */
  others(workers: readonly QueueWorkerInfo[]): string[] {
    if (this.#browser === undefined) return [];
    const own = pictureQueue(this.#browser);
    const isOther = ({ kinds }: QueueWorkerInfo) =>
      kinds.some(isOfPictures) && !kinds.includes(own);
    return workers.filter(isOther).map(({ name }) => name);
  }
}

const ENDED: ReadonlySet<QueueWorkerInfo['state']> = new Set([
  'lost',
  'stopped',
  'refused',
] as const);

function makesPictures(pipeline: Pipeline): boolean {
  const { pictures, swatches } = sectionOf(pipeline) ?? {};
  return pictures !== undefined || swatches !== undefined;
}

async function browserDigest(
  { cacheDir }: Pipeline,
  env: Environment,
): Promise<string | undefined> {
  const browser = await findBrowser(env, cacheDir);
  return browser && sha256Hex(await browserVersion(browser)).slice(0, DIGITS);
}
