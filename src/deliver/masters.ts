/** What every delivery has in common: it makes files of published masters, of each alone or of several together. */
import { join } from 'node:path';
import type { MadeFile } from './maker.ts';
import type { ArticleRequest } from '../model/article.ts';
import { configurationId, configurationKey } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import { ConverterError } from '../support/errors.ts';
import { readBytes, sha256Hex } from '../support/files.ts';
import { assignPaths } from '../run/output/article-path.ts';
import { manifestLines } from '../run/output/manifest.ts';
import { publishedAsset } from '../run/output/publish.ts';
import type { DeliveredFile, DeliveryLine } from '../run/output/delivered-files.ts';
import type { Run } from '../run/open-run.ts';

/** A published master. */
export interface Master {
  id: ArticleRequest;
  /** Path of its file. */
  glb: string;
  /** Path of its link below `articles/`, whether it has one or not: files of deliveries are named by it. */
  link: string;
  sha256: Digest;
  bytes: number;
  /** Whether it was requested without a configuration. */
  isDefault: boolean;
  /** Only carts select it: it is the planning of one customer. */
  isOnlyOfCarts: boolean;
}

/** Masters of which files are made together; what fails, fails for all of them. */
export interface Subject {
  /** For people, in a row of failures. */
  label: string;
  masters: readonly [Master, ...Master[]];
  /** Digest of all that decides its files and their paths. */
  source: Digest;
}

/** A file to be published. */
export interface Placed extends MadeFile {
  name: string;
  /** Below the folder of the delivery, with `/`, relative to the output folder. */
  path: string;
}

/** What a delivery has for one master. */
export type Outcome = Pick<DeliveryLine, 'files' | 'splitBy'>;

/** A kind of delivery, and what it works on. */
export interface Delivery {
  /** Also of its folder beside `articles/`. */
  name: string;
  /** Made one after the other, as they are needed. */
  subjects: Iterable<Subject>;
  /** How many subjects are worked on at the same time. */
  atOnce: number;
  /**
   * Makes the files of a subject.
   *
   * @param keep - Stores a file, so that it need not stay in memory; it is published with all others of the subject.
   * @returns What each master has, in their order.
   */
  make(subject: Subject, keep: (file: Placed) => Promise<DeliveredFile>): Promise<Outcome[]>;
  /** Returns a sentence about what it does without, once it has worked. */
  limitation?: (() => string | undefined) | undefined;
  /** Ends what `make` has started. */
  close?: (() => Promise<void>) | undefined;
}

/** Lists the published masters, in the order of the manifest. */
export async function mastersOf(outputDir: string): Promise<Master[]> {
  const masters: Master[] = [];
  const unlinked = new Map<string, Master>();
  const keys: string[] = [];
  for await (const line of manifestLines(outputDir)) {
    const asset = publishedAsset(line);
    const key = configurationKey(line);
    keys.push(key);
    if (asset === undefined) continue;
    const { bytes = 0 } = line.glb === undefined ? (line.lastGood ?? {}) : line;
    const isDefault = line.requested.some(isWithoutConfiguration);
    const master = {
      ...{ id: configurationId(line), ...asset, link: asset.glb, bytes },
      ...{ isDefault, isOnlyOfCarts: line.onlyCarts === true },
    };
    masters.push(master);
    if (!asset.glb.startsWith('articles/')) unlinked.set(key, master);
  }
  if (unlinked.size === 0) return masters;
  for (const [key, link] of assignPaths(keys)) {
    const master = unlinked.get(key);
    if (master !== undefined) master.link = link;
  }
  return masters;
}

function isWithoutConfiguration({ reinitstring, metareinitstring }: ArticleRequest): boolean {
  return reinitstring === '' && metareinitstring === '';
}

/** Reads a master. @throws {@link ConverterError} `STORE_DAMAGED` where its link has another content. */
export async function readMaster(
  { options, stores }: Pick<Run, 'options' | 'stores'>,
  { glb, sha256 }: Master,
): Promise<Uint8Array> {
  if (stores.published !== undefined) return stores.published.readObject(sha256);
  const master = await readBytes(join(options.pipeline.outputDir, glb));
  if (sha256Hex(master) === sha256) return master;
  const message = `${glb}: expected the content ${sha256}, received another`;
  throw new ConverterError('STORE_DAMAGED', message);
}

/** The path of a link with another folder than `articles`. */
export function beside({ link }: Master, folder: string): string {
  return link.replace(/^articles\//, `${folder}/`);
}
