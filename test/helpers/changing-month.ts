/** A month in the life of a service: what changes in a {@link changingSampleRange} on each of its days. */

import { valuesOf } from '../../src/emulator/sample/definition.ts';
import { finalNumberOf, reinitOf } from '../../src/emulator/sample/numbering.ts';
import { findArticle } from '../../src/emulator/sample/series/range.ts';
import type { ArticleKey } from '../../src/model/article.ts';
import { configurationsOf } from '../exact/range-bodies.ts';
import { type ChangingSampleRange, changingSampleRange } from './changing-sample-range.ts';

/** Nights on which something happens beside a change. */
export const OUTAGE_NIGHT = 8;
/** The answers are fetched in the evening, and published by the run of the night. */
export const FETCHED_NIGHT = 13;
export const KILLED_NIGHT = 15;
export const REFUSED_NIGHT = 22;
/** What was refused is accepted, and nothing else has changed. */
export const ACCEPTED_NIGHT = REFUSED_NIGHT + 1;
/** What was gone is there again. */
const BACK_NIGHT = 25;

/** The desk that is configured in each finish. */
export const DESK = {
  ...{ manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-D160/80' },
  finish: 'OBERFLÄCHE.DEKOR',
};
const NEW_ARTICLE = 'LN-M';
/** Base article numbers by manufacturer. */
const ARTICLES: Readonly<Record<string, readonly string[]>> = {
  FJEL: [
    DESK.basearticlenumber,
    'LN-E180/160 L',
    'DP-F2',
    'DP-R3',
    'FM-R110',
    'FM-W160',
    NEW_ARTICLE,
  ],
  AULI: ['SL-TISCH Ø45', 'SL-HOCKER', 'RG-LEITER', 'RG-LOW 180', 'LM-LINIE: 140'],
  BRNK: ['KV-POUF Ø46', 'KV-BANK 140'],
};

/** What changes one after the other. */
const TEXTS = ['SL-TISCH Ø45', 'DP-F2', 'LN-D160/80', 'LM-LINIE: 140', 'KV-POUF Ø46', 'FM-W160'];
const PRICES = ['FM-R110', 'SL-HOCKER', 'KV-POUF Ø46', 'LN-D160/80', 'RG-LOW 180', 'DP-R3'];
const COMING_AND_GOING = [NEW_ARTICLE, 'KV-BANK 140', 'RG-LEITER'];
const COLORS = ['FJEL::BASIS::WEISS', 'AULI::WOHNEN::SCHWARZ MATT', 'FJEL::BASIS::PULVER_SILBER'];
const BLOCKS = [
  'FJEL::BASIS::TISCHPLATTE_1600X25X800',
  'AULI::WOHNEN::KISSEN_710X150X610',
  'FJEL::BASIS::RUNDPLATTE_1100X25',
  'AULI::WOHNEN::RUNDPLATTE_450X24',
  'BRNK::KONVA::RUNDPOLSTER_460X400',
];
/** An image, and what is sent in its place every other time. */
const IMAGES = [
  ['FJEL/EICHE', 'FJEL/NUSSBAUM'],
  ['AULI/TERRAZZO', 'AULI/NUSSBAUM'],
  ['BRNK/STOFF_PETROL', 'BRNK/STOFF_ROST'],
] as const;

interface Change {
  name: string;
  /** @returns Whose data have changed. */
  apply(range: ChangingSampleRange, night: number): string | undefined;
}

/** The kinds of change, which take turns. */
const CHANGES: readonly Change[] = [
  { name: 'nothing', apply: () => undefined },
  {
    name: 'a text',
    apply({ editions }, night) {
      const number = inTurn(TEXTS, night);
      editions.set(number, ` (${night})`);
      return ownerOf(number);
    },
  },
  {
    name: 'a texture',
    apply({ images }, night) {
      const [image, other] = inTurn(IMAGES, night);
      if (!images.delete(image)) images.set(image, other);
      return image.split('/')[0];
    },
  },
  {
    name: 'a size',
    apply({ stretches }, night) {
      const block = inTurn(BLOCKS, night);
      stretches.set(block, 1 + night / 1000);
      return block.split('::')[0];
    },
  },
  {
    name: 'a colour',
    apply({ colors }, night) {
      const material = inTurn(COLORS, night);
      colors.set(material, `0x${(0x303030 + 0x030201 * night).toString(16)}`);
      return material.split('::')[0];
    },
  },
  {
    name: 'an article',
    apply({ articles }, night) {
      const number = inTurn(COMING_AND_GOING, night);
      if (!articles.delete(number)) articles.add(number);
      return ownerOf(number);
    },
  },
  {
    name: 'a price',
    apply({ surcharges }, night) {
      const number = inTurn(PRICES, night);
      surcharges.set(number, night);
      return ownerOf(number);
    },
  },
];

function inTurn<T>(list: readonly T[], night: number): T {
  return list[Math.floor(night / CHANGES.length) % list.length]!;
}

function ownerOf(number: string): string {
  return Object.keys(ARTICLES).find((owner) => ARTICLES[owner]!.includes(number))!;
}

/** `YYYY-MM-DD` of a night, counted from 0. */
export function dayOf(night: number): string {
  return new Date(Date.UTC(2026, 2, 1 + night)).toISOString().slice(0, 10);
}

/** A service that changes from night to night. */
export function changingMonth() {
  const atFirst = Object.values(ARTICLES).flat();
  const range = changingSampleRange(
    atFirst.filter((number) => number !== NEW_ARTICLE),
    dayOf(-2),
  );
  let gone: string[] = [];
  return {
    range,
    /** Lets the day before a night pass. @returns What has changed. */
    pass(night: number): string {
      const { name, apply } = CHANGES[night % CHANGES.length]!;
      if (night === ACCEPTED_NIGHT) return 'nothing';
      const changed = new Set([apply(range, night)]);
      if (night === KILLED_NIGHT)
        // The prices of a manufacturer: some of its answers are cached when the run is killed.
        for (const number of ARTICLES.FJEL!) {
          range.surcharges.set(number, 1000 + night);
          changed.add('FJEL');
        }
      if (night === REFUSED_NIGHT) {
        gone = [...range.articles].filter((number) => ownerOf(number) !== 'FJEL');
        for (const number of gone) range.articles.delete(number);
      }
      if (night === BACK_NIGHT) {
        for (const number of gone) range.articles.add(number);
        changed.add('AULI').add('BRNK');
      }
      // The run begins after midnight: what changed on a day is asked for once.
      for (const owner of changed)
        if (owner !== undefined) range.convertdates.set(owner, dayOf(night - 1));
      return name;
    },
    /** What has to be published: each article as it is, and the desk in each finish. */
    configurations(): ArticleKey[] {
      const { finish, ...desk } = DESK;
      const definition = findArticle(desk.manufacturer, desk.program, desk.basearticlenumber)!;
      const name = finish.split('.')[1]!;
      const { choices = [] } = definition.properties.find((property) => property.name === name)!;
      const ofDesk = choices.map(({ value }): ArticleKey => {
        const values = valuesOf(definition, { [name]: value });
        const finalarticlenumber = finalNumberOf(definition, values);
        const reinitstring = reinitOf(definition, values);
        return { ...desk, finalarticlenumber, reinitstring, metareinitstring: '' };
      });
      const others = configurationsOf(range).filter(
        ({ basearticlenumber }) => basearticlenumber !== desk.basearticlenumber,
      );
      return [...others, ...ofDesk];
    },
  };
}
