/** Files made of masters, each once: what was made of the same content before is taken from the cache. */
import type { FileFacts, MadeFile, Maker } from '../deliver/maker.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Run } from './open-run.ts';

/**
 * Opens them.
 *
 * @param derived - The cache; without it, everything is made again.
 * @returns A function that returns all files of a master, in the order of the maker's. Calls for the same files at the
 *   same time share them; `read` is called where one must be made.
 */
export function openMadeFiles(derived: Run['stores']['derived'] | undefined) {
  const makeMissing = async (
    { name, files, make }: Maker,
    sha256: Digest,
    read: () => Promise<Uint8Array>,
  ): Promise<MadeFile[]> => {
    const keys = files.map((file) => `${name} ${file.name} ${file.key} ${sha256}`);
    const found = await Promise.all(keys.map((key) => derived?.get(key)));
    const missing = files.filter((_, i) => found[i] === undefined);
    const names = missing.map((file) => file.name);
    const made = names.length > 0 ? await make(await read(), names) : [];
    const next = made.values();
    return Promise.all(
      keys.map(async (key, i) => {
        const before = found[i];
        if (before !== undefined) return unpack(before);
        const file = next.next().value!;
        await derived?.put(key, pack(file));
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

/** The length of the facts, the facts as JSON, the file. */
function pack({ bytes, facts }: MadeFile): Uint8Array {
  const described = new TextEncoder().encode(JSON.stringify(facts));
  const packed = new Uint8Array(4 + described.length + bytes.length);
  new DataView(packed.buffer).setUint32(0, described.length);
  packed.set(described, 4);
  packed.set(bytes, 4 + described.length);
  return packed;
}

function unpack(packed: Uint8Array): MadeFile {
  const end = 4 + new DataView(packed.buffer, packed.byteOffset).getUint32(0);
  const facts = JSON.parse(new TextDecoder().decode(packed.subarray(4, end))) as FileFacts;
  return { facts, bytes: packed.subarray(end) };
}
