/** The metrics that a page for operators names. */
import { readFile } from 'node:fs/promises';

/** Names of the metrics on a page, each once, in alphabetical order. @param page - Its path from the root. */
export async function documentedMetrics(page: string): Promise<string[]> {
  const text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8');
  return [...new Set(text.match(/\bbtg2gltf_[a-z_]+/g))].sort();
}
