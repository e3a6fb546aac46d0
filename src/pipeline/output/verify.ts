/**
 * Verify: hashes what is published and compares it with the manifest.
 *
 * In: an output folder. Out: what is damaged or missing. It changes nothing.
 */
import { join } from 'node:path';
import type { Digest } from '../../model/snapshot.ts';
import { isConverterError } from '../../support/errors.ts';
import { readBytes, sha256Hex, statIfExists } from '../../support/files.ts';
import { openManifest } from '../../write/manifest.ts';
import { publishedAsset } from '../../write/publish.ts';
import { openObjects } from '../context/run-context.ts';
import { requireManifest } from './prune.ts';

/** What a check found. */
export interface Verification {
  /** Objects checked. */
  objects: number;
  /** Links checked. */
  links: number;
  /** `object` is the digest of an object, where it is one and no link. */
  problems: { path: string; problem: string; object?: Digest }[];
}

/**
 * Checks every object that the manifest refers to, what failed configurations had before included,
 * and every link to one.
 *
 * @param signal - Ends it: a large range takes as long as it takes to read it.
 * @throws {@link ConverterError} `USAGE` where there is no manifest; the reason of the signal.
 */
export async function verifyOutput(outputDir: string, signal?: AbortSignal): Promise<Verification> {
  await requireManifest(outputDir);
  const { pathOf } = openObjects(outputDir);
  const problems: Verification['problems'] = [];
  const checked = new Set<Digest>();
  const check = async (path: string, digest: Digest, object?: Digest) => {
    const problem = await problemOf(path, digest);
    if (problem !== undefined) problems.push({ path, problem, ...(object && { object }) });
  };
  let links = 0;
  const onDamaged = (path: string, problem: string) => void problems.push({ path, problem });
  for (const line of (await openManifest(outputDir, { onDamaged })).values()) {
    const asset = publishedAsset(line);
    if (asset === undefined) continue;
    signal?.throwIfAborted();
    const { glb, sha256 } = asset;
    if (!checked.has(sha256)) await check(pathOf(sha256), sha256, sha256);
    checked.add(sha256);
    links++;
    const link = join(outputDir, glb);
    // A hard link is its object, and that was checked.
    if (!(await sameFile(link, pathOf(sha256)))) await check(link, sha256);
  }
  return { objects: checked.size, links, problems };
}

async function problemOf(path: string, digest: Digest): Promise<string | undefined> {
  try {
    const actual = sha256Hex(await readBytes(path));
    return actual === digest ? undefined : 'damaged: its content has another digest';
  } catch (error) {
    if (isConverterError(error, 'FILE_MISSING')) return 'missing';
    if (isConverterError(error)) return `unreadable: ${error.message}`;
    throw error;
  }
}

async function sameFile(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([statIfExists(a), statIfExists(b)]);
  return left !== undefined && left.identity === right?.identity;
}
