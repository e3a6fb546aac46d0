/** Checks an output folder: whether every file that its lists name is there and has its content. */
import { join } from 'node:path';
import { configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { isConverterError } from '../../support/errors.ts';
import { exists, readBytes, sha256Hex, statIfExists } from '../../support/files.ts';
import type { CatalogueLine, ManifestLine } from '../lists/manifest-line.ts';
import { CATALOGUE_FILE, openCatalogue } from './manifest.ts';
import {
  DAMAGED,
  deliveredFiles,
  MISSING,
  openObjects,
  publishedObjects,
} from './output-folder.ts';
import { PUBLISHING_FILE } from './publication.ts';
import { cataloguesOfLanguages, type PublishedAsset, publishedAsset } from './publish.ts';

/** What a check found. */
export interface Verification {
  objects: number;
  links: number;
  /** Damage. An object has its digest, and the paths of all configurations that share it. */
  problems: { path: string; problem: string; object?: Digest; sharedBy?: string[] }[];
  /** Links, lists and the note of a publication that was cut off, for example by a power cut. The next run completes it. */
  incomplete: { path: string; problem: string }[];
}

/**
 * Hashes every object and link of the manifest, also the last good files of failed lines, and compares the catalogues
 * with the manifest.
 *
 * @throws {@link ConverterError} `USAGE` without a manifest; the reason of the signal.
 */
export async function verifyOutput(outputDir: string, signal?: AbortSignal): Promise<Verification> {
  const lists = new ListChecks(outputDir);
  const { problems, incomplete } = lists;
  const linksOf = await lists.objects(({ glb }) => join(outputDir, glb));
  const store = openObjects(outputDir);
  const pathOf = (object: Digest) => store.pathOf(object);
  const addProblem = (path: string, problem: string, cutOff: string | undefined) =>
    cutOff === undefined
      ? problems.push({ path, problem })
      : incomplete.push({ path, problem: cutOff });
  for (const [object, links] of linksOf) {
    const path = pathOf(object);
    const damage = await problemOf(path, object);
    if (damage !== undefined) problems.push({ path, problem: damage, object, sharedBy: links });
    for (const link of links) {
      signal?.throwIfAborted();
      // A hard link is its object, which is checked already.
      if (await isSameFile(link, path)) continue;
      const problem = await problemOf(link, object);
      if (problem === undefined) continue;
      const isIntact = damage === undefined;
      addProblem(link, problem, isIntact ? await cutOffAt(link, problem, pathOf) : undefined);
    }
  }
  await lists.checkOthers();
  // All are read before one is checked, which takes long: a run may replace the lists meanwhile.
  const listed = [];
  for await (const files of deliveredFiles(outputDir)) listed.push(...files);
  const delivered = new Map(listed.map((file) => [`${file.link} ${file.sha256}`, file]));
  for (const { object, objectOf, link, sha256 } of delivered.values()) {
    signal?.throwIfAborted();
    const problem = await problemOf(link, sha256);
    if (problem === undefined) continue;
    const isStored = (await problemOf(object, sha256)) === undefined;
    addProblem(link, problem, isStored ? await cutOffAt(link, problem, objectOf) : undefined);
  }
  const links = [...linksOf.values()].reduce((sum, { length }) => sum + length, delivered.size);
  const objects = linksOf.size + new Set(listed.map(({ object }) => object)).size;
  return { objects, links, problems, incomplete };
}

/** The checks of the lists of an output: what cannot be read of the manifest, and whether the others agree with it. */
export class ListChecks {
  /** What is wrong: the caller adds what else it finds. */
  readonly problems: Verification['problems'] = [];
  readonly incomplete: Verification['incomplete'] = [];
  readonly #dir: string;
  readonly #lines = new Map<
    string,
    { asset: PublishedAsset | undefined; status: ManifestLine['status'] }
  >();
  /** Whether every line of the manifest is known. */
  #isReadable = true;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Reads the manifest, as {@link publishedObjects}. */
  async objects(nameOf: Parameters<typeof publishedObjects>[1]): Promise<Map<Digest, string[]>> {
    const onDamaged = (path: string, problem: string) => this.#addProblem(path, problem);
    const namesOf = await publishedObjects(this.#dir, nameOf, onDamaged, (line) => {
      const listed = { asset: publishedAsset(line), status: line.status };
      this.#lines.set(configurationKey(line), listed);
    });
    this.#isReadable = this.problems.length === 0;
    return namesOf;
  }

  /** Compares the catalogues with the manifest that was read; the others agree with it once the note is gone. */
  async checkOthers(): Promise<void> {
    const { incomplete } = this;
    const note = join(this.#dir, PUBLISHING_FILE);
    if (await exists(note)) incomplete.push({ path: note, problem: NOT_ENDED });
    for (const file of [CATALOGUE_FILE, ...(await cataloguesOfLanguages(this.#dir))]) {
      const path = join(this.#dir, file);
      try {
        const differing = await this.#differingEntries(file);
        const problem = `${differing} lines are not those of the manifest`;
        if (differing > 0 && this.#isReadable) incomplete.push({ path, problem });
      } catch (error) {
        this.#addProblem(path, unreadable(error));
      }
    }
  }

  #addProblem(path: string, problem: string): void {
    this.problems.push({ path, problem });
  }

  /** Counts the lines of a catalogue that name another GLB than the manifest, and those that one of both lacks. */
  async #differingEntries(file: string): Promise<number> {
    const lines = this.#lines;
    let differing = 0;
    let damaged = 0;
    const found = new Set<string>();
    const onLine = ({ glb, sha256 }: CatalogueLine, key: string) => {
      found.add(key);
      const { asset } = lines.get(key) ?? {};
      const isSame = glb === (asset?.glb ?? null) && sha256 === (asset?.sha256 ?? null);
      if (!lines.has(key) || !isSame) differing++;
    };
    const onDamaged = (where: string, problem: string) => {
      damaged++;
      this.#addProblem(where, problem);
    };
    await openCatalogue(this.#dir, { onLine, onDamaged }, file);
    // What has never been fetched has no texts.
    const required = [...lines].filter(
      ([key, { status }]) => status !== 'failed' && !found.has(key),
    );
    return differing + Math.max(0, required.length - damaged);
  }
}

const NOT_ENDED = 'the publication has not ended: feeds, gallery and other lists may be older';

/** How a publication that was cut off leaves a link whose object is intact; undefined if it is damage. */
async function cutOffAt(
  link: string,
  problem: string,
  objectOf: (digest: Digest) => string,
): Promise<string | undefined> {
  if (problem === MISSING) return 'missing, but its object is intact';
  if (problem !== DAMAGED) return undefined;
  const isStored = await exists(objectOf(sha256Hex(await readBytes(link))));
  return isStored ? 'another object than the list names' : undefined;
}

async function problemOf(path: string, digest: Digest): Promise<string | undefined> {
  try {
    return sha256Hex(await readBytes(path)) === digest ? undefined : DAMAGED;
  } catch (error) {
    if (isConverterError(error, 'FILE_MISSING')) return MISSING;
    return unreadable(error);
  }
}

function unreadable(error: unknown): string {
  if (isConverterError(error)) return `unreadable: ${error.message}`;
  throw error;
}

/** Not if one is a symbolic link or cannot be examined: then it is a problem. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const found = await Promise.all([a, b].map((path) => statIfExists(path).catch(() => undefined)));
  return found[0] !== undefined && found[0].identity === found[1]?.identity;
}
