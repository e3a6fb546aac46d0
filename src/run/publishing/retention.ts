/** What a publishing run removes at its end: old reports, and what nothing has referred to for some days. */
import { join } from 'node:path';
import {
  readTextIfExists,
  replaceFile,
  sha256Hex,
  statIfExists,
  temporaryFolder,
} from '../../support/files.ts';
import type { Run } from '../open/open-run.ts';
import type { PublicationPlace } from '../open/shared-store.ts';
import { DELIVERIES_FILE, LAST_GOOD_FILE } from '../output/delivered-files.ts';
import { MANIFEST_FILE } from '../output/manifest.ts';
import { oldRuns } from '../output/output-folder.ts';
import { carryOutPrune, type PrunePlan, planPrune } from '../output/prune.ts';

/** The folder of the cache with the list of what nothing refers to, and since when, for each output folder. */
const UNREFERENCED_FOLDER = 'unreferenced';
/** The lists that refer to files. */
const REFERRING_LISTS = [MANIFEST_FILE, DELIVERIES_FILE, LAST_GOOD_FILE];
/** What the program has made by its name; a file of a user is left to `prune`, which asks. */
const OWN = /^(?:objects\/[0-9a-f]{2}\/[0-9a-f]{64}\.\w+|articles(?:\/[^/]+){3}\/[^/]+\.glb)$/;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Unreferenced {
  /** The lists that were compared with the files: while they are the same, no other file is without a reference. */
  lists: string;
  /** ISO 8601, by path. */
  since: Record<string, string>;
}

/**
 * Removes what `output:` keeps no longer: reports beyond `keepRuns`, and objects and links to which nothing has referred
 * for `keepObjectsDays`, by the clock of the run. Files are searched for only where a list has changed, or one is due.
 *
 * @param deliveryFolders - Those of all kinds of deliveries.
 * @throws {@link ConverterError} an error of the output folder or the store.
 * @see D-993
 */
export async function removeOutdated(run: Run, deliveryFolders: readonly string[]): Promise<void> {
  const { options, output, startedAt, environment } = run;
  const { outputDir, store } = options.pipeline;
  await removeFrom(folderPlace(options.pipeline, deliveryFolders), options.pipeline, startedAt);
  if (store === undefined || output.shared === undefined) return;
  const place = await output.shared.place(outputDir, environment.signal);
  if (place !== undefined) await removeFrom(place, options.pipeline, startedAt);
}

async function removeFrom(
  place: PublicationPlace,
  { keepRuns, keepObjectsDays }: Run['options']['pipeline'],
  nowMs: number,
): Promise<void> {
  const text = await place.read();
  const before = readUnreferenced(text);
  const lists = await place.lists(REFERRING_LISTS);
  const isDue = (since: string) => nowMs - Date.parse(since) >= keepObjectsDays * DAY_MS;
  const since: Unreferenced['since'] = {};
  const plan: PrunePlan = { objects: [], links: [], runs: await place.oldRuns(keepRuns), bytes: 0 };
  if (before.lists === lists && !Object.values(before.since).some(isDue)) {
    Object.assign(since, before.since);
  } else {
    const { objects, links = [] } = await place.plan();
    const now = new Date(nowMs).toISOString();
    const isDueNow = (path: string): boolean => {
      if (!OWN.test(path)) return false;
      const known = before.since[path] ?? now;
      // The clock may have been set back.
      const first = known < now ? known : now;
      if (isDue(first)) return true;
      since[path] = first;
      return false;
    };
    plan.objects = objects.filter(isDueNow);
    plan.links = links.filter(isDueNow);
  }
  await place.remove(plan);
  const content = `${JSON.stringify({ lists, since } satisfies Unreferenced, null, 1)}\n`;
  if (content !== text) await place.write(content);
}

/** A list that cannot be read is begun anew: what it named is kept longer. */
function readUnreferenced(text: string | undefined): Unreferenced {
  try {
    const { lists, since } = JSON.parse(text ?? '') as Partial<Unreferenced>;
    return { lists: String(lists), since: { ...since } };
  } catch {
    return { lists: '', since: {} };
  }
}

function folderPlace(
  { outputDir, cacheDir }: Run['options']['pipeline'],
  deliveryFolders: readonly string[],
): PublicationPlace {
  const path = join(cacheDir, UNREFERENCED_FOLDER, `${sha256Hex(outputDir).slice(0, 16)}.json`);
  return {
    async lists(files) {
      const facts = await Promise.all(files.map((file) => statIfExists(join(outputDir, file))));
      // Each is replaced as a whole, by another file.
      return facts.map((one) => one && `${one.identity} ${one.modifiedMs}`).join(', ');
    },
    plan: () => planPrune(outputDir, deliveryFolders),
    oldRuns: (keepRuns) => oldRuns(outputDir, keepRuns),
    async remove({ objects, links = [], runs }) {
      if (objects.length + links.length + runs.length > 0)
        await carryOutPrune(outputDir, deliveryFolders, { objects, links, runs });
    },
    read: () => readTextIfExists(path),
    // Without it, files are kept longer.
    async write(text) {
      const tmpDir = temporaryFolder(cacheDir);
      await replaceFile(path, text, { tmpDir, access: 'private', durable: false });
    },
  };
}
