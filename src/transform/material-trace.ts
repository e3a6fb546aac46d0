/** Material trace: what each row of the material table did to one material. */
import type { ServiceMaterial } from '../model/graphics.ts';
import type { MaterialField, MaterialRule, MaterialShading } from './material-table.ts';

/** How the rows of the table made one material. */
export interface MaterialExplanation {
  name: string;
  /** One for each field, in the order of the table. */
  steps: {
    field: MaterialField;
    /** As the service sent it, or undefined. */
    sent: unknown;
    /** Its value in the pipeline file, or undefined. */
    overridden: unknown;
    target: string | null;
    why: string;
    /** glTF values that the row changed. */
    changes: { name: string; before: unknown; after: unknown }[];
  }[];
}

/** Starts the trace of a material; `add` is called after each row. */
export function createTrace(material: ServiceMaterial, initial: MaterialShading) {
  const explanation: MaterialExplanation = { name: material.mname, steps: [] };
  let before = valuesOf(initial);
  return {
    explanation,
    add(field: MaterialField, { target, why }: MaterialRule, shading: MaterialShading): void {
      const after = valuesOf(shading);
      const overridden = material.overridden?.[field];
      const received = overridden === undefined ? material[field] : undefined;
      const changes = [...after]
        .filter(([name, value]) => JSON.stringify(before.get(name)) !== JSON.stringify(value))
        .map(([name, value]) => ({ name, before: before.get(name), after: value }));
      const sent = material.source[field] ?? received;
      explanation.steps.push({ field, sent, overridden, target, why, changes });
      before = after;
    },
  };
}

/** Every value by a flat name, such as `images.normal`. */
function valuesOf({ images, kept, ...values }: MaterialShading): Map<string, unknown> {
  const flat = new Map<string, unknown>(Object.entries(values));
  for (const [group, members] of Object.entries({ images, kept })) {
    for (const [name, value] of Object.entries(members)) flat.set(`${group}.${name}`, value);
  }
  return flat;
}
