/**
 * The floor of a rebuild: hashes, writes, syncs and links the given files, eight at a time, and does nothing else.
 *
 * Usage: `node floor-process.js FROM TO`.
 */
import { createHash } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const AT_A_TIME = 8;

const [from, to] = process.argv.slice(2) as [string, string];
const entries = await readdir(from, { recursive: true, withFileTypes: true });
const files = entries.filter((entry) => entry.isFile());
await mkdir(to, { recursive: true });

async function copyNext(): Promise<void> {
  for (let file = files.pop(); file !== undefined; file = files.pop()) {
    const bytes = await readFile(join(file.parentPath, file.name));
    const digest = createHash('sha256').update(bytes).digest('hex');
    const temporary = join(to, `${digest}.tmp`);
    const handle = await open(temporary, 'w');
    await handle.writeFile(bytes);
    await handle.sync();
    await handle.close();
    await link(temporary, join(to, digest));
    await link(join(to, digest), join(to, `${file.name}.link`));
    await unlink(temporary);
  }
}

await Promise.all(Array.from({ length: AT_A_TIME }, copyNext));
