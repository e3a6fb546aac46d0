/** What is published, for commands that read, check or prune it: in an output folder, or in the store of a pipeline. */
import { join } from 'node:path';
import type { Digest } from '../../model/snapshot.ts';
import { ConverterError } from '../../support/errors.ts';
import { exists, readBytes, readBytesIfExists, sha256Hex } from '../../support/files.ts';
import { lockOutput } from './lock.ts';
import { manifestLines } from './manifest.ts';
import { OBJECTS_FOLDER, requireManifest } from './output-folder.ts';
import { carryOutPrune, type PrunePlan, planPrune } from './prune.ts';
import { expectNoPublication } from './publication.ts';
import { publishedAsset } from './publish.ts';
import { type Verification, verifyOutput } from './verify.ts';

/** A GLB or a file of a delivery. */
export interface PublishedFile {
  /** Below the output folder, with `/`; in a store its key. */
  path: string;
  sha256: Digest;
}

/** What is published. */
export interface Published {
  /** Its output folder, or the address of its store. */
  readonly name: string;
  /** Folder of manifest, catalogues and list of deliveries: the output folder, or a copy in the cache. */
  readonly dir: string;
  /** Copies the lists that others may have published since, at most every few seconds. */
  refresh(): Promise<void>;
  /** @throws {@link ConverterError} `USAGE` without a manifest, or for the output folder of a pipeline with a store. */
  requireManifest(): Promise<void>;
  /** Reads a file by its path; undefined if there is none. A GLB of a store has its digest. */
  find(path: string): Promise<Uint8Array | undefined>;
  /** Reads a file. @throws {@link ConverterError} `FILE_MISSING`; `STORE_DAMAGED` if it has another content. */
  read(file: PublishedFile): Promise<Uint8Array>;
  /** Reads every file and compares the lists, as {@link verifyOutput}. Without `links`, every object has one path only. */
  verify(signal?: AbortSignal): Promise<Omit<Verification, 'links'> & { links?: number }>;
  /** Keeps others from publishing until it is released. @throws {@link ConverterError} `OUTPUT_LOCKED` */
  lock(): Promise<() => Promise<void>>;
  /** Finds what nothing refers to, and reports but for the last ones, as {@link planPrune}. */
  planPrune(keepRuns?: number): Promise<PrunePlan>;
  /** Removes it, under the lock. @throws {@link ConverterError} `OUTPUT_LOCKED` if a publication was cut off. */
  prune(plan: PrunePlan): Promise<void>;
}

/**
 * Opens what an output folder has.
 *
 * @param now - Clock, milliseconds since 1970.
 * @param deliveryFolders - Those of all kinds of deliveries, for `planPrune`.
 * @example
 * ```ts
 * const published = publishedIn('output/demo', Date.now);
 * await published.find('articles/FJEL/LINEA/LN-M-V.EI…/default.glb'); // → its bytes
 * ```
 */
export function publishedIn(
  outputDir: string,
  now: () => number,
  deliveryFolders: readonly string[] = [],
): Published {
  return {
    name: outputDir,
    dir: outputDir,
    refresh: async () => {},
    async requireManifest() {
      await requireManifest(outputDir);
      await refuseCopy(outputDir);
    },
    find: (path) => readBytesIfExists(join(outputDir, path)),
    async read({ path, sha256 }) {
      const bytes = await readBytes(join(outputDir, path));
      if (sha256Hex(bytes) === sha256) return bytes;
      const message = `${join(outputDir, path)}: expected the content ${sha256}, received another`;
      throw new ConverterError('STORE_DAMAGED', message);
    },
    verify: (signal) => verifyOutput(outputDir, signal),
    lock: () => lockOutput(outputDir, now()),
    planPrune: (keepRuns) => planPrune(outputDir, deliveryFolders, keepRuns),
    async prune(plan) {
      await expectNoPublication(outputDir);
      await carryOutPrune(outputDir, deliveryFolders, plan);
    },
  };
}

/** The output folder of a pipeline with a store has copies of the lists, and no GLB. */
async function refuseCopy(outputDir: string): Promise<void> {
  for await (const line of manifestLines(outputDir, () => {})) {
    const glb = publishedAsset(line)?.glb;
    if (glb === undefined) continue;
    if (!glb.startsWith(`${OBJECTS_FOLDER}/`) || (await exists(join(outputDir, glb)))) return;
    const message = `${outputDir}: expected an output folder with its GLBs, received the lists of a pipeline whose GLBs are in a store`;
    throw new ConverterError('USAGE', message, { help: 'name the pipeline file instead' });
  }
}
