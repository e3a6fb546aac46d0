/** The kinds of deliveries, one per row. */
import type { Run } from '../run/open/open-run.ts';
import type { Master } from '../run/publishing/masters.ts';
import type { Delivery } from './making/delivery.ts';
import type { Kind } from './making/kind.ts';
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
export async function openDeliveries(
  wanted: Readonly<Record<string, unknown>>,
  run: Run,
  masters: readonly Master[],
  again: boolean,
): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (const [key, kind] of ROWS) {
    const own = wanted[key];
    if (own === undefined || own === null) continue;
    deliveries.push(...(await kind.open(own, run, masters, again)));
  }
  return deliveries;
}
