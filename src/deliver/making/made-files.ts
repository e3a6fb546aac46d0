/** Files made of masters, each once: files that were made of the same content before are taken from the cache. */

import type { Digest } from '../../model/snapshot.ts';
import type { Run } from '../../run/open/open-run.ts';
import type { FileContents } from './file-contents.ts';
import type { MadeFile, Maker, Spend, StoredFile } from './maker.ts';
import type { MasterFile } from './threads.ts';

/**
 * Makes the files of masters on demand. Simultaneous calls for the same master share them.
 *
 * @param derived - The cache.
 * @param contents - Where their contents are.
 * @param again - Whether all files are made again, even those in the cache.
 * @returns All files of a master, in the order of the maker's. The master is read if a file must be made, and `spend`
 *   called with the time that it took.
 */
export function madeFiles(maker: Maker, derived: Derived, contents: FileContents, again = false) {
  const running = new Map<string, Promise<StoredFile[]>>();
  const makeMissing = async (sha256: Digest, source: MasterSource, spend: Spend) => {
    let master: Promise<Uint8Array> | undefined;
    const read = () => {
      master ??= source.read();
      return master;
    };
    const make = async (names: readonly string[]): Promise<readonly (MadeFile | StoredFile)[]> => {
      const { file } = source;
      if (file === undefined || maker.makeFromFile === undefined)
        return maker.make(await read(), names, spend);
      return maker.makeFromFile({ ...file, sha256 }, names, spend);
    };
    const keys = keysOf(maker, (await shownDigest(derived, maker, sha256, read))!);
    const find = (key: string, at: number) =>
      getFile({ derived, contents }, key, maker.files[at]!.name);
    const found = again ? [] : await Promise.all(keys.map(find));
    const names = maker.files.filter((_, i) => found[i] === undefined).map(({ name }) => name);
    const made = names.length > 0 ? await make(names) : [];
    const next = made.values();
    return Promise.all(
      keys.map(async (key, i) => {
        const before = found[i];
        if (before !== undefined) return before;
        const file = next.next().value!;
        return putFile({ derived, contents }, key, file, maker.files[i]!.name);
      }),
    );
  };
  return (sha256: Digest, source: MasterSource, spend: Spend = () => {}): Promise<StoredFile[]> => {
    const known = running.get(sha256);
    if (known !== undefined) return known;
    const made = makeMissing(sha256, source, spend).finally(() => running.delete(sha256));
    running.set(sha256, made);
    return made;
  };
}

/** Where a master is. */
export interface MasterSource {
  read(): Promise<Uint8Array>;
  /** Its file, if another thread may read it itself. */
  file?: Omit<MasterFile, 'sha256'>;
}

type Derived = Run['sources']['derived'];
type Files = Pick<Maker, 'name' | 'files' | 'digestOf'>;

/** Returns the cached contents of a master's files, in their order; a missing file is undefined. None: it is not known what they show. */
export async function cachedContents(
  derived: Derived,
  contents: FileContents,
  of: Files,
  sha256: Digest,
): Promise<(Uint8Array | undefined)[]> {
  const shown = await shownDigest(derived, of, sha256);
  if (shown === undefined) return [];
  const read = async (key: string, at: number) => {
    const { name } = of.files[at]!;
    const file = await getFile({ derived, contents }, key, name);
    return file && contents.read(file, name);
  };
  return Promise.all(keysOf(of, shown).map(read));
}

/** The digest of what files show of a master, which is stored once it is known. @param read - Without it: if it is known. */
async function shownDigest(
  derived: Derived,
  { name, digestOf }: Files,
  sha256: Digest,
  read?: () => Promise<Uint8Array>,
): Promise<Digest | undefined> {
  if (digestOf === undefined) return sha256;
  const key = `shown ${name} ${sha256}`;
  const known = await derived.get(key);
  if (known !== undefined) return new TextDecoder().decode(known);
  if (read === undefined) return undefined;
  const digest = await digestOf(await read());
  await derived.put(key, new TextEncoder().encode(digest));
  return digest;
}

/** Form of the entries; increase it when {@link StoredFile} changes. */
const FORM = 'file 3';

function keysOf({ name, files }: Files, sha256: Digest): string[] {
  return files.map((file) => `${FORM} ${name} ${file.name} ${file.key} ${sha256}`);
}

interface Places {
  derived: Derived;
  contents: FileContents;
}

/** Stores the contents before the entry that refers to them. */
async function putFile(
  { derived, contents }: Places,
  key: string,
  file: MadeFile | StoredFile,
  name: string,
): Promise<StoredFile> {
  const isStored = 'sha256' in file;
  const stored = isStored ? file : await contents.store(file, name);
  if (isStored) await contents.keepAll(stored, name);
  await derived.put(key, new TextEncoder().encode(JSON.stringify(stored)));
  return stored;
}

/** Finds a file; undefined also if one of its contents is gone. */
async function getFile(
  { derived, contents }: Places,
  key: string,
  name: string,
): Promise<StoredFile | undefined> {
  const entry = await derived.get(key);
  if (entry === undefined) return undefined;
  const file = JSON.parse(new TextDecoder().decode(entry)) as StoredFile;
  return (await contents.hasAll(file, name)) ? file : undefined;
}
