/**
 * Material trace: what each row of the material table did to one material.
 *
 * In: what {@link lookOf} takes. Out: its look, and a line for every field. For people who ask why.
 */
import { type MaterialContext, type MaterialLook, neutralLook } from './material-look.ts';
import { lookOf, type MaterialField } from './material-table.ts';

/** What one row did. */
export interface MaterialStep {
  field: MaterialField;
  /** As the service sent it; undefined where it did not. */
  sent: unknown;
  /** What the pipeline file says instead; undefined where it says nothing. */
  overridden: unknown;
  /** Where the field goes in glTF; null where it is dropped. */
  target: string | null;
  /** The rule and its decision. */
  why: string;
  /** glTF values that the row changed. */
  changes: { name: string; before: unknown; after: unknown }[];
}

/** How a material came to look as it does. */
export interface MaterialExplanation {
  name: string;
  steps: MaterialStep[];
}

/**
 * Applies the table like {@link lookOf} and notes what each row did.
 *
 * @returns One step for each field, in the order of the table.
 *
 * @example
 * ```ts
 * traceLook(context({ mname: 'OAK', roughness: 0.4 })).explanation.steps.find(({ field }) => field === 'roughness');
 * // → { field: 'roughness', sent: 0.4, target: 'roughnessFactor', changes: [{ name: 'roughness', before: 1, after: 0.4 }], … }
 * ```
 */
export function traceLook(context: Omit<MaterialContext, 'look'>): {
  look: MaterialLook;
  explanation: MaterialExplanation;
} {
  const { material } = context;
  const steps: MaterialStep[] = [];
  let before = valuesOf(neutralLook());
  const look = lookOf(context, (field, { target, why }, now) => {
    const after = valuesOf(now);
    const overridden = material.overridden?.[field];
    const sent =
      overridden === undefined
        ? (material.source[field] ?? material[field])
        : material.source[field];
    steps.push({ field, sent, overridden, target, why, changes: differences(before, after) });
    before = after;
  });
  return { look, explanation: { name: material.mname, steps } };
}

/** Every value of a look by a flat name, such as `images.normal`. */
function valuesOf({ images, kept, ...values }: MaterialLook): Map<string, unknown> {
  const nested = { images, kept };
  const flat = new Map<string, unknown>(Object.entries(values));
  for (const [group, members] of Object.entries(nested)) {
    for (const [name, value] of Object.entries(members)) flat.set(`${group}.${name}`, value);
  }
  return flat;
}

function differences(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>) {
  return [...after]
    .filter(([name, value]) => JSON.stringify(before.get(name)) !== JSON.stringify(value))
    .map(([name, value]) => ({ name, before: before.get(name), after: value }));
}
