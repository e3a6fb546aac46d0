/**
 * The planned workplace: a meta planning of articles of three series and two manufacturers, whose
 * own parts list contains the parts of all children.
 */

import {
  type ArticleDefinition,
  type Configuration,
  childValuesOf,
  type Part,
  type Values,
  valuesOf,
} from '../definition.ts';
import type { Point } from '../shapes/surface.ts';
import { articleRoot, top } from '../tree.ts';
import { DEPOT } from './depot.ts';
import { basis, DECOR, layer } from './fjelmark-common.ts';
import { FORUM } from './forum.ts';
import { LINEA_DESKS } from './linea-desks.ts';
import { LUMO } from './lumo.ts';
import { choice, choices, text } from './properties.ts';

/** A place in the planning: its article, its position, and the values that follow the planning's. */
interface Place {
  articles: readonly ArticleDefinition[];
  number: string;
  at: (planning: Values) => Point;
  rot: Point;
  values: (planning: Values) => Values;
  /** Whether the article is part of the planning. @defaultValue always */
  planned?: (planning: Values) => boolean;
}

const LAMP = choices('LEUCHTE', 'PLANUNG', text('Leuchte', 'Lamp'), [
  choice('MIT', '1', 'mit', 'with'),
  choice('OHNE', '0', 'ohne', 'none', { surcharge: -145 }),
]);

/** Position of the pedestal, seen from the front. */
const PEDESTAL = choices('CONTAINER', 'PLANUNG', text('Container', 'Pedestal'), [
  choice('RECHTS', 'R', 'rechts', 'right'),
  choice('LINKS', 'L', 'links', 'left'),
  choice('OHNE', '0', 'ohne', 'none', { surcharge: -420 }),
]);

const PLACES: readonly Place[] = [
  {
    articles: LINEA_DESKS,
    number: 'LN-S160/80',
    at: () => [0, 0, 0],
    rot: [0, 0, 0],
    values: ({ DEKOR }) => ({ DEKOR: DEKOR! }),
  },
  {
    articles: DEPOT.articles,
    number: 'DP-R3',
    at: ({ CONTAINER }) => [CONTAINER === 'LINKS' ? 0.28 : 0.9, 0, 0.14],
    rot: [0, 0, 0],
    values: ({ DEKOR }) => ({ DEKOR: DEKOR! }),
    planned: ({ CONTAINER }) => CONTAINER !== 'OHNE',
  },
  {
    articles: FORUM.articles,
    number: 'FM-W160',
    at: () => [0, 0.74, 0],
    rot: [0, 0, 0],
    values: ({ SCHIRM }) => ({ FILZ: SCHIRM! }),
  },
  {
    articles: LUMO.articles,
    number: 'LM-TISCH 45',
    at: () => [0.28, 0.74, 0.22],
    rot: [0, -35, 0],
    values: () => ({}),
    planned: ({ LEUCHTE }) => LEUCHTE !== 'OHNE',
  },
];

function plannedPlaces(values: Values): Place[] {
  return PLACES.filter(({ planned }) => planned?.(values) ?? true);
}

function childOf(place: Place, values: Values): Configuration {
  const article = place.articles.find((one) => one.number === place.number)!;
  const changed = childValuesOf(values, place.number);
  return { article, values: valuesOf(article, { ...place.values(values), ...changed }) };
}

function childrenOf(values: Values): Configuration[] {
  return plannedPlaces(values).map((place) => childOf(place, values));
}

function parts(values: Values): Part[] {
  return plannedPlaces(values).map((place) => {
    const child = childOf(place, values);
    const lay = layer('LINEA', `D3_PLATZ ${PLACES.indexOf(place) + 1}`);
    const options = { at: place.at(values), rot: place.rot, lay, mat: basis('LICHTGRAU') };
    return top(options, [articleRoot(child.article, child.article.parts(child.values))]);
  });
}

const DARK = text(
  'Ohne Leuchte: Beleuchtung des Arbeitsplatzes prüfen.',
  'Without a lamp: check the lighting of the workplace.',
);

/** The article. */
export const WORKPLACE: ArticleDefinition = {
  manufacturer: 'FJEL',
  program: 'LINEA',
  number: 'LN-PLATZ 1',
  short: text(
    'Arbeitsplatz mit Container, Schirm und Leuchte',
    'Workplace with pedestal, screen and lamp',
  ),
  long: [text('Planung aus vier Artikeln', 'Planning of four articles')],
  price: 1740,
  properties: [
    DECOR,
    choices('SCHIRM', 'OBERFLÄCHE', text('Akustikschirm', 'Acoustic screen'), [
      choice('GRAU', 'G', 'Filz grau', 'Felt, grey'),
      choice('BLAU', 'B', 'Filz blau', 'Felt, blue'),
      choice('OCKER', 'O', 'Filz ocker', 'Felt, ochre'),
    ]),
  ],
  parts,
  meta: {
    typename: '::FJEL::LINEA::Arbeitsplatz',
    children: childrenOf,
    properties: [LAMP, PEDESTAL],
    messages: ({ LEUCHTE }) => (LEUCHTE === 'OHNE' ? [DARK] : []),
  },
  variants: [{ DEKOR: 'NB', SCHIRM: 'BLAU' }],
};

/** The workplace that was sold until there was a lamp. */
export const FORMER_WORKPLACE: ArticleDefinition = {
  ...WORKPLACE,
  number: 'LN-PLATZ 0',
  short: text('Arbeitsplatz ohne Leuchte (Auslauf)', 'Workplace without lamp, discontinued'),
  meta: { ...WORKPLACE.meta!, properties: [{ ...LAMP, initial: 'OHNE' }, PEDESTAL] },
  variants: [],
  isListed: false,
};
