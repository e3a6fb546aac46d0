/** Media types of the files that the program writes. */
import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.bin': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.glb': 'model/gltf-binary',
  '.gltf': 'model/gltf+json',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.png': 'image/png',
  '.tsv': 'text/tab-separated-values; charset=utf-8',
  '.usdz': 'model/vnd.usdz+zip',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
};

/**
 * Returns the media type of a file by the ending of its name: registered with IANA, or else in common use.
 *
 * @returns `application/octet-stream` for an ending that the program does not write.
 * @example
 * ```ts
 * mediaTypeOf('profiles/web/FJEL/LN-M.gltf');   // → 'model/gltf+json'
 * ```
 */
export function mediaTypeOf(name: string): string {
  return TYPES[extname(name).toLowerCase()] ?? TYPES['.bin']!;
}
