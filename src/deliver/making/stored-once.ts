/** Work that is done once for all machines and nights: its results are among the derived data. */
import { deserialize, serialize } from 'node:v8';
import type { Run } from '../../run/open/open-run.ts';
import { createOnce, type Once } from './once.ts';

/** Form of the entries; increase it when the same work has another result. */
const FORM = 'once 1';

/**
 * Like {@link createOnce}, with results that the derived data keep.
 *
 * @param derived - Without it, results are kept in memory alone.
 * @example
 * ```ts
 * const once = createStoredOnce(run.sources.derived);
 * await once(`webp ${digest}`, () => encode(texture));   // encodes, unless another worker has
 * ```
 */
export function createStoredOnce(derived?: Pick<Run['sources']['derived'], 'get' | 'put'>): Once {
  const once = createOnce();
  if (derived === undefined) return once;
  const stored = async (name: string, work: () => Promise<unknown>): Promise<unknown> => {
    const found = await derived.get(name);
    const known = found && readable(found);
    if (known !== undefined) return known.result;
    const result = await work();
    await derived.put(name, serialize(result));
    return result;
  };
  return ((key, work) => once(key, () => stored(`${FORM} ${key}`, work))) as Once;
}

/** Undefined where a later version of Node.js has written it. */
function readable(found: Uint8Array): { result: unknown } | undefined {
  try {
    return { result: deserialize(found) };
  } catch {
    return undefined;
  }
}
