/** The files of one delivery in the output folder. */
import { extname, join } from 'node:path';
import type { Run } from '../run/open/open-run.ts';
import {
  type DeliveredFile,
  type DeliveryLine,
  isSharedPath,
} from '../run/output/delivered-files.ts';
import { type ContentStore, openFileStore } from '../source/cache/content-store.ts';
import { ConverterError } from '../support/errors.ts';
import { statIfExists, temporaryFolder } from '../support/files.ts';
import { linkOrCopy } from '../support/links.ts';
import type { Placed } from './making/delivery.ts';
import type { FileContents } from './making/file-contents.ts';

/** Stores, links and examines the files of a delivery: a file that configurations share, once for all of them. */
export class DeliveryFiles {
  readonly #delivery: string;
  readonly #outputDir: string;
  readonly #output: Run['output'];
  readonly #contents: FileContents;
  readonly #stores = new Map<string, ContentStore>();
  readonly #kept = new Map<string, Promise<DeliveredFile>>();
  readonly #linked = new Map<string, Promise<unknown>>();
  readonly #examined = new Map<string, Promise<boolean>>();

  constructor(delivery: string, { options, output }: Run, contents: FileContents) {
    this.#delivery = delivery;
    this.#outputDir = options.pipeline.outputDir;
    this.#output = output;
    this.#contents = contents;
  }

  /** Brings a file into this folder if it is in the cache alone; it reaches its place when it is linked. */
  keep(file: Placed): Promise<DeliveredFile> {
    return onceIfShared(this.#kept, file, async ({ name, path, sha256, bytes, facts }) => {
      if (this.#contents.objects === undefined) {
        const content = await this.#contents.read(file, name);
        if (content === undefined) {
          const message = `${path}: expected the content ${sha256} in the cache, received none`;
          throw new ConverterError('STORE_DAMAGED', message);
        }
        await this.#storeOf(name).put(content);
      }
      return { name, path, sha256, bytes, facts };
    });
  }

  /** Links stored files to their places: first those that others refer to. */
  async linkAll(files: readonly DeliveredFile[]): Promise<void> {
    const isPart = ({ path }: DeliveredFile) => isSharedPath(path);
    await Promise.all(files.filter(isPart).map((file) => this.#link(file)));
    await Promise.all(files.filter((file) => !isPart(file)).map((file) => this.#link(file)));
  }

  async areAllPublished(files: readonly DeliveredFile[]): Promise<boolean> {
    return (await Promise.all(files.map((file) => this.#isPublished(file)))).every((is) => is);
  }

  #storeOf(name: string): ContentStore {
    const extension = extname(name);
    const known = this.#stores.get(extension);
    if (known !== undefined) return known;
    const { unsynced } = this.#contents;
    const opened = openFileStore({ ...this.#output.objectFiles, extension, unsynced });
    this.#stores.set(extension, opened);
    return opened;
  }

  #link(file: DeliveredFile): Promise<unknown> {
    return onceIfShared(this.#linked, file, ({ name, path, sha256 }) => {
      const place = join(this.#outputDir, path);
      return linkOrCopy(
        this.#storeOf(name).pathOf(sha256),
        place,
        temporaryFolder(this.#outputDir),
        undefined,
        this.#contents.unsynced,
      );
    });
  }

  async #isPublished(file: DeliveredFile): Promise<boolean> {
    // The list may have been edited.
    if (!file.path.startsWith(`${this.#delivery}/`)) return false;
    const { published } = this.#output;
    if (published !== undefined) return published.hasFile(file);
    return onceIfShared(this.#examined, file, async ({ name, path, sha256, bytes }) => {
      // The link is made again if its object is another file or is missing.
      const [object, link] = await Promise.all([
        statIfExists(this.#storeOf(name).pathOf(sha256)),
        statIfExists(join(this.#outputDir, path)),
      ]);
      return object?.bytes === bytes && link?.bytes === bytes;
    });
  }
}

/** Lists the files of configurations; a file that several of them share is listed once. */
export function eachPath(
  lines: readonly (Pick<DeliveryLine, 'files'> | undefined)[],
): DeliveredFile[] {
  const all = lines.flatMap((line) => line?.files ?? []);
  return [...new Map(all.map((file) => [file.path, file])).values()];
}

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
