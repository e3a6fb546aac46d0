/** The kinds of deliveries, one per row. */
import { embedKind } from './embed/embed-kind.ts';
import type { Delivery } from './making/delivery.ts';
import type { Kind, Opening } from './making/kind.ts';
import type { Once } from './making/once.ts';
import type { Functions } from './making/threads.ts';
import { picturesKind } from './pictures/pictures-kind.ts';
import { profilesKind } from './profiles/profiles-kind.ts';
import { swatchesKind } from './swatches/swatches-kind.ts';
import { variantsKind } from './variants/variants-kind.ts';

/** The kinds by their key in `deliver:`, in the order in which they work. */
export const KINDS = {
  pictures: picturesKind,
  swatches: swatchesKind,
  profiles: profilesKind,
  variants: variantsKind,
  embed: embedKind,
};

const ROWS: readonly [key: string, kind: Kind][] = Object.entries(KINDS);

type KindSchemas = {
  [K in keyof typeof KINDS]: ReturnType<(typeof KINDS)[K]['schema']>;
};

/** Makes the schemas of the keys in `deliver:`. */
export function kindSchemas(): KindSchemas {
  return Object.fromEntries(ROWS.map(([key, { schema }]) => [key, schema()])) as KindSchemas;
}

/** The folder of each delivery of this program: an interrupted delivery that is no longer configured is in no list. */
export const DELIVERY_FOLDERS: readonly string[] = ROWS.flatMap(([, { names }]) => names);

/** Opens the deliveries of a pipeline, in the order of the kinds. @param wanted - Options by the key of the kind. */
export async function openDeliveries(wanted: object, opening: Opening): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (const [kind, own] of wantedKinds(wanted))
    deliveries.push(...(await kind.open(own, opening)));
  return deliveries;
}

/** Opens what threads do for the deliveries of a pipeline, by the names of the deliveries. */
export async function openFunctions(
  wanted: object,
  once: Once,
): Promise<ReadonlyMap<string, Functions>> {
  const functions = new Map<string, Functions>();
  for (const [kind, own] of wantedKinds(wanted))
    for (const [name, some] of (await kind.functions?.(own, once)) ?? []) functions.set(name, some);
  return functions;
}

function* wantedKinds(wanted: object): Iterable<[kind: Kind, own: NonNullable<unknown>]> {
  for (const [key, kind] of ROWS) {
    const own = (wanted as Readonly<Record<string, unknown>>)[key];
    if (own !== undefined && own !== null) yield [kind, own];
  }
}
