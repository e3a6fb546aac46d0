/** Which properties of an article are the colour, the material and the size by which shops filter. */
import type { CatalogueLine } from '../../run/lists/manifest-line.ts';

/** What shops filter by, and what distinguishes variants for search engines. */
export const ATTRIBUTES = ['color', 'material', 'size'] as const;
/** One of {@link ATTRIBUTES}. */
export type Attribute = (typeof ATTRIBUTES)[number];

/** Names of properties, as `NAME` or `CLASS.NAME`, that replace the table for an attribute. */
export type AttributeNames = Readonly<Partial<Record<Attribute, readonly string[] | undefined>>>;

type Property = CatalogueLine['properties'][number];

/** Finds the attribute that a property is; undefined if it is none. */
export type AttributeFinder = (
  property: Pick<Property, 'class' | 'name' | 'text'>,
) => Attribute | undefined;

interface Words {
  /** The first or the last word, also as the end of a compound: `Farbe Gestell`, `Gestellfarbe`. */
  german: readonly string[];
  /** The last word: `Frame color`, but not `Fabric group`. */
  english: readonly string[];
  /** The whole text: what is chosen for a part alone is its finish, while a `Front lock` is none. */
  parts: readonly string[];
}

/** What names and texts of properties have in them, in capitals and without marks. */
const TABLE: Readonly<Record<Attribute, Words>> = {
  color: {
    german: ['FARBE', 'FARBTON', 'DEKOR', 'OBERFLAECHE', 'LACK', 'BEIZE', 'BEIZTON'],
    english: ['COLOR', 'COLOUR', 'FINISH', 'DECOR', 'SURFACE', 'LACQUER', 'STAIN', 'PAINT'],
    parts: ['GESTELL', 'FRAME', 'FRONT', 'FRONTEN', 'KORPUS', 'CARCASS', 'SCHALE', 'SHELL'],
  },
  material: {
    german: [
      ...['MATERIAL', 'WERKSTOFF', 'STOFF', 'BEZUG', 'HOLZ', 'HOLZART', 'FURNIER', 'METALL'],
      ...['LEDER', 'FILZ', 'GLAS', 'STEIN'],
    ],
    english: [
      ...['FABRIC', 'UPHOLSTERY', 'TEXTILE', 'WOOD', 'VENEER', 'METAL', 'LEATHER', 'FELT'],
      ...['GLASS', 'STONE'],
    ],
    parts: ['COVER'],
  },
  size: {
    german: ['GROESSE', 'BREITE', 'TIEFE', 'HOEHE', 'LAENGE', 'DURCHMESSER', 'ABMESSUNG'],
    english: ['SIZE', 'WIDTH', 'DEPTH', 'HEIGHT', 'LENGTH', 'DIAMETER', 'DIMENSIONS'],
    parts: ['MASS', 'MASSE', 'ABMESSUNGEN'],
  },
};

/** A shorter word is no end of a compound: `Black` ends with `Lack`. */
const SHORTEST_END = 5;
/** What follows one of these words describes the word before it: `Width in mm`, `Farbe der Front`. */
const PREPOSITION = /^(?:IN|OF|FOR|FROM|VON|DER|DES|FUER|AB|AUS|MM|CM|M)$/;

const MARKS: Readonly<Record<string, string>> = { Ä: 'AE', Ö: 'OE', Ü: 'UE' };

/** Capitals without marks, so that `Höhe` and `HOEHE` are equal. */
function folded(text: string): string {
  return text
    .normalize('NFC')
    .toUpperCase()
    .replace(/[ÄÖÜ]/g, (letter) => MARKS[letter]!)
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .trim();
}

/**
 * Returns the function that finds the attribute that a property is. The name of a property counts before its text, and
 * the names of a pipeline file before the table.
 *
 * @param names - An empty list: no property is the attribute.
 * @example
 * ```ts
 * const attributeOf = attributeFinder({ size: ['MASS.B'] });
 * attributeOf({ class: 'O', name: 'P7', text: 'Gestellfarbe' });   // → 'color'
 * attributeOf({ class: 'MASS', name: 'B', text: 'B' });            // → 'size'
 * attributeOf({ class: 'O', name: 'KABEL', text: 'Cables' });      // → undefined
 * ```
 */
export function attributeFinder(names: AttributeNames = {}): AttributeFinder {
  const named = new Map(
    ATTRIBUTES.flatMap((attribute) =>
      (names[attribute] ?? []).map((name) => [folded(name), attribute] as const),
    ),
  );
  const byTable = ATTRIBUTES.filter((attribute) => names[attribute] === undefined);
  const inTable = (text: string) => byTable.find((attribute) => isIn(TABLE[attribute], text));
  const found = new Map<string, Attribute | undefined>();
  return ({ class: propertyClass, name, text }) => {
    const key = JSON.stringify([propertyClass, name, text]);
    if (!found.has(key)) {
      const full = folded(`${propertyClass}.${name}`);
      const given = named.get(full) ?? named.get(folded(name));
      found.set(key, given ?? inTable(folded(name)) ?? inTable(folded(text)));
    }
    return found.get(key);
  };
}

function isIn({ german, english, parts }: Words, text: string): boolean {
  if (parts.includes(text)) return true;
  const words = text.split(/[^A-Z0-9]+/).filter((word) => word !== '');
  const end = words.findIndex((word) => PREPOSITION.test(word));
  const [first = '', last = first] = [words[0], words.at(end === -1 ? -1 : Math.max(0, end - 1))];
  const isGerman = (word: string) =>
    german.some(
      (entry) => word === entry || (entry.length >= SHORTEST_END && word.endsWith(entry)),
    );
  return english.includes(last) || isGerman(first) || isGerman(last);
}

/** The values of each attribute as a person reads them, in the order of the properties. */
export type AttributeValues = Readonly<Record<Attribute, readonly string[]>>;

const UNIT = /(?<![\p{L}\d])(mm|cm|m|inch|inches|Zoll)(?![\p{L}\d])/giu;

/**
 * The values that a configuration has for each attribute. A size that is a number gets the unit of its property.
 *
 * @example
 * ```ts
 * const properties = [{ class: 'MASS', name: 'BREITE', text: 'Width in mm', value: '1600', valueText: '1600' }];
 * attributeValues(properties, attributeFinder());   // → { color: [], material: [], size: ['1600 mm'] }
 * ```
 */
export function attributeValues(
  properties: readonly Property[],
  attributeOf: AttributeFinder,
): AttributeValues {
  const values: Record<Attribute, string[]> = { color: [], material: [], size: [] };
  for (const property of properties) {
    const attribute = attributeOf(property);
    const value = (property.valueText || property.value).replace(/[\s\p{Cc}]+/gu, ' ').trim();
    if (attribute === undefined || value === '') continue;
    const [unit] = [...property.text.matchAll(UNIT)].at(-1) ?? [];
    const needsUnit = attribute === 'size' && /^[\d.,]+$/.test(value) && unit !== undefined;
    values[attribute].push(needsUnit ? `${value} ${unit}` : value);
  }
  return values;
}
