/** Files made of masters, each once: files that were made of the same content before are taken from the cache. */

import type { Digest } from '../../model/snapshot.ts';
import type { Run } from '../../run/open/open-run.ts';
import type { FileFacts } from '../../run/output/delivered-files.ts';
import type { MadeFile, Maker, SharedFile, Spend } from './maker.ts';
import type { MasterFile } from './threads.ts';

/**
 * Makes the files of masters on demand. Simultaneous calls for the same master share them.
 *
 * @param derived - The cache.
 * @param again - Whether all files are made again, even those in the cache.
 * @returns All files of a master, in the order of the maker's. The master is read if a file must be made, and `spend`
 *   called with the time that it took.
 */
export function madeFiles(maker: Maker, derived: Derived, again = false) {
  const running = new Map<string, Promise<MadeFile[]>>();
  const makeMissing = async (sha256: Digest, source: MasterSource, spend: Spend) => {
    let master: Promise<Uint8Array> | undefined;
    const read = () => {
      master ??= source.read();
      return master;
    };
    const make = async (names: readonly string[]) => {
      const { file } = source;
      if (file === undefined || maker.makeFromFile === undefined)
        return maker.make(await read(), names, spend);
      return maker.makeFromFile({ ...file, sha256 }, names, spend);
    };
    const keys = keysOf(maker, (await shownDigest(derived, maker, sha256, read))!);
    const found = again ? [] : await Promise.all(keys.map((key) => getFile(derived, key)));
    const missing = maker.files.filter((_, i) => found[i] === undefined);
    const names = missing.map((file) => file.name);
    const made = names.length > 0 ? await make(names) : [];
    const next = made.values();
    return Promise.all(
      keys.map(async (key, i) => {
        const before = found[i];
        if (before !== undefined) return before;
        const file = next.next().value!;
        await putFile(derived, key, file);
        return file;
      }),
    );
  };
  return (sha256: Digest, source: MasterSource, spend: Spend = () => {}): Promise<MadeFile[]> => {
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

/** Returns the cached files of a master, in their order; a missing file is undefined. None: it is not known what they show. */
export async function cachedFiles(
  derived: Derived,
  of: Files,
  sha256: Digest,
): Promise<(MadeFile | undefined)[]> {
  const shown = await shownDigest(derived, of, sha256);
  if (shown === undefined) return [];
  return Promise.all(keysOf(of, shown).map((key) => getFile(derived, key)));
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

/** Form of the entries; increase it when {@link pack} changes. */
const FORM = 'file 2';

function keysOf({ name, files }: Files, sha256: Digest): string[] {
  return files.map((file) => `${FORM} ${name} ${file.name} ${file.key} ${sha256}`);
}

/** The description in an entry of the cache, besides the bytes of its file. */
interface Description {
  facts: FileFacts;
  /** Names of shared files, which have their own entries. */
  shared: string[];
}

const sharedKey = (name: string) => `shared ${name}`;

async function putFile(derived: Derived, key: string, file: MadeFile): Promise<void> {
  // Shared files are stored before the entry that refers to them.
  for (const { name, bytes } of file.shared ?? []) await derived.put(sharedKey(name), bytes);
  await derived.put(key, pack(file));
}

/** Reads a file from the cache; undefined also if a file that it refers to is missing. */
async function getFile(derived: Derived, key: string): Promise<MadeFile | undefined> {
  const packed = await derived.get(key);
  if (packed === undefined) return undefined;
  const { bytes, facts, shared: names } = unpack(packed);
  const shared: SharedFile[] = [];
  for (const name of names) {
    const part = await derived.get(sharedKey(name));
    if (part === undefined) return undefined;
    shared.push({ name, bytes: part });
  }
  return { bytes, facts, ...(shared.length > 0 && { shared }) };
}

/** Packs an entry: the length of the description, the description as JSON, the file. */
function pack({ bytes, facts, shared = [] }: MadeFile): Uint8Array {
  const description: Description = { facts, shared: shared.map(({ name }) => name) };
  const described = new TextEncoder().encode(JSON.stringify(description));
  const packed = new Uint8Array(4 + described.length + bytes.length);
  new DataView(packed.buffer).setUint32(0, described.length);
  packed.set(described, 4);
  packed.set(bytes, 4 + described.length);
  return packed;
}

function unpack(packed: Uint8Array): Description & { bytes: Uint8Array } {
  const end = 4 + new DataView(packed.buffer, packed.byteOffset).getUint32(0);
  const description = JSON.parse(new TextDecoder().decode(packed.subarray(4, end))) as Description;
  return { ...description, bytes: packed.subarray(end) };
}
