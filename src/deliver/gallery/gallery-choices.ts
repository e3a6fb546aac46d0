/** The choices between the configurations of an article. No imports from Node: the page uses this file. */
import { groupBy } from '../../support/group-by.ts';
import type { GalleryDetails } from './gallery-data.ts';

/** A property in which configurations differ. */
export interface Choice {
  /** `CLASS.PROPERTY` */
  id: string;
  text: string;
  values: readonly ChoiceValue[];
}

/** A value of a property, which at least one configuration has. */
export interface ChoiceValue {
  value: string;
  text: string;
  isChosen: boolean;
  /** The configuration that has it, and of all others as many values as possible of the one that is shown. */
  configuration: GalleryDetails;
  /** The other properties that this configuration changes, too. */
  changes: readonly string[];
  /**
   * Picture of the finish that only configurations with this value have. None if they are also those with a value of
   * another property, since the picture may be of that one.
   */
  swatch?: string;
}

/**
 * The properties in which the configurations of an article differ, with the values that there are.
 *
 * @param configurations - All of the article. @param current - The one that is shown.
 * @example
 * ```ts
 * choicesOf([oakBlack, oakWhite, walnutBlack], oakWhite);
 * // → DEKOR: oak, chosen; walnut, which changes GESTELL to black. GESTELL: black; white, chosen.
 * ```
 */
export function choicesOf(
  configurations: readonly GalleryDetails[],
  current: GalleryDetails,
): Choice[] {
  const values = new Map(
    configurations.map((one) => [one, new Map(one.properties.map(({ id, value }) => [id, value]))]),
  );
  const texts = new Map<string, string>();
  for (const { id, text } of configurations.flatMap(({ properties }) => properties))
    if (!texts.has(id)) texts.set(id, text);
  const differing = [...texts.keys()].filter(
    (id) => new Set(configurations.map((one) => values.get(one)!.get(id))).size > 1,
  );
  const own = values.get(current)!;
  const ownersOf = (id: string) => groupBy(configurations, (one) => values.get(one)!.get(id) ?? '');
  const properties = new Map(differing.map((id) => [id, ownersOf(id)]));
  const keys = [...properties.values()].flatMap((owners) => [...owners.values()].map(keyOf));
  const shared = new Set(keys.filter((key, place) => keys.indexOf(key) !== place));
  const swatchOf = swatchFinder(configurations, (group) => !shared.has(keyOf(group)));
  return Array.from(properties, ([id, owners]) => ({
    ...{ id, text: texts.get(id) || id },
    values: valuesOf(id, owners, swatchOf, (one) => {
      const changed = differing.filter(
        (other) => other !== id && values.get(one)!.get(other) !== own.get(other),
      );
      return changed.map((other) => texts.get(other) || other);
    }).map((value) => ({ ...value, isChosen: value.value === (own.get(id) ?? '') })),
  }));
}

type Group = readonly GalleryDetails[];

const keyOf = (group: Group): string => JSON.stringify(group.map(({ id }) => id));

function valuesOf(
  id: string,
  owners: ReadonlyMap<string, Group>,
  swatchOf: (group: Group) => string | undefined,
  changesOf: (configuration: GalleryDetails) => string[],
): Omit<ChoiceValue, 'isChosen'>[] {
  return Array.from(owners, ([value, own]) => {
    const property = own[0]!.properties.find((one) => one.id === id);
    const text = property?.valueText || value || '–';
    const candidates = own.map((configuration) => {
      return { configuration, changes: changesOf(configuration) };
    });
    const least = Math.min(...candidates.map(({ changes }) => changes.length));
    const choice = { value, text, ...candidates.find(({ changes }) => changes.length === least)! };
    const swatch = swatchOf(own);
    return { ...choice, ...(swatch !== undefined && { swatch }) };
  });
}

/** Finds the picture of a finish that exactly the configurations of a group have. */
function swatchFinder(configurations: Group, isOfOneValue: (group: Group) => boolean) {
  const counts = countsOf(configurations);
  return (group: Group): string | undefined => {
    const pictures = isOfOneValue(group) ? [...countsOf(group)] : [];
    return pictures.find(
      ([picture, count]) => count === group.length && counts.get(picture) === count,
    )?.[0];
  };
}

/** How many configurations have each picture of a finish. */
function countsOf(configurations: Group): Map<string, number> {
  const counts = new Map<string, number>();
  for (const picture of configurations.flatMap(({ swatches }) => swatches))
    counts.set(picture, (counts.get(picture) ?? 0) + 1);
  return counts;
}
