/** A range of a few articles that changes from day to day, with or without a new conversion date, and fails. */
import type { EmulatedRange, Json, Query } from '../../src/emulator/sample/range.ts';
import { articleAnswer } from './answers.ts';
import { flatJpeg } from './flat-picture.ts';
import { BOX_TRIANGLES, body, boxPoints } from './graphics.ts';

/** What of an article may change. */
export const ASPECTS = ['block', 'texture', 'price', 'text', 'number'] as const;

/** Where an article stands, and the blocks of its parts list; it owns the first. Two may own one. */
interface Place {
  manufacturer: string;
  program: string;
  number: string;
  blocks: readonly string[];
}

/** Two manufacturers with three series. The articles of CHAIR look the same, but their parts lists are not the same. */
const PLACES: readonly Place[] = [
  { manufacturer: 'ACME', program: 'DESK', number: 'D1', blocks: ['ACME::DESK::D1'] },
  { manufacturer: 'ACME', program: 'CHAIR', number: 'C1', blocks: ['ACME::CHAIR::SEAT'] },
  { manufacturer: 'ACME', program: 'CHAIR', number: 'C2', blocks: ['ACME::CHAIR::SEAT'] },
  {
    manufacturer: 'BOLT',
    program: 'SHELF',
    number: 'S1',
    blocks: ['BOLT::SHELF::S1', 'ACME::DESK::D1'],
  },
  { manufacturer: 'BOLT', program: 'SHELF', number: 'S2', blocks: ['BOLT::SHELF::S2'] },
];
/** Listed from the beginning; the others are new when they are. */
const FIRST_LISTED = 4;
/** How many articles there may be. */
export const ARTICLE_COUNT = PLACES.length;
/** The second finish of the first article, as an entry of a pipeline selects it. */
export const SECOND_FINISH = {
  ...{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' },
  ...{ finalarticlenumber: 'D1.0-OAK', reinitstring: 'D1.0;F=OAK::' },
};
/** Values change in turn, so that each comes back. */
const VALUES = 3;
/** One has the texture of its article. */
const FINISHES = ['STD', 'OAK'];

/** What changes of each article, and whether it can be fetched. */
type State = Record<(typeof ASPECTS)[number], number> & { isListed: boolean; isBroken: boolean };

/** How the service behaves. `refuses` answers 500, `wrong` another shape, `slow` gives no block. */
export const MOODS = ['well', 'refuses', 'empty', 'slow', 'wrong'] as const;

/** A range that changes. */
export interface ChangingRange extends EmulatedRange {
  /** How it behaves now. */
  readonly mood: (typeof MOODS)[number];
  /** Called before each answer. */
  onAsked: () => void;
  /** Makes all as it was at first. */
  reset(day: string): void;
  /**
   * Behaves so from now on; called after each night too. A listing that was empty, rightly or not, on two days of one
   * conversion is believed, so that the right one after that is a change without a date.
   */
  behave(mood: ChangingRange['mood'], day: string): void;
  /** Changes an aspect of an article, by its index. */
  change(aspect: (typeof ASPECTS)[number], index: number): void;
  /** The last one stays listed. */
  list(index: number, isListed: boolean): void;
  /** The block of the article is answered, or not, until it changes. */
  breakBlock(index: number): void;
  /** Gives a new conversion date to each manufacturer with changes that have none. */
  convertedOn(day: string): void;
}

const JPEGS = await Promise.all(
  Array.from({ length: VALUES }, (_, value) => flatJpeg(80 * value, 120, 60)),
);

/** Makes a range as it is at first. */
export function changingRange(): ChangingRange {
  let mood: ChangingRange['mood'] = 'well';
  /** The conversion date and the day of the last empty listings, by manufacturer. */
  const emptyListings = new Map<string, { convertdate: string; day: string }>();
  const states = new Map<Place, State>();
  const convertdates = new Map<string, string>();
  const undated = new Set<string>();
  const stateAt = (index: number) => states.get(PLACES[index]!)!;
  const noteUndated = (index: number) => void undated.add(PLACES[index]!.manufacturer);

  /** Every answer passes here. */
  const answer = <Answer>(right: () => Answer, wrong: Answer): Answer => {
    range.onAsked();
    if (mood === 'refuses') throw new Error('the service is down');
    return mood === 'wrong' ? wrong : right();
  };
  const found = ({ manufacturer, program, basearticlenumber }: Query): Place | undefined =>
    PLACES.find(
      (place) =>
        place.manufacturer === manufacturer &&
        place.program === program &&
        place.number === basearticlenumber &&
        states.get(place)!.isListed,
    );
  const ownersOf = (block: string | undefined) =>
    PLACES.filter(({ blocks }) => blocks[0] === block).map((place) => states.get(place)!);
  const listed = () => PLACES.filter((place) => states.get(place)!.isListed);

  const nodes = (parentnode: string): Json[] | undefined => {
    const [manufacturer = '', program = ''] = parentnode.split(/;:?/);
    if (parentnode === '')
      return [...convertdates].map(([name, convertdate]) => folder(name, '', convertdate));
    if (mood === 'empty') return [];
    const own = listed().filter((place) => place.manufacturer === manufacturer);
    const programs = [...new Set(own.map((place) => place.program))];
    if (program === '') return programs.map((name) => folder(manufacturer, name, ''));
    return own.filter((place) => place.program === program).map(articleNode);
  };

  const range: ChangingRange = {
    name: 'changing',
    get mood() {
      return mood;
    },
    onAsked: () => {},
    reset(day) {
      mood = 'well';
      emptyListings.clear();
      range.onAsked = () => {};
      for (const [index, place] of PLACES.entries()) {
        const values = { block: 0, texture: 0, price: 0, text: 0, number: 0 };
        states.set(place, { ...values, isListed: index < FIRST_LISTED, isBroken: false });
        convertdates.set(place.manufacturer, day);
      }
      undated.clear();
    },
    behave(now, day) {
      mood = now;
      for (const [manufacturer, convertdate] of convertdates) {
        const isEmpty = !listed().some((place) => place.manufacturer === manufacturer);
        if (now !== 'empty' && !isEmpty) continue;
        const before = emptyListings.get(manufacturer);
        if (!isEmpty && before?.convertdate === convertdate && before.day !== day)
          undated.add(manufacturer);
        emptyListings.set(manufacturer, { convertdate, day });
      }
    },
    change(aspect, index) {
      const state = stateAt(index);
      state[aspect] = (state[aspect] + 1) % VALUES;
      if (aspect === 'block')
        for (const owner of ownersOf(PLACES[index]!.blocks[0])) owner.isBroken = false;
      noteUndated(index);
    },
    list(index, isListed) {
      const state = stateAt(index);
      if (!isListed && listed().length === 1) return;
      state.isListed = isListed;
      noteUndated(index);
    },
    breakBlock(index) {
      stateAt(index).isBroken = true;
      noteUndated(index);
    },
    convertedOn(day) {
      for (const manufacturer of undated) convertdates.set(manufacturer, day);
      undated.clear();
    },
    nodes: (parentnode) => answer(() => nodes(parentnode), [{ nodeid: 1 }]),
    breadcrumbs: () => [],
    search: () => [],
    article: (query) =>
      answer(
        () => {
          const place = found(query);
          if (place === undefined) return undefined;
          const state = states.get(place)!;
          return articleJson(place, state, query, convertdates.get(place.manufacturer)!);
        },
        { ocd: 'none' },
      ),
    partsList: (query) =>
      answer(
        () => {
          const place = found(query);
          return place && partsListJson(place, query);
        },
        { btg: 'none' },
      ),
    block: (name) =>
      answer(
        async () => {
          if (mood === 'slow') return new Promise(() => {});
          const owners = ownersOf(name);
          const value = owners.reduce((sum, { block }) => sum + block, 0) % VALUES;
          return owners.some(({ isBroken }) => isBroken) ? undefined : blockBody(name, value);
        },
        Promise.resolve(body({ V: 'none' })),
      ),
    material: (manufacturer, name) =>
      answer(
        async () => {
          const owner = PLACES.find(
            (place) => place.manufacturer === manufacturer && place.number === name,
          );
          return owner && JPEGS[states.get(owner)!.texture]!;
        },
        Promise.resolve(body('none')),
      ),
  };
  return range;
}

function folder(manufacturer: string, program: string, convertdate: string): Json {
  const nodeid = program === '' ? `${manufacturer};` : `${manufacturer};:${program}`;
  const node = { nodeid, text: program || manufacturer, nodetype: 'F', ressources: [] };
  return {
    ...{ ...node, manufacturer, manufacturername: manufacturer, program },
    ...{ basearticlenumber: '', variantcode: '', ...(convertdate && { convertdate }) },
  };
}

function articleNode({ manufacturer, program, number }: Place): Json {
  const node = { nodeid: `${manufacturer};:${number}`, text: number, nodetype: 'A' };
  const ids = { manufacturer, manufacturername: manufacturer, program, variantcode: '' };
  return { ...node, ...ids, basearticlenumber: number, ressources: [] };
}

function articleJson(place: Place, state: State, query: Query, convertdate: string): Json {
  const { manufacturer, program, number } = place;
  const { lang = 'en', varcode = '', ocdreinitstring = '' } = query;
  const finish = finishOf(varcode || ocdreinitstring);
  const ids = { manufacturer, manufacturername: manufacturer, program, basearticlenumber: number };
  const text = (what: string) => `${what} ${state.text} ${lang}`;
  const values = FINISHES.map((name) => ({ valuefrom: name, text: text(name) }));
  const property = { name: 'FINISH', text: text('Finish'), proptype: 'C', currentvalue: finish };
  return articleAnswer(ids, {
    finalarticlenumber: `${number}.${state.number}-${finish}`,
    reinitstring: `${number}.${state.number};F=${finish}::`,
    articlewithprice: true,
    price: 100 + state.price,
    currency: 'EUR',
    ...{ convertdate, shorttext: text(number), longtext: text(`All of ${number}`) },
    propclasses: [
      {
        name: 'LOOK',
        text: text('Look'),
        properties: [{ ...property, propclassname: 'LOOK', visible: true, propertyvalues: values }],
      },
    ],
  });
}

/** The finish in a final number, `D1.0-OAK`, or in a configuration, `D1.0;F=OAK::`. */
function finishOf(configuration: string): string {
  return /(?:-|F=)OAK\b/.test(configuration) ? 'OAK' : 'STD';
}

function partsListJson({ number, blocks }: Place, query: Query): Json {
  const finish = finishOf(query.finalarticlenumber ?? query.reinitstring ?? '');
  const parts = blocks.map((btgname, index) => ({
    type: 'imp',
    prop: { btgname, mat: 'M', offs: [index, 0, 0] },
  }));
  return {
    btg: [{ type: 'top', prop: { mat: 'M', childs: parts } }],
    blocks,
    mats: [
      finish === 'OAK' ? { mname: 'M', dif: '0xb08040' } : { mname: 'M', pic: textureOf(number) },
    ],
    remark: number,
  };
}

/** One that looks like another has its texture too. */
function textureOf(number: string): string {
  return number.replace('C2', 'C1');
}

function blockBody(name: string, value: number): Uint8Array {
  const T = [0, 0, 1, 0, 1, 1, 0, 1];
  const A = [{ F: BOX_TRIANGLES, TI: BOX_TRIANGLES.map((corner) => corner % 4), C: true }];
  const V = boxPoints(0.1 * (1 + value), 0.2, 0.01 * name.length);
  return body({ N: name, P: [0, 0, 0], R: [0, 0, 0], V, T, A });
}
