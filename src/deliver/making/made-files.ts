/** Files made of masters, each once: what was made of the same content before is taken from the cache. */

import type { Digest } from '../../model/snapshot.ts';
import type { Run } from '../../run/open/open-run.ts';
import type { FileFacts } from '../../run/output/delivered-files.ts';
import type { MadeFile, Maker, SharedFile } from './maker.ts';

/**
 * Opens them.
 *
 * @param derived - The cache.
 * @param again - Whether everything is made again, also what the cache has.
 * @returns A function that returns all files of a master, in the order of the maker's. Calls for the same files at the
 *   same time share them; `read` is called where one must be made.
 */
export function openMadeFiles(derived: Derived, again = false) {
  const makeMissing = async (
    maker: Maker,
    sha256: Digest,
    read: () => Promise<Uint8Array>,
  ): Promise<MadeFile[]> => {
    const found = again ? [] : await cachedFiles(derived, maker, sha256);
    const missing = maker.files.filter((_, i) => found[i] === undefined);
    const names = missing.map((file) => file.name);
    const made = names.length > 0 ? await maker.make(await read(), names) : [];
    const next = made.values();
    return Promise.all(
      keysOf(maker, sha256).map(async (key, i) => {
        const before = found[i];
        if (before !== undefined) return before;
        const file = next.next().value!;
        await putFile(derived, key, file);
        return file;
      }),
    );
  };
  const running = new Map<string, Promise<MadeFile[]>>();
  return (maker: Maker, sha256: Digest, read: () => Promise<Uint8Array>): Promise<MadeFile[]> => {
    const key = JSON.stringify([sha256, maker.name, maker.files]);
    const known = running.get(key);
    if (known !== undefined) return known;
    const made = makeMissing(maker, sha256, read).finally(() => running.delete(key));
    running.set(key, made);
    return made;
  };
}

type Derived = Run['sources']['derived'];
type Files = Pick<Maker, 'name' | 'files'>;

/** Returns what the cache has of the files of a master, in their order; undefined where there is none. */
export function cachedFiles(
  derived: Derived,
  of: Files,
  sha256: Digest,
): Promise<(MadeFile | undefined)[]> {
  return Promise.all(keysOf(of, sha256).map((key) => getFile(derived, key)));
}

/** Of entries; raise it where {@link pack} changes. */
const FORM = 'file 2';

function keysOf({ name, files }: Files, sha256: Digest): string[] {
  return files.map((file) => `${FORM} ${name} ${file.name} ${file.key} ${sha256}`);
}

/** What an entry of the cache says beside the bytes of its file. */
interface Description {
  facts: FileFacts;
  /** Names of shared files, which have entries of their own. */
  shared: string[];
}

const sharedKey = (name: string) => `shared ${name}`;

async function putFile(derived: Derived, key: string, file: MadeFile): Promise<void> {
  // First what the entry refers to.
  for (const { name, bytes } of file.shared ?? []) await derived.put(sharedKey(name), bytes);
  await derived.put(key, pack(file));
}

/** Undefined too where a file that it refers to is gone. */
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

/** The length of the description, the description as JSON, the file. */
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
