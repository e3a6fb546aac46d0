/**
 * Open properties: what is still to be chosen before an article is valid.
 *
 * In: an article. Out: a warning where its configuration is invalid. Nothing is chosen here.
 */
import type { Article } from '../model/article.ts';
import type { Warning } from '../model/snapshot.ts';

/** Code of the warning about an invalid configuration. */
export const CONFIGURATION_INVALID = 'CONFIGURATION_INVALID';

/**
 * Names the properties with `obligatory2c` that have no value.
 *
 * @returns One warning, or none for a valid article.
 *
 * @example
 * ```ts
 * openProperties(lamp);
 * // → [{ code: 'CONFIGURATION_INVALID', message: 'the configuration is not complete: EQUIPMENT.DIMMER has no value' }]
 * ```
 *
 * @see Spec 2.2 (`obligatory2c`), 3 rule 2; D-805.
 */
export function openProperties({ ocd, propclasses }: Article): Warning[] {
  const open = [...(ocd?.propclasses ?? []), ...propclasses].flatMap(({ name, properties }) =>
    properties
      .filter(({ obligatory2c, currentvalue }) => obligatory2c && currentvalue.trim() === '')
      .map((property) => `${name}.${property.name}`),
  );
  // An invisible property is not answered: then only the article as a whole tells.
  if (open.length === 0 && !ocd?.obligatory2c) return [];
  const which = open.length === 0 ? 'a property' : open.join(', ');
  const message = `the configuration is not complete: ${which} has no value`;
  return [{ code: CONFIGURATION_INVALID, message }];
}
