/** What every delivery has in common: it makes files of published masters, of each alone or of several together. */
import { join } from 'node:path';
import type { MadeFile } from '../deliver/maker.ts';
import type { ArticleRequest } from '../model/article.ts';
import { configurationId } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import { ConverterError } from '../support/errors.ts';
import { readBytes, sha256Hex } from '../support/files.ts';
import { manifestLines } from '../write/manifest.ts';
import { publishedAsset } from '../write/publish.ts';
import type { DeliveredFile, DeliveryLine } from './deliveries.ts';

/** A published master. */
export interface Master {
  id: ArticleRequest;
  /** Path of its link. */
  glb: string;
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
  /** Ends what `make` has started. */
  close?: (() => Promise<void>) | undefined;
}

/** Lists the published masters, in the order of the manifest. */
export async function mastersOf(outputDir: string): Promise<Master[]> {
  const masters: Master[] = [];
  for await (const line of manifestLines(outputDir)) {
    const asset = publishedAsset(line);
    if (asset === undefined) continue;
    const { bytes = 0 } = line.glb === undefined ? (line.lastGood ?? {}) : line;
    const isDefault = line.requested.some(isWithoutConfiguration);
    masters.push({
      ...{ id: configurationId(line), ...asset, bytes },
      ...{ isDefault, isOnlyOfCarts: line.onlyCarts === true },
    });
  }
  return masters;
}

function isWithoutConfiguration({ reinitstring, metareinitstring }: ArticleRequest): boolean {
  return reinitstring === '' && metareinitstring === '';
}

/** Reads a master. @throws {@link ConverterError} `STORE_DAMAGED` where its link has another content. */
export async function readMaster(outputDir: string, { glb, sha256 }: Master): Promise<Uint8Array> {
  const master = await readBytes(join(outputDir, glb));
  if (sha256Hex(master) === sha256) return master;
  const message = `${glb}: expected the content ${sha256}, received another`;
  throw new ConverterError('STORE_DAMAGED', message);
}

/** The path of a link with another folder than `articles`. */
export function beside({ glb }: Master, folder: string): string {
  return glb.replace(/^articles\//, `${folder}/`);
}
