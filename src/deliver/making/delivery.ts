/** The interface of all deliveries: they make files of published masters, of each alone or of several together. */
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { articleKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import type { Run } from '../../run/open/open-run.ts';
import { objectKey } from '../../run/output/article-path.ts';
import type {
  DeliveredFile,
  DeliveryLine,
  DeliveryLines,
  FileFacts,
} from '../../run/output/delivered-files.ts';
import type { BuiltGlb, DeliveryJobKind, DeliveryTask } from '../../run/publishing/deliveries.ts';
import type { Master } from '../../run/publishing/masters.ts';
import { ConverterError } from '../../support/errors.ts';
import { readBytes, sha256Hex } from '../../support/files.ts';
import { groupBy } from '../../support/group-by.ts';
import type { MasterSource } from './made-files.ts';
import type { Edition, Spend, StoredContent } from './maker.ts';
import type { MasterFile } from './threads.ts';

/** Masters of which files are made together; a failure is a failure of all of them. */
export interface Subject {
  /** Name for people, in a row of failures. */
  label: string;
  masters: readonly [Master, ...Master[]];
  /** Digest of everything that determines its files and their paths. */
  source: Digest;
}

export interface Placed extends StoredContent {
  name: string;
  facts: FileFacts;
  /** Path below the folder of the delivery, with `/`, relative to the output folder. */
  path: string;
}

/** The files of a delivery for one master. */
export type Outcome = Pick<DeliveryLine, 'files' | 'splitBy'>;

/** An open delivery. */
export interface Delivery {
  /** Name of the delivery and of its folder beside `articles/`. */
  name: string;
  /**
   * Finds the subjects of published masters.
   *
   * @param made - What was made of them: of every other delivery, if it {@link Delivery.isLast}.
   */
  subjectsOf(
    masters: readonly Master[],
    made: DeliveryLines,
  ): Iterable<Subject> | Promise<Iterable<Subject>>;
  /** Whether it begins when the others have ended, since it uses what they have made. */
  isLast?: boolean;
  /** How many subjects are worked on at the same time. */
  atOnce: number;
  /** Codes of failures that the pipeline file accepts: they are reported, and are no failure of the run. */
  accepted: readonly string[];
  /**
   * Makes the files of a subject.
   *
   * @param tools - `keep` notes a stored file, which is published with all others of the subject. `spend` receives the time that a file took.
   * @returns The files of each master, in the order of the masters.
   */
  make(
    subject: Subject,
    tools: { keep: (file: Placed) => Promise<DeliveredFile>; spend: Spend },
  ): Promise<Outcome[]>;
  /** What a machine must have to make its files. */
  kind: DeliveryJobKind;
  /** What another process needs to know to make the files of a subject; without it, this process makes them. */
  taskOf?(subject: Subject): DeliveryTask;
  /**
   * Makes the files of a task, so that {@link make} finds them.
   *
   * @param spend - Without it, `make` reports the time.
   */
  prepare?(task: DeliveryTask, sourceOf: SourceOf, spend?: Spend): Promise<void>;
  /** Whether it makes files of each GLB alone, which may begin before the GLB is published. */
  isOfEach?: boolean;
  /** Whether what was made before is made again. */
  again: boolean;
  /** As {@link Maker.edition}. */
  edition?: Edition | undefined;
  /** Returns a sentence about a limitation, once the delivery has worked. */
  limitation?(): string | undefined;
  close?(): Promise<void>;
}

/** Finds a GLB by its digest. */
export type SourceOf = (master: BuiltGlb) => MasterSource;

/** Where GLBs are that a run has stored, whether they are published or not. */
export function storedMasters({ output }: Pick<Run, 'output'>): SourceOf {
  const { objects, published } = output;
  return ({ sha256, bytes }) => {
    if (published !== undefined) return { read: () => checked(sha256, published) };
    const file = { path: objects.pathOf(sha256), name: objectKey(sha256), bytes };
    return { read: () => readMasterFile({ ...file, sha256 }), file };
  };
}

/** Reads a master. @throws {@link ConverterError} `STORE_DAMAGED` where its link has another content. */
export type ReadMaster = (master: Master) => Promise<Uint8Array>;

/** Bytes of masters that are kept for the other deliveries, which come to the same ones at about the same time. */
const KEPT_BYTES = 64e6;

/** Makes a function that reads the masters of a run. */
export function masterReader({ options, output }: Pick<Run, 'options' | 'output'>): ReadMaster {
  const read = ({ glb, sha256 }: Master) =>
    output.published === undefined
      ? readMasterFile({ path: join(options.pipeline.outputDir, glb), name: glb, sha256 })
      : checked(sha256, output.published);
  const kept = new LRUCache<Digest, Promise<Uint8Array>>({ maxSize: KEPT_BYTES });
  return (master) => {
    const known = kept.get(master.sha256);
    if (known !== undefined) return known;
    const reading = read(master);
    kept.set(master.sha256, reading, { size: master.bytes + 1 });
    reading.catch(() => kept.delete(master.sha256));
    return reading;
  };
}

/** Reads a master in a store. @throws {@link ConverterError} `STORE_DAMAGED`, and the codes of the store. */
async function checked(
  sha256: Digest,
  published: NonNullable<Run['output']['published']>,
): Promise<Uint8Array> {
  const master = await published.readObject(sha256);
  return requireContent(master, objectKey(sha256), sha256);
}

/** Reads the file of a master. @throws {@link ConverterError} `STORE_DAMAGED` if it has another content. */
export async function readMasterFile({
  path,
  name,
  sha256,
}: Omit<MasterFile, 'bytes'>): Promise<Uint8Array> {
  return requireContent(await readBytes(path), name, sha256);
}

function requireContent(master: Uint8Array, name: string, sha256: Digest): Uint8Array {
  if (sha256Hex(master) === sha256) return master;
  const message = `${name}: expected the content ${sha256}, received another`;
  throw new ConverterError('STORE_DAMAGED', message);
}

/** The masters of each article, the default configuration first; none of those that only carts select. */
export function* mastersByArticle(masters: readonly Master[]): Iterable<Subject['masters']> {
  const shown = masters.filter(({ isOnlyOfCarts }) => !isOnlyOfCarts);
  for (const article of groupBy(shown, ({ id }) => articleKey(id)).values()) {
    const [first, ...others] = article.toSorted((a, b) => {
      return Number(b.isDefault) - Number(a.isDefault);
    });
    yield [first!, ...others];
  }
}

/** The path of a link with another folder than `articles`. */
export function beside({ link }: Master, folder: string): string {
  return link.replace(/^articles\//, `${folder}/`);
}
