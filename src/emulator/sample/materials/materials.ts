/** The records of `mats[]` by name, and those that a parts list needs. */
import { AULINDE_MATERIALS } from './aulinde.ts';
import { BRENKHOFF_MATERIALS } from './brenkhoff.ts';
import { FJELMARK_MATERIALS } from './fjelmark.ts';

const ALL = new Map(
  [...FJELMARK_MATERIALS, ...BRENKHOFF_MATERIALS, ...AULINDE_MATERIALS].map((one) => [
    one.mname.toUpperCase(),
    one,
  ]),
);

/**
 * The records that a parts list's material references need, sorted by name.
 *
 * An inline definition (`$ …`) needs no record, `BASE;key args` needs the record of its base.
 *
 * @throws Error for an unknown material: an error of this range.
 */
export function materialsFor(references: readonly string[]): Record<string, unknown>[] {
  const needed = new Map<string, Record<string, unknown>>();
  for (const reference of references) {
    if (reference.startsWith('$')) continue;
    const name = (reference.split(';')[0] ?? '').replace(/^::/, '').toUpperCase();
    const material = ALL.get(name);
    if (material === undefined) throw new Error(`sample range: no material ${reference}`);
    needed.set(name, { ...material });
  }
  return [...needed.keys()].sort().map((name) => needed.get(name)!);
}
