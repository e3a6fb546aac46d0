/** One archive of many files, made in the browser. */
import { Zip, ZipPassThrough } from 'fflate';
import { addressOf, type GalleryFile } from '../gallery-data.ts';

/** The earliest date of the format, local time: equal files give equal archives. */
const DATE = new Date(1980, 0, 1);

/**
 * Packs files, which are compressed already, under their published paths. They are loaded one after the other.
 *
 * @param onProgress - Called with the bytes that are packed.
 * @throws Error with the name of a file that cannot be loaded.
 */
export async function zipOf(
  files: readonly GalleryFile[],
  onProgress: (bytes: number) => void,
): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let failure: Error | undefined;
  const zip = new Zip((error, piece) => {
    if (error) failure = error;
    else pieces.push(piece as Uint8Array<ArrayBuffer>);
  });
  let packed = 0;
  for (const { path } of files) {
    const response = await fetch(addressOf(path));
    if (!response.ok) throw new Error(`${path}: status ${response.status}`);
    const entry = new ZipPassThrough(path);
    entry.mtime = DATE;
    zip.add(entry);
    const bytes = new Uint8Array(await response.arrayBuffer());
    entry.push(bytes, true);
    packed += bytes.length;
    onProgress(packed);
  }
  zip.end();
  if (failure !== undefined) throw failure;
  return new Blob(pieces, { type: 'application/zip' });
}

/** Saves a file in the folder of downloads. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
